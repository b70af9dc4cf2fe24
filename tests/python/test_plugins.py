"""Layers out of shared libraries: the tree's own behind the firmware interface, the examples, and libraries that break its rules."""

import json
import shutil
import subprocess

import pytest
from samples import BUILD, REPOSITORY
from simulate import LAYERS, SIMULATOR, simulate

HEADER = REPOSITORY / "platforms" / "plugin"
EXAMPLES = REPOSITORY / "examples" / "firmware"
IN_TREE = BUILD / "tests" / "plugins" / "tessera_layers.so"
SANITIZED = "sanitize" in BUILD.name
WORKLOAD = ("--workload", "web-server", "--fold")


def compiled_c(source, library, *options):
    sanitizers = ("-fsanitize=address,undefined", "-fno-sanitize-recover=all") if SANITIZED else ()
    command = ["cc", "-std=c11", "-Wall", "-Wextra", "-Werror", "-O1", "-g", "-shared", "-fPIC", *sanitizers, *options, "-I", HEADER, source, "-o", library]
    subprocess.run([str(word) for word in command], check=True)
    return library


@pytest.fixture(scope="module")
def in_c(tmp_path_factory):
    return compiled_c(EXAMPLES / "interlaced_in_place.c", tmp_path_factory.mktemp("c") / "libinterlaced.so")


@pytest.fixture(scope="module")
def in_rust(tmp_path_factory):
    if shutil.which("rustc") is None:
        pytest.skip("no rustc on this machine: the example in Rust is not built")
    library = tmp_path_factory.mktemp("rust") / "libmirror.so"
    subprocess.run(["rustc", "--edition", "2021", "-O", "-D", "warnings", "--crate-type", "cdylib", EXAMPLES / "mirror.rs", "-o", library], check=True)
    return library


def figures(folder):
    """What the model says of a run, without the machine's own figures and the library's name."""
    summary = json.loads((folder / "summary.json").read_text())
    summary["run"].pop("firmware", None)
    del summary["inputs"]
    summary["metrics"] = {name: value for name, value in summary["metrics"].items() if "of this machine" not in value["description"]}
    return summary


@pytest.mark.parametrize("layer", LAYERS)
def test_a_layer_of_the_tree_gives_the_same_summary_behind_the_interface(tmp_path, layer):
    common = ("run", "bare", "--layer", layer, *WORKLOAD, "--limit", 1000, "--prefill", 100, "--seed", 3, "--check", "--requests", "--events", "--cut-at", "2s")
    simulate(*common, "--out", tmp_path / "native")
    simulate(*common, "--firmware", IN_TREE, "--out", tmp_path / "plugin")
    assert json.loads((tmp_path / "plugin" / "summary.json").read_text())["run"]["firmware"] == IN_TREE.name
    assert figures(tmp_path / "native") == figures(tmp_path / "plugin")
    for file in ("requests.npy", "events.csv"):
        assert (tmp_path / "native" / file).read_bytes() == (tmp_path / "plugin" / file).read_bytes()


def test_what_a_write_cache_hides_of_the_host_s_writes_reaches_a_layer_behind_the_interface(tmp_path):
    cached = ("run", "interlaced-paper", "--layer", "imr-flip", *WORKLOAD, "--limit", 2000, "--set", "layers.imr_flip.heat=host")
    simulate(*cached, "--out", tmp_path / "native")
    simulate(*cached, "--firmware", IN_TREE, "--out", tmp_path / "plugin")
    assert figures(tmp_path / "native") == figures(tmp_path / "plugin")
    assert json.loads((tmp_path / "plugin" / "summary.json").read_text())["metrics"]["heat.arrived"]["value"] > 1000


@pytest.mark.parametrize("example", ["in_c", "in_rust"])
def test_an_example_serves_every_request_and_keeps_every_write(tmp_path, example, request):
    library = request.getfixturevalue(example)
    simulate("check", "bare", "--firmware", library)
    simulate("run", "bare", "--firmware", library, *WORKLOAD, "--limit", 2000, "--prefill", 100, "--check", "--cut-at", "1s", "--out", tmp_path)
    metrics = json.loads((tmp_path / "summary.json").read_text())["metrics"]
    assert metrics["host.served"]["value"] == 2000
    assert metrics["scoreboard.errors"]["value"] == 0


def test_the_example_that_loses_data_is_found_out(tmp_path):
    """What the first page shows: a run with content checking and torture each name the blocks that a careless layer lost."""
    library = compiled_c(EXAMPLES / "careless.c", tmp_path / "libcareless.so", "-Wno-unused-parameter")
    run = simulate("run", "common", "--firmware", library, *WORKLOAD, "--limit", 5000, "--check", "--out", tmp_path / "out", status=3)
    assert "came back wrong" in run.stdout and "found a read that fails" in run.stderr
    cut = ("--cut-at", "40s", "--out", tmp_path / "cut")
    simulate("run", "common", "--firmware", library, *WORKLOAD, "--limit", 5000, "--check", *cut, status=3)
    wrong = [json.loads((tmp_path / name / "summary.json").read_text())["metrics"]["scoreboard.errors"]["value"] for name in ("out", "cut")]
    assert wrong[1] > wrong[0]  # what the verification after the cut saw, too
    tortured = simulate("torture", "torture", "--firmware", library, "--durability", "none", "--operations", 5, "--cuts", 5, status=1)
    assert "loss: careless" in tortured.stdout + tortured.stderr


def test_a_fault_in_a_verification_ends_the_run_with_its_sentence(tmp_path):
    """The host only writes: none but the copy of the process that verifies what is there after the cut meets the fault."""
    code = (EXAMPLES / "careless.c").read_text()
    code = code.replace("int again) { event", "int again) { cut = again; event").replace("struct layer {", "static int cut;\nstruct layer {", 1)
    code = code.replace("  for (uint32_t done", "  if (cut && c->kind == TESSERA_READ) event(l, c->operation, TESSERA_OK, 0);\n  for (uint32_t done", 1)
    (tmp_path / "faulty.c").write_text(code)
    library = compiled_c(tmp_path / "faulty.c", tmp_path / "libfaulty.so", "-Wno-unused-parameter")
    writes = tmp_path / "writes.csv"
    writes.write_text("".join(f"{128166372003061629 + n * 100000},hm,0,Write,{n * 8192},4096,1\n" for n in range(200)))
    words = ("run", "common", "--firmware", library, "--trace", writes, "--cut-at", "1 s", "--prefill", 0)
    simulate(*words, "--out", tmp_path / "unseen", status=0)
    error = simulate(*words, "--check", "--out", tmp_path / "seen", status=3).stderr
    assert "which is complete already" in error or "which is not under way" in error
    assert error.count("\n") == 1


@pytest.mark.parametrize("example", ["in_c", "in_rust"])
def test_an_example_loses_nothing_under_torture(example, request):
    library = request.getfixturevalue(example)
    for more in (("--durability", "none"), ("--durability", "plp", "--faults", "torn")):
        row = json.loads(simulate("torture", "torture", "--firmware", library, *more, "--operations", 20, "--cuts", 20, "--json").stdout)[0]
        assert row["failures"] == 0
        assert row["cuts"]["replay"] > 20
        assert row["cuts"]["recovery"] > 0


def test_the_example_in_c_without_its_record_loses_tops_under_torture(tmp_path):
    broken = tmp_path / "broken.c"
    broken.write_text((EXAMPLES / "interlaced_in_place.c").read_text().replace("memcpy(l->header, &record, sizeof record);", "(void)record;"))
    library = compiled_c(broken, tmp_path / "libbroken.so")
    result = simulate("torture", "torture", "--firmware", library, "--durability", "none", "--operations", 40, "--cuts", 40, "--json", status=1)
    assert json.loads(result.stdout)[0]["failures"] > 0


def test_the_list_of_layers_has_those_of_a_library(in_c):
    listed = {layer["name"]: layer for layer in json.loads(simulate("list", "layers", "--json", "--firmware", in_c).stdout)}
    assert "in-place" in listed and listed["shingled-in-place-14r23"]["former_names"] == ["static-14r23"]
    assert "--firmware belongs to 'list layers' and 'list parameters'" in simulate("list", "drives", "--firmware", in_c, status=2).stderr
    assert "this is not the firmware that was asked for" in simulate("list", "layers", "--firmware", in_c, "--firmware-digest", "0" * 64, status=2).stderr


def test_the_parameters_of_a_library_are_listed_with_those_of_the_tree(in_c):
    for drive in ((), ("demo",)):
        listed = {entry["path"]: entry for entry in json.loads(simulate("list", "parameters", *drive, "--json", "--firmware", in_c).stdout)}
        own = listed["layers.in_place.top_ratio"]
        assert (own["type"], own["range"], own["value"]) == ("number", "0.1 to 1", "0.9") and own["description"].startswith("sectors of a top track")
        assert "media.rpm" in listed
    assert "layers.in_place" not in simulate("list", "parameters", "--json").stdout
    assert "an array names its libraries in its file" in simulate("list", "parameters", "--arrays", "--firmware", in_c, status=2).stderr


def test_compare_shows_a_library_beside_the_tree(tmp_path, in_c):
    table = simulate("compare", "bare", "--layers", "imr-rmw,in-place", "--firmware", in_c, *WORKLOAD, "--limit", 300, "--out", tmp_path).stdout
    assert "in-place" in table and "imr-rmw" in table


def test_a_parameter_of_a_library_is_one_of_the_description(tmp_path, in_c):
    simulate("check", "bare", "--firmware", in_c, "--set", "layers.in_place.top_ratio=0.5")
    assert "between 0.1 and 1" in simulate("check", "bare", "--firmware", in_c, "--set", "layers.in_place.top_ratio=2", status=2).stderr
    assert "unknown key 'layers.in_place.top_ratoi'; did you mean" in simulate(
        "check", "bare", "--firmware", in_c, "--set", "layers.in_place.top_ratoi=1", status=2).stderr  # fmt: skip


@pytest.mark.skipif(SANITIZED or shutil.which("valgrind") is None, reason="valgrind does not go with the sanitizers, or is not on this machine")
def test_valgrind_finds_nothing_in_the_example_in_c(tmp_path, in_c):
    run = ["run", "bare", "--firmware", in_c, *WORKLOAD, "--limit", "100", "--check", "--out", tmp_path]
    result = subprocess.run(["valgrind", "-q", "--error-exitcode=9", SIMULATOR, *run], capture_output=True, text=True)
    assert result.returncode == 0, result.stderr


# What is wrong, the exit status, and what the one sentence says.
BAD = {
    "WRONG_VERSION": (2, "made for version 2 of the firmware interface"),
    "NO_LAYER": (2, "gives no layer for version 1"),
    "LACKS_COMMAND": (2, "it lacks command"),
    "PLANS_NOTHING": (2, "plan() names no region"),
    "PLANS_NO_TRACKS": (2, "region 'data' is empty"),
    "PLANS_BEYOND": (2, "takes 32768 radii from 1 on; the drive has 32768"),
    "PLANS_ODD_FORMAT": (2, "recording format 9, which is none"),
    "REFUSES_PLAN": (2, "bad: it is Monday"),
    "NO_CAPACITY": (2, "user_sectors() is 0"),
    "NOT_CREATED": (2, "create() gave NULL"),
    "TOO_LARGE": (2, "cannot hold the a table larger than any memory"),
    "ODD_PARAMETER": (2, "parameter 0 has no name, description, known kind or choices"),
    "PLAN_LOOPS": (3, "plan() has not come back after 1 s of processor time"),
    "COMMAND_LOOPS": (3, "command() has not come back after 1 s of processor time"),
    "UNKNOWN_OPERATION": (3, "which is not under way"),
    "OTHER_OPERATION": (3, "which is not the one that runs"),
    "COMPLETES_TWICE": (3, "which is complete already"),
    "ODD_STATUS": (3, "complete() with status 77"),
    "MEDIA_OUT_OF_RANGE": (3, "media address out of range"),
    "TRACK_TOO_SHORT": (3, "a track of 512 sectors"),
    "NO_STEPS": (3, "a media chain has 0 steps; 1 to 16 may be"),
    "FOREIGN_DATA": (3, "which no buffer of its own or of a command under way holds"),
    "TWO_WAITS": (3, "is to wait for two things, timer() and media()"),
    "NEVER_WAITS": (3, "neither waits nor completes"),
    "NEVER_READY": (3, "(bad): liveness: the drive has not answered request 0"),
    "NEVER_IDLE": (3, "(bad): liveness: the drive does nothing after the last request, and is not idle"),
    "READY_NOT_PARKED": (3, "which is not parked"),
    "NO_FLASH": (3, "flash() on a drive without flash"),
    "ODD_CHARGE": (3, "charge() names operation 99"),
    "ODD_GAUGE": (3, "gauge() names number 5, which is none"),
    "GAUGE_IN_TWO_COLUMNS": (3, "declare_gauge(): a gauge has the name 'free,blocks'; expected up to 64 letters, digits and any of '._-'"),
    "EVENT_IN_TWO_LINES": (3, "note(): an event has the name 'rmw?merge'"),
    "PANICS": (3, "panic: a table contradicts itself"),
    "FAULT_AT_BOOT": (3, " ms: charge() names operation 99"),
    "WILD_POINTER": (3, "(bad): command() crashed: Segmentation fault; line of the source: addr2line -e "),
    "ABORTS": (3, "(bad): command() crashed: Aborted"),
    "RECURSES": (3, "(bad): command() crashed: Segmentation fault; line of the source: addr2line -e "),
    "FIGURE_TWICE": (3, "report(): the figure 'own.figure' is reported already"),
    "FIGURE_IN_TWO_COLUMNS": (3, "report(): a figure has the name 'a,b'; expected up to 64 letters, digits and any of '._-'"),
    "NAMELESS_FIGURE": (3, "report(): a figure without name, unit or description"),
}


def bad_run(library, tmp_path, status):
    return simulate("run", "bare", "--firmware", library, "--firmware-patience", 1, "--workload", "random-4k", "--fold", "--limit", 20, "--check",
                    "--set", "nand.blocks=0", "--out", tmp_path / "out", status=status)  # fmt: skip


def test_the_library_that_the_bad_ones_are_made_of_is_without_fault(tmp_path):
    bad_run(compiled_c(REPOSITORY / "tests" / "plugins" / "bad_firmware.c", tmp_path / "good.so", "-DBAD=NONE"), tmp_path, 0)


@pytest.mark.parametrize("what", BAD)
def test_a_library_that_breaks_a_rule_ends_the_run_with_one_sentence(tmp_path, what):
    status, sentence = BAD[what]
    library = compiled_c(REPOSITORY / "tests" / "plugins" / "bad_firmware.c", tmp_path / "bad.so", f"-DBAD={what}")
    error = bad_run(library, tmp_path, status).stderr
    assert sentence in error
    assert error.startswith("tessera-sim: ")
    assert what in ("NEVER_READY", "NEVER_IDLE") or error.count("\n") == 1


NAMES = ("../../../x/ESC", "a,b", "all", "best", "-a", "A", "a b", "a\\nb", "\\033[31m", "a" * 65, "ä", ".", "a/b")


@pytest.mark.parametrize("name", NAMES)
def test_a_layer_s_name_is_a_plain_word(tmp_path, name):
    library = compiled_c(REPOSITORY / "tests" / "plugins" / "bad_firmware.c", tmp_path / "bad.so", "-DBAD=NONE", f'-DNAME="{name}"')
    words = ("compare", "common", "--layers", "all", "--firmware", library, "--workload", "random-4k", "--limit", 1, "--out", tmp_path / "a" / "b" / "c")
    error = simulate(*words, status=2).stderr
    assert "a layer has the name '" in error and "expected up to 64 of a-z, 0-9 and '-'" in error
    assert error.isprintable() or error.rstrip("\n").isprintable()
    assert {file.name for file in tmp_path.iterdir()} == {"bad.so"}


@pytest.mark.parametrize("what", ["REGION", "PARAMETER"])
def test_a_region_and_a_parameter_have_plain_names(tmp_path, what):
    source = REPOSITORY / "tests" / "plugins" / "bad_firmware.c"
    library = compiled_c(source, tmp_path / "bad.so", f"-DBAD={'ODD_PARAMETER' if what == 'PARAMETER' else 'NONE'}", f'-D{what}="a,b"', "-DPLAIN")
    error = simulate("check", "common", "--firmware", library, "--set", "nand.blocks=0", status=2).stderr
    assert "has the name 'a,b'; expected up to 64 letters, digits" in error


def test_what_is_no_firmware_is_refused(tmp_path):
    text = tmp_path / "text.so"
    text.write_text("not a library\n")
    source = REPOSITORY / "tests" / "plugins" / "bad_firmware.c"
    no_entry = compiled_c(source, tmp_path / "no_entry.so", "-DBAD=NONE", "-DNO_ENTRY", "-Wno-unused")
    undefined = compiled_c(source, tmp_path / "undefined.so", "-DBAD=NONE", "-DUNDEFINED")
    for library, sentence in (
        (tmp_path / "missing.so", "missing.so: there is no such file"),
        (tmp_path / "no_enrty.so", f"no_enrty.so: there is no such file; did you mean '{no_entry}'?"),
        (text, "text.so cannot be loaded: "),
        (no_entry, "it exports neither tessera_firmware_layer() nor tessera_firmware_policy()"),
        (undefined, "no_such_function"),
    ):
        assert sentence in simulate("check", "bare", "--firmware", library, status=2).stderr
    assert "--firmware-patience needs --firmware" in simulate("check", "bare", "--firmware-patience", 1, status=2).stderr


def test_an_installation_has_the_header(tmp_path):
    subprocess.run(["cmake", "--install", BUILD, "--prefix", tmp_path], check=True, capture_output=True)
    library = tmp_path / "lib.so"
    source = EXAMPLES / "interlaced_in_place.c"
    subprocess.run(["cc", "-std=c11", "-shared", "-fPIC", "-I", tmp_path / "include", source, "-o", library], check=True)
    assert "is valid" in subprocess.run([tmp_path / "bin" / "tessera-sim", "check", "bare", "--firmware", library], capture_output=True, text=True).stdout
