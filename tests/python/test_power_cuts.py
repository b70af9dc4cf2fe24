"""Nothing that was promised durable is lost, wherever the power fails: the scoreboard reads everything back after each cut."""

import pytest
from simulate import FLASH_LAYERS, LAYERS, run
from typer.testing import CliRunner

from tessera.cli import app

CUTS = ("3 ms", "41.7 ms", "2 s", "7.123456 s", "9 s", "13.37 s", "17.000001 s", "20 s")
QUICK_RETURN = ("--set", "power.outage=10 ms", "--set", "power.boot_time=1 ms")
# 640 flash blocks: recovery reads the out-of-band area of every page, four seconds of it; flash is fast, so it takes more requests.
FLASH = (20_000, ("--set", "nand.blocks=640"))
PLATTERS = (3000, ())
# A write buffer so small that it is emptied between the cuts; its flash is a read cache and journals, which are read quickly.
BUFFERED = {
    layer: (3000, ("--set", f"layers.{layer}.memory=1 MiB", "--set", f"layers.{layer}.flash=32 MiB")) for layer in ("sblock", "hwsr")
}
# Intervals so short that tracks are moved between the cuts.
MOVES = {
    "imr-flip": ("--set", "layers.imr_flip.update_frequency=200", "--set", "layers.imr_flip.flip_threshold=3"),
    "imr-cache": (
        *("--set", "layers.imr_cache.update_frequency=200", "--set", "layers.imr_cache.swap_hysteresis=3"),
        *("--set", "layers.imr_cache.cache_tracks=6"),
    ),
    "imr-dtm": ("--set", "layers.imr_dtm.update_frequency=200", "--set", "layers.imr_dtm.swap_threshold=3"),
}


def run_with_cuts(folder, layer, *more):
    requests, settings = BUFFERED.get(layer) or (FLASH if layer in FLASH_LAYERS else PLATTERS)
    cuts = [word for at in CUTS for word in ("--cut-at", at)]
    result = run(
        folder, "bare", "--layer", layer, "--workload", "hot-tracks-clustered", "--replay", "closed:16", "--fold", "--limit", requests,
        "--check", *cuts, *QUICK_RETURN, *settings, *MOVES.get(layer, ()), *more,
    )
    assert result.metric("scoreboard.errors") == 0
    assert result.metric("scoreboard.checked") > requests
    assert result.metric("host.served") == requests
    assert result.summary["run"]["power_cuts"] >= 2


@pytest.mark.parametrize("layer", LAYERS)
@pytest.mark.parametrize("sector", ["atomic", "atomic_old", "atomic_new"])
def test_every_layer_keeps_its_promise_over_many_cuts(tmp_path, layer, sector):
    run_with_cuts(tmp_path, layer, "--set", f"media.powerfail.sector={sector}")


@pytest.mark.parametrize("layer", ["cmr", "imr-rmw"])
@pytest.mark.parametrize("durability", ["plp", "journal", "volatile"])
def test_a_write_cache_keeps_the_promise_of_its_durability(tmp_path, layer, durability):
    run_with_cuts(
        tmp_path, layer, "--set", "firmware.write_cache.capacity=2 MiB", "--set", f"firmware.write_cache.durability={durability}",
        *("--set", f"layers.{layer.replace('-', '_')}.journal_tracks=16"),
    )


@pytest.mark.parametrize("layer", ["cmr", "imr-rmw"])
def test_a_sector_that_a_cut_made_unreadable_in_place_is_the_only_one_excused(tmp_path, layer):
    trace = tmp_path / "large-overwrites.csv"  # so that a cut finds the head over a sector, most of the time
    trace.write_text("".join(f"{128166372003061629 + n * 1000},hm,0,Write,{n * 7 % 16 * 262144},262144,1\n" for n in range(1500)))
    cuts = [word for n in range(1, 41) for word in ("--cut-at", f"{n * 97}.{n} ms")]
    words = ("bare", "--layer", layer, "--trace", trace, "--replay", "closed:4", "--check", *cuts, *QUICK_RETURN)
    result = run(tmp_path / "out", *words, "--set", "media.powerfail.sector=corrupt")
    assert result.metric("scoreboard.errors") == 0
    assert result.metric("host.failed") == 0
    if layer == "cmr":  # imr-rmw restores most of such sectors from its backup
        whole = run(tmp_path / "whole", *words, "--set", "media.powerfail.sector=atomic_new")
        assert result.metric("scoreboard.checked") < whole.metric("scoreboard.checked")  # reads that fail bring nothing to check


def test_cuts_hit_format_and_recovery(tmp_path):
    # imr-rmw looks through its backup region for about a second before it answers.
    cuts = ("boot+1 us", "boot+12 ms", "500 ms", "800 ms", "1300 ms", "2.35 s")
    result = run(
        tmp_path, "demo", "--layer", "imr-rmw", "--workload", "random-4k", "--limit", "2000", "--replay", "closed:8", "--check",
        *QUICK_RETURN, *(word for at in cuts for word in ("--cut-at", at)),
    )
    assert result.summary["run"]["power_cuts"] == len(cuts)
    assert result.metric("scoreboard.errors") == 0
    assert result.metric("host.served") == 2000


LOOKED_AT = {
    "a dump": ("common", "--layer", "imr-rmw", "--set", "firmware.write_cache.durability=plp"),
    "a journal": ("common", "--layer", "cmr", "--set", "firmware.write_cache.durability=journal", "--set", "layers.cmr.journal_tracks=16"),
    "a full media cache": ("common", "--layer", "media-cache", "--caches", "empty"),
    "flash": ("demo", "--layer", "tessera"),
    "a host that translates": ("zoned-28tb", "--set", "hosts.translation=log", "--prefill", "0"),
    "restarts": ("common", "--layer", "sblock", "--restart-at", "1.5 s"),
}


@pytest.mark.parametrize("which", LOOKED_AT)
def test_a_verification_moves_nothing_of_what_it_looks_at(tmp_path, which):
    words = (*LOOKED_AT[which], "--workload", "web-server", "--fold", "--limit", "3000", "--cut-at", "700 ms", "--cut-at", "9 s", *QUICK_RETURN)
    plain = run(tmp_path / "plain", *words, "--requests")
    checked = run(tmp_path / "checked", *words, "--requests", "--check")
    assert checked.metric("scoreboard.checked") > 3000 and checked.metric("scoreboard.errors") == 0
    assert (tmp_path / "plain" / "requests.npy").read_bytes() == (tmp_path / "checked" / "requests.npy").read_bytes()
    assert CliRunner().invoke(app, ["same", "--figures-only", str(tmp_path / "plain"), str(tmp_path / "checked")]).exit_code == 0


def test_cuts_hit_the_drain_and_are_told_where_there_is_no_power(tmp_path):
    result = run(
        tmp_path, "demo", "--layer", "cmr", "--workload", "random-4k", "--limit", "500", "--replay", "closed:8", "--check", *QUICK_RETURN,
        "--set", "firmware.write_cache.capacity=4 MiB", "--cut-at", "1 s", "--cut-at", "1.005 s", "--cut-at", "1.5 s", "--cut-at", "1 h",
    )
    assert result.summary["run"]["power_cuts"] == 2
    assert result.metric("run.simulated_seconds") > 1.5
    assert result.metric("scoreboard.errors") == 0
    notes = " ".join(result.summary["run"]["notes"])
    assert "1 of the power cuts that were asked for fell into an outage" in notes
    assert "1 of the power cuts that were asked for came too late" in notes


def test_cuts_in_the_outage_of_a_shut_down_find_no_power(tmp_path):
    words = ("torture", "--layer", "cmr", "--workload", "random-4k", "--limit", "50", "--fold", "--replay", "closed:8", "--check", "--save-state", tmp_path / "state")
    end = run(tmp_path / "plain", *words).metric("run.simulated_seconds")
    cuts = [word for after in (0.0001,) for word in ("--cut-at", f"{end + after:.6f} s")]
    result = run(tmp_path / "cut", *words, *cuts)
    assert result.metric("scoreboard.errors") == 0
    assert any("1 of the power cuts that were asked for fell into an outage" in note for note in result.summary["run"]["notes"])


def test_a_drive_that_fails_the_flush_of_its_drain_ends_with_results(tmp_path):
    result = run(
        tmp_path, "demo", "--layer", "hwsr", "--workload", "web-server", "--fold", "--limit", "3000", "--replay", "closed:16",
        "--set", "nand.program_failures_per_million=300000", status=1,
    )
    assert any(note.startswith("the drain's flush failed: ") for note in result.summary["run"]["notes"])


def sparse_writes_on_a_prefilled_drive(folder, layer, prefill, *more):
    cuts = [word for at in ("31 ms", "400 ms", "1.234567 s") for word in ("--cut-at", at)]
    result = run(
        folder, "torture", "--layer", layer, "--workload", "random-4k", "--limit", 120, "--replay", "closed:16", "--fold", "--check",
        "--prefill", prefill, *cuts, *more,
    )
    assert result.metric("scoreboard.errors") == 0
    assert result.metric("host.failed") == 0
    return result


@pytest.mark.parametrize("layer", LAYERS)
@pytest.mark.parametrize("prefill", [50, 100])
def test_every_layer_keeps_what_a_prefilled_drive_holds_over_sparse_writes_and_cuts(tmp_path, layer, prefill):
    sparse_writes_on_a_prefilled_drive(tmp_path / "tags", layer, prefill)
    sparse_writes_on_a_prefilled_drive(tmp_path / "bytes", layer, prefill, "--content", "bytes", "--set", "media.powerfail.sector=corrupt")


def test_prefilled_blocks_that_nobody_wrote_are_read_back_after_a_cut_and_at_the_end(tmp_path):
    result = sparse_writes_on_a_prefilled_drive(tmp_path, "cmr", 50)
    blocks = result.metric("capacity.user") // 512 // 2
    sweeps = 3  # the second cut may fall into the sweep behind the first
    assert result.metric("scoreboard.checked") >= sweeps * blocks


def test_a_large_prefilled_drive_is_verified_around_what_was_touched(tmp_path):
    # A write cache of no capacity and imr-rmw: each write to a bottom track rewrites parts of the tops beside it.
    result = run(
        tmp_path, "bare", "--layer", "imr-rmw", "--workload", "random-4k", "--limit", 50, "--fold", "--check", "--prefill", "100",
        "--cut-at", "200 ms",
    )
    assert result.metric("scoreboard.errors") == 0
    stretch = 2048
    assert 64 * stretch < result.metric("scoreboard.checked") < 2 * (64 + 50 * 8) * stretch
