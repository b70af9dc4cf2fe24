"""Rows of what a request costs: kept, found again by compiler and libraries, and held."""

import pytest
from rich.console import Console

from pages import instructions
from pages.growth import Cost, counted_events
from pages.instructions import Row, changes, keep, kept_rows, last_of, ratio_lines
from tessera.engine.simulator import layer_names
from tessera.errors import InputError


def row(instructions=1000, case="cmr", kind="held", toolchain="GCC 12", commit="new", mispredictions=None, cache_misses=None) -> Row:
    return Row(kind, case, instructions, commit, toolchain, mispredictions, cache_misses)


def test_rows_are_kept_behind_those_before(tmp_path):
    file = tmp_path / "instructions.csv"
    assert kept_rows(file) == []
    keep([row(1), row(2)], file)
    keep([row(3, toolchain="GCC 12, a library")], file)
    assert kept_rows(file) == [row(1), row(2), row(3, toolchain="GCC 12, a library")]


def test_rows_from_before_mispredictions_were_counted_have_none(tmp_path):
    file = tmp_path / "instructions.csv"
    file.write_text("kind,case,instructions,commit,toolchain,mispredictions,cache_misses\nheld,cmr,7,old,GCC 12\n")
    keep([row(8, mispredictions=60, cache_misses=90)], file)
    assert kept_rows(file) == [row(7, commit="old"), row(8, mispredictions=60, cache_misses=90)]


def test_a_row_is_compared_with_the_newest_of_its_case_and_toolchain():
    kept = [row(1), row(2), row(3, toolchain="GCC 13"), row(4, kind="table"), row(5, case="other")]
    assert last_of(row(9), kept) == row(2)
    assert last_of(row(9, toolchain="clang"), kept) is None


@pytest.mark.parametrize(("counted", "moved"), [(1020, False), (980, False), (1021, True), (979, True)])
def test_two_percent_either_way_are_held(counted, moved):
    assert bool(changes([row(counted)], [row(1000, commit="old")])) == moved


@pytest.mark.parametrize(("figure", "most"), [("mispredictions", 20), ("cache_misses", 5)])
@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("beyond", [False, True])
def test_mispredictions_and_cache_misses_are_held_either_way(figure, most, sign, beyond):
    counted = 100 + sign * (most + (1 if beyond else 0))
    said = changes([row(**{figure: counted})], [row(commit="old", **{figure: 100})])
    assert said == ([f"cmr: {counted} {figure.replace('_', ' ')} per request, 100 at old, may move by {most}%"] if beyond else [])
    assert changes([row(**{figure: counted})], [row(commit="old")]) == []


def test_only_the_night_simulates_caches_and_has_each_layer_on_the_drive_of_the_demonstration(monkeypatch, tmp_path):
    asked = []

    def count(arguments, out, kind, simulated):
        asked.append((arguments, simulated))
        requests = int(arguments[-1])
        return Cost(1000 * requests, requests, 0, 0, 60 * requests, 90 * requests)

    monkeypatch.setattr(instructions, "counted_run", count)
    monkeypatch.setattr(instructions, "toolchain", lambda _: "GCC 12")
    held = [found for _, found in instructions.measure_rows("held", (500, 1500), tmp_path, "")]
    assert {(found.instructions, found.mispredictions, found.cache_misses) for found in held} == {(1000, 60, None)}
    assert not any(option.startswith("--cache-sim") for _, simulated in asked for option in simulated)
    night = [found for _, found in instructions.measure_rows("night", (500, 1500), tmp_path, "")]
    assert {(found.mispredictions, found.cache_misses) for found in night} == {(60, 90)}
    assert {found.case for found in night} - {found.case for found in held} == {f"demo, {layer}" for layer in layer_names() if layer != "cmr"}


def test_events_of_a_profile_are_read_by_their_names():
    assert counted_events("events: Ir Bc Bcm\nfn=(1) main\nsummary: 500 80 7\ntotals: 499 80 7\n") == {"Ir": 500, "Bc": 80, "Bcm": 7}


def test_the_table_compares_the_first_and_the_last_row_of_a_toolchain():
    kept = [row(9, kind="table", toolchain="GCC 11"), row(2000, kind="table"), row(1500, kind="table"), row(1, kind="held")]
    lines = instructions.table_lines({"cmr": 1200, "other": 5}, kept)
    assert lines[2:] == ["| cmr | 2,000 | 1,500 | -25% | 1,200 |"]


def hold(monkeypatch, kept, measured):
    monkeypatch.setattr(instructions, "measure_rows", lambda *_: [(None, found) for found in measured])
    monkeypatch.setattr(instructions, "kept_rows", lambda: kept)
    console = Console(record=True, width=200)
    instructions.hold_instructions(console, None, record=False)
    return console.export_text()


def test_what_moved_is_refused_with_both_counts_and_the_commit(monkeypatch):
    with pytest.raises(InputError, match=r"cmr: 1,100 instructions per request, 1,000 at old"):
        hold(monkeypatch, [row(1000, commit="old")], [row(1100)])


def test_another_toolchain_is_not_held_and_says_whose_rows_there_are(monkeypatch):
    said = hold(monkeypatch, [row(1000, toolchain="GCC 12")], [row(2000, toolchain="GCC 14")])
    assert "not held: built with GCC 14" in said and "GCC 12" in said


def test_what_recording_costs_is_told_as_a_multiple_of_the_newest_run_without():
    table = [row(instructions, case, "table") for case, instructions in (("cmr, first-come", 500), ("cmr, first-come", 1000), ("cmr, all signals recorded", 2904))]
    held = row(9000, "cmr, all signals recorded")
    assert ratio_lines([*table, held]) == ["cmr, all signals recorded: 2.90 times cmr, first-come (goal: 3)"]
    assert ratio_lines(table[:2]) == []
