"""What a write heats may be wider than the track: neighbours are lost, --check sees it, and the description is warned of."""

from simulate import run, simulate

WRITES = ("--layer", "cmr", "--workload", "random-4k", "--limit", 1500, "--fold", "--replay", "closed:4", "--check", "--prefill", 0)


def test_a_write_as_wide_as_its_track_and_half_of_each_neighbour_loses_nothing(tmp_path):
    kept = run(tmp_path / "out", "torture", *WRITES, "--set", "media.heat.write_width=200")
    assert kept.metric("scoreboard.errors") == 0


def test_a_wider_one_loses_its_neighbours(tmp_path):
    said = simulate("run", "torture", *WRITES, "--set", "media.heat.write_width=201", "--out", tmp_path / "out", status=3)
    assert "found a read that fails" in said.stdout + said.stderr


def test_layers_of_overlapped_tracks_reckon_with_their_own_width(tmp_path):
    run(tmp_path / "out", "torture", "--layer", "media-cache", *WRITES[2:], "--set", "media.heat.write_width=200")


def test_check_warns_of_a_width_that_tracks_do_not_stand():
    words = ("check", "torture", "--layer", "cmr", "--set", "media.heat.read_width=70")
    said = simulate(*words, "--set", "media.heat.write_width=400")
    assert "each write to the region 'data_outer' destroys 2 tracks on either side; expected at most 160" in said.stdout + said.stderr
    assert "write_width" not in (said := simulate(*words, "--set", "media.heat.write_width=160")).stdout + said.stderr
