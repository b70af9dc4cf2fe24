"""The rooms of the Python package, which are the folders and modules directly below analysis/tessera: they stand on at most nine floors, and none in a circle."""

import ast
from collections.abc import Iterator, Mapping
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest
from samples import REPOSITORY

ANALYSIS = REPOSITORY / "analysis"
MOST_FLOORS = 9
OF_CHECKOUT = {"tessera.commands.papers", "tessera.commands.validate"}  # commands that need analysis/validation, and say so where it is not there


def modules_of(package: str) -> dict[str, Path]:
    """File of each module."""
    files = sorted(file for file in (ANALYSIS / package).rglob("*.py") if "templates" not in file.parts)
    return {".".join(file.relative_to(ANALYSIS).with_suffix("").parts).removesuffix(".__init__"): file for file in files}


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


@pytest.fixture(scope="module")
def below() -> dict[str, dict[str, str]]:
    """Of each room, the rooms that it imports, each with one of the imports."""
    known = modules_of("tessera")
    found: dict[str, dict[str, str]] = {room_of(module): {} for module in known}
    for module, file in known.items():
        for imported in imports_of(file.read_text(), known):
            if imported.split(".")[0] == "tessera" and room_of(imported) != room_of(module):
                found[room_of(module)].setdefault(room_of(imported), f"{module} imports {imported}")
    return found


def floors_of(below: Mapping[str, Mapping[str, str]]) -> dict[str, int]:
    """A room stands above all that it imports. Raises CycleError where rooms stand in a circle."""
    floors: dict[str, int] = {}
    for room in TopologicalSorter(below).static_order():
        floors[room] = 1 + max((floors[each] for each in below[room]), default=0)
    return floors


def test_no_rooms_stand_in_a_circle(below):
    try:
        floors_of(below)
    except CycleError as error:
        circle = error.args[1]  # each room is imported by the next
        ties = [below[upper][lower] for lower, upper in zip(circle, circle[1:])]
        pytest.fail(f"rooms stand in a circle: {', '.join(circle[1:])}\n  " + "\n  ".join(ties))


def test_the_rooms_stand_on_nine_floors(below):
    floors = floors_of(below)
    shown = [f"{floor}: {', '.join(sorted(room for room in floors if floors[room] == floor))}" for floor in range(max(floors.values()), 0, -1)]
    assert len(shown) <= MOST_FLOORS, "the rooms, from the top floor down:\n" + "\n".join(shown)


def test_the_package_needs_nothing_of_its_validation():
    known = modules_of("tessera") | modules_of("validation")
    users = {module for module, file in modules_of("tessera").items() for imported in imports_of(file.read_text(), known) if imported.split(".")[0] in ("validation", "pages")}
    assert users == OF_CHECKOUT


def test_a_circle_is_found():
    with pytest.raises(CycleError):
        floors_of({"a": {"b": ""}, "b": {"a": ""}})
    assert floors_of({"a": {"b": ""}, "b": {}}) == {"b": 1, "a": 2}
