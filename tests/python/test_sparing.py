"""Sectors that the factory moved and spares of cylinders, as a user meets them: what is refused, that prefilled data lies where it was moved to, and what it costs."""

import pytest
from simulate import run, simulate

LIST = "[[0, 0, 1], [0, 0, 5], [0, 1, 9], [0, 2, 500]]"


def settings(*values):
    return tuple(word for value in values for word in ("--set", value))


REMAPPED = settings("media.track_spares=3", f"media.factory_defects={LIST}", "media.defect_scheme=remap")


@pytest.mark.parametrize(("layer", "values", "sentence"), [
    ("mu-rmw", REMAPPED, "and the layer mu-rmw writes overlapped tracks; expected a layer of conventional tracks"),
    ("imr-rmw", settings("media.track_spares=3", f"media.factory_defects={LIST}", "media.defect_scheme=slip"), "the layer imr-rmw writes overlapped tracks; expected"),
    ("tessera", settings("media.track_spares=3", f"media.factory_defects={LIST}", "media.defect_scheme=slip_track"), "the layer tessera writes overlapped tracks; expected"),
    ("mu-rmw", settings("media.cylinder_spares=3"), "media.cylinder_spares is 3, and the layer mu-rmw writes overlapped tracks; expected media.track_spares, which all tracks have"),
    ("cmr", settings("media.remapped_sectors=[[0, 10, 1, 0, 20, 4]]"), "remapped_sectors: row 1 moves to sector 4 of surface 0, radius 20, which is no spare"),
])  # fmt: skip
def test_spares_that_a_layer_cannot_leave_alone_are_refused_before_the_run(layer, values, sentence):
    assert sentence in simulate("check", "bare", "--layer", layer, *values, status=2).stderr


@pytest.mark.parametrize("content", ("tags", "bytes"))
def test_prefilled_data_of_moved_sectors_lies_where_they_were_moved_to(tmp_path, content):
    # Reads and writes of the first three tracks, in a drive that is full.
    lines = (f"{10 * i}.0 0 {96 * i} 96 {i % 3 != 0:d}\n" for i in range(120))
    (tmp_path / "first.ascii").write_text("".join(lines))
    result = run(tmp_path / "out", "bare", *REMAPPED, "--prefill", 100, "--trace", tmp_path / "first.ascii", "--check", "--content", content)
    assert result.metric("host.requests") == 120
    plain = run(tmp_path / "plain", "bare", *settings("media.track_spares=3"), "--prefill", 100, "--trace", tmp_path / "first.ascii", "--check")
    assert result.metric("media.commands") > plain.metric("media.commands") + 4  # more than one for each read or write of moved sectors


def test_firmware_behind_registers_reaches_moved_sectors_as_well(tmp_path):
    result = run(tmp_path / "ports", "bare", *REMAPPED, "--workload", "sequential", "--limit", 40, "--check")
    through = run(tmp_path / "registers", "bare", *REMAPPED, *settings("simulation.firmware_through=registers"), "--workload", "sequential", "--limit", 40, "--check")
    assert through.metric("media.commands") == result.metric("media.commands")
