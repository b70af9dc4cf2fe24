"""The rooms of the Python package: the folders and modules directly below analysis/tessera, and which imports which."""

import ast
from collections.abc import Iterator, Mapping
from graphlib import TopologicalSorter
from pathlib import Path


def modules_of(analysis: Path, package: str) -> dict[str, Path]:
    """File of each module."""
    files = sorted(file for file in (analysis / package).rglob("*.py") if "templates" not in file.parts)
    return {".".join(file.relative_to(analysis).with_suffix("").parts).removesuffix(".__init__"): file for file in files}


def imports_of(text: str, known: Mapping[str, Path]) -> Iterator[str]:
    """The modules that a text imports anywhere: in functions, and for types alone."""
    for item in ast.walk(ast.parse(text)):
        if isinstance(item, ast.Import):
            yield from (each.name for each in item.names)
        elif isinstance(item, ast.ImportFrom):
            names = (f"{item.module}.{each.name}" for each in item.names)
            yield from (name if name in known else str(item.module) for name in names)


def room_of(module: str) -> str:
    return (module.split(".") + ["__init__"])[1]


def below_rooms(analysis: Path) -> dict[str, dict[str, str]]:
    """Of each room, the rooms that it imports, each with one of the imports."""
    known = modules_of(analysis, "tessera")
    found: dict[str, dict[str, str]] = {room_of(module): {} for module in known}
    for module, file in known.items():
        for imported in imports_of(file.read_text(encoding="utf-8"), known):
            if imported.split(".")[0] == "tessera" and room_of(imported) != room_of(module):
                found[room_of(module)].setdefault(room_of(imported), f"{module} imports {imported}")
    return found


def floors_of(below: Mapping[str, Mapping[str, str]]) -> dict[str, int]:
    """A room stands above all that it imports. Raises CycleError where rooms stand in a circle."""
    floors: dict[str, int] = {}
    for room in TopologicalSorter(below).static_order():
        floors[room] = 1 + max((floors[each] for each in below[room]), default=0)
    return floors
