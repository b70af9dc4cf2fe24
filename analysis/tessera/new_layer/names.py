"""What a new layer may be called."""

import re
from collections.abc import Iterable

from tessera.errors import InputError

TAKEN = ("all", "best")  # words of --layers and --baseline
MOST = 64
PLAIN = re.compile(rf"[a-z0-9][a-z0-9-]{{0,{MOST - 1}}}")


def plain(text: str) -> str:
    """The layer's name that is nearest to a text.

    >>> plain("My Layer_2"), plain("../../x/ESC"), plain("---"), plain("a" * 70) == "a" * 64
    ('my-layer-2', 'x-esc', 'my-layer', True)
    """
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")[:MOST].strip("-") or "my-layer"


def free(name: str, taken: Iterable[str]) -> str:
    """
    >>> free("cmr", ["cmr", "cmr-2"]), free("mine", ["cmr"])
    ('cmr-3', 'mine')
    """
    taken = {*taken, *TAKEN}
    return next(candidate for candidate in (name, *(f"{name[: MOST - 4]}-{number}" for number in range(2, 1000))) if candidate not in taken)


def check_name(name: str, layers: Iterable[str]) -> None:
    """Raises InputError for what cannot be the name of a new layer, with one that can."""
    layers = list(layers)
    if not PLAIN.fullmatch(name):
        shown = name if name.isprintable() else repr(name)[1:-1]
        raise InputError(f"a layer's name has up to {MOST} of a-z, 0-9 and '-', the first no '-'; found '{shown}'; '{free(plain(name), layers)}' would do")
    if name in TAKEN:
        raise InputError(f"'{name}' has a meaning where layers are named; '{free('my-layer', layers)}' would do")
    if name in layers:
        raise InputError(f"there is a layer '{name}' already; '{free(name, layers)}' is free")


def identifier(name: str) -> str:
    """The name in code and in descriptions.

    >>> identifier("log-2")
    'log_2'
    """
    return name.replace("-", "_")


def class_name(name: str) -> str:
    """
    >>> class_name("my-log"), class_name("my-layer"), class_name("2-heads")
    ('MyLogLayer', 'MyLayer', 'Of2HeadsLayer')
    """
    joined = "".join(word.capitalize() for word in name.removesuffix("-layer").split("-"))
    return f"{joined if joined[0].isalpha() else f'Of{joined}'}Layer"
