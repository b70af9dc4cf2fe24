"""A trace of measured responses, replayed on a drive of the model: the two drives' responses side by side."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

from tessera.engine.output_file import whole, write
from tessera.engine.simulator import ask_simulator
from tessera.figures.latency_plot import distribution
from tessera.identify.measured_trace import read_measured
from tessera.identify.response_errors import ClassError, classes, errors_by_class
from tessera.results.markdown import number, table
from tessera.results.request_log import latency_ms
from tessera.results.run_folder import Run

HEADER = ("class", "requests", "measured mean ms", "model mean ms", "mean error ms", "RMS ms", "RMS of the mean")
PANELS = ("all", "read", "write")


def share(value: float | None) -> str:
    return "-" if value is None else f"{100 * value:.1f} %"


@dataclass
class Validation:
    """A drive of the model held against a trace of measured responses."""

    drive: str
    trace: Path
    errors: list[ClassError]
    """By class of requests: all, reads, writes, sequential ones and so on."""
    picture: Path
    """The distributions of both, as PNG."""
    temporary: TemporaryDirectory | None = None

    def text(self) -> str:
        """The errors as a table."""
        rows = [
            (
                error.name, number(error.requests, 0), number(error.measured, 3), number(error.model, 3), number(error.mean_error, 3),
                number(error.rms, 3), share(error.relative),
            )
            for error in self.errors
        ]  # fmt: skip
        return f"`{self.drive}`, measured responses of {self.trace.name}:\n\n" + table(HEADER, rows)


def compare(drive: str, path: Path, out: Path, settings: Sequence[str] = (), seed: int = 1) -> Validation:
    """Replays the trace, each request its think time after the completion before, and compares. Raises InputError and SimulatorError."""
    trace = read_measured(path)
    words = [word for setting in settings for word in ("--set", setting)]
    ask_simulator(["run", drive, "--trace", path, "--format", "hpval", "--replay", "think", "--requests", "--seed", str(seed), *words, "--out", out])
    model = model_responses(Run(out), len(trace))
    picture = out / "responses.png"
    draw(trace, model, picture, f"{drive}, {path.name}")
    found = Validation(drive, path, errors_by_class(trace, model), picture)
    write(out / "responses.md", found.text())
    return found


def model_responses(run: Run, requests: int) -> np.ndarray:
    """Of each request in the order of the trace, in ms."""
    log = np.sort(np.asarray(run.requests), order="number")
    if len(log) != requests:
        raise ValueError(f"{run.folder}: {len(log)} requests were served of {requests}")
    return latency_ms(log)


def draw(trace: np.ndarray, model: np.ndarray, path: Path, title: str) -> None:
    """A panel a class with the measured distribution in grey and the model's in colour."""
    figure, panels = plt.subplots(1, len(PANELS), figsize=(12, 4), sharey=True, layout="constrained")
    chosen = classes(trace)
    for panel, name in zip(panels, PANELS):
        for label, responses, look in (
            ("measured", trace["response_ms"][chosen[name]], {"color": "0.6"}),
            ("model", model[chosen[name]], {"color": "#0072B2", "linestyle": "--"}),
        ):
            if len(responses):
                times, shares = distribution(responses)
                panel.step(times, 100 * shares, where="post", label=label, **look)
        panel.set_title(name, fontsize="medium")
        panel.set_xlabel("response (ms)")
        panel.grid(True, color="0.85", linewidth=0.7)
        panel.spines[["top", "right"]].set_visible(False)
    panels[0].set_ylabel("requests served within (%)")
    panels[0].legend(loc="lower right", frameon=False)
    figure.suptitle(title)
    whole(path, lambda aside: figure.savefig(aside, dpi=120))
    plt.close(figure)
