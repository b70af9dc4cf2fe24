"""Amphisbaena: a conventional buffer in front of shingled zones, against Skylight's, Fluid's and Fluid_loop's buffers.

The paper replays eight MSR volumes on an 18 TB drive with a buffer of 1 % of the range that a volume touches. The volumes cannot be had;
the workloads `zone-*` have the request counts, write and update shares, ranges and mean write sizes of its Table 3, shortened here,
and what they assume beside stands in their files: above all how soon an address is updated again, and that at most four start addresses
lie in a chunk of 64 KiB. The layers run as published. Whether the zones were empty at the start the paper does not say; padding and
write-backs without a read-modify-write exist only where a zone is not full, so both are shown.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import pairwise

from tessera.papers.lab import Grid, Lab, Variant
from tessera.papers.page import Finding, findings, number, percent, span, table, verdict
from tessera.run_folder import Run
from tessera.simulator import REPOSITORY

TITLE = "Zone buffers on a shingled drive (Amphisbaena)"

DRIVE = "p002"
OURS = "amphisbaena"
OTHERS = ("skylight-disk", "fluid", "fluid-loop")
LAYERS = (*OTHERS, OURS)
CLEANINGS = 20  # fewer do not make a ranking
BUFFER_MIB = {  # 1 % of Table 3's ranges
    "hm_0": 143,
    "prn_0": 678,
    "prxy_0": 212,
    "ts_0": 225,
    "web_0": 348,
    "src2_2": 1736,
    "src2_0": 161,
    "usr_0": 164,
}
REQUESTS = {  # until each buffer has been filled about twice with addresses that were not in it
    "hm_0": 400_000,
    "prn_0": 300_000,
    "prxy_0": 4_000_000,
    "ts_0": 1_600_000,
    "web_0": 1_600_000,
    "src2_2": 150_000,
    "src2_0": 300_000,
    "usr_0": 400_000,
}
BUFFER_ZONES = 8  # Skylight's zones of 256 MiB would not fit five of these buffers once
VOLUMES = tuple(BUFFER_MIB)
SOME = ("hm_0", "prn_0", "src2_0", "src2_2")  # for the sweeps: small and large ranges, many and few updates
RULES = ("paper", "corrected", "count", "cost")
CHUNKS_KIB = (64, 128, 256, 512, 1024)
SHARES = (0.1, 0.3, 0.5)
FIRST_RULE = "paper"  # what the paper's figures were made with


def _key(layer: str, name: str) -> str:
    return f"layers__{layer.replace('-', '_')}__{name}"


def _variant(layer: str, **settings: object) -> Variant:
    if layer == OURS:
        settings = {"victim": FIRST_RULE, **settings}
    return Variant(layer, {_key(layer, name): value for name, value in {"paper": True, **settings}.items()})


def _inputs(lab: Lab, names: Iterable[str], prefill: int = 0) -> dict[str, tuple[object, ...]]:
    inputs = {}
    for name in names:
        sizes = [word for layer in LAYERS for word in ("--set", f"layers.{layer.replace('-', '_')}.buffer={BUFFER_MIB[name]} MiB")]
        sizes += ["--set", f"layers.skylight_disk.buffer_zone={BUFFER_MIB[name] * 1024 // BUFFER_ZONES} KiB"]
        inputs[name] = ("--workload", f"zone-{name}", "--limit", lab.requests(REQUESTS[name]), "--prefill", prefill, *sizes)
    return inputs


def headline(lab: Lab, names: Sequence[str] = VOLUMES, prefill: int = 0) -> Grid:
    """The eight volumes under the four layers, on empty or full zones."""
    variants = {layer: _variant(layer) for layer in LAYERS}
    return lab.grid(DRIVE, _inputs(lab, names, prefill), variants, f"eight volumes, zones {prefill} % full")


def victim_rules(lab: Lab, names: Sequence[str] = SOME) -> Grid:
    """The rules for the zone to clean beside Fluid_loop."""
    variants = {"fluid-loop": _variant("fluid-loop")} | {rule: _variant(OURS, victim=rule) for rule in RULES}
    return lab.grid(DRIVE, _inputs(lab, names), variants, "victim rules")


def chunk_sizes(lab: Lab, names: Sequence[str] = SOME) -> Grid:
    """Chunks of 64 to 1024 KiB."""
    return lab.grid(DRIVE, _inputs(lab, names), {f"{kib} KiB": _variant(OURS, chunk=f"{kib} KiB") for kib in CHUNKS_KIB}, "chunk sizes")


def chunk_locality(lab: Lab, name: str = "prn_0", starts: Sequence[int] = (1, 4, 16)) -> Grid:
    """A volume with more and more start addresses in a chunk of 64 KiB: what the paper does not print of its traces."""
    options = _inputs(lab, (name,))[name]
    text = (REPOSITORY / "stimuli" / "workloads" / f"zone-{name}.toml").read_text()
    inputs = {}
    for count in starts:
        file = lab.workload_file(f"zone-{name}-{count}", re.sub(r"chunk_starts = \d+", f"chunk_starts = {count}", text))
        inputs[f"{count} of 16"] = ("--workload", file, *options[2:])
    return lab.grid(DRIVE, inputs, {layer: _variant(layer) for layer in ("fluid-loop", OURS)}, "locality inside chunks")


def filter_shares(lab: Lab, names: Sequence[str] = SOME) -> Grid:
    """The filter list's share of the high-frequency buffer."""
    return lab.grid(DRIVE, _inputs(lab, names), {f"{share}": _variant(OURS, filter_share=share) for share in SHARES}, "filter shares")


def latency(run: Run) -> float:
    return run.metric("host.latency.mean")


def hit_rate(run: Run) -> float:
    return run.metric("hit.write")


def rmws(run: Run) -> float:
    return run.metric("rmw.count")


def amplification(run: Run) -> float:
    return run.metric("write_amplification.total")


def padding_gib(run: Run) -> float:
    return run.metric("pad.sectors") * 4096 / 2**30


def amplification_without_padding(run: Run) -> float:
    return run.metric("wa.unpadded")


def victim_size(run: Run) -> float:
    """Mean sectors that a zone gets back; 0 where nothing was written back."""
    return run.metric("victim.sectors_mean") or 0.0


def ranked(row: Mapping[str, Run]) -> bool:
    """Whether each layer cleaned often enough."""
    return all(run.metric("cleaning.count") >= CLEANINGS for run in row.values())


def change(row: Mapping[str, Run], value: Callable[[Run], float], against: str, ours: str = OURS) -> float | None:
    """By what share Amphisbaena is above (or, negative, below) another layer."""
    other = value(row[against])
    return value(row[ours]) / other - 1 if other else None


def _name(name: str, row: Mapping[str, Run]) -> str:
    return name if ranked(row) else f"{name}*"


FIGURES: tuple[tuple[str, Callable[[Run], float], int], ...] = (
    ("mean ms", latency, 2),
    ("write hit rate", hit_rate, 3),
    ("RMWs", rmws, 0),
    ("RMW-free", lambda run: run.metric("rmw_free.count"), 0),
    ("WA", amplification, 2),
    ("WA without padding", amplification_without_padding, 2),
    ("padding GiB", padding_gib, 1),
    ("victim sectors", victim_size, 0),
    ("cleanings", lambda run: run.metric("cleaning.count"), 0),
)


ON_FULL_ZONES = tuple(each for each in FIGURES if "padding" not in each[0] and each[0] != "RMW-free")  # the others say nothing there


def _tables(grid: Grid, figures: Sequence[tuple[str, Callable[[Run], float], int]] = FIGURES) -> list[str]:
    """A table a figure: rows are volumes, columns layers."""
    columns = list(next(iter(grid.values())))
    parts = []
    for title, value, digits in figures:
        rows = [[_name(name, row), *(number(value(row[column]), digits) for column in columns)] for name, row in grid.items()]
        parts.append(table([title, *columns], rows))
    if not all(map(ranked, grid.values())):
        parts.append(f"\\* fewer than {CLEANINGS} cleanings under some layer: not ranked.\n")
    return parts


def _mean(values: Iterable[float | None]) -> float | None:
    figures = [value for value in values if value is not None]
    return sum(figures) / len(figures) if figures else None


def _changes(rows: Mapping[str, Mapping[str, Run]], value: Callable[[Run], float], against: str) -> list[float]:
    return [x for row in rows.values() if (x := change(row, value, against)) is not None]


def _described(changes: Sequence[float]) -> str:
    return f"{percent(_mean(changes))} on average, {percent(min(changes))} to {percent(max(changes))}" if changes else "-"


def _none_there(rows: Mapping[str, Mapping[str, Run]]) -> str:
    names = [name for name, row in rows.items() if rmws(row["fluid-loop"]) == 0]
    return f"; Fluid_loop has none on {', '.join(names)}" if names else ""


def _padding_findings(grid: Grid) -> list[Finding]:
    """Of zones that are not full: a full one is never padded."""
    rows = {name: row for name, row in grid.items() if ranked(row)}
    bare = [x for other in OTHERS for x in _changes(rows, amplification_without_padding, other)]
    padded = {name: min(padding_gib(row[other]) for other in OTHERS) - padding_gib(row[OURS]) for name, row in rows.items()}
    return [
        Finding("lowest write amplification without padding", "(not said)", _described(bare), verdict(x < 0 for x in bare)),
        Finding(
            "least padding",
            "up to 552 GB less",
            f"{span(padded.values(), 1)} GiB less than the next",
            verdict(x > 0 for x in padded.values()),
        ),
    ]


def _headline_findings(grid: Grid) -> list[Finding]:
    rows = {name: row for name, row in grid.items() if ranked(row)}
    slower, fewer = _changes(rows, latency, "fluid-loop"), _changes(rows, rmws, "fluid-loop")
    smaller = [victim_size(row[OURS]) / victim_size(row["fluid-loop"]) for row in rows.values() if victim_size(row["fluid-loop"])]
    amplified = [x for other in OTHERS for x in _changes(rows, amplification, other)]
    return [
        Finding(
            "mean latency below Fluid_loop", "-29.9 % on average, -82.4 % to -4.8 %", _described(slower), verdict(x < 0 for x in slower)
        ),
        Finding(
            "read-modify-writes below Fluid_loop",
            "-37 % on average",
            _described(fewer) + _none_there(rows),
            verdict(rmws(row[OURS]) < rmws(row["fluid-loop"]) for row in rows.values()),
            f"a victim gives back {span(smaller)} of the sectors of one of Fluid_loop's: chunks take space for what they do not hold",
        ),
        Finding(
            "highest write hit rate",
            "in all traces",
            "over the best other: " + span((hit_rate(row[OURS]) - max(hit_rate(row[o]) for o in OTHERS) for row in rows.values()), 3),
            verdict(hit_rate(row[OURS]) > max(hit_rate(row[o]) for o in OTHERS) for row in rows.values()),
        ),
        Finding(
            "Fluid_loop hits more than Fluid and Skylight",
            "in most traces",
            "over the better: "
            + span((hit_rate(r["fluid-loop"]) - max(hit_rate(r["fluid"]), hit_rate(r["skylight-disk"])) for r in rows.values()), 3),
            verdict(hit_rate(r["fluid-loop"]) >= max(hit_rate(r["fluid"]), hit_rate(r["skylight-disk"])) for r in rows.values()),
        ),
        Finding("lowest write amplification", "-98.5 % on average", _described(amplified), verdict(x < 0 for x in amplified)),
        Finding(
            "largest victims",
            "all but ts_0 and src2_0",
            "over the largest other: " + span(victim_size(row[OURS]) / max(victim_size(row[o]) for o in OTHERS) for row in rows.values()),
            verdict(victim_size(row[OURS]) > max(victim_size(row[o]) for o in OTHERS) for row in rows.values()),
        ),
    ]


def _locality_findings(grid: Grid) -> list[Finding]:
    ratios = {name: rmws(row[OURS]) / rmws(row["fluid-loop"]) if rmws(row["fluid-loop"]) else None for name, row in grid.items()}
    waits = [latency(row[OURS]) / latency(row["fluid-loop"]) for row in grid.values()]
    return [
        Finding(
            "the fuller the chunks, the fewer read-modify-writes",
            "(chunks are for spatial locality)",
            "read-modify-writes over Fluid_loop's: "
            + ", ".join(f"{name} {number(ratio)}" for name, ratio in ratios.items())
            + "; response "
            + ", ".join(number(wait) for wait in waits),
            verdict(rmws(after[OURS]) < rmws(before[OURS]) for before, after in pairwise(grid.values())),
        )
    ]


def _rule_findings(grid: Grid) -> list[Finding]:
    items = []
    for rule in RULES:
        changes = [x for row in grid.values() if (x := change(row, rmws, "fluid-loop", rule)) is not None]
        items.append(
            Finding(
                f"rule `{rule}`: fewer read-modify-writes than Fluid_loop",
                "-37 %",
                _described(changes) + _none_there(grid),
                verdict(rmws(row[rule]) < rmws(row["fluid-loop"]) for row in grid.values()),
            )
        )
    least = {name: min(RULES, key=lambda rule: rmws(row[rule])) for name, row in grid.items()}
    items.append(
        Finding(
            "the paper's rule needs the fewest read-modify-writes",
            "(by design)",
            ", ".join(f"{name}: {rule}" for name, rule in least.items()),
            verdict(rmws(row["paper"]) == min(rmws(row[rule]) for rule in RULES) for row in grid.values()),
        )
    )
    return items


def grows(row: Mapping[str, Run], value: Callable[[Run], float]) -> bool:
    """Whether a figure is larger with the largest chunk than with the smallest."""
    columns = list(row)
    return value(row[columns[-1]]) > value(row[columns[0]])


def _chunk_findings(grid: Grid) -> list[Finding]:
    others = {name: row for name, row in grid.items() if name != "src2_2"}
    best = {name: min(row, key=lambda column: latency(row[column])) for name, row in grid.items()}
    spread = [max(map(hit_rate, row.values())) - min(map(hit_rate, row.values())) for row in grid.values()]
    return [
        Finding(
            "latency grows with the chunk, but for src2_2",
            "64 KiB is best",
            ", ".join(f"{name}: {size}" for name, size in best.items()),
            verdict(grows(row, latency) for row in others.values()),
        ),
        Finding(
            "src2_2 is best at 128 to 256 KiB",
            "128 to 256 KiB",
            best.get("src2_2", "-"),
            verdict(best[n] in ("128 KiB", "256 KiB") for n in best if n == "src2_2"),
        ),
        Finding("read-modify-writes grow with the chunk", "but for src2_2", "-", verdict(grows(row, rmws) for row in others.values())),
        Finding(
            "the hit rate hardly depends on the chunk",
            "not sensitive (here: within 0.05)",
            span(spread, 3),
            verdict(x <= 0.05 for x in spread),
        ),
    ]


def _share_findings(grid: Grid) -> list[Finding]:
    hits = [max(map(hit_rate, row.values())) - min(map(hit_rate, row.values())) for row in grid.values()]
    times = [max(map(latency, row.values())) / min(map(latency, row.values())) - 1 for row in grid.values()]
    return [
        Finding(
            "the hit rate hardly depends on the filter share",
            "not sensitive (here: within 0.05)",
            span(hits, 3),
            verdict(x <= 0.05 for x in hits),
        ),
        Finding(
            "nor does the latency",
            "not sensitive (here: within 10 %)",
            " to ".join(percent(x) for x in (min(times), max(times))),
            verdict(x <= 0.1 for x in times),
        ),
    ]


def sections(lab: Lab) -> list[str]:
    """Markdown of this chapter."""
    empty, full, rules = headline(lab), headline(lab, prefill=100), victim_rules(lab)
    chunks, shares, locality = chunk_sizes(lab), filter_shares(lab), chunk_locality(lab)
    return [
        __doc__.split("\n\n", 1)[1],
        "### Eight volumes, zones empty at the start\n",
        *_tables(empty),
        findings([*_headline_findings(empty), *_padding_findings(empty)]),
        "### Eight volumes, zones full at the start\n",
        *_tables(full, ON_FULL_ZONES),
        findings(_headline_findings(full)),
        "### Which zone to clean\n",
        *_tables(rules),
        findings(_rule_findings(rules)),
        "### Start addresses in a chunk\n",
        *_tables(locality),
        findings(_locality_findings(locality)),
        "### Chunk size\n",
        *_tables(chunks),
        findings(_chunk_findings(chunks)),
        "### Filter share\n",
        *_tables(shares),
        findings(_share_findings(shares)),
    ]
