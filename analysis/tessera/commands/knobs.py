"""tessera view --knobs."""

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from tessera.commands.group import interrupted

if TYPE_CHECKING:
    from tessera.view.knobs.subject import Subject

OFFLINE_REQUESTS, OFFLINE_BUDGET = 20_000, 2_000_000  # of a run, the shortest with an interval of its p99; and of all, some two minutes of one core
MOST_AT_ONCE = 2  # runs, unless --jobs says more: the machine has other work


def subject_of(
    drive: str, on: str | None, layers: Sequence[str], more: Sequence[str], settings: Sequence[str], limit: int | None, seed: int, until: str,
    replay: str | None, format_: str | None, offline: bool,
) -> "Subject":  # fmt: skip
    """What the options name. Raises InputError."""
    from tessera.asking.question import most_requests
    from tessera.asking.source import source_of
    from tessera.asking.templates import check_layers
    from tessera.commands.options import settings_of
    from tessera.results.steadiness import Until
    from tessera.view.knobs.knob import knobs_of
    from tessera.view.knobs.subject import Subject

    drive = str(Path(drive).resolve()) if drive.endswith(".toml") else drive
    check_layers(layers)
    source, held = source_of(on or "web-server"), settings_of(list(settings))
    knobs = knobs_of(drive, source, held, layers, more, replay)
    most = limit or (OFFLINE_REQUESTS if offline else most_requests(source))
    subject = Subject(drive, source, knobs, most, Until.parse(until), held, replay, format_, seed)
    subject.plan(subject.position({}))
    return subject


def serve_knobs(subject: "Subject", jobs: int | None, port: int) -> None:
    """Until Ctrl-C."""
    from tessera.view.knobs.kept import Kept, cache_folder
    from tessera.view.knobs.page import render
    from tessera.view.knobs.server import serving

    try:
        with serving(subject, render(subject), jobs or min(MOST_AT_ONCE, len(os.sched_getaffinity(0))), port, Kept(cache_folder())) as server:
            print(server.address, flush=True)
            print("  open this address in a browser of this machine; Ctrl-C ends the server and its runs", file=sys.stderr)
            server.serve_forever()
    except KeyboardInterrupt as error:
        raise interrupted(error) from None


def write_knobs(subject: "Subject", file: Path, budget: int | None, jobs: int | None) -> None:
    from tessera.progress import progress
    from tessera.view.knobs.kept import Kept, cache_folder
    from tessera.view.knobs.offline import write_offline

    with progress() as bar:
        line = bar.add_task("runs", total=None)
        print(write_offline(subject, file, budget or OFFLINE_BUDGET, jobs, lambda done, of: bar.update(line, completed=done, total=of), Kept(cache_folder())))
