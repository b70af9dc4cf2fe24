"""Miss ratio curves: against a plain LRU, against the simulator's own cache at eight sizes, and with the error that sampling states."""

import json
from collections import OrderedDict

import numpy as np
import pytest
from typer.testing import CliRunner

import tessera
from tessera import InputError
from tessera.cli import app
from tessera.curves import miss_ratios
from tessera.traces.reuse import exact, reuse_distances, sampled
from tessera.traces.table import RECORD, blocks_of

MAP_PAGES = (1, 2, 4, 8, 16, 64, 256, 1024)
ZIPF_READS = """law = "zipf"
requests = 4000
write_share = 0.0
alignment = "4 KiB"
range = "8 GiB"
[zipf]
items = 1000000
exponent = 0.9
scatter = false
"""


pytestmark = pytest.mark.usefixtures("the_built_simulator")


def plain_misses(references, size):
    """Of a least-recently-used cache, one reference after the other."""
    held, misses = OrderedDict(), 0
    for block in references:
        if block in held:
            held.move_to_end(block)
            continue
        misses += 1
        held[block] = None
        if len(held) > size:
            held.popitem(last=False)
    return misses


@pytest.mark.parametrize("seed", range(20))
def test_every_size_misses_as_often_as_a_plain_cache_of_that_size(seed):
    draw = np.random.default_rng(seed)
    references = draw.integers(0, 1 + draw.integers(0, 40), 1 + draw.integers(0, 300))
    sizes = np.arange(1, 45)
    expected = [plain_misses(references.tolist(), size) / len(references) for size in sizes]
    assert exact(references, sizes).ratios == pytest.approx(expected)


def test_a_distance_counts_other_blocks_once():
    assert reuse_distances(np.array([1, 2, 2, 3, 2, 1])).tolist() == [-1, -1, 0, -1, 1, 2]


def test_the_curve_is_what_the_paged_sector_map_measures_at_eight_sizes(tmp_path):
    workload = tmp_path / "reads.toml"
    workload.write_text(ZIPF_READS)
    for pages in MAP_PAGES:
        # A map page has the entries of 1,024 sectors of 4 KiB: 4 MiB of addresses.
        settings = {"layers.fluid.map": "paged", "layers.fluid.map_cache": f"{4 * pages} KiB"}
        run = tessera.run("bare", layer="fluid", workload=workload, replay="closed:1", prefill=100, requests=True, settings=settings)
        hits, misses = run.metric("map.hits"), run.metric("map.misses")
        curve = miss_ratios(run.folder, block="4 MiB", sizes=[f"{4 * pages} MiB"])
        assert curve.ratios[0] == pytest.approx(misses / (hits + misses), abs=1e-12)


@pytest.mark.parametrize("rate", [0.3, 0.1])
def test_a_sample_is_within_the_error_that_it_states(rate):
    draw = np.random.default_rng(3)
    references = (1e4 * draw.pareto(1.0, 200_000)).astype(np.int64) % 60_000
    whole = exact(references)
    part = sampled(references, rate, whole.sizes)
    off = np.abs(part.ratios - whole.ratios)
    assert (off <= part.half_widths).mean() >= 0.9  # of sizes, at 95 %
    assert off.mean() < 0.02
    assert 0 < part.half_widths.max() < 0.1
    assert part.blocks == pytest.approx(whole.blocks, rel=0.05)


def test_a_sample_that_misses_the_hottest_block_says_that_it_knows_nothing():
    references = np.zeros(10_000, dtype=np.int64)
    references[::10] = np.arange(1000) + 1
    seeds = [seed for seed in range(40) if (curve := sampled(references, 0.2, np.array([1, 10]), seed)).half_widths.min() > 0.5]
    assert seeds  # the one block of 90 % of the references was left out, or counts five times
    for seed in seeds:
        curve = sampled(references, 0.2, np.array([1, 10]), seed)
        assert (np.abs(curve.ratios - exact(references, np.array([1, 10])).ratios) <= curve.half_widths).all()


def test_a_request_refers_to_each_block_that_it_touches_and_volumes_are_apart():
    records = np.array([(0, 0, 8193, 0, 0, 0), (0, 4096, 4096, 1, 1, 0), (0, 0, 0, 0, 2, 0)], dtype=RECORD)
    blocks, owners = blocks_of(records, 4096)
    assert owners.tolist() == [0, 0, 0, 1]
    assert blocks[:3].tolist() == [0, 1, 2] and blocks[3] not in (0, 1, 2)


def test_the_command_reads_any_trace(tmp_path):
    trace = tmp_path / "t.csv"
    trace.write_text("".join(f"{100 + n},hm,0,{'Write' if n == 4 else 'Read'},{block * 4096},4096,1\n" for n, block in enumerate([1, 2, 1, 2, 3])))
    words = ["curve", str(trace), "--sizes", "4 KiB,8 KiB", "--out", str(tmp_path / "c.svg")]
    finished = CliRunner().invoke(app, words)
    assert finished.exit_code == 0, finished.output
    assert "5 references to 3 blocks of 4 KiB (12.0 KiB)" in finished.output
    rows = json.loads(CliRunner().invoke(app, [*words[:4], "--json"]).output)["curve"]
    assert [row["miss_ratio"] for row in rows] == [1, pytest.approx(0.6)]
    assert (tmp_path / "c.svg").exists()
    reads = miss_ratios(trace, operations="reads", sizes=["8 KiB"])
    assert reads.ratios.tolist() == [0.5]


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("--operations", "read"), "unknown kind of operations 'read'; did you mean 'reads'?"),
        (("--block", "4 ms"), "expected a size such as"),
        (("--sample", "2"), "a sampling rate lies above 0 and is at most 1"),
        (("--operations", "writes"), "there is nothing to follow: the trace has no writes, but "),
    ],
)
def test_what_no_curve_can_be_made_of_is_refused(tmp_path, words, expected):
    trace = tmp_path / "t.csv"
    trace.write_text("100,hm,0,Read,4096,4096,1\n")
    finished = CliRunner().invoke(app, ["curve", str(trace), *words])
    assert finished.exit_code == 2
    assert expected in finished.output


def test_an_empty_run_has_no_curve():
    with pytest.raises(InputError):
        exact(np.array([], dtype=np.int64))
