"""tessera identify."""

import sys
import tempfile
from pathlib import Path
from typing import Annotated

import typer

from tessera.commands.group import Commands
from tessera.commands.options import Drive, Seed, size_of
from tessera.engine.output_file import write
from tessera.engine.simulator import ask_simulator
from tessera.errors import InputError

JOBS_EXAMPLES = """Examples:

  tessera identify jobs --device /dev/sdX --out out/identify  # job files that only read

  tessera identify jobs --device /dev/sdX --out out/identify --destructive  # also those that overwrite the drive"""

FIT_EXAMPLES = """Examples:

  tessera identify fit out/identify -o drive.toml

  tessera identify fit out/identify -o drive.toml --no-score  # without a run on the held-out requests"""

SIMULATE_EXAMPLES = """Examples:

  tessera identify simulate cheetah-9lp --out out/cheetah

  tessera identify simulate common --track "2 MiB" --small --out out/common"""

Track = Annotated[str | None, typer.Option("--track", metavar="SIZE", help="About how long a track is, within a factor of three (default: by the drive's capacity).")]
Small = Annotated[bool, typer.Option("--small", help="A quarter of the requests: rougher figures in eight minutes.")]
Folder = Annotated[Path, typer.Option("--out", help="Folder for the jobs and their logs.")]
Force = Annotated[bool, typer.Option("--force", help="Replace what is there.")]


def _fresh(path: Path, force: bool) -> None:
    if path.exists() and not force and (not path.is_dir() or any(path.iterdir())):
        raise InputError(f"{path} is there already; name another, or say --force")


def jobs(
    device: Annotated[str, typer.Option("--device", help="Block device of the drive, or a file.")],
    out: Folder,
    destructive: Annotated[bool, typer.Option("--destructive", help="Also write the jobs that OVERWRITE THE DRIVE.")] = False,
    track: Track = None,
    small: Small = False,
    seed: Seed = 1,
    force: Force = False,
) -> None:
    """Write the fio jobs that take a drive apart, and in which order to run them. Nothing is run.

    They only read. With --destructive there are also jobs that overwrite data all over the drive, in a folder of their own.
    """
    from tessera.identify.job_files import device_of, write_jobs
    from tessera.identify.plan import plan

    _fresh(out, force)
    found, capacity, block = device_of(device)
    chosen = plan(capacity, block, size_of(track) if track else None, seed)
    made = write_jobs(out, str(found), chosen.small() if small else chosen, destructive)
    print(f"{out / 'README.txt'}: {len(made)} jobs for {found}, and the order to run them in")
    if destructive:
        print(f"WARNING: the jobs in {out / 'destructive'} overwrite {found}")


def fit(
    folder: Annotated[Path, typer.Argument(help="Folder of 'identify jobs' or 'identify simulate', with the logs in it.")],
    out: Annotated[Path, typer.Option("-o", "--out", help="Description to write.")],
    scored: Annotated[bool, typer.Option("--score/--no-score", help="Run the description: one half of the jobs chooses its read-ahead's step and its queue, and the other half scores it.")] = True,
    force: Annotated[bool, typer.Option("--force", help="Replace a description that is there.")] = False,
) -> None:
    """Read the jobs' logs and write a description of the drive: each line with its source and uncertainty, and what was not identified.

    The score is of requests that nothing was fitted to. Exit status 1 where the order of tracks is not known, or the score or a rate at depth says that the
    description is not the drive: it is written all the same.
    """
    from tessera.identify.description import cleaning_said, description, unidentified
    from tessera.identify.findings import find
    from tessera.identify.queue import depth_failure, depths, depths_said, with_queue
    from tessera.identify.score import score, with_step

    _fresh(out, force)
    found, name = find(folder), out.stem
    if scored:
        found = with_queue(with_step(found))
    text = description(found, name)
    with tempfile.TemporaryDirectory() as aside:
        trial = Path(aside) / "drive.toml"
        write(trial, text)
        try:
            ask_simulator(["check", trial])
        except InputError as error:
            raise InputError(f"{folder}: gives a drive that cannot be: {str(error).replace(str(trial), 'the description')}") from None
        held = score(found, trial) if scored else None
    deep = depths(found) if scored else []
    said = [*([held.text()] if held is not None else []), *([depths_said(deep)] if deep else [])]
    failures = [sentence for sentence in (found.geometry.failure(), None if held is None or held.fits else held.failure(), depth_failure(deep)) if sentence]
    write(out, description(found, name, said, failures))
    print(f"{out}: {60 / found.rotation.period:.2f} rpm, {found.geometry.surfaces} surfaces, {len(found.geometry.zones)} zones, {sum(found.geometry.cylinders()):,} cylinders")
    for sentence in cleaning_said(found):
        print(sentence)
    print("not identified (also at the head of the description):")
    for sentence in unidentified(found):
        print(f"  {sentence}")
    for sentence in said:
        print(sentence)
    for failure in failures:
        print(f"tessera: {out}: {failure}", file=sys.stderr)
    if failures:
        raise typer.Exit(1)


def simulate(
    drive: Drive,
    out: Folder,
    track: Track = None,
    small: Small = False,
    seed: Seed = 1,
    force: Force = False,
) -> None:
    """Write the same jobs with the logs that a drive of ours would leave: a black box of which the truth is known."""
    from tessera.identify.simulated import plan_of, write_logs

    _fresh(out, force)
    chosen = plan_of(drive, size_of(track) if track else None, seed)
    write_logs(drive, out, chosen.small() if small else chosen)
    print(f"{out}: logs of {drive}; tessera identify fit {out} -o {Path(drive).stem}.toml")


def register(app: typer.Typer) -> None:
    group = typer.Typer(cls=Commands, no_args_is_help=True, help="Make a description of a drive from latencies measured with fio.")
    group.command("jobs", epilog=JOBS_EXAMPLES)(jobs)
    group.command("fit", epilog=FIT_EXAMPLES)(fit)
    group.command("simulate", epilog=SIMULATE_EXAMPLES)(simulate)
    app.add_typer(group, name="identify")
