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
from functools import partial

from tessera.results.markdown import number, table
from tessera.results.run_folder import Run
from validation.papers.experiment import Experiment, Ranking, Replicates
from validation.papers.hwsr_runs import (
    BACKGROUND_GAP_MS, BLOCK_SECTORS, BUFFER_BYTES, COLLECTIONS, HEAD_WIDTH, LONGER, REGION_TRACKS, SPARES, TURN_MS, apart, background, financial, longer, longer_blocks, msr,
    ninth_decile, on_paper_disk, ranked, recorded, sequential_reads, slower_tracks, swept, utilisation, utilisation_ratio, windows,
)  # fmt: skip
from validation.papers.lab import Grid, Lab
from validation.papers.measures import Figure, amplification, figure_tables, latency, read_latency, write_latency

TITLE = "Hybrid wave-like shingled recording"

MEAN = Figure("mean ms", latency, 3, of_response=True)
READS = Figure("reads ms", read_latency, 3, of_response=True)
WRITES = Figure("writes ms", write_latency, 3, of_response=True)
WA = Figure("WA", amplification)
FIGURES = (MEAN, READS, WRITES, WA)
SUMS = (Figure("90 % of the sums below, s", ninth_decile, 1), Figure("longest sum, s", lambda run: windows(run)[-1], 1))
TURNS = (Figure("mean ms", latency, 1, of_response=True), Figure("turns a read", lambda run: latency(run) / TURN_MS, 1))
FULL = Ranking(ranked, "the write buffer is not full at this length")


def _filled(run: Run) -> float:
    return 100 * run.metric("buffer.dirty.peak") / BUFFER_BYTES


def _longer_blocks(lab: Lab, _: Grid) -> list[str]:
    """Each layer's response with the largest blocks over that with the smallest, and how full its buffers have been."""
    row = longer_blocks(lab)["Financial1"]
    small, large = BLOCK_SECTORS[0], BLOCK_SECTORS[-1]

    def cells(layer: str) -> list[str]:
        few, many = (row[f"{layer} {sectors}"] for sectors in (small, large))
        return [layer, number(latency(many) / latency(few)), number(_filled(few), 0), number(_filled(many), 0)]

    header = [f"Financial1, {LONGER} times as long", f"response, {large} over {small} sectors", f"buffer full with {small}, %", f"with {large}, %"]
    return [table(header, [cells(layer) for layer in ("hwsr", "sblock")])]


def _longer(lab: Lab, _: Grid) -> list[str]:
    return figure_tables(longer(lab), (Figure("writes ms, by length", write_latency, 3, of_response=True), Figure("WA, by length", amplification)))


def _migration(_: Lab, grid: Grid) -> list[str]:
    """Omega of Table I: S-blocks moved for one that is written."""
    moved = {name: number(run.metric("sblock.migrated_mean")) for name, run in grid["Financial1"].items()}
    return [table(["segments moved for one written", "1 over beta", *COLLECTIONS], [[f"beta {spare}", number(1 / spare), *(moved[f"{how} {spare}"] for how in COLLECTIONS)] for spare in SPARES])]


def _utilisation(lab: Lab, _: Grid) -> list[str]:
    ratios = utilisation(lab)
    pairs = {tracks: [x for spare in SPARES for x in (utilisation_ratio(tracks, spare), ratios[tracks, spare])] for tracks in REGION_TRACKS}
    wave = {tracks: (tracks + HEAD_WIDTH) / (tracks + HEAD_WIDTH / 2) for tracks in (10, 20)}
    return [
        table(["region", *(f"beta {spare} {what}" for spare in SPARES for what in ("formula", "here"))], [[f"{tracks} tracks", *map(number, pair)] for tracks, pair in pairs.items()]),
        table(["against bands with one guard each", "density (formula)"], [[f"{tracks} tracks", number(ratio)] for tracks, ratio in wave.items()]),
    ]


def _sequential(lab: Lab) -> Mapping[str, Mapping[str, Run]]:
    return {"1 MiB": sequential_reads(lab)}


def _when_full(name: str, title: str, grid: Callable[[Lab], Grid], figures: Sequence[Figure] = FIGURES, **more: object) -> Experiment:
    return Experiment(name, title, grid, figures, ranking=FULL, **more)


EXPERIMENTS = (
    _when_full("financial", "Financial1 and Financial2", financial, (*FIGURES, *SUMS), replicates=Replicates(financial, FIGURES)),
    _when_full(
        "slower-tracks", "Financial1 on tracks as fast as the paper's disk", slower_tracks, replicates=Replicates(slower_tracks, FIGURES),
        intro="Tracks of 1 MiB: copying S-blocks takes four times as long as on tracks of 4 MiB, a turn as long.\n",
    ),
    _when_full("replacement", "What leaves the full write buffer", partial(swept, sweep="replacement")),
    _when_full("unpublished", "What the paper does not print", partial(swept, sweep="unpublished", names=("Financial1",))),
    Experiment("migration", "Segments that a collection of S-blocks moves", partial(swept, sweep="migration", names=("Financial1",)), after=_migration),
    _when_full("block-size", "Block size in sectors", partial(swept, sweep="block-size"), after=_longer_blocks),
    _when_full("region-size", "Region size in tracks", partial(swept, sweep="region-size")),
    _when_full("volumes", "Ten MSR volumes", msr),
    _when_full(
        "paper-disk", "Ten MSR volumes on tracks as fast as the paper's disk", on_paper_disk, (MEAN, WRITES, WA), after=_longer,
        intro="Tracks of 1 MiB (126 MB/s), about those of the paper's disk, instead of 4 MiB (503 MB/s), and as many sectors in all. The layout's tracks are\n"
        "the disk's.\n",
    ),
    _when_full(
        "layout-tracks", "The layout's tracks apart from the disk's", apart, (MEAN, WRITES, WA),
        intro="Equation 5 with tracks of 8,192 sectors (`layers.hwsr.track_sectors`) on a disk with tracks of 2,048: drive `hwsr-paper-disk`.\n",
    ),
    _when_full("traces", "Recorded traces", recorded),
    Experiment(
        "background", "Evictions in the background", background, FIGURES,
        intro=f"A request every {BACKGROUND_GAP_MS} ms on average, by `layers.hwsr.keep_free`.\n",
    ),
    Experiment(
        "sequential", "Sequential reads of 1 MiB", _sequential, TURNS,
        intro="`layers.hwsr.read_order`: `segment`, as everywhere else in this chapter; `track`, the layer's default, visits each track once for all\n"
        "segments of a read.\n",
    ),
    Experiment("utilisation", "Utilisation of the platters", after=_utilisation),
)  # fmt: skip
