"""Hybrid wave-like shingled recording."""

from tessera.papers.lab import Lab

TITLE = "Hybrid wave-like shingled recording"


def sections(lab: Lab) -> list[str]:
    """Markdown of this chapter."""
    return []
