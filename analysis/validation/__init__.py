"""What papers and products publish, and what was measured, next to what comes out here. Not part of the package that users install."""
