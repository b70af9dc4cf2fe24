"""The disk at work: a run, or two side by side, as one HTML file to play and to scrub through."""

from tessera.view.view import write_view

__all__ = ["write_view"]
