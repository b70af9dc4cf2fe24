"""Sets one parameter after the other to another value and sees whether anything comes of it: a figure of a short run, or the sentence that
says that it is without effect. What neither does is a parameter that a user varies in vain without being told."""

import fnmatch
import json
import os
import random
import re
import subprocess
import tomllib
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from simulate import LAYERS, SIMULATOR, simulate

TABLE = tomllib.loads((Path(__file__).parent / "effects.toml").read_text())
DRIVE = "torture"  # the smallest that runs every layer, and none of them rests on it
OF_ALL_LAYERS = "mu-rmw"  # tries what needs no layer in particular: it has flash, a log and cleanings
OF_THE_MACHINE = {"run.cpu_seconds", "run.requests_per_cpu_second", "run.peak_memory_bytes"}
SAYS = ": without effect, "
BUG_OF_THE_MODEL = 3  # exit status, also of a run that lost data
PATIENCE = 30  # seconds; a value that makes the model that slow has an effect
FROM_NOTHING = {  # what is tried where the default is 0
    "time": ("10 us", "1 ms", "100 ms"),
    "size": ("4 KiB", "64 KiB", "1 MiB"),
    "rate": ("10 MB/s", "1 GB/s"),
    "frequency": ("100 MHz",),
    "power": ("1 W",),
    "energy": ("1 nJ", "1 uJ"),
}


def write_history(file: Path, requests: int = 2000) -> None:
    """A trace for blkparse: hot and cold writes, parts of sectors, streams, reads, trims, flushes, forced writes, and pauses."""
    draw = random.Random(1)
    end = 24_000  # blocks: the least that a layer has of the drive
    stream, now, lines = 1000, 0.0, []
    for number in range(requests):
        now += draw.expovariate(250) + (0.4 if number % 100 == 0 else 0)
        hot = 8 * (16 * draw.randrange(64) + draw.randrange(16))
        cold = draw.randrange(end)
        kinds = {
            ("W", hot, 8 * draw.choice((1, 1, 2, 4))): 30,
            ("W", cold, draw.choice((1, 3, 8, 12, 40))): 10,
            ("W", cold // 8 * 8, 8 * draw.choice((1, 2, 16, 32))): 10,
            ("W", stream, 64): 10,
            ("R", hot, 8): 10,
            ("R", cold, draw.choice((1, 8, 9, 64, 256))): 10,
            ("R", (3 * stream + 16 * number) % end, 16): 13,
            ("WFS", cold // 8 * 8, 8): 2,
            ("D", cold // 8 * 8, 64): 2,
            ("FN", 0, 0): 3,
        }
        (kind, first, blocks) = draw.choices(list(kinds), list(kinds.values()))[0]
        stream = (stream + 64) % end if (kind, first) == ("W", stream) else stream
        place = f" {first} + {blocks}" if blocks else ""
        lines.append(f"8,0 1 {number} {now:.9f} 1 Q {kind}{place} [test]\n")
    file.write_text("".join(lines))


class Verdict(Enum):
    """What came of the other values of a parameter."""

    CHANGES = "changes figures"
    SAID = "is said to be without effect"
    SILENT = "is without effect, and nothing says so"
    BOTH = "changes figures, and is said to be without effect"
    REFUSED = "takes no other value that is tried"
    BUG = "ends a run as a bug of the model"


@dataclass(frozen=True)
class Finding:
    path: str
    verdict: Verdict
    details: str = ""

    def __str__(self) -> str:
        return f"{self.path} {self.verdict.value}: {self.details}"


@dataclass(frozen=True)
class Outcome:
    figures: dict | None  # None: refused, or ended as no run should
    notes: tuple[str, ...] = ()
    told: str = ""

    def says_of(self, path: str) -> list[str]:
        """The sentences that say that the parameter is without effect."""
        names = {note: re.split(r", | and ", note.split(SAYS)[0]) for note in self.notes if SAYS in note}
        return [note for note, named in names.items() if path in named]


class Hunt:
    """Runs of one drive with one layer, which differ by what is set."""

    def __init__(self, folder: Path, layer: str, beside: tuple[str, ...] = (), cuts: bool = True):
        self.folder, self.layer, self.beside, self.cuts = folder, layer, beside, cuts
        self.history = folder / "history.blkparse"
        if not self.history.exists():
            write_history(self.history)
        self.untouched = self.run("untouched")
        assert self.untouched.figures is not None, self.untouched.told

    def run(self, name: str, *settings: str) -> Outcome:
        out = self.folder / name
        options = ["--format", "blkparse", "--fold", "--replay", "queue:16", "--prefill", "40", "--check", "--limit", "2000"]
        for instant in ("2 s", "4.1 s", "6.3 s") if self.cuts else ():
            options += ["--cut-at", instant]
        for setting in (*self.beside, *settings):
            options += ["--set", setting]
        command = [SIMULATOR, "run", DRIVE, "--layer", self.layer, "--trace", self.history, *options, "--out", out]
        try:
            ended = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            return Outcome({"slow": 1})
        if ended.returncode == BUG_OF_THE_MODEL:
            return Outcome({"bug": 1}, told=ended.stderr.strip()[-300:])
        if ended.returncode not in (0, 1):
            return Outcome(None, told=f"exit status {ended.returncode}: {ended.stderr.strip()[-300:]}")
        summary = json.loads((out / "summary.json").read_text())
        # A figure that is nothing is as good as none: a part that is there and idle lists figures of its own.
        figures = {name: figure["value"] for name, figure in summary["metrics"].items() if name not in OF_THE_MACHINE and figure["value"]}
        return Outcome(figures, tuple(summary["run"]["notes"]))

    def try_out(self, parameter: dict) -> Finding:
        path, said, tried, refused = parameter["path"], "", [], ""
        for value in other_values(parameter):
            outcome = self.run(path, f"{path}={value}")
            if outcome.figures is None:
                refused = f"{value}: {outcome.told}"
                continue
            if "bug" in outcome.figures and entry("unsafe", path) is None:
                return Finding(path, Verdict.BUG, f"{value} on {self.layer}: {outcome.told}")
            tried.append(value)
            sentences = outcome.says_of(path)
            if outcome.figures != self.untouched.figures:
                return Finding(path, Verdict.BOTH, f"{value}: {sentences[0]}") if sentences else Finding(path, Verdict.CHANGES, value)
            said = said or "".join(sentences)
        if said:
            return Finding(path, Verdict.SAID, said)
        with_layer = f"{', '.join(tried)} on {self.layer}" + (f" with {', '.join(self.beside)}" if self.beside else "")
        return Finding(path, Verdict.SILENT, with_layer) if tried else Finding(path, Verdict.REFUSED, refused)

    def try_all(self, parameters: list[dict]) -> list[Finding]:
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            return list(pool.map(self.try_out, parameters))


def other_values(parameter: dict) -> list[str]:
    """Values to try, in this order, all different from the parameter's own."""
    path, kind, own = parameter["path"], parameter["type"], parameter["value"].strip('"')
    given = entry("values", path)
    if given is not None:
        return given
    if kind == "true or false":
        return ["false" if own == "true" else "true"]
    if kind.startswith("one of "):
        return [name for name in kind.removeprefix("one of ").split(", ") if name != own]
    low, _, high = parameter["range"].removeprefix("at least ").partition(" to ")
    amount, _, unit = own.partition(" ")
    number = float(amount) if re.fullmatch(r"[\d.e+-]+", amount) else 0.0
    if number == 0 and kind in FROM_NOTHING:
        near = list(FROM_NOTHING[kind])
    else:
        steps = (2 * number, number / 2, 10 * number, number + 1, number - 1) if number else (1, 8, 1000, 0.5)
        least, most = bound(low, 0), bound(high, float("inf"))
        whole = kind not in ("number", "time")
        near = [written(int(step) if whole else step, unit) for step in steps if unit or least <= step <= most]
    return [value for value in dict.fromkeys([*near, low, high]) if value not in ("", own, parameter["value"])]


def bound(text: str, without: float) -> float:
    return float(text.split()[0]) if text else without


def written(number: float, unit: str) -> str:
    return f"{number:.9g} {unit}".strip()


def entry(table: str, path: str):
    """What a table of effects.toml says of a parameter, or None: of the first pattern that fits."""
    return next((found for pattern, found in TABLE[table].items() if fnmatch.fnmatch(path, pattern)), None)


def alive(path: str) -> tuple[str, tuple[str, ...], bool] | None:
    """The layer, the settings, and whether the power is cut, with which the parameter must change a figure, where effects.toml names some."""
    for one in TABLE["alive"]:
        if any(fnmatch.fnmatch(path, pattern) for pattern in one["parameters"]):
            own = next((layer for layer in LAYERS if path.startswith(own_section(layer))), OF_ALL_LAYERS)
            layer = one.get("on", own)
            return layer, tuple(setting.format(own=own_section(layer)) for setting in one["set"]), one.get("cuts", True)
    return None


def parameters() -> list[dict]:
    return json.loads(simulate("list", "parameters", DRIVE, "--json").stdout)


def own_section(layer: str) -> str:
    return f"layers.{layer.replace('-', '_')}."
