"""The rooms of the Python package, which are the folders and modules directly below analysis/tessera: they stand on at most nine floors, and none in a circle."""

from graphlib import CycleError

import pytest
from pages.rooms import below_rooms, floors_of, imports_of, modules_of
from samples import REPOSITORY

ANALYSIS = REPOSITORY / "analysis"
MOST_FLOORS = 9
OF_CHECKOUT = {"tessera.commands.papers", "tessera.commands.validate"}  # commands that need analysis/validation, and say so where it is not there


@pytest.fixture(scope="module")
def below() -> dict[str, dict[str, str]]:
    return below_rooms(ANALYSIS)


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
    known = modules_of(ANALYSIS, "tessera") | modules_of(ANALYSIS, "validation")
    users = {module for module, file in modules_of(ANALYSIS, "tessera").items() for imported in imports_of(file.read_text(), known) if imported.split(".")[0] in ("validation", "pages")}
    assert users == OF_CHECKOUT


def test_a_circle_is_found():
    with pytest.raises(CycleError):
        floors_of({"a": {"b": ""}, "b": {"a": ""}})
    assert floors_of({"a": {"b": ""}, "b": {}}) == {"b": 1, "a": 2}
