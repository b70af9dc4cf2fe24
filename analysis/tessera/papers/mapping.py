"""Static address mappings for shingled disks."""

from tessera.papers.lab import Lab

TITLE = "Static address mappings for shingled disks"


def sections(lab: Lab) -> list[str]:
    """Markdown of this chapter."""
    return []
