"""One experiment, run: the text of its section, what it measured, and whether that is enough for verdicts. Alone it makes a folder with its rows,
its claims, its drives, its commands and a picture."""

import shlex
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import polars as pl
from rich.console import Console

from tessera.engine.output_file import whole
from tessera.engine.simulation import words_of
from tessera.errors import InputError, read_json
from tessera.results.run_folder import Run
from validation.papers.catalogue import Claim
from validation.papers.experiment import short_runs
from validation.papers.figure_values import draw_alone
from validation.papers.figures import figures_of
from validation.papers.lab import Lab, Made
from validation.papers.lookup import Chosen
from validation.papers.picture import draw, draw_beside, pairs_of
from validation.papers.record import CLAIM, Measured, program, write
from validation.papers.verdicts import claims_table, judge

NO_VERDICT = "no verdict"


@dataclass(frozen=True)
class Section:
    """`parts` are text with the claims' table below it; nothing where the inputs are not at hand."""

    chosen: Chosen
    parts: Sequence[str]
    measured: Sequence[Measured]
    made: Sequence[Made]
    notes: Sequence[str]
    claims: str


def _without_verdict(claims: Sequence[Claim], lines: Sequence[Measured], why: str) -> list[Measured]:
    """Every claim, with what came out where there is something."""
    here = {line.claim: line.here for line in lines if line.of == CLAIM}
    return [Measured(each.paper, each.experiment, CLAIM, each.claim, each.published, here.get(each.claim, "-"), NO_VERDICT, None, why, program()) for each in claims]


def _plain(lines: Sequence[Measured]) -> str:
    rows = ["| claim | published | here | verdict |", "|---|---|---|---|"]
    rows += [f"| {line.claim} | {line.published} | {line.here} | {line.verdict} |" for line in lines]
    return "\n".join(rows) + "\n"


def run_section(lab: Lab, chosen: Chosen) -> Section:
    """Runs an experiment. Raises SimulatorError, and InputError where its tables lack a figure that the catalogue tests."""
    lab.made.clear()
    parts = chosen.experiment.section(lab, chosen.comparisons)
    made = list(lab.made)
    short = short_runs(made) if lab.scale < 1 else []
    try:
        lines = chosen.measured_in("\n".join(parts), program()) if parts else []
    except InputError:
        if not short:
            raise
        lines = []
    known = {each.claim: each for each in chosen.claims}
    notes = []
    if lab.scale < 1:
        notes.append(f"Scaled to {lab.scale:g} of the generated inputs' length: not the figures of the page.")
    table = ""
    if short and known:
        more = f" (and {len(short) - 1} more runs are as short)" if len(short) > 1 else ""
        notes.append(f"No verdict: {short[0]}{more}.")
        lines = _without_verdict(chosen.claims, lines, short[0])
        table = _plain(lines)
    elif known:
        table = claims_table(judge(each, lines) for each in known.values())
    return Section(chosen, [*parts, *([table] if parts and table else [])], lines, made, notes, table)


METRICS = (
    "host.latency.mean", "host.latency.p99", "host.latency.p999", "host.latency.max", "host.read.latency.mean", "host.write.latency.mean",
    "write_amplification.no_backup", "write_amplification.total", "rmw.count", "rmw_free.count", "cleaning.count", "cleaning.mean",
    "intervals.count", "buffer.hit_rate", "dram.reserved.metadata", "dram.reserved.merge_buffer",
    "dram.reserved.code", "dram.reserved.total", "capacity.user",
)  # fmt: skip

def _command(run: Run) -> str:
    return shlex.join(["tessera", "run", *words_of(read_json(run.file("run.json"))["options"])])


def rows_of(made: Iterable[Made], experiment: str, scale: float) -> pl.DataFrame:
    """A row a run: what it was, and its main figures."""
    rows = []
    for each in made:
        for row, variant, run in each.runs():
            facts = run.summary["run"]
            figures = {name: run.find(name) for name in METRICS}
            rows.append(
                {
                    "experiment": experiment, "scale": scale, "grid": each.what, "seed": each.seed, "input": row, "variant": variant,
                    "drive": facts.get("drive", ""), "layer": facts.get("layer", ""), **figures, "command": _command(run),
                }
            )  # fmt: skip
    schema = {name: pl.Float64 for name in METRICS}
    return pl.DataFrame(rows, schema_overrides=schema, infer_schema_length=None)


def _drives(made: Iterable[Made], folder: Path) -> None:
    """The description of each drive that was run, once."""
    seen: dict[str, str] = {}
    for each in made:
        for _, variant, run in each.runs():
            text = run.file("drive.toml").read_text(encoding="utf-8")
            if text not in seen.values():
                name = "".join(letter if letter.isalnum() else "-" for letter in variant).strip("-") or "drive"
                name = name if name not in seen else f"{name}-{len(seen)}"
                seen[name] = text
    for name, text in seen.items():
        whole(folder / f"{name}.toml", lambda aside, text=text: aside.write_text(text, encoding="utf-8"))


def _text(folder: Path, name: str, text: str) -> None:
    whole(folder / name, lambda aside: aside.write_text(text, encoding="utf-8"))


def run_alone(console: Console, lab: Lab, chosen: Chosen, out: Path) -> Path:
    """Runs an experiment and writes its folder. Raises InputError where its inputs are not at hand, SimulatorError."""
    section = run_section(lab, chosen)
    if not section.parts:
        needed = ", ".join(sorted(lab.missing)) or "traces that are not at hand"
        raise InputError(f"{chosen.name} needs {needed}: name their folder with --traces or TESSERA_TRACES")
    folder = out / chosen.paper / chosen.experiment.name
    frame = rows_of(section.made, chosen.name, lab.scale)
    if frame.height:
        whole(folder / "rows.csv", frame.write_csv)
        whole(folder / "rows.parquet", frame.write_parquet)
        _drives(section.made, folder / "drives")
        draw(chosen, section.made, lab.scale, folder / "picture.png")
    if pairs := pairs_of(chosen.claims, section.measured):
        scaled = f" (scaled to {lab.scale:g}: not the page's figures)" if lab.scale < 1 else ""
        draw_beside(f"{chosen.name}: printed and here{scaled}", pairs, folder / "beside.png")
    for figure in figures_of(chosen.paper, chosen.experiment.name):
        draw_alone(console, lab, figure, out)
    write(folder / "claims.csv", section.measured)
    command = f"tessera papers run {chosen.name}" + (f" --scale {lab.scale:g}" if lab.scale < 1 else "")
    _text(folder, "command.txt", f"{command}\n# made by {program()}; the command of each run is in rows.csv\n")
    said = [f"**{note}**\n" for note in section.notes]
    _text(folder, "section.md", "\n".join([f"# {chosen.name}\n", *said, *section.parts]))
    console.print(f"{chosen.name}: {frame.height} runs, {len(chosen.claims)} claims -> {folder}", highlight=False, soft_wrap=True)
    for item in section.measured:
        if item.of == "claim":
            console.print(f"  {item.verdict}: {item.claim}; published: {item.published}; here: {item.here}", highlight=False, soft_wrap=True, markup=False)
    for note in section.notes:
        console.print(f"  {note}", highlight=False, soft_wrap=True)
    return folder
