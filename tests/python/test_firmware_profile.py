"""tessera firmware profile: where an image's cycles go, in a table and in the forms of other tools; no result of the run changes."""

import json
import re
import shutil
import subprocess

import pytest
from debugger import NEEDED
from images import build_plain
from samples import REPOSITORY
from simulate import simulate
from typer.testing import CliRunner

from tessera.cli import app
from tessera.firmware.profile import Profile

pytestmark = [NEEDED[1], pytest.mark.usefixtures("the_built_simulator")]
INPUT = ("--workload", "random-4k", "--limit", 200, "--replay", "queue:4")


def profiled(image, out, *words, status=0):
    done = CliRunner().invoke(app, ["firmware", "profile", str(image), *map(str, (*INPUT, *words)), "--out", str(out)])
    assert done.exit_code == status, done.output
    return done.output


def metrics(folder):
    summary = json.loads((folder / "summary.json").read_text())
    return {name: value for name, value in summary["metrics"].items() if "of this machine" not in value["description"]}


@pytest.fixture(scope="module")
def image(tmp_path_factory):
    return build_plain(tmp_path_factory.mktemp("image"))


def test_every_cycle_has_a_function_and_a_cause_and_results_stay(image, tmp_path):
    simulate("run", "demo", "--elf", image, *INPUT, "--set", "processor.code_cache.size=1 KiB", "--requests", "--out", tmp_path / "alone")
    shown = profiled(image, tmp_path / "out", "--set", "processor.code_cache.size=1 KiB", "--requests", "--caches", "empty")
    assert (tmp_path / "out" / "requests.npy").read_bytes() == (tmp_path / "alone" / "requests.npy").read_bytes()
    assert metrics(tmp_path / "out") == metrics(tmp_path / "alone")
    profile = Profile(tmp_path / "out" / "profile.json")
    whole = profile.whole
    causes = dict(zip(profile.causes, whole.causes))
    counted = metrics(tmp_path / "out")
    # The profile begins with the boot, the figures of the run with its first request.
    assert 0 <= whole.instructions - counted["processor.instructions"]["value"] < 0.05 * whole.instructions
    assert 0 <= profile.worked(whole.causes) - counted["processor.cycles"]["value"] < 0.05 * profile.worked(whole.causes)
    assert causes["device"] > 0 and causes["code"] > 0 and causes["branch"] > 0 and causes["asleep"] > 0 and causes["data"] == 0
    functions = profile.by_function()
    assert sum(profile.worked(cost.causes) for cost in functions.values()) == profile.worked(whole.causes)
    assert {"firmware", "take_commands", "get"} & set(functions)
    assert re.search(r"^ *\d+\.\d\d% +[\d,]+ +[\d,]+ .* firmware$", shown, re.MULTILINE)
    assert re.search(r"^[\d,]+ cycles for [\d,]+ instructions; asleep", shown)


def test_lines_are_of_the_source_and_rows_are_data(image, tmp_path):
    rows = json.loads(profiled(image, tmp_path / "out", "--by", "line", "--rows", 5, "--json"))
    assert len(rows["line"]) == 5 and all(re.search(r"plain_firmware\.c:\d+$", row["line"]) for row in rows["line"])
    assert [row["cycles"] for row in rows["line"]] == sorted((row["cycles"] for row in rows["line"]), reverse=True)
    assert "did you mean 'line'" in profiled(image, tmp_path / "out", "--by", "lines", status=2)


def test_forms_of_other_tools_hold_the_same_sums(image, tmp_path):
    profiled(image, tmp_path / "out")
    profile = Profile(tmp_path / "out" / "profile.json")
    cycles = profile.worked(profile.whole.causes)
    folded = (tmp_path / "out" / "stacks.folded").read_text().splitlines()
    assert sum(int(line.rpartition(" ")[2]) for line in folded) == cycles
    if shutil.which("callgrind_annotate") is not None:
        annotated = subprocess.run(["callgrind_annotate", "--auto=no", "--inclusive=yes", tmp_path / "out" / "callgrind.out"], capture_output=True, text=True, check=True).stdout
        assert f"{cycles:,} (100.0%)" in annotated
    coverage = (tmp_path / "out" / "coverage.info").read_text()
    source = REPOSITORY / "tests" / "images" / "plain_firmware.c"
    assert f"SF:{source}\n" in coverage
    counts = {int(number): int(count) for number, count in re.findall(r"^DA:(\d+),(\d+)$", coverage, re.MULTILINE)}
    assert max(counts.values()) >= 200
    assert 0 in counts.values()  # what nothing has called


def test_the_main_stack_s_high_water_mark_is_that_of_the_deepest_calls(tmp_path):
    source = tmp_path / "deep.c"
    made = CliRunner().invoke(app, ["new-firmware", "deep", "--out", str(tmp_path / "deep")])
    assert made.exit_code == 0, made.output
    text = (tmp_path / "deep" / "firmware.c").read_text()
    deep = "static __attribute__((noinline)) void deeper(void) { volatile char room[3000]; room[0] = 1; room[2999] = room[0]; }\n"
    source.write_text(text.replace("static __attribute__((noinline)) void begin(", deep + "static void begin(").replace("struct chain* chain = &chains[command->tag];", "struct chain* chain = &chains[command->tag];\n  deeper();"))
    built = CliRunner().invoke(app, ["firmware", "build", str(source)])
    assert built.exit_code == 0, built.output
    rows = json.loads(profiled(tmp_path / "deep.elf", tmp_path / "out", "--json"))
    assert 3000 < rows["stack"]["bytes"] < 4000 and rows["stack"]["calls"][-1] == "deeper"
    assert "deeper" in (tmp_path / "out" / "stacks.folded").read_text()


def test_what_is_no_profile_and_what_cannot_be_profiled_is_said(image, tmp_path):
    (tmp_path / "some.json").write_text("{}")
    with pytest.raises(Exception, match="is no profile: expected what 'tessera-sim run --firmware-profile' writes"):
        Profile(tmp_path / "some.json")
    refused = simulate("run", "demo", *INPUT, "--firmware-profile", tmp_path / "p.json", "--out", tmp_path / "out", status=2)
    assert "--firmware-profile needs --elf" in refused.stderr
    refused = simulate("run", "demo", "--elf", image, *INPUT, "--gdb", 0, "--firmware-profile", tmp_path / "p.json", "--out", tmp_path / "out", status=2)
    assert "--firmware-profile" in refused.stderr and "--gdb" in refused.stderr
