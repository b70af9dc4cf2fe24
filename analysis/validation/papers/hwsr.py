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

from validation.papers.hwsr_runs import (
    BACKGROUND_GAP_MS,
    BLOCK_SECTORS,
    BUFFER_BYTES,
    HEAD_WIDTH,
    LONGER,
    REGION_TRACKS,
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
from tessera.results.markdown import number, table
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


def _filled(row: Mapping[str, Run]) -> str:
    """How full each variant's write buffer has been."""
    return ", ".join(f"{name} {100 * run.metric('buffer.dirty.peak') / BUFFER_BYTES:.0f} %" for name, run in row.items())


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
    return [*_tables(grid), findings([_longer_finding(longer)])]


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


TURNS = (Figure("mean ms", latency, 1, of_response=True), Figure("turns a read", lambda run: latency(run) / TURN_MS, 1))


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
    wave = {tracks: (tracks + HEAD_WIDTH) / (tracks + HEAD_WIDTH / 2) for tracks in (10, 20)}
    return [
        table(header, rows),
        findings(
            [
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
    return [*_tables(two), *_tables(two, SUMS), seed_table(over_seeds(lab, financial), _seed_comparisons())]


def _slower(lab: Lab) -> list[str]:
    return [SLOWER, *_tables(slower_tracks(lab)), seed_table(over_seeds(lab, slower_tracks), [FASTER])]


def _unpublished(lab: Lab) -> list[str]:
    grid = unpublished(lab)
    return [*_tables(grid), findings(_unpublished_findings(grid["Financial1"]))]


def _traces(lab: Lab) -> list[str]:
    traces = recorded(lab)
    return _tables(traces) if traces else []


def _background(lab: Lab) -> list[str]:
    return [BACKGROUND, *figure_tables(background(lab), FIGURES)]


def _sequential(lab: Lab) -> list[str]:
    runs = sequential_reads(lab)
    rows = [[name, *(each.text(run) for each in TURNS)] for name, run in runs.items()]
    return [SEQUENTIAL, table(["reads", *(each.title for each in TURNS)], rows), findings(_sequential_findings(runs))]


EXPERIMENTS = (
    Experiment("financial", "Financial1 and Financial2", _financial),
    Experiment("slower-tracks", "Financial1 on tracks as fast as the paper's disk", _slower),
    Experiment("replacement", "What leaves the full write buffer", lambda lab: _tables(replacement(lab))),
    Experiment("unpublished", "What the paper does not print", _unpublished),
    Experiment("block-size", "Block size in sectors", _block_parts),
    Experiment("region-size", "Region size in tracks", lambda lab: _tables(region_sizes(lab))),
    Experiment("volumes", "Ten MSR volumes", lambda lab: _tables(msr(lab))),
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
