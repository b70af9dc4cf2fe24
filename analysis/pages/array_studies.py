"""The studies of docs/studies that run arrays: each runs its matrix and writes the tables of its own page."""

from collections.abc import Callable
from pathlib import Path

from pages.archive import archive
from pages.erasure import write_erasure

ARRAY_STUDIES: dict[str, Callable[[Path], None]] = {"archive": archive, "erasure": write_erasure}
"""By name. A study takes the folder for its runs, and raises SimulatorError where one of them fails."""
