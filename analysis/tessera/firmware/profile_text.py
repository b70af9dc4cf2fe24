"""A profile as a table, or as rows of data."""

from collections.abc import Iterator
from typing import Any

from tessera.firmware.profile import ASLEEP, Line, Profile

LEAST_SHARE = 0.0005  # of the cycles: causes below it have no column


def as_rows(profile: Profile, by: str, count: int) -> dict[str, Any]:
    """The sums of the run, and the rows with most cycles."""
    whole, stack = profile.whole, profile.stack()
    return {
        "clock": profile.clock,
        "instructions": whole.instructions,
        "cycles": profile.worked(whole.causes),
        "causes": dict(zip(profile.causes, whole.causes)),
        "stack": None if stack is None else {"bytes": stack[0], "calls": stack[1]},
        by: [{by: _name(key), "cycles": profile.worked(cost.causes), "instructions": cost.instructions, "causes": dict(zip(profile.causes, cost.causes))}
             for key, cost in _largest(profile, by)[:count]],
    }  # fmt: skip


def listed(profile: Profile, by: str, count: int) -> Iterator[str]:
    """Sums, then a line for each row: its share of the cycles, its cycles, and of what causes."""
    whole = profile.whole
    worked = profile.worked(whole.causes)
    slept = sum(whole.causes) - worked
    busy = f"{100 * worked / (worked + slept):.3g} %" if worked + slept else "0 %"
    yield f"{worked:,} cycles for {whole.instructions:,} instructions; asleep {slept:,} cycles (busy {busy} of the time)"
    if (stack := profile.stack()) is not None:
        yield f"stack: at most {stack[0]:,} B since the boot, in {' > '.join(stack[1][-4:])}"
    shown = [number for number, name in enumerate(profile.causes) if name != ASLEEP and whole.causes[number] >= LEAST_SHARE * worked]
    yield ""
    yield f"{'share':>7} {'cycles':>14} {'instr.':>12} " + " ".join(f"{profile.causes[number]:>12}" for number in shown) + f"  {by}"
    rows = _largest(profile, by)
    for key, cost in rows[:count]:
        cycles = profile.worked(cost.causes)
        share = 100 * cycles / worked if worked else 0
        yield f"{share:>6.2f}% {cycles:>14,} {cost.instructions:>12,} " + " ".join(f"{cost.causes[number]:>12,}" for number in shown) + f"  {_name(key)}"
    if len(rows) > count:
        yield f"... ({len(rows) - count} more; --rows shows more)"


def _largest(profile: Profile, by: str) -> list:
    sums = profile.by_function() if by == "function" else profile.by_line()
    return sorted(sums.items(), key=lambda row: (-profile.worked(row[1].causes), _name(row[0])))


def _name(key: str | Line) -> str:
    return key if isinstance(key, str) else f"{key.file}:{key.number or '?'}"
