"""`./dev left-out`: no volume takes part in the choice of the setting that it is judged with."""

import pytest
from pages.left_out import DEFAULT, RIVALS, SETTINGS, LeftOut, choose, geometric, left_out, prices, write_left_out
from rich.console import Console
from tessera.errors import InputError

# "fast here" wins on `lone` by so much that it would be chosen wherever `lone` took part.
FIGURES = {
    "lone": {DEFAULT: 100.0, "fast here": 0.001, "steady": 90.0},
    "one": {DEFAULT: 10.0, "fast here": 20.0, "steady": 8.0},
    "two": {DEFAULT: 1.0, "fast here": 2.0, "steady": 0.9},
}


def test_a_volume_is_judged_with_the_setting_that_is_best_on_the_others():
    by_volume = {each.volume: each for each in left_out(FIGURES)}
    assert by_volume["lone"] == LeftOut("lone", "steady", 90.0, 100.0, 0.001)
    assert by_volume["one"] == LeftOut("one", "fast here", 20.0, 10.0, 8.0)


def test_each_volume_counts_as_much_as_another_whatever_its_latency():
    assert choose({"long": {DEFAULT: 1000.0, "other": 1100.0}, "short": {DEFAULT: 0.2, "other": 0.1}}) == "other"
    assert choose({"long": {DEFAULT: 1.0, "other": 1.0}}) == DEFAULT  # nothing gained, nothing changed
    assert geometric((0.5, 2.0)) == pytest.approx(1)


class Flat:
    """A run all of whose figures are alike."""

    def __init__(self, figure: float):
        self.figure = figure

    def metric(self, name: str) -> float:
        return self.figure


def test_what_is_chosen_is_priced_in_busy_time_energy_wear_and_money():
    variants = [f"{layer}, {setting}" for layer, settings in SETTINGS.items() for setting in settings] + list(RIVALS)
    text = prices({volume: dict.fromkeys(variants, Flat(figure)) for volume, figure in {"one": 1.0, "two": 3.0}.items()})
    head, _, *rows = (line for line in text.splitlines() if line.startswith("|"))
    assert all(price in head for price in ("disk busy", "energy", "flash wear", "$ per user TB"))
    assert [row.split("`")[1] for row in rows] == [*SETTINGS, *RIVALS]
    assert rows[0].endswith("| 2.00 | 1.00 |")  # the wear of both volumes in the mean; the price is the same on each


def test_without_the_traces_it_says_which_and_where(tmp_path, monkeypatch):
    monkeypatch.setenv("TESSERA_TRACES", str(tmp_path))
    with pytest.raises(InputError, match=f"left-out needs the traces of rsrch_1, web_3, .*, which are not in {tmp_path}: name their folder with TESSERA_TRACES"):
        write_left_out(Console(), tmp_path / "out", tmp_path / "page.md")
