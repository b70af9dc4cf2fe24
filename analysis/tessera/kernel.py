"""A drive in this process, under a test bench in Python that decides as it goes.

    import tessera.kernel

    drive = tessera.kernel.Drive("common", layer="imr-rmw", settings={"nand.dies": 4})
    request = drive.submit("write", 0, 4096)
    drive.run_until(request)
    print(request.latency, drive.metric("write_amplification.total"))

Times are whole picoseconds of simulated time, as in waveforms; where one is asked for, a text such as "20 ms" will do, and "+20 ms" is
20 ms from now. SystemC elaborates once per process: a second drive needs a process of its own (multiprocessing; in a notebook, a restart).
"""

import importlib.util
import sysconfig
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any, Protocol

import numpy as np

from tessera.engine.simulation import LARGEST, Setting, setting_text
from tessera.engine.simulator import SimulatorError, simulator
from tessera.errors import InputError, mapping_of, text_of, unknown_name, wrong

__all__ = ["Drive", "Event", "Metric", "ModelFailure", "Request", "Signal"]

NAME = f"_kernel{sysconfig.get_config_var('EXT_SUFFIX')}"


class ModelFailure(SimulatorError):
    """The model failed, and the simulation has ended: a broken protocol, a bug of the model, a fault of foreign firmware."""

    def __init__(self, message: str):
        RuntimeError.__init__(self, message)
        self.status, self.output, self.message = 3, "", message


class Request(Protocol):
    """A request at the drive; `submit` returns one."""

    number: int
    """Of the drive's requests, from 0."""
    op: str
    offset: int
    length: int
    """In bytes."""
    status: str | None
    """None until it has ended; then "ok", what the drive answered, or "lost" where a power cut came first."""
    arrival: int
    issue: int
    """When the drive was given it: later than its arrival where it waited for a tag or for power."""
    completion: int | None
    latency: int | None
    """From its arrival to its completion."""
    parts: dict[str, int]
    """The parts of the latency, as in the columns of requests.npy."""
    data: bytes | None
    """What a read has brought, with content="bytes"."""
    zones: list[tuple[str, int, int, int, bool]]
    """The answer to "report zones": condition, offset, length and write pointer of each, and whether it was written out of order (NON_SEQ)."""


Event = str | int | Request
"""What `Drive.run_until` waits for: an instant, "idle", "ready", a condition on a signal or gauge, or the end of a request."""


@dataclass(frozen=True)
class Signal:
    """What a signal has shown: it has `values[i]` from `times[i]` on."""

    name: str
    kind: str
    """"bit", "number", "level", "state" or "text"."""
    width: int
    """In bits."""
    words: tuple[str, ...]
    """Of a state or text, by value."""
    times: np.ndarray
    """In ps."""
    values: np.ndarray

    def at(self, time: int) -> int | str | None:
        """The value at an instant, in words where it has some; None before the first."""
        index = int(np.searchsorted(self.times, time, side="right")) - 1
        if index < 0:
            return None
        value = int(self.values[index])
        return self.words[value] if value < len(self.words) else value


@dataclass(frozen=True)
class Metric:
    """A figure as summary.json has it; `value` is None where it is undefined."""

    value: float | None
    unit: str
    description: str


@cache
def _extension() -> ModuleType:
    """What CMake builds of platforms/kernel: next to this file in an installed package, else next to the simulator."""
    for folder in (Path(__file__).parent, simulator().parent):
        if (path := folder / NAME).exists():
            spec = importlib.util.spec_from_file_location("tessera._kernel", path)
            module = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(module)
            return module
    raise ImportError(
        f"there is no {NAME} in {Path(__file__).parent} or {simulator().parent}: './dev build' makes it where Python's headers and "
        "pybind11 are installed (python3-dev, pybind11-dev), and so does 'pip install .'"
    )


def _text(name: str, value: object) -> str:
    if value is None:
        return ""
    return text_of(name, str(value) if isinstance(value, Path) else value)


def _callable(name: str, value: Any) -> Any:
    if not callable(value):
        raise wrong(name, "something to call", value)
    return value


class Drive:
    """A drive that boots with your first call, up to the instant at which `tessera run` would begin its replay.

    `layer`, `settings`, `content`, `seed` and `prefill` are as in tessera.run; `content` is "none" or "bytes". `firmware`: a
    shared library or Python file with a layer. `check_protocol` checks each call on each socket against the base protocol of TLM-2.0.

    Raises InputError, in one sentence, for what cannot be simulated, and where this process has a drive already.
    """

    def __init__(
        self,
        drive: str | Path = "common",
        *,
        layer: str | None = None,
        settings: Mapping[str, Setting] | None = None,
        content: str = "none",
        seed: int = 1,
        prefill: int | None = None,
        firmware: str | Path | None = None,
        check_protocol: bool = False,
    ):
        for name, number, largest in (("seed", seed, LARGEST), ("prefill", 0 if prefill is None else prefill, 100)):
            if isinstance(number, bool) or not isinstance(number, int) or not 0 <= number <= largest:
                raise InputError(f"{name}: expected a whole number from 0 to {largest}, found {number!r}")
        self._booted = False
        self._switched_on = _extension().Drive(
            program=str(simulator()),
            drive=_text("drive", drive),
            layer=_text("layer", layer),
            set=[text_of("settings", f"{path}={setting_text(value)}") for path, value in mapping_of("settings", settings or {}).items()],
            content=_text("content", content),
            seed=seed,
            prefill=prefill,
            firmware=_text("firmware", firmware),
            check_protocol=bool(check_protocol),
        )

    @property
    def _drive(self) -> Any:
        if not self._booted:
            self._switched_on.boot()
            self._booted = True
        return self._switched_on

    @property
    def now(self) -> int:
        """The instant at which the drive stands, in ps."""
        return self._drive.now

    @property
    def capacity(self) -> int:
        """What a host can address, in bytes."""
        return self._drive.capacity

    @property
    def outstanding(self) -> int:
        """Requests that were submitted and have not ended."""
        return self._drive.outstanding

    @property
    def ready(self) -> bool:
        """Whether it takes commands: it has power and has booted."""
        return self._drive.ready

    @property
    def has_power(self) -> bool:
        return self._drive.has_power

    def run_until(self, *events: Event) -> Event | None:
        """Runs until the first of these comes, and returns it; None where `stop` came first, or nothing is left to happen.

        An instant: "20 ms", "+20 ms" from now, or picoseconds; everything that happens at it has happened then.
        A condition: "SIGNAL > VALUE", with <, <=, ==, !=, >= or >, on any signal or gauge; of a state VALUE is a word. It has come at once
        where it holds already.
        "idle": no request is under way, and the drive has nothing to do. "ready": it takes commands. A request: it has ended.

        What a callable of yours raises comes out here, and Ctrl-C stops the drive with KeyboardInterrupt; after both it can run on. Raises
        InputError for an instant in the past or a name that there is not, ModelFailure where the model fails.
        """
        if not events:
            raise InputError('expected an instant such as "20 ms", a condition, "idle", "ready" or a request to run until')
        came = self._drive.run_until(list(events))
        return None if came is None else events[came]

    def submit(
        self,
        op: str,
        offset: int = 0,
        length: int = 0,
        *,
        data: bytes | None = None,
        fua: bool = False,
        all_zones: bool = False,
        done: Callable[[Request], Any] | None = None,
    ) -> Request:
        """A request that arrives now: "read", "write", "flush", "trim", or a command for zones, in bytes. It waits where no tag is free or
        the drive is not ready.

        `done` is called with the request at the instant of its end, and may submit more: so a function is a host. With content="bytes" a
        write needs `data`, from which its length comes.
        """
        if data is not None:
            try:
                data = bytes(memoryview(data))
            except TypeError:
                raise wrong("data", "bytes", data) from None
            if length not in (0, len(data)):
                raise InputError(f"length: expected {len(data)}, the bytes of data, found {length}")
            length = len(data)
        for name, number in (("offset", offset), ("length", length)):
            if not hasattr(number, "__index__") or not 0 <= number < 2**63:
                raise InputError(f"{name}: expected a number of bytes, found {number!r}")
        return self._drive.submit(text_of("op", op), int(offset), int(length), data, bool(fua), bool(all_zones), None if done is None else _callable("done", done))

    def at(self, when: str | int, call: Callable[[], Any]) -> None:
        """Has a callable called at an instant: a host with arrivals of its own, a power cut at a time."""
        self._drive.call_at(when, _callable("call", call))

    def stop(self) -> None:
        """From a callable: run_until returns after it."""
        self._drive.stop()

    def drain(self) -> None:
        """Waits for all requests, flushes, and runs until the drive is idle, as a run does at its end; the flush is not counted in the metrics.
        Raises InputError where the drive fails it."""
        self._drive.drain()

    def cut_power(self) -> None:
        """The power fails now. Requests that the drive has end as "lost"; what you submit later waits for power_on."""
        self._drive.cut_power()

    def power_on(self) -> None:
        """The power is back: the drive boots and recovers; run_until("ready") waits for that."""
        self._drive.power_on()

    def metrics(self) -> dict[str, Metric]:
        """Every metric as of now, measured since the drive was ready first. Raises InputError without power."""
        return {name: Metric(*rest) for name, *rest in self._drive.metrics()}

    def metric(self, name: str) -> float | None:
        """One of them. Raises InputError with the nearest name where there is none."""
        found = self.metrics()
        if text_of("metric", name) not in found:
            raise unknown_name("metric", name, found)
        return found[name].value

    def record(self, *patterns: str) -> None:
        """From here on the changes of these signals are kept for `signals`, all where there is no pattern. Before your first other call it
        takes in the boot. Raises InputError with the nearest name where a pattern has no signal."""
        self._switched_on.record([text_of("pattern", pattern) for pattern in patterns])

    def value(self, signal: str) -> int | str | None:
        """What a signal or gauge shows now, in words where it has some; None where it has not changed since the drive was first asked."""
        return self._drive.value(text_of("signal", signal))

    def signal_names(self) -> list[str]:
        """Every signal, gauges included; most begin with "drive.", which you may leave out."""
        return self._switched_on.signal_names()

    def signals(self, *patterns: str, since: str | int | None = None, until: str | int | None = None) -> dict[str, Signal]:
        """The recorded signals of these patterns, or all, in a window: by default everything so far. The first value is that at `since`."""
        found = {}
        for name, kind, width, words, times, values in self._drive.histories([text_of("pattern", pattern) for pattern in patterns], since, until):
            found[name] = Signal(name, kind, width, tuple(words), np.frombuffer(times, "<i8"), np.frombuffer(values, "<u8"))
        return found
