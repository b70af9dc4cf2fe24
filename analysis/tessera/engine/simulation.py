"""One run of the simulator: what is simulated, and the words of the command line that say so."""

import dataclasses
import json
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tessera.engine.output_file import write_inside
from tessera.engine.simulator import ask_simulator
from tessera.errors import mapping_of, texts_of, InputError, read_json, unknown_name
from tessera.results.run_folder import Run

Setting = str | int | float | bool
RECORD = "simulation.json"  # in a run folder: the Simulation that made it
COMMAND = "command.json"  # in every run folder: the words behind `tessera-sim run` that made it

# Fields that are an option of `tessera-sim run` with a value, those that are a flag, and those that are repeated.
VALUES = (
    "layer", "trace", "workload", "format", "volume", "columns", "time_unit", "sort", "spread", "arrival", "limit", "skip", "warmup", "replay", "time_scale",
    "adapt", "fold_at", "prefill", "caches", "content", "intervals", "percentiles", "seed", "load_state", "save_state",
)  # fmt: skip
FLAGS = ("fold", "fold_prefilled", "check", "requests", "events", "places")
REPEATED = ("cut_at", "restart_at")
WHOLE = ("limit", "skip", "prefill", "seed")
LARGEST = 2**63 - 1  # of a whole number: the datasets of sweeps hold no larger seed


@dataclass(frozen=True, kw_only=True)
class Simulation:
    """What one run simulates; the fields are the options of `tessera-sim run`, and None leaves an option out.

    >>> Simulation(drive="common", layer="cmr", workload="random-4k", limit=100, settings={"media.rpm": "5400 rpm"}).command()
    'tessera run common --layer cmr --workload random-4k --limit 100 --seed 1 --set "media.rpm=5400 rpm"'
    """

    drive: str = "common"
    layer: str | None = None
    trace: str | Path | None = None
    workload: str | Path | None = None
    format: str | None = None
    volume: str | None = None
    columns: str | None = None
    time_unit: str | None = None
    sort: str | None = None
    spread: str | None = None
    arrival: str | None = None
    limit: int | None = None
    skip: int | None = None
    warmup: int | str | None = None
    """First requests that are left out of the figures; "auto": those that a first run finds to be warm-up."""
    replay: str | None = None
    time_scale: float | None = None
    adapt: str | None = None
    prefill: int | None = None
    caches: str | None = None
    """What caches on flash and platters hold at the start: "empty", or "used" by the same input; None: as the drive says."""
    content: str | None = None
    intervals: str | None = None
    percentiles: str | None = None
    """Of the latency, in addition to those always reported: "50,99,99.99"."""
    seed: int = 1
    load_state: str | Path | None = None
    save_state: str | Path | None = None
    fold_at: str | None = None
    """Size at which addresses wrap, such as "58 GiB", in place of the drive's end."""
    fold: bool = False
    fold_prefilled: bool = False
    check: bool = False
    requests: bool = False
    events: bool = False
    places: bool = False
    cut_at: tuple[str, ...] = ()
    restart_at: tuple[str, ...] = ()
    settings: Mapping[str, Setting] = field(default_factory=dict)
    """Parameters of the drive by their path, as `--set` takes them."""
    more: tuple[str, ...] = ()
    """Further words for the simulator, such as those that record waveforms."""

    def __post_init__(self) -> None:
        for name in (*VALUES, *FLAGS, "drive"):
            check_value(name, getattr(self, name))
        if (self.trace is None) == (self.workload is None):
            raise InputError("a run takes its requests from a trace or a workload: name one of them")
        if not isinstance(self.settings, Mapping):
            raise InputError(f"set: expected parameters by their paths, found {self.settings!r}")
        for path, value in self.settings.items():
            if not isinstance(path, str):
                raise InputError(f"set: expected the path of a parameter, found {path!r}")
            if not isinstance(value, str | int | float):
                raise InputError(f"set: {path}: expected a text, a number, true or false, found {value!r}")
        for name in (*REPEATED, "more"):
            given = getattr(self, name)
            if not isinstance(given, list | tuple) or not all(isinstance(word, str) for word in given):
                raise InputError(f"{name}: expected a list of texts, found {getattr(self, name)!r}")
        for word in self.words():
            if "\0" in word:
                raise InputError(f"{word!r}: a name or a value holds a character of code 0, which no program can be given")

    def words(self) -> list[str]:
        """The arguments of `tessera-sim` but for the folder of the results."""
        words = ["run", str(self.drive)]
        for name in VALUES:
            if (value := getattr(self, name)) is not None:
                words += [_option(name), str(value)]
        words += [_option(name) for name in FLAGS if getattr(self, name)]
        for name in REPEATED:
            for value in getattr(self, name):
                words += [_option(name), str(value)]
        for path, value in self.settings.items():
            words += ["--set", f"{path}={setting_text(value)}"]
        return [*words, *self.more]

    def command(self, out: str | Path | None = None) -> str:
        """The same as a line for the shell."""
        words = ["tessera", *self.words(), *(("--out", str(out)) if out is not None else ())]
        return " ".join(f'"{word}"' if " " in word and '"' not in word else shlex.quote(word) for word in words)

    def run(self, out: str | Path, progress: bool = False) -> Run:
        """Simulates into the folder `out`; with `progress` the simulator shows on standard error how far it is. Raises InputError or
        SimulatorError with what the simulator said.

        With `warmup="auto"` it simulates twice: every counter is left out up to the cut, which is known at the end only."""
        if self.warmup == "auto":
            found = self.but(warmup=None).run(out, progress)
            cut = found.find("host.steady.from") or 0
            return self.but(warmup=int(cut)).run(out, progress) if cut else found
        words = [*self.words(), "--out", out]
        printed = ask_simulator(words, progress)
        write_inside(Path(out) / RECORD, json.dumps(self.record(), indent=1) + "\n")
        run = Run(out)
        run.printed = printed
        return run

    def record(self) -> dict[str, Any]:
        """The fields that are not as they come, as JSON holds them."""
        fields = {}
        for item in dataclasses.fields(self):
            value = getattr(self, item.name)
            default = {} if item.name == "settings" else item.default
            if value != default or item.name == "drive":
                fields[item.name] = str(value) if isinstance(value, Path) else dict(value) if item.name == "settings" else value
        return fields

    @classmethod
    def of(cls, fields: Mapping[str, Any]) -> "Simulation":
        """From a mapping with the fields' names, as a sweep's file holds it.

        >>> Simulation.of({"layr": "cmr"})
        Traceback (most recent call last):
        tessera.errors.InputError: unknown option of a run 'layr'; did you mean 'layer'?
        """
        known = [item.name for item in dataclasses.fields(cls)]
        for name in mapping_of("options of a run", fields):
            if name not in known:
                raise unknown_name("option of a run", name, known)
        made = {name: tuple(value) if name in (*REPEATED, "more") and isinstance(value, list | tuple) else value for name, value in fields.items()}
        return cls(**made)

    @classmethod
    def of_words(cls, words: Sequence[str]) -> "Simulation":
        """From the words behind `tessera-sim run`, DRIVE first.

        >>> made = Simulation.of_words(["demo", "--workload", "random-4k", "--limit", "9", "--set", "nand.dies=2", "--elf", "a.elf", "--fold"])
        >>> made.limit, made.settings, made.more, made.fold
        (9, {'nand.dies': '2'}, ('--elf', 'a.elf'), True)
        """
        given = texts_of("words", words)
        if not given:
            raise InputError("words: expected a drive and options of a run, found none")
        fields: dict[str, Any] = {"drive": given[0], "settings": {}}
        more: list[str] = []
        rest = iter(given[1:])

        def value_after(word: str) -> str:
            if (value := next(rest, None)) is None:
                raise InputError(f"{word}: expected a value")
            return value

        for word in rest:
            name = word.removeprefix("--").replace("-", "_") if word.startswith("--") else ""
            if name in FLAGS:
                fields[name] = True
            elif word == "--set":
                path, _, value = value_after(word).partition("=")
                fields["settings"][path] = value
            elif name in REPEATED:
                fields[name] = (*fields.get(name, ()), value_after(word))
            elif name in VALUES:
                fields[name] = value_of(name, value_after(word))
            else:
                more.append(word)
        return cls(**fields, more=tuple(more))

    def but(self, **changes: Any) -> "Simulation":
        """The same with some fields changed."""
        return dataclasses.replace(self, **changes)


def value_of(name: str, text: str) -> str | int | float:
    """An option's value as its field holds it. Raises InputError where a number is none."""
    try:
        if name in WHOLE or (name == "warmup" and text.isdecimal()):
            return int(text)
        return float(text) if name == "time_scale" else text
    except ValueError:
        raise InputError(f"{name}: expected a number, found {text!r}") from None


def check_value(name: str, value: object) -> None:
    """Raises InputError where an option of a run holds what is of another kind. What a text must look like, the simulator knows.

    >>> check_value("fold", "no")
    Traceback (most recent call last):
    tessera.errors.InputError: fold: expected true or false, found 'no'
    """
    if value is None:
        return
    whole = isinstance(value, int) and not isinstance(value, bool)
    if name in FLAGS:
        expected, good = "true or false", isinstance(value, bool)
    elif name in WHOLE:
        expected, good = f"a whole number from 0 to {LARGEST}", whole and 0 <= value <= LARGEST
    elif name == "time_scale":
        expected, good = "a number", whole or isinstance(value, float)
    elif name == "warmup":
        expected, good = 'a whole number or "auto"', whole or isinstance(value, str)
    else:
        expected, good = "a text", isinstance(value, str | Path)
    if not good:
        raise InputError(f"{name}: expected {expected}, found {value!r}")


def _option(name: str) -> str:
    return "--" + name.replace("_", "-")


def setting_text(value: Setting) -> str:
    """A parameter's value as `--set` takes it.

    >>> setting_text(True), setting_text("64 MiB"), setting_text(4)
    ('true', '64 MiB', '4')
    """
    return str(value).lower() if isinstance(value, bool) else str(value)


def simulation_of(folder: str | Path) -> Simulation | None:
    """What a run folder says that made it, to be shown and never to be run (replay.py does that); None where it does not say, or says what
    is none."""
    record, command = Path(folder) / RECORD, Path(folder) / COMMAND
    try:
        if record.exists():
            return Simulation.of(read_json(record))
        return Simulation.of_words(read_json(command)) if command.exists() else None
    except (InputError, TypeError, AttributeError, LookupError):
        return None
