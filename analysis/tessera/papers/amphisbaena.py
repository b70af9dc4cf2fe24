"""Zone buffers on a shingled drive (Amphisbaena)."""

from tessera.papers.lab import Lab

TITLE = "Zone buffers on a shingled drive (Amphisbaena)"


def sections(lab: Lab) -> list[str]:
    """Markdown of this chapter."""
    return []
