"""Track-based translation layers for interlaced recording."""

from tessera.papers.lab import Lab

TITLE = "Track-based translation layers for interlaced recording"


def sections(lab: Lab) -> list[str]:
    """Markdown of this chapter."""
    return []
