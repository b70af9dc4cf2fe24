"""One run of the simulator: what is simulated, and the words of the command line that say so."""

import ast
import dataclasses
import inspect
import json
import re
import shlex
import textwrap
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any

from tessera.engine.output_file import write_inside
from tessera.engine.simulator import ask_simulator
from tessera.errors import InputError, count_in, mapping_of, read_json, texts_of, unknown_name, wrong
from tessera.results.run_folder import Run
from tessera.results.shown import Card, Shown

Setting = str | int | float | bool
RECORD = "simulation.json"  # in a run folder: the Simulation that made it
DESCRIPTION = "run.json"  # in every run folder: the options of the run by name, and the digests of the files that it read

# Fields that are an option of `tessera-sim run` with a value, those that are a flag, and those that are repeated.
VALUES = (
    "layer", "trace", "workload", "format", "volume", "columns", "time_unit", "sort", "spread", "arrival", "limit", "skip", "warmup", "replay", "time_scale",
    "adapt", "fold_at", "prefill", "caches", "content", "intervals", "percentiles", "seed", "load_state", "save_state", "elf",
)  # fmt: skip
FLAGS = ("fold", "fold_prefilled", "check", "requests", "events", "places")
REPEATED = ("cut_at", "restart_at", "firmware")
WHOLE = ("limit", "skip", "prefill", "seed")
NUMBERS = (*WHOLE, "time_scale")
OF_FIRMWARE = ("--firmware-patience", "--firmware-digest")  # of a shared library: with it wherever that goes
_WAVES = ("--vcd", "--vcd-words", "--fst", "--timeline", "--signals", "--record-window", "--record-trigger", "--record-before", "--record-after")
OF_ONE_RUN = {"--gdb": "a debugger follows one run", "--firmware-profile": "a profile is of one run", **dict.fromkeys(_WAVES, "a recording is of one run")}
LARGEST = 2**63 - 1  # of a whole number: the datasets of sweeps hold no larger seed


@dataclass(frozen=True, kw_only=True, repr=False)
class Simulation(Shown):
    """What one run simulates; the fields are the options of `tessera-sim run`, and None leaves an option out.

    A field takes what the command line takes for the option, and holds it as a number where it is one.

    >>> Simulation(workload="random-4k", limit="20k", cut_at="2 s")
    Simulation(drive='common', workload='random-4k', limit=20000, cut_at=('2 s',))

    >>> Simulation(drive="common", layer="cmr", workload="random-4k", limit=100, settings={"media.rpm": "5400 rpm"}).command()
    'tessera run common --layer cmr --workload random-4k --limit 100 --seed 1 --set "media.rpm=5400 rpm"'
    """

    drive: str = "common"
    """A name of `tessera list drives`, or a .toml file."""
    layer: str | None = None
    """Translation layer (default: the drive's own)."""
    trace: str | Path | None = None
    """Block trace to replay: plain, gz, xz, zstd, bz2 or lz4."""
    workload: str | Path | None = None
    """Workload to generate instead of a trace: a name of `tessera list workloads`, or a .toml file."""
    format: str | None = None
    """Format of the trace (default: recognised from its content)."""
    volume: str | None = None
    """Only this volume of a trace that has several."""
    columns: str | None = None
    """Columns of a text trace, where no TOML file with its name says."""
    time_unit: str | None = None
    """Unit of the times of an ascii trace: "s", "ms", "us" or "ns"."""
    sort: str | None = None
    """Sort records by arrival, within a time ("10 ms"), a number of records ("1000"), or "all"."""
    spread: str | None = None
    """Spread records with the same arrival time evenly over this time, the resolution of a coarse clock."""
    arrival: str | None = None
    """"recorded" (default), or "completion-response": recorded times are of completion."""
    limit: int | str | None = None
    """At most this many requests: 20000, "20k" or "1e6"."""
    skip: int | str | None = None
    """Skip this many requests first."""
    warmup: int | str | None = None
    """First requests that are left out of the figures; "auto": those that a first run finds to be warm-up."""
    replay: str | None = None
    """"timed", "think", "queue:N" or "closed:N" (default: think where the trace has think times, else timed)."""
    time_scale: float | str | None = None
    """Stretch the arrival times: 2 is twice as slow."""
    adapt: str | None = None
    """How requests come to whole sectors: "none" (default), "align" or "one-sector"."""
    prefill: int | str | None = None
    """Percent of the drive that holds data at the start (default: as the drive says)."""
    caches: str | None = None
    """What caches on flash and platters hold at the start: "empty", or "used" by the same input (default: as the drive says)."""
    content: str | None = None
    """What is stored of user data: "none" (default), "tags" (with check) or "bytes"."""
    intervals: str | None = None
    """Write intervals.csv, a line every time such as "1 s" or count such as "10000 requests"."""
    percentiles: str | None = None
    """Of the latency, in addition to those always reported: "50,99,99.99"."""
    seed: int | str = 1
    """Seed of all random streams."""
    load_state: str | Path | None = None
    """Begin with the drive as another run saved it."""
    save_state: str | Path | None = None
    """Save what the drive holds at the end."""
    fold_at: str | None = None
    """Size at which addresses wrap, such as "58 GiB", in place of the drive's end."""
    fold: bool = False
    """Wrap addresses past the drive's end instead of refusing them."""
    fold_prefilled: bool = False
    """Wrap addresses at the end of the share that prefill fills."""
    check: bool = False
    """Verify every read against the newest acknowledged write."""
    requests: bool = False
    """Write requests.npy, the life of each request."""
    events: bool = False
    """Write events.csv, a line for each cleaning, merge, fault and power cut."""
    places: bool = False
    """Write tracks.csv and blocks.csv, with intervals bands.csv too: what each track, flash block and band went through."""
    cut_at: str | tuple[str, ...] = ()
    """Cut the power at these times since the start of the replay ("1.5 s"; "boot+2 ms": since power-on), then boot and go on."""
    restart_at: str | tuple[str, ...] = ()
    """Restart the firmware at these times, without a power cut."""
    firmware: str | Path | tuple[str, ...] = ()
    """Shared library or .py file with translation layers or policies of your own; of a plan's several, each run loads that which has its layer or policy."""
    elf: str | Path | None = None
    """Firmware image for the drive's processor."""
    settings: Mapping[str, Setting] = field(default_factory=dict)
    """Parameters of the drive by their path, as `--set` takes them: {"media.rpm": "5400 rpm"}."""
    more: tuple[str, ...] = ()
    """Any other option of `tessera-sim run`, as its words: ("--age", "26w"), or those that record waveforms."""

    def __post_init__(self) -> None:
        for name in (*VALUES, *FLAGS, "drive"):
            object.__setattr__(self, name, value_of(name, getattr(self, name)))
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
            if name in REPEATED and isinstance(given, str | Path):
                given = (str(given),)
            if name == "firmware" and isinstance(given, list | tuple):
                given = tuple(str(library) if isinstance(library, Path) else library for library in given)
            object.__setattr__(self, name, tuple(given) if isinstance(given, list) else given)
            if not isinstance(given, list | tuple) or not all(isinstance(word, str) for word in given):
                raise InputError(f"{name}: expected a list of texts, found {getattr(self, name)!r}")
        for word in self.words():
            if "\0" in word:
                raise InputError(f"{word!r}: a name or a value holds a character of code 0, which no program can be given")

    def __repr__(self) -> str:
        """As a call that makes it, without the options that are as they come."""
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in self.record().items())})"

    def _card(self) -> Card:
        return Card("Simulation", "", rows=[(name.replace("_", " "), str(value)) for name, value in self.record().items()])

    def words(self) -> list[str]:
        """The arguments of `tessera-sim` but for the folder of the results."""
        words = ["run", str(self.drive)]
        for name in VALUES:
            if (value := getattr(self, name)) is not None:
                words += [_option(name), _decimal(value) if name == "time_scale" else str(value)]
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
    def of_document(cls, file: str | Path, *words: str) -> "Simulation":
        """From a run document: a TOML file with a table [run], such as the `run.toml` in the folder of every run (docs/guide/outputs.md).
        What `words` say, as options of the command line, counts instead of what the document says. Raises InputError with file and line."""
        warmup = "auto" if _has_auto_warmup(words) else None  # of two runs, and the simulator knows one
        plain = [word for at, word in enumerate(words) if warmup is None or "--warmup" not in words[max(at - 1, 0) : at + 1]]
        made = cls.of_words(words_of(tomllib.loads(ask_simulator(["run", str(file), *plain, "--document"]))["run"]))
        return made.but(warmup=warmup) if warmup else made

    @classmethod
    def of_words(cls, words: Sequence[str]) -> "Simulation":
        """From the words behind `tessera-sim run`, DRIVE first.

        >>> made = Simulation.of_words(["demo", "--workload", "random-4k", "--limit", "9", "--set", "nand.dies=2", "--age", "26w", "--fold"])
        >>> made.limit, made.settings, made.more, made.fold
        (9, {'nand.dies': '2'}, ('--age', '26w'), True)
        """
        given = texts_of("words", words) if not isinstance(words, str) else ()
        if not given:
            raise InputError("words: expected a drive and options of a run, found none")
        fields: dict[str, Any] = {"drive": given[0], "settings": {}}
        more: list[str] = []
        rest = iter([part for word in given[1:] for part in (word.split("=", 1) if word.startswith("--") else [word])])

        def value_after(word: str) -> str:
            if (value := next(rest, None)) is None:
                raise InputError(f"{word}: expected a value")
            return value

        for word in rest:
            name = word.removeprefix("--").replace("-", "_") if word.startswith("--") else ""
            if name in (*FLAGS, *VALUES) and name in fields:
                raise InputError(f"{word} was given 2 times, expected once")
            if name in FLAGS:
                fields[name] = True
            elif word == "--set":
                path, _, value = value_after(word).partition("=")
                fields["settings"][path] = value
            elif name in REPEATED:
                fields[name] = (*fields.get(name, ()), value_after(word))
            elif name in VALUES:
                fields[name] = value_of(name, value_after(word), word)
            else:
                more.append(word)
        return cls(**fields, more=tuple(more))

    def firmware_words(self) -> list[str]:
        """The words that name its libraries, and how these are called.

        >>> Simulation(workload="any", firmware="a.so", more=("--age", "26w", "--firmware-patience", "3")).firmware_words()
        ['--firmware', 'a.so', '--firmware-patience', '3']
        """
        return [word for library in self.firmware for word in ("--firmware", str(library))] + list(self.called_words())

    def called_words(self) -> tuple[str, ...]:
        """The words that say how its libraries are called: none is loaded without them."""
        return tuple(word for name in OF_FIRMWARE if name in self.more for word in self.more[self.more.index(name) :][:2])

    def but(self, **changes: Any) -> "Simulation":
        """The same with some fields changed."""
        return dataclasses.replace(self, **changes)


def _has_auto_warmup(words: Sequence[str]) -> bool:
    return ("--warmup", "auto") in zip(words, words[1:])


def words_of(options: Mapping[str, Any]) -> list[str]:
    """The options of a run by their names, as run.json and run documents have them, as words of the command line; the drive first.

    >>> words_of({"drive": "demo", "workload": "oltp", "fold": True, "cut-at": ["1 s"], "set": {"media.rpm": "5400 rpm"}})
    ['demo', '--workload', 'oltp', '--fold', '--cut-at', '1 s', '--set', 'media.rpm=5400 rpm']
    """
    words = [str(options["drive"])]
    for name, value in options.items():
        if isinstance(value, Mapping):
            value = [f"{path}={text}" for path, text in value.items()]
        if name == "drive":
            continue
        if value is True:
            words.append(f"--{name}")
        else:
            words += [word for text in (value if isinstance(value, list) else [value]) for word in (f"--{name}", str(text))]
    return words


def value_of(name: str, value: object, said: str = "") -> Any:
    """An option's value as its field holds it. Raises InputError where it is of another kind than the option (`said`: as somebody named it)
    takes. What a text must look like, the simulator knows.

    >>> value_of("limit", "10k"), value_of("warmup", "auto"), value_of("time_scale", "0.5")
    (10000, 'auto', 0.5)
    >>> value_of("fold", "no")
    Traceback (most recent call last):
    tessera.errors.InputError: fold: expected true or false, found 'no'
    """
    if value is None and name != "drive":
        return None
    if name in FLAGS:
        expected, found = "true or false", value if isinstance(value, bool) else None
    elif name == "prefill":
        plain = not isinstance(value, str) or value.isdecimal()
        expected, found = "a whole number from 0 to 100", _within(count_in(value) if plain else None, 100)
    elif name in WHOLE:
        expected, found = f"a whole number from 0 to {LARGEST}", _within(count_in(value), LARGEST)
        expected += ' such as 20000, "20k" or 1e6' if isinstance(value, str) else ""
    elif name == "time_scale":
        expected, found = "a positive number such as 2 or 0.25", _scale(value)
    elif name == "warmup":
        count = _within(count_in(value), LARGEST)
        expected, found = 'a whole number or "auto"', count if count is not None or value != "auto" else "auto"
    else:
        expected, found = "a text", value if isinstance(value, str | Path) else None
    if found is None:
        raise InputError(f"{said or name}: expected {expected}, found {value!r}")
    return found


def _within(count: int | None, most: int) -> int | None:
    return count if count is not None and 0 <= count <= most else None


def _scale(value: object) -> int | float | None:
    """A positive number, or one as the command line takes it."""
    if isinstance(value, str):
        value = float(value) if re.fullmatch(r"[0-9]+(\.[0-9]+)?", value) else None
    good = isinstance(value, int | float) and not isinstance(value, bool) and 0 < value < float("inf")
    return value if good else None  # type: ignore[return-value]


def _decimal(value: float) -> str:
    """Without an exponent, which the option does not take.

    >>> _decimal(2), _decimal(1e-5)
    ('2', '0.00001')
    """
    return f"{Decimal(str(value)):f}"


@cache
def meanings() -> dict[str, str]:
    """What each field of a Simulation is, as its declaration says; empty where the source is not installed."""
    try:
        body = ast.parse(textwrap.dedent(inspect.getsource(Simulation))).body[0].body  # type: ignore[attr-defined]
    except OSError:
        return {}
    pairs = [(item, following) for item, following in zip(body, body[1:]) if isinstance(item, ast.AnnAssign) and isinstance(following, ast.Expr)]
    return {item.target.id: " ".join(following.value.value.split()) for item, following in pairs}  # type: ignore[attr-defined, union-attr]


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
    record, description = Path(folder) / RECORD, Path(folder) / DESCRIPTION
    try:
        if record.exists():
            return Simulation.of(read_json(record))
        return Simulation.of_words(words_of(read_json(description)["options"])) if description.exists() else None
    except (InputError, TypeError, AttributeError, LookupError):
        return None
