"""Timing parameters of a drive, measured from waveforms alone and compared with its description.

A parameter is measured where a signal shows an interval that it alone makes, or it with others that the description states. Intervals that the
record cuts (its begin and end, gaps between windows, power cuts) are left out."""

import itertools
import math
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

from tessera.errors import InputError
from tessera.explore.axes import amount
from tessera.explore.toml_file import flat
from tessera.waves.dump import UNKNOWN, Dump
from tessera.waves.names import inside

TOLERANCE = 1e-6
"""Relative; a picosecond is always allowed, since the model rounds to them."""
MS = 10**9  # ps
SECOND = 10**12  # ps


@dataclass(frozen=True)
class Row:
    """What a group of signals shows from `begin` up to `end`."""

    begin: int
    """Picoseconds since power-on."""
    end: int
    values: dict[str, str]


@dataclass
class Finding:
    """A parameter, or several that one interval is made of."""

    parameter: str
    stated: str
    samples: list[tuple[int, int]] = field(default_factory=list)
    """Measured and expected, in ps."""
    why_not: str = "no such interval is in the record"
    """It was not measured, where there are no samples."""

    @property
    def measured(self) -> float | None:
        """The median interval in ps; None: there is none."""
        return median(length for length, _ in self.samples) if self.samples else None

    @property
    def worst(self) -> float:
        """The largest relative difference beyond a picosecond."""
        return max((max(0, abs(length - expected) - 1) / max(expected, 1) for length, expected in self.samples), default=0.0)

    def holds(self, tolerance: float) -> bool | None:
        """None: it was not measured."""
        return self.worst <= tolerance if self.samples else None


class Description:
    """The parameters of a drive, by path."""

    def __init__(self, parameters: Mapping[str, Any]):
        self._parameters = parameters

    def value(self, path: str) -> Any:
        """None: the drive has no such parameter."""
        return self._parameters.get(path)

    def time(self, path: str) -> int:
        """In ps; 0 where there is no such parameter."""
        return self._number(path)

    def count(self, path: str) -> int:
        """0 where there is no such parameter."""
        return self._number(path)

    def text(self, path: str) -> str:
        """As the description writes it."""
        return str(self._parameters.get(path, "-"))

    def _number(self, path: str) -> int:
        value = self._parameters.get(path, 0)
        return round(amount(value)[0]) if isinstance(value, str | int | float) and not isinstance(value, bool) else 0


def description_of(drive: str | None, waveforms: Path) -> Description:
    """Of a run's folder, a file or a name; without one of the run in whose folder the waveforms are. Raises InputError where there is none."""
    from tessera.engine.parameters import drive_parameters

    folder = waveforms.parent if drive is None else Path(drive)
    file = folder / "drive.toml" if folder.is_dir() else folder
    if folder.is_dir() and file.is_file():  # the effective one of a run: nothing is left to its defaults
        try:
            return Description(flat(tomllib.loads(file.read_text(encoding="utf-8"))))
        except ValueError as error:
            raise InputError(f"{file}: not valid TOML: {error}") from None
    if drive is None or folder.is_dir():
        raise InputError(f"{file}: no description of the drive is there; --drive names a run's folder, a .toml file or a drive")
    return Description({path: tomllib.loads(f"v = {text}")["v"] for path, text in drive_parameters(drive).items()})


def rows(dump: Dump, groups: Mapping[str, Iterable[str]]) -> dict[str, list[Row]]:
    """Of each group of signals, by its name, what they showed together; the last row ends with the record, and is left out."""
    of_path: dict[str, list[str]] = {}
    for group, paths in groups.items():
        for path in paths:
            of_path.setdefault(path, []).append(group)
    held: dict[str, dict[str, str]] = {group: dict.fromkeys(paths, UNKNOWN) for group, paths in groups.items()}
    found: dict[str, list[Row]] = {group: [] for group in groups}
    began = dict.fromkeys(groups, 0)
    for at, changes in itertools.groupby(dump.changes(list(of_path)), key=lambda change: change.at):
        changed: set[str] = set()
        for change in changes:
            for group in of_path[change.path]:
                if held[group][change.path] != change.value:
                    if group not in changed:
                        found[group].append(Row(began[group], at, dict(held[group])))
                        changed.add(group)
                    held[group][change.path] = change.value
        for group in changed:
            began[group] = at
    return found


def check(dump: Dump, drive: Description) -> list[Finding]:
    """Every parameter that can be measured, in the order of the description."""
    scopes = {path.rpartition(".")[0] for path in (signal.path for signal in dump.signals)}
    paths = {signal.path for signal in dump.signals}
    arms = sorted(scope for scope in scopes if inside(scope) == "media" or inside(scope).startswith("media.arm"))
    dies = sorted(scope for scope in scopes if inside(scope).startswith("nand.die_"))
    groups: dict[str, list[str]] = {}
    for arm in arms:
        groups[arm] = [f"{arm}.{name}" for name in ("state", "head_radius", "head_surface")]
    for die in dies:
        groups[die] = [f"{die}.{name}" for name in ("state", "block", "page")]
    index = next((path for path in paths if inside(path) == "media.spindle_index"), None)
    if index is not None:
        groups[index] = [index]
    groups = {group: wanted for group, wanted in groups.items() if set(wanted) <= paths}
    shown = rows(dump, groups)
    found = [_rotation(None if index is None else shown[index], drive)]
    found += _seeks([shown[arm] for arm in arms if arm in shown], drive)
    if drive.count("nand.blocks"):
        found += _flash([shown[die] for die in dies if die in shown], drive)
    return found + _not_shown(drive)


def not_recorded(names: str) -> str:
    return f"not recorded: --signals {names}"


def _known(row: Row) -> bool:
    return UNKNOWN not in row.values.values()


# --- platters and heads ---


def _rises(shown: list[Row]) -> Iterator[tuple[int, bool]]:
    """When a bit rose, and whether the record goes on from the rise before."""
    whole = False
    for before, row in itertools.pairwise(shown):
        if not _known(before):
            whole = False
        if set(row.values.values()) == {"1"} and set(before.values.values()) == {"0"}:
            yield row.begin, whole
            whole = True


def _rotation(spindle: list[Row] | None, drive: Description) -> Finding:
    found = Finding("media.rpm", drive.text("media.rpm"))
    if spindle is None:
        found.why_not = not_recorded("media.spindle_index")
        return found
    turn = round(60 * SECOND / amount(drive.value("media.rpm"))[0])
    rises = list(_rises(spindle))
    lengths = [now - before for (before, _), (now, whole) in itertools.pairwise(rises) if whole]
    # A spindle that is slowed down or stopped gives no index: the next one is more than a turn later.
    usual = median(lengths) if lengths else 0
    found.samples = [(length, turn) for length in lengths if length < 1.5 * usual]
    return found


def seek_time(drive: Description, distance: int, other_surface: bool, write: bool) -> int:
    """What the description says that a head takes to another track, in ps."""
    time = _curve(drive, distance)
    if other_surface:
        time = max(time, drive.time("media.head_switch"))
    if not write:
        return time + drive.time("media.read_settle")
    more = [settle for least, settle in drive.value("media.write_settles") or [] if distance >= least]
    return time + drive.time("media.write_settle") + (round(more[-1] * MS) if more else 0)


def _curve(drive: Description, distance: int) -> int:
    if distance == 0:
        return 0
    points = [(int(row[0]), round(row[1] * MS)) for row in drive.value("media.seek_curve") or []]
    if not points:
        least, full = drive.time("media.seek_min"), drive.time("media.seek_full_stroke")
        return least + round((full - least) * math.sqrt(distance / max(1, _radii(drive) - 1)))
    if distance <= points[0][0] or len(points) == 1:
        return points[0][1]
    right = next((number for number, point in enumerate(points) if point[0] >= distance), len(points) - 1)
    (near, first), (far, last) = points[right - 1], points[right]
    return first + round((distance - near) * (last - first) / (far - near))


def _radii(drive: Description) -> int:
    """Tracks of a surface."""
    zones = drive.value("media.zones")
    return int(zones[-1][0]) + 1 if zones else drive.count("media.tracks")


def _seeks(arms: list[list[Row]], drive: Description) -> list[Finding]:
    curve = "media.seek_curve" if drive.value("media.seek_curve") else "media.seek_min, seek_full_stroke"
    stated = "points" if drive.value("media.seek_curve") else f"{drive.text('media.seek_min')}, {drive.text('media.seek_full_stroke')}"
    to_read, to_write = Finding(f"{curve}, read_settle", stated), Finding(f"{curve}, write_settle", stated)
    switches = Finding("media.head_switch", drive.text("media.head_switch"))
    found = [to_read, to_write, *([switches] if drive.count("media.surfaces") > 1 else [])]
    why = None
    if not arms:
        why = not_recorded("media")
    elif differing := [name for name in ("head_tolerances", "arm_tolerances", "actuator_settle") if drive.value(f"media.{name}") not in (None, [], 0, "0 ps", "0 s")]:
        why = f"seeks differ by head and arm (media.{', media.'.join(differing)})"
    if why is not None:
        for one in found:
            one.why_not = why
        return found
    for shown in arms:
        for number, row in enumerate(shown):
            state, radius, surface = row.values.values()
            if state != "seek" or not _known(row) or number == 0 or not _known(shown[number - 1]):
                continue
            follows = next((after for after in shown[number + 1 :] if after.values and next(iter(after.values.values())) != "rotate"), None)
            kind = None if follows is None else next(iter(follows.values.values()))
            if kind not in ("read", "write"):
                continue  # cut, or given up
            _, to_radius, to_surface = shown[number + 1].values.values()
            distance = abs(int(to_radius) - int(radius))
            expected = seek_time(drive, distance, surface != to_surface, kind == "write")
            sample = (row.end - row.begin, expected)
            (switches if distance == 0 else to_write if kind == "write" else to_read).samples.append(sample)
    return found


# --- flash ---


def _flash(dies: list[list[Row]], drive: Description) -> list[Finding]:
    found = []
    for state, name, types, ahead in (("reading", "read_time", True, "cache_read"), ("programming", "program_time", True, "cache_program"), ("erasing", "erase_time", False, "")):
        times = {f"nand.{name}": drive.time(f"nand.{name}")}
        for kind in ("middle", "upper") if types else ():
            if own := drive.time(f"nand.{name}_{kind}"):
                times[f"nand.{name}_{kind}"] = own
        of = {path: Finding(path, drive.text(path)) for path in times}
        # The next page is shown as it is loaded: where that goes on meanwhile, only the state tells operations apart, which is the same in a row of them.
        in_rows = ahead != "" and drive.value(f"nand.{ahead}") is True
        for shown in dies:
            for length in _array_times(_merged(shown) if in_rows else shown, state, state != "reading" and drive.value("nand.suspend") is True):
                if in_rows and len(times) > 1 and length >= 2 * min(times.values()):
                    continue  # several, of kinds that nothing tells apart
                path, expected = _nearest(times, length, drive.time("nand.read_retry_time") if state == "reading" else 0, drive.count("nand.read_retries"))
                of[path].samples.append((length, expected))
        for path, one in of.items():  # where none is of one operation, each is of one that takes longer
            if not in_rows and one.samples and times[path] and min(expected for _, expected in one.samples) >= 2 * times[path]:
                one.samples = [(length, times[path]) for length, _ in one.samples]
        if not dies:
            for one in of.values():
                one.why_not = not_recorded("nand")
        found += of.values()
    return found


def _merged(shown: list[Row]) -> list[Row]:
    """Rows of one state as one."""
    whole: list[Row] = []
    for row in shown:
        if whole and next(iter(whole[-1].values.values())) == next(iter(row.values.values())):
            whole[-1] = Row(whole[-1].begin, row.end, whole[-1].values)
        else:
            whole.append(row)
    return whole


def _array_times(shown: list[Row], state: str, suspended: bool) -> Iterator[int]:
    """How long a die was in this state with one operation; without those that the record cuts. `suspended`: reads may come between, so that what has
    others around it is left out, too."""
    kinds = [next(iter(row.values.values())) for row in shown]
    for number, row in enumerate(shown):
        around = kinds[max(0, number - 1) : number + 2]
        if suspended and (kinds[number - 1] not in (state, "idle", "loading") or kinds[number + 1 : number + 2] not in ([state], ["idle"])):
            continue
        if kinds[number] == state and _known(row) and 0 < number < len(shown) - 1 and not {"suspended", UNKNOWN} & set(around):
            yield row.end - row.begin


def _nearest(times: Mapping[str, int], length: int, retry: int, retries: int) -> tuple[str, int]:
    """The parameter whose time is nearest, and what makes the length up: a retry takes longer, and operations without a pause are one interval."""
    candidates = [(path, (time + levels * retry) * times_over) for path, time in times.items() for levels in range(1 + (retries if retry else 0)) for times_over in
                  range(1, 2 + (length // (time + levels * retry) if time + levels * retry else 0))]  # fmt: skip
    return min(candidates, key=lambda candidate: abs(candidate[1] - length))


# --- what no signal shows by itself ---

NOT_SHOWN = {
    "media.channel_overhead": "the head shows nothing of it",
    "nand.bus_rate": "transfers that follow each other on a channel are one interval",
    "nand.command_time": "transfers that follow each other on a channel are one interval",
    "dram.refresh_interval": "no signal shows refreshes: 128,000 a second would fill every record",
    "dram.refresh_time": "no signal shows refreshes: 128,000 a second would fill every record",
    "host.link_rate": "frames that follow each other on the link are one interval",
}


def _not_shown(drive: Description) -> list[Finding]:
    """Times and rates that the drive has, and that are in no interval of their own."""
    without_flash = not drive.count("nand.blocks")
    return [Finding(path, drive.text(path), why_not=why) for path, why in NOT_SHOWN.items() if drive.count(path) and not (without_flash and path.startswith("nand."))]


def listed(found: list[Finding], tolerance: float) -> Iterator[str]:
    """A line for each parameter, then the verdict."""
    width = max(len(one.parameter) for one in found)
    yield f"{'parameter':<{width}}  {'stated':>18}  {'measured':>16}  {'intervals':>9}  {'worst':>9}"
    for one in found:
        holds = one.holds(tolerance)
        if holds is None:
            yield f"{one.parameter:<{width}}  {one.stated:>18}  {'-':>16}  {'-':>9}  {'-':>9}  not measured: {one.why_not}"
        else:
            yield (f"{one.parameter:<{width}}  {one.stated:>18}  {one.measured / MS:>13,.6f} ms  {len(one.samples):>9,}  {one.worst:>9.1e}"
                   f"  {'holds' if holds else 'DIFFERS'}")  # fmt: skip
    counts = [one.holds(tolerance) for one in found]
    yield f"\n{counts.count(True)} hold within {tolerance:g}, {counts.count(False)} differ, {counts.count(None)} not measured"
