"""Serves the sliders' page, and what is known of each position of theirs."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from tessera.view.knobs.kept import Kept
from tessera.view.knobs.runs import Answer, Runs
from tessera.view.knobs.subject import Subject, command_of
from tessera.view.loopback import Asked, LoopbackServer

WAIT_SECONDS = 10  # that an answer is held back until more is known


def known(answer: Answer) -> dict[str, Any]:
    """An answer as the page takes it: of its runs the longest."""
    planned, results = answer.planned, list(answer.results)
    return {
        "version": answer.version,
        "done": answer.done,
        "under_way": answer.under_way,
        "message": answer.message,
        "command": command_of(planned.simulation.but(limit=results[-1]["limit"] if results else planned.simulation.limit)) if planned else "",
        "with_it": dict(planned.with_it) if planned else {},
        "idle": list(planned.idle) if planned else [],
        "result": results[-1] if results else None,
    }


@contextmanager
def serving(subject: Subject, page: str, jobs: int, port: int = 0, kept: Kept | None = None) -> Iterator[LoopbackServer]:
    """The server and its runs; at the end no simulator is left."""
    runs = Runs(subject, jobs, kept)

    def position(asked: Asked) -> dict[str, Any]:
        answer = runs.want(asked["page"], subject.position(asked.get("state")))
        runs.wait(asked["page"], answer, asked["seen"], WAIT_SECONDS)
        if runs.closed:
            raise ConnectionAbortedError  # the page takes a connection that breaks for a server that has ended, which it is
        return known(answer)

    try:
        with LoopbackServer(page, {"position": position}, port) as server:
            yield server
    finally:
        runs.close()
