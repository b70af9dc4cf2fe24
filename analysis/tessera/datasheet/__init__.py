"""From the figures that a data sheet prints to the description of a drive."""
