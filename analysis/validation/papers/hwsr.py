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
from itertools import pairwise

from validation.papers.hwsr_runs import (
    BACKGROUND_GAP_MS,
    BLOCK_SECTORS,
    BUFFER_BYTES,
    HEAD_WIDTH,
    LONGER,
    REGION_TRACKS,
    RULES,
    SECTOR,
    SEGMENT_TRACKS,
    SPARES,
    TURN_MS,
    background,
    block_sizes,
    financial,
    longer_blocks,
    msr,
    ninth_decile,
    ranked,
    recorded,
    region_sizes,
    replacement,
    sequential_reads,
    slower_tracks,
    unpublished,
    utilisation,
    utilisation_ratio,
    windows,
)
from tessera.results.markdown import number, percent, table
from tessera.results.run_folder import Run
from validation.papers import hwsr_disk, hwsr_tracks
from validation.papers.experiment import Experiment, sections_of
from validation.papers.lab import Grid, Lab
from validation.papers.measures import amplification, latency, read_latency, write_latency
from validation.papers.page import Figure, Finding, figure_tables, findings, listed, ranked_tables, span, verdict
from validation.papers.seeds import Comparison, over_seeds, quotient, seed_table

TITLE = "Hybrid wave-like shingled recording"

ALMOST = 1.25  # the paper says that HWSR almost reaches the conventional disk and names no bound
SEQUENTIAL = (
    "`layers.hwsr.read_order`: `segment`, as everywhere else in this chapter; `track`, the layer's default, visits each track once for all\n"
    "segments of a read.\n"
)
BACKGROUND = f"A request every {BACKGROUND_GAP_MS} ms on average, by `layers.hwsr.keep_free`.\n"
SLOWER = "Tracks of 1 MiB: copying S-blocks takes four times as long as on tracks of 4 MiB, a turn as long.\n"
FIGURES = (
    Figure("mean ms", latency, 3, of_response=True),
    Figure("reads ms", read_latency, 3, of_response=True),
    Figure("writes ms", write_latency, 3, of_response=True),
    Figure("WA", amplification),
)
SUMS = (Figure("90 % of the sums below, s", ninth_decile, 1), Figure("longest sum, s", lambda run: windows(run)[-1], 1))


def _tables(grid: Grid, figures: Sequence[Figure] = FIGURES) -> list[str]:
    return ranked_tables(grid, figures, ranked, "the write buffer is not full at this length")


def _over_cmr(row: Mapping[str, Run]) -> str:
    linear, physical = (latency(row[f"hwsr {layout}"]) / latency(row["cmr"]) for layout in ("linear", "physical"))
    return f"{linear:.2f} of it, physical {physical:.2f}"


def _financial_findings(grid: Grid) -> list[Finding]:
    one, two = grid["Financial1"], grid["Financial2"]
    reads = [read_latency(row["hwsr linear"]) - read_latency(row["sblock"]) for row in grid.values()]
    bare = [read_latency(row["hwsr physical"]) - read_latency(row["sblock"]) for row in grid.values()]
    return [
        Finding(
            "Financial1: HWSR faster than S-blocks",
            "0.3 ms against 1.8 ms",
            f"{latency(one['hwsr linear']):.2f} ms (physical {latency(one['hwsr physical']):.2f}) against {latency(one['sblock']):.2f}",
            verdict([latency(one["hwsr linear"]) < latency(one["sblock"])]),
            f"S-blocks write {amplification(one['sblock']) / amplification(one['hwsr linear']):.1f} times as much, but in sweeps; "
            "a segment takes a turn for each of its blocks, in the linear layout a third of one",
            latency(one["sblock"]) / latency(one["hwsr linear"]),
        ),
        Finding(
            "Financial1: 90 % of the sums over 10,000 requests",
            "below 5 s; S-blocks about 27 s",
            f"below {ninth_decile(one['hwsr linear']):.1f} s (physical {ninth_decile(one['hwsr physical']):.1f}); "
            f"S-blocks {ninth_decile(one['sblock']):.1f} s",
            verdict([ninth_decile(one["hwsr linear"]) < ninth_decile(one["sblock"])]),
            ratio=ninth_decile(one["sblock"]) / ninth_decile(one["hwsr linear"]),
        ),
        Finding(
            "Financial1: HWSR almost reaches the conventional disk",
            f"almost (here: at most {ALMOST} of it)",
            _over_cmr(one),
            verdict([latency(one["hwsr linear"]) <= ALMOST * latency(one["cmr"])]),
            ratio=latency(one["hwsr linear"]) / latency(one["cmr"]),
        ),
        Finding(
            "Financial2: HWSR faster than the conventional disk",
            "exceeds it, by its flash cache",
            _over_cmr(two),
            verdict([latency(two["hwsr linear"]) < latency(two["cmr"])]),
        ),
        Finding(
            "HWSR's reads 0.1 ms slower than S-blocks'",
            "about 0.1 ms",
            f"{span(reads)} ms; physical {span(bare)} ms",
            verdict(0 <= x <= 0.2 for x in reads),
        ),
    ]


def _slower_findings(row: Mapping[str, Run]) -> list[Finding]:
    ratio = latency(row["sblock"]) / latency(row["hwsr linear"])
    return [
        Finding(
            "Financial1: HWSR faster than S-blocks",
            "0.3 ms against 1.8 ms: 6 times",
            f"{latency(row['hwsr linear']):.2f} ms against {latency(row['sblock']):.2f}: {ratio:.1f} times",
            verdict([ratio > 1]),
            ratio=ratio,
        )
    ]


def _replacement_findings(grid: Grid) -> list[Finding]:
    least = {name: min(RULES, key=lambda rule: latency(row[rule])) for name, row in grid.items()}
    less = [amplification(row["least_write_amplification"]) / amplification(row["block_lru"]) for row in grid.values()]
    writes = {name: min(RULES, key=lambda rule: amplification(row[rule])) for name, row in grid.items()}
    return [
        Finding(
            "the least-write-amplification rule has the shortest response",
            "(section II-D)",
            listed(least),
            verdict(rule == "least_write_amplification" for rule in least.values()),
        ),
        Finding(
            "it writes less than block LRU",
            "(section II-D)",
            f"over block LRU: {span(less)}; least: {listed(writes)}",
            verdict(ratio < 1 for ratio in less),
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
            "Financial1: larger blocks are better",
            "0.8 to 0.3 ms (HWSR), 5.7 to 1.8 ms (S-blocks) from 16 to 64 sectors",
            f"factor {gain('Financial1', 'hwsr'):.2f} (HWSR), {gain('Financial1', 'sblock'):.2f} (S-blocks)",
            verdict(gain("Financial1", layer) < 1 for layer in ("hwsr", "sblock")),
            "small blocks keep cold neighbours out of the buffer, which is full later or never: " + _filled(grid["Financial1"]),
        ),
        Finding(
            "Financial2: the opposite",
            "opposite",
            f"factor {gain('Financial2', 'hwsr'):.2f} (HWSR), {gain('Financial2', 'sblock'):.2f} (S-blocks)",
            verdict(gain("Financial2", layer) > 1 for layer in ("hwsr", "sblock")),
        ),
        Finding(
            "Financial2: S-blocks slightly ahead at 16 sectors",
            "slightly better",
            f"{latency(two['sblock 16']):.2f} ms against {latency(two['hwsr 16']):.2f}",
            verdict([latency(two["sblock 16"]) < latency(two["hwsr 16"])]),
        ),
    ]


def _longer_finding(row: Mapping[str, Run]) -> Finding:
    small, large = BLOCK_SECTORS[0], BLOCK_SECTORS[-1]
    gains = {layer: latency(row[f"{layer} {large}"]) / latency(row[f"{layer} {small}"]) for layer in ("hwsr", "sblock")}
    return Finding(
        f"Financial1, {LONGER} times as long: larger blocks are better", "0.8 to 0.3 ms (HWSR), 5.7 to 1.8 ms (S-blocks) from 16 to 64 sectors",
        f"factor {gains['hwsr']:.2f} (HWSR), {gains['sblock']:.2f} (S-blocks); buffer full: {_filled(row)}",
        verdict(gain < 1 for gain in gains.values()),
    )  # fmt: skip


def _block_parts(lab: Lab) -> list[str]:
    grid = block_sizes(lab)
    longer = longer_blocks(lab)["Financial1"]
    return [*_tables(grid), findings([*_block_findings(grid), _longer_finding(longer)])]


def _unpublished_findings(row: Mapping[str, Run]) -> list[Finding]:
    hwsr = {name: latency(run) for name, run in row.items() if name.startswith("hwsr window")}
    sblock = {name: latency(run) for name, run in row.items() if name.startswith("sblock")}
    ratios = [slow / fast for slow in sblock.values() for fast in hwsr.values()]
    best = min(hwsr, key=hwsr.__getitem__)
    return [
        Finding(
            "Financial1: HWSR over S-blocks, whatever the paper leaves open",
            "1.8 ms against 0.3 ms",
            f"S-blocks take {span(ratios)} times as long; {span(sblock.values())} ms against {span(hwsr.values())} ms",
            verdict(ratio > 1 for ratio in ratios),
        ),
        Finding(
            "the rule of least write amplification beats segment LRU",
            "(by design)",
            f"segment LRU {number(latency(row['hwsr segment_lru']))} ms; " + listed({name: number(value) for name, value in hwsr.items()}),
            verdict(value < latency(row["hwsr segment_lru"]) for value in hwsr.values()),
            f"the window decides, which the paper does not print: best here is {best}",
        ),
    ]


def _region_findings(grid: Grid) -> list[Finding]:
    def spread(layer: str) -> list[float]:
        return [latency(row[f"{layer} {REGION_TRACKS[-1]}"]) / latency(row[f"{layer} {REGION_TRACKS[0]}"]) - 1 for row in grid.values()]

    return [
        Finding(
            "a larger region helps S-blocks",
            "response decreases",
            ", ".join(map(percent, spread("sblock"))),
            verdict(x < 0 for x in spread("sblock")),
        ),
        Finding(
            "and slows HWSR slightly",
            "increases slightly",
            ", ".join(map(percent, spread("hwsr"))),
            verdict(0 <= x <= 0.25 for x in spread("hwsr")),
        ),
    ]


def _msr_findings(grid: Grid) -> list[Finding]:
    faster = {name: write_latency(row["sblock"]) / write_latency(row["hwsr linear"]) for name, row in grid.items() if ranked(row)}
    about = [faster[name] for name in ("proj", "prn") if name in faster]
    never = [name for name, row in grid.items() if not ranked(row)]
    return [
        Finding(
            "writes faster than S-blocks'",
            "on most; not web and mds",
            ", ".join(f"{n} {x:.2f}" for n, x in faster.items()) + " times",
            verdict(x > 1 for x in faster.values()),
            f"the buffer is not full at this length on {', '.join(never)}" if never else "",
        ),
        Finding("twice as fast on proj and prn", "around 2", span(about), verdict(1.5 <= x <= 3 for x in about), ratio=sum(about) / len(about) if about else None),
    ]


TURNS = (Figure("mean ms", latency, 1, of_response=True), Figure("turns a read", lambda run: latency(run) / TURN_MS, 1))


def _background_findings(row: Mapping[str, Run]) -> list[Finding]:
    waits = {name: write_latency(run) for name, run in row.items()}
    first, *others = waits.values()
    return [
        Finding(
            "writes wait less where evictions keep a part of the buffer free",
            "(our question: the paper evicts when the buffer is full)",
            listed({name: f"{wait:.2f} ms" for name, wait in waits.items()}),
            verdict(wait < first for wait in others),
        )
    ]


def _sequential_findings(row: Mapping[str, Run]) -> list[Finding]:
    blocks = 2**20 / (64 * SECTOR)
    turns = latency(row["hwsr physical"]) / TURN_MS / blocks
    by_track = latency(row["hwsr physical by track"])
    return [
        Finding(
            "a segment of HWSR costs a sequential read little",
            "slight, hidden by the caches",
            f"{latency(row['hwsr physical']) / latency(row['cmr']):.1f} times the conventional time, {turns:.2f} turns a block; "
            f"{latency(row['hwsr linear']) / latency(row['cmr']):.1f} times in the linear one",
            verdict([latency(row["hwsr physical"]) <= 1.5 * latency(row["cmr"])]),
            "consecutive blocks lie at the same angle of consecutive tracks, so the next one has just passed the head",
        ),
        Finding(
            "so does one whose segments are read together, each track once",
            "(not said)",
            f"{by_track / latency(row['cmr']):.1f} times the conventional time, {by_track / TURN_MS:.1f} turns for {blocks:.0f} blocks on "
            f"{SEGMENT_TRACKS} tracks; {latency(row['hwsr linear by track']) / latency(row['cmr']):.1f} times in the linear one",
            verdict([by_track <= 1.5 * latency(row["cmr"])]),
            "as many turns as tracks: a segment has a block on each",
        ),
    ]


def _utilisation_parts(ratios: Mapping[tuple[int, float], float]) -> list[str]:
    pairs = {tracks: [x for spare in SPARES for x in (utilisation_ratio(tracks, spare), ratios[tracks, spare])] for tracks in REGION_TRACKS}
    rows = [[f"{tracks} tracks", *map(number, pair)] for tracks, pair in pairs.items()]
    header = ["region", *(f"beta {spare} {what}" for spare in SPARES for what in ("formula", "here"))]
    errors = [abs(ratio / utilisation_ratio(*key) - 1) for key, ratio in ratios.items()]
    wave = {tracks: (tracks + HEAD_WIDTH) / (tracks + HEAD_WIDTH / 2) for tracks in (10, 20)}
    return [
        table(header, rows),
        findings(
            [
                Finding(
                    "utilisation over that of S-blocks",
                    "2.65 with 10 tracks and beta 0.3",
                    number(ratios[10, 0.3], 3),
                    verdict(e < 0.03 for e in errors),
                    ratio=ratios[10, 0.3],
                ),
                Finding(
                    "utilisation by region size at beta 0.3",
                    "falls from 2.65",
                    listed({str(tracks): number(ratios[tracks, 0.3]) for tracks in REGION_TRACKS}),
                    verdict(ratios[late, 0.3] < ratios[early, 0.3] for early, late in pairwise(REGION_TRACKS)),
                ),
                Finding(
                    "wave-like shingling doubles the density",
                    "doubles",
                    f"{wave[10]:.2f} and {wave[20]:.2f} with 10 and 20 tracks against bands with one guard each (formula)",
                    verdict(x >= 1.9 for x in wave.values()),
                    "most of the paper's factor are the spare S-blocks and the internal guard that it charges to its rival",
                    wave[10],
                ),
            ]
        ),
    ]


FASTER = Comparison("Financial1: response hwsr linear over sblock", quotient(latency, "Financial1", "hwsr linear", "sblock"), below=1)


def _seed_comparisons() -> list[Comparison]:
    def reads_later(name: str) -> Callable[[Grid], float]:
        return lambda grid: read_latency(grid[name]["hwsr linear"]) - read_latency(grid[name]["sblock"])

    return [
        FASTER,
        Comparison("Financial1: WA hwsr linear over sblock", quotient(amplification, "Financial1", "hwsr linear", "sblock"), below=1),
        Comparison("Financial1: response hwsr linear over cmr", quotient(latency, "Financial1", "hwsr linear", "cmr"), below=ALMOST),
        Comparison("Financial2: response hwsr linear over cmr", quotient(latency, "Financial2", "hwsr linear", "cmr"), below=1),
        *(Comparison(f"{name}: reads hwsr linear after sblock, ms", reads_later(name), 0, 0.2) for name in ("Financial1", "Financial2")),
    ]


def _financial(lab: Lab) -> list[str]:
    two = financial(lab)
    return [*_tables(two), *_tables(two, SUMS), findings(_financial_findings(two)), seed_table(over_seeds(lab, financial), _seed_comparisons())]


def _slower(lab: Lab) -> list[str]:
    slow = slower_tracks(lab)
    return [SLOWER, *_tables(slow), findings(_slower_findings(slow["Financial1"])), seed_table(over_seeds(lab, slower_tracks), [FASTER])]


def _swept(of: Callable[[Lab], Grid], judged: Callable[[Grid], list[Finding]]) -> Callable[[Lab], list[str]]:
    """The chapter's tables of a grid, and the claims on it."""

    def parts(lab: Lab) -> list[str]:
        grid = of(lab)
        return [*_tables(grid), findings(judged(grid))]

    return parts


def _traces(lab: Lab) -> list[str]:
    traces = recorded(lab)
    return _tables(traces) if traces else []


def _background(lab: Lab) -> list[str]:
    ahead = background(lab)
    return [BACKGROUND, *figure_tables(ahead, FIGURES), findings(_background_findings(ahead["Financial1"]))]


def _sequential(lab: Lab) -> list[str]:
    runs = sequential_reads(lab)
    rows = [[name, *(each.text(run) for each in TURNS)] for name, run in runs.items()]
    return [SEQUENTIAL, table(["reads", *(each.title for each in TURNS)], rows), findings(_sequential_findings(runs))]


EXPERIMENTS = (
    Experiment("financial", "Financial1 and Financial2", _financial),
    Experiment("slower-tracks", "Financial1 on tracks as fast as the paper's disk", _slower),
    Experiment("replacement", "What leaves the full write buffer", _swept(replacement, _replacement_findings)),
    Experiment("unpublished", "What the paper does not print", _swept(unpublished, lambda grid: _unpublished_findings(grid["Financial1"]))),
    Experiment("block-size", "Block size in sectors", _block_parts),
    Experiment("region-size", "Region size in tracks", _swept(region_sizes, _region_findings)),
    Experiment("volumes", "Ten MSR volumes", _swept(msr, _msr_findings)),
    *hwsr_disk.EXPERIMENTS,
    *hwsr_tracks.EXPERIMENTS,
    Experiment("traces", "Recorded traces", _traces),
    Experiment("background", "Evictions in the background", _background),
    Experiment("sequential", "Sequential reads of 1 MiB", _sequential),
    Experiment("utilisation", "Utilisation of the platters", lambda lab: _utilisation_parts(utilisation(lab))),
)


def sections(lab: Lab) -> list[str]:
    """Markdown of this chapter."""
    return sections_of(EXPERIMENTS, lab)
