"""What a checkout of the project has and an installed package has not: analysis/validation, with the papers' experiments and the measured drives."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tessera.errors import InputError

FOLDER = "validation"


@contextmanager
def of_checkout() -> Iterator[None]:
    """Around imports from that folder. Raises InputError where it is not there."""
    try:
        yield
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != FOLDER:
            raise
        raise InputError(
            f"the papers' experiments and the measured drives are in analysis/{FOLDER} of the project's sources, which an installed package does not have: "
            "run this command in a checkout, where './dev build' makes .venv/bin/tessera"
        ) from None


def page_of_checkout(page: Path) -> Path:
    """A page that is written again. Raises InputError where it is not there."""
    if not page.is_file():
        raise InputError(f"--page: there is no file '{page}': run this command in a checkout, or name its docs/validation.md")
    return page
