"""Update periods of a workload, by which the Amphisbaena paper tells hot blocks apart."""

import numpy as np
import pytest

from validation.papers.amphisbaena_inputs import beyond, drawn, text_with_set

HM_0 = {  # a tenth of the volume with its set, and of its buffer
    "write_sizes": [[4096, 913], [65536, 87]],
    "updates": {"share": 0.927, "window": 6554, "exponent": 0.5, "chunk_starts": 4},
}
BUFFER, WRITES = 3661, 51_600


def test_a_block_s_period_is_how_many_others_are_written_in_between():
    first = np.tile(np.arange(100), 50)  # every block has 99 others between two writes
    count = np.ones(len(first), dtype=int)
    assert beyond(first, count, 90) == (1.0, 1.0)
    assert beyond(first, count, 101)[0] == 0.0


def test_blocks_updated_twice_are_not_updated_more_than_twice():
    once, thrice = np.repeat(np.arange(100), 1), np.tile(np.arange(100, 200), 3)
    first = np.concatenate([once, thrice, once])
    long, often = beyond(first, np.ones(len(first), dtype=int), 50)
    assert (long, often) == (1.0, 0.0)


def test_recency_alone_leaves_few_long_periods_and_a_set_makes_most_of_them_long():
    assert beyond(*drawn(HM_0, WRITES // 2), BUFFER)[0] < 0.1
    long, often = beyond(*drawn({**HM_0, "updates": {**HM_0["updates"], "set": 4000, "set_share": 1.0}}, WRITES), BUFFER)
    assert long > 0.85
    assert often == pytest.approx(0.70, abs=0.05)


def test_a_volume_with_a_set_differs_in_the_set_alone():
    from validation.papers.amphisbaena_runs import volume_text

    lines = set(text_with_set("hm_0").splitlines()) ^ set(volume_text("hm_0").splitlines())
    assert {line.split(" = ")[0] for line in lines} == {"summary", "set", "set_share"}
