"""The card of a layer: a table, three sentences, and what reproduces it; as text, JSON, a page and a sheet of paper. The table of all shipped layers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tessera.evidence.family import equal
from tessera.evidence.intervals import Estimate, beyond_rounding
from tessera.evidence.paired import BETTER, EQUAL, NOT_SETTLED, WORSE
from tessera.evidence.ratios import Ratio
from tessera.explore.comparison import Comparison
from tessera.figures.page import Cell, Column, Page, Table
from tessera.results.human import counted, number
from tessera.results.layer_table import WIDTH, aligned, as_csv, room_for, wrapped
from tessera.results.shown import Card, Shown
from tessera.scoring.measures import COLUMNS, MEASURES, Figures
from tessera.scoring.standing import Standing, as_it_is, by_cell, standings
from tessera.scoring.suite import Suite

VERDICTS = (BETTER, EQUAL, WORSE, NOT_SETTLED)
SHORT = ("mean", "p99", "p99.9", "max", "req/s", "WA", "energy", "capac.", "DRAM", "recov.")  # of the measures, in their order


def ratio_text(ratio: Ratio | None) -> str:
    """
    >>> ratio_text(Ratio.of([0.0, 0.2])), ratio_text(Ratio.of([0.0, 0.0])), ratio_text(None)
    ('1.11 [0.31, 3.94]', '1', '-')
    """
    if ratio is None:
        return "-"
    interval = ratio.interval
    return number(ratio.value) + (f" [{number(interval[0])}, {number(interval[1])}]" if interval and beyond_rounding(interval[1] - interval[0], ratio.value) else "")


def estimate_text(found: Estimate | None) -> str:
    """
    >>> estimate_text(Estimate(17.12, 0.0)), estimate_text(Estimate(0.31, 0.02)), estimate_text(None)
    ('17.1', '0.31 ± 0.02', '-')
    """
    if found is None:
        return "-"
    return number(found.value) + (f" ± {number(found.half_width)}" if beyond_rounding(found.half_width, found.value) else "")


@dataclass(frozen=True, repr=False)
class Scored(Shown):
    """The score of a layer; `folder` has the runs."""

    suite: Suite
    layer: str
    library: Mapping[str, str] | None
    """File and SHA-256 of a layer of one's own."""
    own: Figures
    shipped: Mapping[str, Figures]
    old: Sequence[str]
    """Shipped layers whose figures are of another simulator."""
    commands: Sequence[str]
    folder: Path | None = None
    volumes: Sequence[Comparison] = ()
    """The layer on the user's own recordings, next to others: no part of the score."""

    def _card(self) -> Card:
        rows = [["measure", f"times {self.suite.yardstick}", "rank"], *([each.measure.title, ratio_text(each.times), each.place()] for each in self.standings)]
        return Card("Score", self.title(), self.warnings(), table=rows, rest=".standings")

    @property
    def others(self) -> dict[str, Figures]:
        return {layer: figures for layer, figures in self.shipped.items() if layer != self.layer}

    @property
    def standings(self) -> list[Standing]:
        return standings(self.suite, self.own, self.others, self.shipped[self.suite.yardstick])

    def title(self) -> str:
        return f"{self.suite.name}: {self.layer}, {counted(len(self.suite.inputs), 'input')}, {counted(len(self.suite.seeds), 'seed')}, next to {counted(len(self.others), 'shipped layer')}"

    def warnings(self) -> list[str]:
        found = [f"older than this simulator, and to be made again (tessera score --baselines): figures of {', '.join(self.old)}"] if self.old else []
        marked: dict[str, list[str]] = {}
        for each in self.standings:
            if each.marks:
                marked.setdefault(f"on {each.of - each.cells} of {each.of} inputs ({each.marks})", []).append(each.measure.title)
        return found + [f"not ranked {where}: {', '.join(titles)}" for where, titles in marked.items()]

    def sentences(self) -> list[str]:
        """Where it wins, where it loses, and on which inputs."""
        ranked = [each for each in self.standings if each.rank]
        named = lambda found: ", ".join(f"{each.measure.title} ({each.place()})" for each in found)  # noqa: E731
        best = [each for each in ranked if each.rank == (1, 1)]
        perhaps = [each for each in ranked if each.rank and each.rank[0] == 1 and each not in best]
        most = [each for each in ranked if 2 * len(each.layers(WORSE)) > len(each.verdicts)]
        wins = f"No shipped layer is better in {named(best)}." if best else "Some shipped layer is better in every measure that is settled."
        wins += f" Not settled whether one is in {named(perhaps)}." if perhaps else ""
        loses = f"Most shipped layers are better in {named(most)}." if most else "In no measure are most shipped layers better."
        if self.layer == self.suite.yardstick:
            return [wins, loses, "Other layers' figures are times its own."]
        cells = by_cell(self.suite, MEASURES[0], self.own, self.shipped[self.suite.yardstick])
        if len(cells) < 2:
            return [wins, loses, "Too few inputs rank its mean latency to say on which it is good."]
        low, high = min(cells, key=cells.__getitem__), max(cells, key=cells.__getitem__)
        return [wins, loses, f"Next to {self.suite.yardstick}, its mean latency is best on {low} ({number(cells[low])} times) and worst on {high} ({number(cells[high])} times)."]

    def text(self) -> str:
        """In 80 columns."""
        rows = [["measure", f"times {self.suite.yardstick} [95 %]", "rank", "better", "equal", "worse", "?"]]
        rows += [[each.measure.title, ratio_text(each.times), each.place(), *(str(len(each.layers(verdict))) for verdict in VERDICTS)] for each in self.standings]
        about = f"better, equal, worse: than so many shipped layers; equal: within {equal()}; ?: not settled. The layers of a row share 95 % (Holm)."
        lines = [*wrapped(self.title()), *(line for warning in self.warnings() for line in wrapped(f"  ! {warning}")), "", *aligned(rows), "", *wrapped(about), ""]
        lines += [line for sentence in [*self.sentences(), *self.as_they_are()] for line in wrapped(sentence)]
        for volume in self.volumes:
            shown = volume.ratio_rows(self.suite.yardstick)
            lines += ["", *wrapped(f"{_input_of(volume)}, no part of the score:"), *aligned([row[: room_for(shown, WIDTH)] for row in shown])]
        return "\n".join(lines) + "\n"

    def as_they_are(self) -> list[str]:
        """The figures without a rank, next to the yardstick's and the range of the shipped layers."""
        found = []
        for column in COLUMNS:
            own, *others = (as_it_is(self.suite, column, figures) for figures in (self.own, self.shipped[self.suite.yardstick], *self.others.values()))
            known = sorted(each.value for each in others if each)
            near = f"; {self.suite.yardstick} {estimate_text(others[0])}, shipped layers {number(known[0])} to {number(known[-1])}" if known else ""
            found.append(f"{column.title.capitalize()}: {estimate_text(own)} {column.unit}{near}.")
        return found

    def record(self) -> dict[str, Any]:
        """For programs; without anything that is of the machine."""
        return {
            "suite": self.suite.name, "layer": self.layer, "library": self.library, "old": list(self.old), "sentences": self.sentences(), "warnings": self.warnings(),
            "measures": [
                {
                    "measure": each.measure.title, "metric": each.measure.metric, "inputs": each.cells, "of": each.of, "not_ranked": each.marks or None,
                    f"times_{self.suite.yardstick}": each.times and each.times.value, "interval_95": each.times and each.times.interval, "rank": each.rank, "layers": each.count,
                    "against": {layer: {"ratio": ratio.value, "interval_95": ratio.interval, "verdict": each.verdicts[layer]} for layer, ratio in each.against.items()},
                }
                for each in self.standings
            ],
            "columns": [
                {"column": column.title, "metric": column.metric, "unit": column.unit, "value": own and own.value, "half_width_95": own and own.half_width}
                for column in COLUMNS for own in [as_it_is(self.suite, column, self.own)]
            ],
            "volumes": {_input_of(volume): volume.columns["baselines"][self.suite.yardstick] for volume in self.volumes},
            "figures": {cell: {metric: list(figure.by_seed.values()) for metric, figure in figures.items()} for cell, figures in self.own.items()},
        }  # fmt: skip

    def page(self) -> Page:
        found, yardstick = self.standings, self.shipped[self.suite.yardstick]
        measures = Table(
            "Measures", [Column("measure", False), Column(f"times {self.suite.yardstick} [95 %]"), Column("rank"), Column("inputs"), *(Column(verdict) for verdict in VERDICTS)],
            [[Cell(each.measure.title), Cell(ratio_text(each.times), each.times and each.times.value, each.marks), Cell(each.place(), each.rank and each.rank[0]), Cell(f"{each.cells} of {each.of}", each.cells),
              *(Cell(str(len(each.layers(verdict))), len(each.layers(verdict))) for verdict in VERDICTS)] for each in found],
        )  # fmt: skip
        titles = [Column("layer", False), *(Column(each.measure.title) for each in found)]
        others = [
            [Cell(layer, layer), *(Cell(f"{ratio_text(ratio)} {each.verdicts[layer]}", ratio.value) if (ratio := each.against.get(layer)) else Cell("-") for each in found)] for layer in self.others
        ]
        of_inputs = [measure for measure in MEASURES if not measure.once]
        by = [by_cell(self.suite, measure, self.own, yardstick) for measure in of_inputs]
        cells = [[Cell(cell.name, cell.name), *(Cell(number(found[cell.name]) if cell.name in found else "-", found.get(cell.name)) for found in by)] for cell in self.suite.inputs]
        inputs = [Column("input", False), *(Column(measure.title) for measure in of_inputs)]
        wins, *rest = self.sentences()
        bare = Table(
            "Cost and wear", [Column("layer", False), *(Column(f"{column.title} ({column.unit})") for column in COLUMNS)],
            [[Cell(layer, layer), *(Cell(estimate_text(found), found and found.value) for column in COLUMNS for found in [as_it_is(self.suite, column, figures)])] for layer, figures in {self.layer: self.own, **self.others}.items()],
        )  # fmt: skip
        volumes = [
            Table(f"{_input_of(volume)}: no part of the score", [Column(title, bool(at)) for at, title in enumerate(head)], [[Cell(cell, cell) for cell in row] for row in rows])
            for volume in self.volumes for head, *rows in [volume.ratio_rows(self.suite.yardstick, True)]
        ]  # fmt: skip
        return Page(
            title=f"{self.layer}: {self.suite.name}", question=self.title(), answer=wins, facts=[f"drive {self.suite.drive}", *([f"{self.library['file']}, SHA-256 {self.library['sha256'][:12]}"] if self.library else [])],
            warnings=self.warnings(), findings=[*rest, *self.as_they_are()], tables=[measures, bare, *volumes, Table(f"{self.layer}, times each shipped layer [95 %]", titles, others), Table(f"By input, times {self.suite.yardstick}", inputs, cells)],
            notes=["A rank counts the layers that are better for sure; what is equal shares it, what is not settled widens it.", f"Figures of {self.suite.name} are not compared with those of another version."], commands=list(self.commands),
        )  # fmt: skip


def _input_of(volume: Comparison) -> str:
    facts = volume.columns["comparison"]
    served = max((count for count in volume.columns["runs"].get("host.requests", []) if count), default=0)
    return f"{facts['input']}, {counted(int(served), 'request')}"


def of_all(suite: Suite, shipped: Mapping[str, Figures]) -> dict[str, list[Standing]]:
    """Each shipped layer next to the others."""
    return {layer: standings(suite, own, {name: other for name, other in shipped.items() if name != layer}, shipped[suite.yardstick]) for layer, own in shipped.items()}


def ranks_text(suite: Suite, shipped: Mapping[str, Figures]) -> str:
    """Ranks of the shipped layers, as many measures as 80 columns have room for."""
    rows = [["layer", *SHORT], *([layer, *(each.rank_text() for each in found)] for layer, found in of_all(suite, shipped).items())]
    room = room_for(rows, WIDTH)
    about = f"Rank of each layer among {len(shipped)}: 1 is the best; what is equal within {equal()} shares a rank; 3-5: not settled; -: too few inputs, or layers, to be ranked."
    more = f"--csv also has {', '.join(measure.title for measure in MEASURES[room - 1 :])}, figures and intervals."
    return "\n".join([f"{suite.name}: {counted(len(shipped), 'shipped layer')}", "", *aligned([row[:room] for row in rows]), "", *wrapped(f"{about} {more}")]) + "\n"


def ranks_csv(suite: Suite, shipped: Mapping[str, Figures]) -> str:
    """The same with the figures: how many times the yardstick's, with the 95 % interval."""
    found = of_all(suite, shipped)
    columns: dict[str, list[Any]] = {"layer": list(found)}
    for place, measure in enumerate(MEASURES):
        each = [standing[place] for standing in found.values()]
        intervals = [standing.times.interval or (None, None) if standing.times else (None, None) for standing in each]
        columns[f"{measure.title}: rank"] = [standing.rank_text() for standing in each]
        columns[f"{measure.title}: times {suite.yardstick}"] = [standing.times and f"{standing.times.value:.4g}" for standing in each]
        for end, name in enumerate(("low_95", "high_95")):
            columns[f"{measure.title}: {name}"] = [interval[end] and f"{interval[end]:.4g}" for interval in intervals]
    for column in COLUMNS:
        found_of = [as_it_is(suite, column, figures) for figures in shipped.values()]
        columns[f"{column.title} ({column.unit})"] = [each and f"{each.value:.4g}" for each in found_of]
        columns[f"{column.title}: half_width_95"] = [each and f"{beyond_rounding(each.half_width, each.value):.2g}" for each in found_of]
    return as_csv(columns)
