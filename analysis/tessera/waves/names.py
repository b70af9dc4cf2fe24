"""Which signals a pattern means, as `tessera-sim run --signals` understands it."""

import re
from collections.abc import Iterable, Sequence

from tessera.errors import unknown_name


def inside(path: str) -> str:
    """A path without the drive's own name in front.

    >>> inside("drive.media.state")
    'media.state'
    """
    return path.partition(".")[2]


def means(pattern: str, path: str) -> bool:
    """`*` stands for anything, `?` for one character; a scope means all that is in it.

    >>> means("nand.die_?.state", "drive.nand.die_3.state"), means("media", "drive.media.state"), means("media", "drive.media_2.state")
    (True, True, False)
    """
    form = re.compile(re.escape(pattern).replace(r"\*", ".*").replace(r"\?", "."))
    levels = path.split(".")
    wholes = (".".join(levels[:count]) for count in range(1, len(levels) + 1))
    return any(form.fullmatch(name) for whole in wholes for name in (whole, inside(whole)) if name)


def chosen(paths: Iterable[str], patterns: Sequence[str]) -> list[str]:
    """The paths that a pattern means, all where there is none. Raises InputError for a pattern that means nothing, with the nearest name.

    >>> chosen(["drive.media.state", "drive.nand.queue"], ["media.stat"])
    Traceback (most recent call last):
    tessera.errors.InputError: unknown signal 'media.stat'; did you mean 'media.state'?
    """
    known = list(paths)
    for pattern in patterns:
        if not any(means(pattern, path) for path in known):
            scopes = [inside(path).rpartition(".")[0] for path in known]
            raise unknown_name("signal", pattern, dict.fromkeys([*scopes, *map(inside, known)]))
    return [path for path in known if not patterns or any(means(pattern, path) for pattern in patterns)]
