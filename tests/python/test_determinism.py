"""One description and one seed give one result, on every machine, however the kernel is entered and whatever is checked."""

import json
import random

import pytest
from simulate import LAYERS, SIMULATOR, run

from pages.reference import DIGESTS, ZONED, digest
from tessera.results.sameness import differences


def small_run(folder, layer, *more):
    return run(folder, "bare", "--layer", layer, "--workload", "web-server", "--fold", "--limit", 2000, "--seed", 11, *more, "--requests")


@pytest.mark.parametrize("layer", LAYERS)
def test_how_far_the_drive_runs_ahead_of_the_kernel_changes_nothing(tmp_path, layer):
    ahead = small_run(tmp_path / "ahead", layer)
    for quantum in ("0 ps", "1 us"):
        entered = small_run(tmp_path / quantum.replace(" ", ""), layer, "--set", f"simulation.quantum={quantum}")
        assert differences(ahead, entered, figures_only=True) == []
        assert (ahead.folder / "requests.npy").read_bytes() == (entered.folder / "requests.npy").read_bytes()


def write_hurtful_trace(file, seed):
    """Reads, writes and TRIMs of up to 2 MiB around few places, so that zones shrink, grow again and are read past their end."""
    draw = random.Random(seed)
    places = [draw.randrange(20_000) for _ in range(20)]
    lines = []
    for _ in range(300):
        first = draw.choice(places) + draw.choice([0, 0, draw.randrange(64), 8 * draw.randrange(64)])
        lines.append(f"0,{draw.choice('wwwrrrrt')},{first},{draw.choice([1, 7, 8, 8, 16, draw.randrange(1, 4096)])}\n")
    file.write_text("".join(lines))
    return file


@pytest.mark.parametrize("layer", LAYERS)
def test_checking_content_changes_no_request(tmp_path, layer):
    """What an overlapping write destroyed is known only where content is kept: no layer may go by it."""
    trace = write_hurtful_trace(tmp_path / "hurtful.csv", 7)
    columns = ("--format", "columns:time=1:us,op=2:r=r,w=w,t=t,offset=3:512,size=4:512", "--fold", "--replay", "closed:32")
    plain, checked = (
        run(tmp_path / name, "torture", "--layer", layer, "--trace", trace, *columns, *more, "--requests")
        for name, more in (("plain", ()), ("checked", ("--check", "--content", "bytes")))
    )
    assert (plain.folder / "requests.npy").read_bytes() == (checked.folder / "requests.npy").read_bytes()


@pytest.mark.parametrize("layer", LAYERS)
def test_another_seed_gives_another_run(tmp_path, layer):
    first = small_run(tmp_path / "first", layer)
    other = run(tmp_path / "other", "bare", "--layer", layer, "--workload", "web-server", "--fold", "--limit", 2000, "--seed", 12, "--requests")
    assert (first.folder / "requests.npy").read_bytes() != (other.folder / "requests.npy").read_bytes()


@pytest.mark.parametrize("layer", (*LAYERS, *ZONED))
def test_the_life_of_every_request_is_as_it_was(tmp_path, monkeypatch, layer):
    """A change of this digest is a change of the model: explain it in the commit that makes it; ./dev reference writes the new one."""
    monkeypatch.setenv("TESSERA_SIM", str(SIMULATOR))
    assert digest(layer, tmp_path) == json.loads(DIGESTS.read_text())[layer]
