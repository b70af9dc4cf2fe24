"""How far a model's response times are from measured ones, as distributions.

The measure is the demerit figure of Ruemmler and Wilkes, "An introduction to disk drive modeling" (IEEE Computer 27(3), 1994): the root mean
square of the horizontal distance between the two distribution curves. Requests of one class are as many in both, so that the distance at
each share of the requests is that of two sorted lists.
"""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class ClassError:
    """One class of requests: mean responses, their difference, and the demerit figure; all in ms."""

    name: str
    requests: int
    measured: float | None
    model: float | None
    rms: float | None

    @property
    def mean_error(self) -> float | None:
        return None if self.model is None else self.model - self.measured

    @property
    def relative(self) -> float | None:
        """The demerit figure as a share of the measured mean."""
        return self.rms / self.measured if self.rms is not None and self.measured else None


def demerit(measured: np.ndarray, model: np.ndarray) -> float:
    """Root mean square of the horizontal distance between the distribution curves of as many responses each."""
    if len(measured) != len(model) or len(model) == 0:
        raise ValueError(f"a demerit figure needs as many responses of both, and one at least: {len(measured)} and {len(model)}")
    return float(np.sqrt(np.mean((np.sort(measured) - np.sort(model)) ** 2)))


def classes(trace: np.ndarray) -> dict[str, np.ndarray]:
    """Which requests of a trace of RECORD belong to which class. The first request follows none."""
    write = trace["write"]
    before, follows = np.roll(write, 1), np.arange(len(trace)) > 0
    sequential = follows & (np.roll(trace["block"] + trace["blocks"], 1) == trace["block"])
    return {
        "all": np.ones(len(trace), bool),
        "read": ~write,
        "write": write,
        "sequential": sequential,
        "after read": follows & ~before,
        "after write": follows & before,
    }


def errors_by_class(trace: np.ndarray, model_ms: np.ndarray) -> list[ClassError]:
    """Each class's error; a class without a request has none."""
    found = []
    for name, chosen in classes(trace).items():
        measured, model = trace["response_ms"][chosen], model_ms[chosen]
        some = len(model) > 0
        found.append(
            ClassError(
                name, len(model), float(measured.mean()) if some else None, float(model.mean()) if some else None,
                demerit(measured, model) if some else None,
            )
        )  # fmt: skip
    return found


def by_request(measured: np.ndarray, model: np.ndarray) -> float:
    """Root mean square of the differences, request by request."""
    return float(np.sqrt(np.mean((measured - model) ** 2)))


REACH_BEFORE = 64  # blocks


def reads_after_a_read(trace: np.ndarray) -> dict[str, np.ndarray]:
    """Reads by where they begin next to the read before: what read-ahead, kept sectors and what lies before a read bring."""
    read, block = ~trace["write"], trace["block"].astype(np.int64)
    end = block + trace["blocks"]
    follows = read & np.roll(read, 1) & (np.arange(len(trace)) > 0)
    last_block, last_end = np.roll(block, 1), np.roll(end, 1)
    at_end = follows & (block == last_end)
    in_a_run = np.roll(at_end, 1)
    return {
        "at its end, second of a run": at_end & ~in_a_run,
        "at its end, third and later": at_end & in_a_run,
        "inside it": follows & (last_block <= block) & (block < last_end),
        f"1 to {REACH_BEFORE} blocks before it": follows & (last_block - REACH_BEFORE <= block) & (block < last_block),
    }


def hits_by_place(trace: np.ndarray, model_ms: np.ndarray) -> dict[str, tuple[float, float] | None]:
    """Share of hits of each kind of reads after a read, measured and of the model; None where there is no such read."""
    border = trace["response_ms"][~trace["write"]].mean() / 2 if not trace["write"].all() else 0.0
    measured, model = trace["response_ms"] < border, model_ms < border
    return {
        kind: (float(measured[chosen].mean()), float(model[chosen].mean())) if chosen.any() else None
        for kind, chosen in reads_after_a_read(trace).items()
    }


def hits_called_right(trace: np.ndarray, model_ms: np.ndarray) -> float | None:
    """Share of reads of which both drives, or neither, answered like a hit: in less than half of the mean response of the measured reads."""
    reads = ~trace["write"]
    if not reads.any():
        return None
    measured = trace["response_ms"][reads]
    border = measured.mean() / 2
    return float(((measured < border) == (model_ms[reads] < border)).mean())


def classes_in_detail(trace: np.ndarray) -> dict[str, np.ndarray]:
    """Reads and writes by what they follow: in sequence, or else after a read or a write. The first request is in none."""
    found = classes(trace)
    apart = ~found["sequential"]
    return {
        f"{op}s, {how}": found[op] & chosen
        for op in ("read", "write")
        for how, chosen in (("sequential", found["sequential"]), ("after a read", apart & found["after read"]), ("after a write", apart & found["after write"]))
    }
