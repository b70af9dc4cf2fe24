"""The power fails at the instant of each interrupt that a firmware image gets: it boots again, and nothing is lost."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from images import build_layer
from samples import BUILD
from simulate import run
from test_image_waves import edges

# A layer of each family, and of how many interrupts one is tried: vguard's media commands are of single tracks, four thousand of them.
FAMILIES = {"cmr": 1, "imr-rmw": 1, "vguard": 25, "mu-rmw": 1, "media-cache": 1}
SHARE = 10 if "sanitize" in BUILD.name else 1
WORDS = ("--workload", "random-4k", "--fold", "--limit", 50, "--prefill", 100, "--replay", "closed:4")


@pytest.mark.parametrize("layer", FAMILIES)
def test_a_power_cut_at_every_interrupt_of_fifty_requests_loses_nothing(tmp_path, layer):
    words = ("torture", "--elf", build_layer(layer), *WORDS)
    whole = run(tmp_path / "whole", *words, "--requests", "--vcd", tmp_path / "waves.vcd", "--signals", "processor.*")
    begin, end = whole.requests["arrival"].min(), whole.requests["completion"].max()  # behind it the run ends when it is served, whatever comes
    interrupts = sorted({at for name, times in edges(tmp_path / "waves.vcd").items() if name != "works" for at in times if at < end})
    assert len(interrupts) > 100

    def cut_at(at):
        return run(tmp_path / str(at), *words, "--check", "--cut-at", f"{at - begin} ps" if at >= begin else f"boot+{at} ps")

    with ThreadPoolExecutor(2) as pool:
        for cut in pool.map(cut_at, interrupts[:: SHARE * FAMILIES[layer]]):
            assert cut.summary["run"]["power_cuts"] == 1
            assert cut.metric("host.served") == 50
            assert cut.metric("scoreboard.errors") == 0
