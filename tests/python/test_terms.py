"""A comparison says what its drives share: unequal hardware is named, in the first line."""

import json

from samples import metric, requests_of, write_run
from simulate import simulate

from tessera import Run
from tessera.engine.parameters import drive_parameters
from tessera.results.terms import terms, terms_of_sweep

DRIVE = """
[dram]
capacity = "256 MiB"
[nand]
blocks = {blocks}
[controller]
scheduling = "shortest_positioning"
[firmware.write_cache]
capacity = "{cache}"
yields = true
[firmware.read_cache]
segments = 16
segment_sectors = 512
[layers.tessera]
buffer = "12 MiB"
"""


def run(folder, cache, blocks=384, layer="cmr"):
    write_run(folder, {"host.requests": metric(2)}, requests_of([1, 2]), {"layer": layer})
    (folder / "drive.toml").write_text(DRIVE.format(cache=cache, blocks=blocks))
    return Run(folder)


def test_a_layer_s_own_buffer_counts_as_the_drive_s_write_cache(tmp_path):
    runs = {"cmr": run(tmp_path / "a", "12 MiB"), "tessera": run(tmp_path / "b", "0 B", layer="tessera")}
    assert terms(runs) == (
        "Equal for all: the platters, write buffer 12 MiB, read cache 16 segments of 512 sectors, DRAM 256 MiB, flash 384 blocks, queue shortest positioning."
    )


def test_what_only_one_layer_has_is_named(tmp_path):
    runs = {"cmr": run(tmp_path / "a", "0 B"), "imr-rmw": run(tmp_path / "c", "0 B", 0), "tessera": run(tmp_path / "b", "0 B", layer="tessera")}
    text = terms(runs)
    assert "NOT equal: write buffer: none (cmr, imr-rmw); 12 MiB (tessera)." in text
    assert "NOT equal: flash: 384 blocks (cmr, tessera); none (imr-rmw)." in text


def test_memory_of_a_host_that_translates_is_named(tmp_path):
    runs = {"cmr": run(tmp_path / "a", "12 MiB"), "zoned:log": run(tmp_path / "b", "12 MiB", layer="zoned")}
    assert "in the host" not in terms(runs)
    file = tmp_path / "b" / "drive.toml"
    file.write_text(file.read_text() + '[hosts]\ntranslation = "log"\n[hosts.log]\nwrite_buffer = "12 MiB"\n')
    assert terms(runs).endswith(" NOT equal: write buffer in the host: none (cmr); 12 MiB (zoned:log).")


def test_a_run_without_a_description_says_nothing(tmp_path):
    write_run(tmp_path, {"host.requests": metric(2)}, requests_of([1, 2]))
    assert terms({"cmr": Run(tmp_path)}) == "" == terms({})


def test_a_write_cache_that_yields_to_a_layer_s_own_buffer_is_not_what_that_layer_has(tmp_path):
    runs = {"cmr": run(tmp_path / "a", "1 MiB"), "tessera": run(tmp_path / "b", "1 MiB", layer="tessera")}
    assert terms(runs).endswith(" NOT equal: write buffer: 1 MiB (cmr); 12 MiB (tessera).")


def test_a_comparison_begins_with_the_same_sentences(tmp_path):
    words = ("--layers", "cmr,sblock,tessera", "--workload", "web-server", "--fold", "--limit", 100)
    for name, settings in {"alike": (), "unlike": ("--set", "firmware.write_cache.capacity=1 MiB")}.items():
        folder = tmp_path / name
        said = simulate("compare", "common", *words, *settings, "--out", folder).stdout
        expected = terms({layer: Run(folder / layer / "1") for layer in ("cmr", "sblock", "tessera")})
        assert expected == json.loads((folder / "compare.json").read_text())["comparison"]["terms"]
        unlike = "NOT equal: write buffer: 1 MiB (cmr); 12 MiB (sblock, tessera)."
        assert (unlike in expected) == (name == "unlike") == (f"\n  ! {unlike}\n" in said)
        assert f"note: {expected.split(' NOT ')[0]}\n" in said.replace("\n    ", " ")


def test_a_sweep_over_layers_says_what_they_share_apart_from_its_axes():
    layers, alike = ("cmr", "tessera"), "Equal for all: the platters, write buffer 12 MiB, read cache 16 segments of 512 sectors, DRAM 256 MiB, flash 384 blocks, queue shortest positioning."
    assert terms_of_sweep(drive_parameters("demo"), layers, {}, ("layer",)) == alike
    unlike = terms_of_sweep(drive_parameters("demo"), layers, {"firmware.write_cache.capacity": "1 MiB"}, ("layer", "firmware.read_cache.segments"))
    assert unlike.endswith(" NOT equal: write buffer: 1 MiB (cmr); 12 MiB (tessera).") and "read cache" not in unlike
    assert "write buffer" not in terms_of_sweep(drive_parameters("demo"), layers, {}, ("layer", "layers.tessera.buffer"))
