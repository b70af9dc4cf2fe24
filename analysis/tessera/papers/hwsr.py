"""Wan et al.: hybrid wave-like shingled recording (HWSR), against logs of S-blocks and a conventional disk with the same write buffer.

The paper emulates its layouts on a conventional disk: `linear` is its equation 5 on conventional tracks with their skew. `physical` is
the layout that it describes, in which the blocks of a segment lie at the same angle of consecutive tracks. Its traces cannot be had:
the workloads have the write share, mean request size and unique data of its Table III. Two request sizes, and a Zipf popularity that
falls with the address, are assumptions. The exponents of the two financial workloads are those with which the write buffer is full
after 80,000 and 490,000 requests, as the paper reports; that of the MSR volumes gives the 100 hottest addresses 65 % of the
requests, as the public histograms of several of them do. The paper does not say how it replays; here one request is outstanding
at a time. All segments hold data at the start.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from tessera.papers.lab import Grid, Lab, Variant
from tessera.papers.page import Finding, findings, number, percent, span, table, verdict
from tessera.run_folder import Run

TITLE = "Hybrid wave-like shingled recording"

DRIVE = "p003"  # and p003_cmr, the same with a conventional disk's write buffer
LAYERS = ("cmr", "hwsr", "sblock")
WINDOW = 10_000  # requests of a point of Figures 9 and 10
HEAD_WIDTH = 8
TURN_MS = 1000 * 60 / 7200
SECTOR = 512


@dataclass(frozen=True)
class Trace:
    """A line of Table III."""

    written_over_read: float
    mean_kb: float
    unique_gb: float
    exponent: float = 1.143
    requests: int = 300_000

    @property
    def write_share(self) -> float:
        return self.written_over_read / (1 + self.written_over_read)

    @property
    def items(self) -> int:
        """Distinct start addresses."""
        return round(self.unique_gb * 1e9 / (self.mean_kb * 1024))

    def text(self) -> str:
        """The workload description: small and large requests that give the mean size."""
        small, large = (2048, 8192) if self.mean_kb < 4 else (4096, 131072)
        many = round(1000 * (self.mean_kb * 1024 - small) / (large - small))
        return (
            f'summary = "HWSR, Table III"\nlaw = "zipf"\nwrite_share = {self.write_share:.4f}\nalignment = "2 KiB"\n'
            f'range = "{round(self.unique_gb * 1e9) // 4096 * 4096} B"\nwrite_sizes = [[{small}, {1000 - many}], [{large}, {many}]]\n'
            f"[zipf]\nitems = {self.items}\nexponent = {self.exponent}\nscatter = false\n"
        )


FINANCIAL = {"Financial1": Trace(5.3033, 3.61, 0.53, 1.27), "Financial2": Trace(0.2779, 2.65, 0.47, 1.32, 800_000)}
FILLED_AFTER = {"Financial1": 80_000, "Financial2": 490_000}  # requests, section IV-A
BUFFER_BYTES = 100_000_000
BUFFER_BLOCKS = BUFFER_BYTES // 32768
MSR = {
    "proj": Trace(0.007, 23.46, 123.81, requests=100_000), "hm": Trace(2.0557, 7.99, 2.71), "rsrch": Trace(7.7725, 8.93, 0.51),
    "src": Trace(1.724, 56.26, 21.19, requests=100_000), "stg": Trace(2.0587, 11.58, 6.45), "ts": Trace(2.7448, 9.0, 1.29), "web": Trace(0.6727, 14.99, 7.34),
    "mds": Trace(0.0177, 56.8, 85.23, requests=100_000), "prn": Trace(0.1698, 19.8, 95.51, requests=100_000), "wdev": Trace(2.5973, 9.08, 0.65),
}
RULES = ("block_lru", "segment_lru", "least_write_amplification")
BLOCK_SECTORS = (16, 32, 64)
REGION_TRACKS = (10, 20, 40)
SPARES = (0.1, 0.2, 0.3)


def _input(lab: Lab, name: str, trace: Trace, *more: object) -> tuple[object, ...]:
    file = lab.workload_file(f"hwsr-{name}", trace.text())
    return ("--workload", file, "--limit", lab.requests(trace.requests), "--replay", "closed:1", "--prefill", 100, *more)


def _hwsr(layout: str = "paper_linear", **settings: object) -> Variant:
    return Variant("hwsr", {f"layers__hwsr__{name}": value for name, value in {"layout": layout, "paper": True, **settings}.items()})


def _sblock(**settings: object) -> Variant:
    return Variant("sblock", {f"layers__sblock__{name}": value for name, value in {"paper": True, **settings}.items()})


COLUMNS = {"cmr": Variant("cmr", drive="p003_cmr"), "hwsr linear": _hwsr(), "hwsr physical": _hwsr("physical"), "sblock": _sblock()}


def blocks_written(trace: Trace, requests: int) -> float:
    """Expected number of distinct blocks that so many requests write."""
    probability = np.arange(1, trace.items + 1, dtype=float) ** -trace.exponent
    probability /= probability.sum()
    by_block = np.bincount(np.arange(trace.items) * int(trace.mean_kb * 1024) // 32768, weights=probability)
    return float((1 - np.exp(-requests * trace.write_share * by_block)).sum())


def financial(lab: Lab) -> Grid:
    """The two financial workloads, with a line of figures every 10,000 requests."""
    inputs = {name: _input(lab, name, trace, "--intervals", f"{lab.requests(WINDOW)} requests") for name, trace in FINANCIAL.items()}
    return lab.grid(DRIVE, inputs, COLUMNS, "Financial1 and Financial2")


def msr(lab: Lab) -> Grid:
    """The ten MSR volumes of Figure 13."""
    return lab.grid(DRIVE, {name: _input(lab, name, trace) for name, trace in MSR.items()}, COLUMNS, "ten volumes")


def recorded(lab: Lab) -> Grid:
    """Recorded traces at hand: starts of two that the paper names."""
    files = {
        "web_0 (first 100,000)": lab.trace("msr", "web_0_first100k.csv.xz"),
        "Financial1 (first 10,000)": lab.trace("spc", "Financial1_first10k.spc.xz"),
    }
    inputs = {name: ("--trace", file, "--fold", "--replay", "closed:1", "--prefill", 100) for name, file in files.items() if file}
    return lab.grid(DRIVE, inputs, COLUMNS, "recorded traces")


def replacement(lab: Lab) -> Grid:
    """What leaves the full write buffer (section II-D)."""
    inputs = {name: _input(lab, name, trace) for name, trace in FINANCIAL.items()}
    return lab.grid(DRIVE, inputs, {rule: _hwsr(replacement=rule) for rule in RULES}, "replacement rules")


def block_sizes(lab: Lab) -> Grid:
    """Blocks of 16 to 64 sectors (Figure 11)."""
    inputs = {name: _input(lab, name, trace) for name, trace in FINANCIAL.items()}
    variants = {f"hwsr {sectors}": _hwsr(block=f"{sectors * SECTOR} B") for sectors in BLOCK_SECTORS}
    variants |= {f"sblock {sectors}": _sblock(block=f"{sectors * SECTOR} B") for sectors in BLOCK_SECTORS}
    return lab.grid(DRIVE, inputs, variants, "block sizes")


def region_sizes(lab: Lab) -> Grid:
    """Regions of 10 to 40 tracks; in HWSR a segment has a block of each track, so it grows with them (Figure 12)."""
    inputs = {name: _input(lab, name, trace) for name, trace in FINANCIAL.items()}
    variants = {f"hwsr {tracks}": _hwsr(region_tracks=tracks) for tracks in REGION_TRACKS}
    variants |= {f"sblock {tracks}": _sblock(region_tracks=tracks) for tracks in REGION_TRACKS}
    return lab.grid(DRIVE, inputs, variants, "region sizes")


def sequential_reads(lab: Lab) -> dict[str, Run]:
    """Reads of 1 MiB one after the other."""
    text = 'summary = "sequential reads"\nlaw = "sequential"\nwrite_share = 0.0\nalignment = "1 MiB"\nrange = "8 GiB"\nread_sizes = [[1048576, 1]]\n'
    words = ("--workload", lab.workload_file("hwsr-sequential", text), "--limit", lab.requests(8192), "--replay", "closed:1", "--prefill", 100)
    return lab.grid(DRIVE, {"": words}, COLUMNS, "sequential reads")[""]


def utilisation_ratio(tracks: int, spare: float) -> float:
    """Section III-B: tracks in use of HWSR over those of S-blocks."""
    return 2 * (tracks + 2 * HEAD_WIDTH) / ((2 * tracks + HEAD_WIDTH) * (1 - spare))


def utilisation(lab: Lab) -> dict[tuple[int, float], float]:
    """User capacity of HWSR over that of S-blocks on the same platter."""
    text = 'summary = "one request"\nlaw = "uniform"\nwrite_share = 0.0\nalignment = "4 KiB"\n'
    words = ("--workload", lab.workload_file("hwsr-one", text), "--limit", 1)
    variants = {f"hwsr {tracks}": _hwsr("physical", region_tracks=tracks) for tracks in REGION_TRACKS}
    variants |= {f"sblock {tracks} {spare}": _sblock(region_tracks=tracks, spare=spare) for tracks in REGION_TRACKS for spare in SPARES}
    row = lab.grid(DRIVE, {"": words}, variants, "utilisation")[""]

    def capacity(name: str) -> float:
        return row[name].metric("capacity.user")

    return {(tracks, spare): capacity(f"hwsr {tracks}") / capacity(f"sblock {tracks} {spare}") for tracks in REGION_TRACKS for spare in SPARES}


def latency(run: Run) -> float:
    return run.metric("host.latency.mean")


def write_latency(run: Run) -> float:
    return run.metric("host.write.latency.mean") or 0.0


def read_latency(run: Run) -> float:
    return run.metric("host.read.latency.mean") or 0.0


def amplification(run: Run) -> float:
    return run.metric("write_amplification.no_backup")


def windows(run: Run) -> list[float]:
    """Response time of each 10,000 requests in seconds, as Figures 9 and 10 add it up, sorted."""
    return sorted(line["mean_latency_ms"] * WINDOW / 1000 for line in run.intervals if line["requests"])


def share_below(run: Run, seconds: float) -> float:
    sums = windows(run)
    return sum(x < seconds for x in sums) / len(sums)


def ninth_decile(run: Run) -> float:
    sums = windows(run)
    return sums[min(len(sums) - 1, 9 * len(sums) // 10)]


FIGURES: tuple[tuple[str, Callable[[Run], float], int], ...] = (
    ("mean ms", latency, 3), ("reads ms", read_latency, 3), ("writes ms", write_latency, 3), ("WA", amplification, 2),
)


def ranked(row: Mapping[str, Run]) -> bool:
    """Whether the write buffers were full: before, no write waits for a layout."""
    return all(run.metric("buffer.dirty.peak") >= 0.99 * BUFFER_BYTES for name, run in row.items() if name != "cmr")


def _table(grid: Grid, figures: Sequence[tuple[str, Callable[[Run], float], int]] = FIGURES) -> str:
    """A table a figure: rows are workloads."""
    columns = list(next(iter(grid.values())))
    parts = []
    for title, value, digits in figures:
        rows = [[name + ("" if ranked(row) else "*"), *(number(value(row[c]), digits) for c in columns)] for name, row in grid.items()]
        parts.append(table([title, *columns], rows))
    if not all(map(ranked, grid.values())):
        parts.append("\\* the write buffer is not full at this length: not ranked.\n")
    return "\n".join(parts)


def _financial_findings(grid: Grid) -> list[Finding]:
    one, two = grid["Financial1"], grid["Financial2"]
    reads = [read_latency(row["hwsr linear"]) - read_latency(row["sblock"]) for row in grid.values()]
    bare = [read_latency(row["hwsr physical"]) - read_latency(row["sblock"]) for row in grid.values()]
    return [
        Finding(
            "Financial1: HWSR faster than S-blocks", "0.3 ms against 1.8 ms",
            f"{latency(one['hwsr linear']):.2f} ms (physical {latency(one['hwsr physical']):.2f}) against {latency(one['sblock']):.2f}",
            verdict([latency(one["hwsr linear"]) < latency(one["sblock"])]),
            f"an S-block is {amplification(one['sblock']) / amplification(one['hwsr linear']):.1f} times as much to write, but in one sweep; "
            "a segment takes a turn for each of its blocks, in the linear layout a third of one",
        ),
        Finding(
            "Financial1: 90 % of the sums over 10,000 requests", "below 5 s; S-blocks about 27 s",
            f"below {ninth_decile(one['hwsr linear']):.1f} s (physical {ninth_decile(one['hwsr physical']):.1f}); "
            f"S-blocks {ninth_decile(one['sblock']):.1f} s",
            verdict([ninth_decile(one["hwsr linear"]) < ninth_decile(one["sblock"])]),
        ),
        Finding(
            "Financial1: HWSR almost reaches the conventional disk", "almost (here: at most 1.25 of it)",
            f"{latency(one['hwsr linear']) / latency(one['cmr']):.2f} of it, physical {latency(one['hwsr physical']) / latency(one['cmr']):.2f}",
            verdict([latency(one["hwsr linear"]) <= 1.25 * latency(one["cmr"])]),
        ),
        Finding(
            "Financial2: HWSR faster than the conventional disk", "exceeds it, by its flash cache",
            f"{latency(two['hwsr linear']) / latency(two['cmr']):.2f} of it, physical {latency(two['hwsr physical']) / latency(two['cmr']):.2f}",
            verdict([latency(two["hwsr linear"]) < latency(two["cmr"])]),
        ),
        Finding(
            "HWSR's reads 0.1 ms slower than S-blocks'", "about 0.1 ms", f"{span(reads)} ms; physical {span(bare)} ms", verdict(0 <= x <= 0.2 for x in reads)
        ),
    ]


def _replacement_findings(grid: Grid) -> list[Finding]:
    least = {name: min(RULES, key=lambda rule: latency(row[rule])) for name, row in grid.items()}
    writes = {name: min(RULES, key=lambda rule: amplification(row[rule])) for name, row in grid.items()}
    return [
        Finding(
            "the least-write-amplification rule has the shortest response", "(section II-D)", ", ".join(f"{n}: {rule}" for n, rule in least.items()),
            verdict(rule == RULES[2] for rule in least.values()),
        ),
        Finding(
            "it writes less than block LRU", "(section II-D)",
            "over block LRU: " + span(amplification(row[RULES[2]]) / amplification(row["block_lru"]) for row in grid.values())
            + "; least: " + ", ".join(f"{n}: {rule}" for n, rule in writes.items()),
            verdict(amplification(row[RULES[2]]) < amplification(row["block_lru"]) for row in grid.values()),
        ),
    ]


def _filled(row: Mapping[str, Run]) -> str:
    """How full each variant's write buffer has been."""
    return ", ".join(f"{name} {100 * run.metric('buffer.dirty.peak') / BUFFER_BYTES:.0f} %" for name, run in row.items())


def _block_findings(grid: Grid) -> list[Finding]:
    def gain(name: str, layer: str) -> float:
        """Response with the largest block over that with the smallest."""
        return latency(grid[name][f"{layer} {BLOCK_SECTORS[-1]}"]) / latency(grid[name][f"{layer} {BLOCK_SECTORS[0]}"])

    two = grid["Financial2"]
    return [
        Finding(
            "Financial1: larger blocks are better", "0.8 to 0.3 ms (HWSR), 5.7 to 1.8 ms (S-blocks) from 16 to 64 sectors",
            f"factor {gain('Financial1', 'hwsr'):.2f} (HWSR), {gain('Financial1', 'sblock'):.2f} (S-blocks)",
            verdict(gain("Financial1", layer) < 1 for layer in ("hwsr", "sblock")),
            "small blocks keep cold neighbours out of the buffer, which is full later or never: " + _filled(grid["Financial1"]),
        ),
        Finding(
            "Financial2: the opposite", "opposite", f"factor {gain('Financial2', 'hwsr'):.2f} (HWSR), {gain('Financial2', 'sblock'):.2f} (S-blocks)",
            verdict(gain("Financial2", layer) > 1 for layer in ("hwsr", "sblock")),
        ),
        Finding(
            "Financial2: S-blocks slightly ahead at 16 sectors", "slightly better",
            f"{latency(two['sblock 16']):.2f} ms against {latency(two['hwsr 16']):.2f}", verdict([latency(two["sblock 16"]) < latency(two["hwsr 16"])]),
        ),
    ]


def _region_findings(grid: Grid) -> list[Finding]:
    def spread(layer: str) -> list[float]:
        return [latency(row[f"{layer} {REGION_TRACKS[-1]}"]) / latency(row[f"{layer} {REGION_TRACKS[0]}"]) - 1 for row in grid.values()]

    return [
        Finding(
            "a larger region helps S-blocks", "response decreases", ", ".join(map(percent, spread("sblock"))), verdict(x < 0 for x in spread("sblock"))
        ),
        Finding(
            "and slows HWSR slightly", "increases slightly", ", ".join(map(percent, spread("hwsr"))), verdict(0 <= x <= 0.25 for x in spread("hwsr"))
        ),
    ]


def _msr_findings(grid: Grid) -> list[Finding]:
    faster = {name: write_latency(row["sblock"]) / write_latency(row["hwsr linear"]) for name, row in grid.items() if ranked(row)}
    about = [faster[name] for name in ("proj", "prn") if name in faster]
    never = [name for name, row in grid.items() if not ranked(row)]
    return [
        Finding(
            "writes faster than S-blocks'", "on most; not web and mds", ", ".join(f"{n} {x:.2f}" for n, x in faster.items()) + " times",
            verdict(x > 1 for x in faster.values()), f"the buffer is not full at this length on {', '.join(never)}" if never else "",
        ),
        Finding("twice as fast on proj and prn", "around 2", span(about), verdict(1.5 <= x <= 3 for x in about)),
    ]


def _sequential_findings(row: Mapping[str, Run]) -> list[Finding]:
    blocks = 2**20 / (64 * SECTOR)
    turns = latency(row["hwsr physical"]) / TURN_MS / blocks
    return [
        Finding(
            "a segment of HWSR costs a sequential read little", "two adjacent tracks cost more seek time; hidden by the caches",
            f"{latency(row['hwsr physical']) / latency(row['cmr']):.1f} times the conventional time in the physical layout, {turns:.2f} turns a block; "
            f"{latency(row['hwsr linear']) / latency(row['cmr']):.1f} times in the linear one",
            verdict([latency(row["hwsr physical"]) <= 1.5 * latency(row["cmr"])]),
            "consecutive blocks lie at the same angle of consecutive tracks, so the next one has just passed the head",
        ),
    ]


def _utilisation_parts(ratios: Mapping[tuple[int, float], float]) -> list[str]:
    rows = [[f"{tracks} tracks", *(number(x) for spare in SPARES for x in (utilisation_ratio(tracks, spare), ratios[tracks, spare]))] for tracks in REGION_TRACKS]
    header = ["region", *(f"beta {spare} {what}" for spare in SPARES for what in ("formula", "here"))]
    errors = [abs(ratio / utilisation_ratio(*key) - 1) for key, ratio in ratios.items()]
    wave = {tracks: (tracks + HEAD_WIDTH) / (tracks + HEAD_WIDTH / 2) for tracks in (10, 20)}
    return [
        table(header, rows),
        findings([
            Finding("utilisation over that of S-blocks", "2.65 with 10 tracks and beta 0.3", number(ratios[10, 0.3], 3), verdict(e < 0.03 for e in errors)),
            Finding(
                "wave-like shingling doubles the density", "doubles",
                f"{wave[10]:.2f} and {wave[20]:.2f} with 10 and 20 tracks against bands with one guard each (formula)", verdict(x >= 1.9 for x in wave.values()),
                "most of the paper's factor are the spare S-blocks and the internal guard that it charges to its rival",
            ),
        ]),
    ]


def sections(lab: Lab) -> list[str]:
    """Markdown of this chapter."""
    two, rules, blocks, regions, volumes = financial(lab), replacement(lab), block_sizes(lab), region_sizes(lab), msr(lab)
    sums = (("90 % of the sums below, s", ninth_decile, 1), ("longest sum, s", lambda run: windows(run)[-1], 1))
    parts = [__doc__.split("\n\n", 1)[1], "### Financial1 and Financial2\n", _table(two), _table(two, sums), findings(_financial_findings(two))]
    parts += ["### What leaves the full write buffer\n", _table(rules), findings(_replacement_findings(rules))]
    parts += ["### Block size in sectors\n", _table(blocks), findings(_block_findings(blocks))]
    parts += ["### Region size in tracks\n", _table(regions), findings(_region_findings(regions))]
    parts += ["### Ten MSR volumes\n", _table(volumes), findings(_msr_findings(volumes))]
    if traces := recorded(lab):
        parts += ["### Recorded traces\n", _table(traces)]
    parts += ["### Sequential reads of 1 MiB\n", findings(_sequential_findings(sequential_reads(lab)))]
    return [*parts, "### Utilisation of the platters\n", *_utilisation_parts(utilisation(lab))]
