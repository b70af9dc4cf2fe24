"""The inputs put right: what each experiment must show at a small scale."""

import numpy as np
import pytest

from validation.papers import amphisbaena, amphisbaena_inputs as periods, hwsr_runs, interlaced_tracks, mu_rmw
from validation.papers.interlaced_runs import own_amplification
from validation.papers.lab import Lab
from validation.papers.measures import latency, longest, rmws


def test_a_pore_that_opens_one_band_responds_faster_than_mu_rmw_and_waits_longer_at_worst(lab):
    row = mu_rmw.swept(lab, ("web_0",), (mu_rmw.WELL_SET, mu_rmw.FITTED))["web_0"]
    assert latency(row["pore 0.004"]) < latency(row["mu-rmw"]) < latency(row["pore 0.3164"])
    assert longest(row["pore 0.004"]) > 5 * longest(row["mu-rmw"])


@pytest.fixture(scope="module")
def long_periods(lab):
    return periods.long_periods(lab, ("fluid-loop", "amphisbaena"), periods.INPUTS[1::2])


def test_with_long_update_periods_amphisbaena_is_ahead_where_chunks_fill(long_periods):
    for title, row in long_periods.items():
        assert latency(row["amphisbaena"]) < 0.95 * latency(row["fluid-loop"]), title
        assert rmws(row["amphisbaena"]) < rmws(row["fluid-loop"]), title


def test_the_drawn_inputs_have_the_update_periods_of_figure_2():
    for each in periods.INPUTS:
        first, count = each.blocks(periods.WRITES, 1)
        long, more = periods.beyond(first, count, periods.PERIODS_MIB * 256)
        assert long > 0.85, each.title
        assert more > 0.7, each.title
        cold = first[count == periods.CHUNK]
        assert len(np.unique(cold)) == len(cold)
        assert not np.isin(cold // periods.CHUNK, first[count == 1] // periods.CHUNK).any()
        again, _ = each.blocks(periods.WRITES, 1)
        assert (first == again).all()


def test_at_the_speed_of_the_paper_s_disk_s_blocks_lose_to_hwsr(lab):
    full = Lab(lab.out, lab.traces, scale=0.4)
    row = hwsr_runs.on_paper_disk(full, ("ts",), ("hwsr linear", "sblock"))["ts"]
    assert latency(row["sblock"]) > latency(row["hwsr linear"])


def test_the_tables_take_what_the_formulas_say(lab):
    runs = mu_rmw.flash_caches(lab)
    assert mu_rmw.tables_mb(runs["pore"]) == pytest.approx(mu_rmw.formula_mb("pore", 256 * 10_240), rel=0.05)
    assert mu_rmw.formula_mb("mu-rmw", 256 * 10_240) == pytest.approx(0.16896)  # where the paper prints 69 KB
    assert mu_rmw.tables_mb(runs["mu-rmw"]) < 0.3
    assert all(mu_rmw.merge_mb(run) > 40 for run in runs.values())
    assert 6 < mu_rmw.tables_mb(amphisbaena.zone_buffers(lab)["amphisbaena"]) / (4.0 + 0.029) < 7  # 60 B a block, and the zones' own


def test_the_hot_tracks_of_w106_lie_alone_or_in_twos(lab):
    file = lab.trace(*interlaced_tracks.RECORDED)
    if file is None:
        pytest.skip(f"needs {'/'.join(interlaced_tracks.RECORDED)}: set TESSERA_TRACES")
    runs = interlaced_tracks.runs_of_hot_tracks(interlaced_tracks.accesses(file, 600_000))
    assert sum(length * number for length, number in runs.items()) == interlaced_tracks.HOT
    assert runs[1] + 2 * runs[2] > 70
    row = interlaced_tracks.on_recorded_order(Lab(lab.out, lab.traces, scale=0.1), ("imr-rmw", "imr-dtm"), cached=False)["w106, no write cache"]
    assert own_amplification(row["imr-dtm"]) < own_amplification(row["imr-rmw"])
