"""Tracks that end in spares: their angles are shares of a turn with the spares in it, and a write of a bottom destroys what lies there on the tops."""

import json
import subprocess

import pytest
from samples import REPOSITORY
from simulate import simulate

EXAMPLES = REPOSITORY / "examples" / "firmware"
SPARES = ("--set", "media.track_spares=8", "--workload", "web-server", "--fold", "--limit", "2000", "--check", "--json")
LAYERS = ("imr-rmw", "imr-flip", "imr-cache", "imr-dtm", "tessera-imr")


def wrong(*words):
    return json.loads(simulate("run", "torture", *words, *SPARES).stdout)["metrics"]["scoreboard.errors"]["value"]


@pytest.mark.parametrize("layer", LAYERS)
@pytest.mark.parametrize("ratio", [0.5, 0.9])
def test_an_interlaced_layer_knows_which_sectors_lie_over_a_write(layer, ratio, tmp_path):
    assert wrong("--layer", layer, "--set", f"layers.{layer.replace('-', '_')}.top_ratio={ratio}", "--out", tmp_path / "run") == 0


def test_a_layer_in_c_is_told_of_the_spares(tmp_path):
    library = tmp_path / "library.so"
    source = EXAMPLES / "interlaced_in_place.c"
    subprocess.run(["cc", "-std=c11", "-O1", "-shared", "-fPIC", "-I", REPOSITORY / "platforms" / "plugin", source, "-o", library], check=True)
    assert wrong("--firmware", library, "--out", tmp_path / "run") == 0


def test_a_layer_in_python_is_told_of_the_spares(tmp_path):
    assert wrong("--firmware", EXAMPLES / "interlaced_in_place.py", "--out", tmp_path / "run") == 0
