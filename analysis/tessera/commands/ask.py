"""tessera ask."""

import json
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tessera.commands.group import interrupted
from tessera.commands.help import TwoTier
from tessera.commands.options import Jobs, Json, Margin, Settings, settings_of
from tessera.errors import InputError, unknown_name

if TYPE_CHECKING:
    from tessera.asking.answer import Answer
    from tessera.explore.sweep import Count

EXAMPLES = """Examples:

  tessera ask dram --layer mu-rmw --on sample  # how much DRAM until more stops helping?

  tessera ask flash --size "1 GiB" --on sample --metric mean  # as persistent or as read cache?

  tessera ask cpu --layer mu-rmw --cores 2 --clock "250 MHz"  # two cores at half the clock?

  tessera ask layer --on web-server --layer cmr,mu-rmw,tessera

  tessera ask lifetime --layer mu-rmw --on my_trace.csv.xz

  tessera ask cost --on web-server --price mechanics=3 --at-most 20

  tessera ask what-if --layer imr-rmw --change "media.rpm=5400 rpm" """


def ask(
    kind: Annotated[str, typer.Argument(metavar="QUESTION", help="dram, flash, cpu, layer, lifetime, cost or what-if.")],
    on: Annotated[list[str] | None, typer.Option("--on", "--workload", "--trace", metavar="INPUT", help="Workload, trace file, recorded trace or 'sample'; may be repeated (default: web-server).")] = None,
    layer: Annotated[list[str] | None, typer.Option("--layer", metavar="NAME", help="Layer; several with commas, or repeated.")] = None,
    metric: Annotated[str | None, typer.Option(metavar="NAME", help="mean, p99, p999, read-p99, write-p99, energy, write-amplification, ... (default: p99; lifetime for lifetime).")] = None,
    size: Annotated[list[str] | None, typer.Option("--size", metavar="SIZE", help="Sizes of DRAM or flash, such as '64 MiB'; several with commas, or repeated.")] = None,
    cores: Annotated[int | None, typer.Option(min=1, max=4, metavar="N", help="cpu: cores to compare with the drive's own.")] = None,
    clock: Annotated[str | None, typer.Option(metavar="CLOCK", help="cpu: clock to compare with the drive's own, such as '250 MHz'.")] = None,
    change: Annotated[list[str] | None, typer.Option("--change", metavar="PATH=VALUE", help="what-if: the parameter that changes.")] = None,
    at_most: Annotated[float | None, typer.Option(min=0, metavar="COST", help="cost: leave out layers above this cost per user TB.")] = None,
    price: Annotated[list[str] | None, typer.Option("--price", metavar="NAME=PRICE", help="cost: mechanics (TB of conventional platters), dram or flash (GiB).")] = None,
    drive: Annotated[str, typer.Option(metavar="DRIVE", help="Drive: a name of 'tessera list drives' or a .toml file.")] = "demo",
    firmware: Annotated[list[Path] | None, typer.Option(metavar="FILE", help="Shared library with layers of your own; may be repeated.")] = None,
    replay: Annotated[str | None, typer.Option(metavar="POLICY", help="timed, queue:N or closed:N, as in tessera run.")] = None,
    format_: Annotated[str | None, typer.Option("--format", metavar="NAME", help="Format of the trace (default: recognised from its content).")] = None,
    settings: Settings = None,
    requests: Annotated[int | None, typer.Option(min=1, metavar="N", help="Most requests of a run (default: 100,000, or 4 GiB of a generated workload).")] = None,
    settle: Annotated[bool, typer.Option("--settle", help="Go on with more seeds until the answer is settled.")] = False,
    margin: Margin = None,
    out: Annotated[Path | None, typer.Option("--out", metavar="DIR", help="Folder for the runs and the file that repeats them (default: out/ask/QUESTION-INPUT).")] = None,
    jobs: Jobs = None,
    as_json: Json = False,
) -> None:
    """Answer a design question in one sentence, with its interval and what is not settled."""
    from tessera.asking.ask import ask as answer_to  # with polars and Dask, which no other command waits for
    from tessera.asking.metric import metric_of
    from tessera.asking.prices import Prices
    from tessera.asking.question import KINDS, Asked, most_requests
    from tessera.asking.source import source_of
    from tessera.asking.templates import question_of
    from tessera.evidence.family import PERCENT, judged_within
    from tessera.explore.margin import percent_of
    from tessera.progress import progress

    if kind not in KINDS:
        raise unknown_name("question", kind, KINDS)
    _only(kind, size=(size, ("dram", "flash", "lifetime")), cores=(cores, ("cpu",)), clock=(clock, ("cpu",)), change=(change, ("what-if",)),
          at_most=(at_most, ("cost",)), price=(price, ("cost",)))  # fmt: skip
    drive = str(Path(drive).resolve()) if drive.endswith(".toml") else drive  # the file that repeats the question lies elsewhere
    sources = [source_of(word) for word in _listed(on) or ["web-server"]]
    questions = [
        question_of(Asked(
            kind, metric_of(metric or ("lifetime" if kind == "lifetime" else "p99")), source, drive, _listed(layer), _listed(size), cores, clock,
            settings_of(change), settings_of(settings), tuple(str(library.resolve()) for library in firmware or ()), replay, format_, requests or most_requests(source), at_most, Prices.of(price or ()),
        ))
        for source in sources
    ]  # fmt: skip
    failed = False
    within = PERCENT if margin is None else percent_of(margin)
    command = shlex.join(["tessera", *sys.argv[1:]])
    for question in questions:
        folder = (out if len(questions) == 1 else out / question.asked.source.name) if out else Path("out/ask") / _folder(kind, _listed(layer), question.asked.source.name)
        with judged_within(within), progress(hidden=as_json) as bar:
            line = bar.add_task(question.asked.source.name, total=None)

            def tell(what: str, count: "Count") -> None:
                bar.update(line, total=count.runs, completed=count.kept + count.done, kept=count.kept, description=f"{question.asked.source.name}, {what}")  # noqa: B023

            try:
                answer = answer_to(question, folder, command, settle=settle, jobs=jobs, progress=tell)
            except KeyboardInterrupt as error:
                bar.stop()
                raise interrupted(error, f"what was measured is kept in {folder}, and the same command goes on") from None
        with judged_within(within):
            if as_json:
                print(json.dumps({"folder": str(folder), **answer.record(), "margin": within}))
            else:
                _print(answer, folder, command)
        failed = failed or any(found.message for found in answer.measured.values())
    if failed:  # what was refused is in the table; the others are answered
        raise typer.Exit(1)


def _print(answer: "Answer", folder: Path, command: str) -> None:
    from tessera.asking.answer import table_text
    from tessera.asking.plan_file import FILE

    print(answer.sentence())
    print()
    print(table_text(answer.rows(), (answer.question.axis, answer.question.asked.metric.short, "")))
    print(f"\nHeld fixed: {'; '.join(answer.held())}.")
    if unsettled := answer.unsettled():
        print("Not settled:")
        print(*(f"  {line}" for line in unsettled), sep="\n")
    else:
        print(answer.confidence())
    for remark in answer.remarks():
        print(f"Note: {remark}.")
    if words := answer.settles():
        print(f"Settle: {_with(command, words)}")
    print(f"Repeat: tessera sweep {folder / FILE} --out {folder}")


def _with(command: str, words: list[str]) -> str:
    """The command with other options; one that it has already is replaced.

    >>> _with("tessera ask dram --requests 150 --on sample", ["--requests", "600"])
    'tessera ask dram --on sample --requests 600'
    """
    given = shlex.split(command)
    if len(words) == 2 and words[0] in given:
        place = given.index(words[0])
        given[place : place + 2] = []
    return shlex.join([*given, *words])


def _listed(words: list[str] | None) -> list[str]:
    """Of an option that may be repeated or hold commas."""
    return [part.strip() for word in words or () for part in word.split(",") if part.strip()]


def _folder(kind: str, layers: list[str], source: str) -> str:
    return "-".join([kind, *layers[:3], source])


def _only(kind: str, **given: tuple[object, tuple[str, ...]]) -> None:
    """Raises InputError for an option that the question has no use for."""
    for name, (value, kinds) in given.items():
        if value is not None and kind not in kinds:
            raise InputError(f"--{name.replace('_', '-')} belongs to the question{'s' if len(kinds) > 1 else ''} {', '.join(kinds)}, not to {kind}")


def register(app: typer.Typer) -> None:
    app.command("ask", cls=TwoTier, epilog=EXAMPLES)(ask)
