"""Policies of cleaning as plug-ins: one that answers what the layer would changes nothing, another one changes when and what is cleaned, none loses data,
and what is wrong with one is said with its name and place."""

import contextlib
import json
import re
import subprocess
import sys

import numpy as np
import pytest
from nbd import Served
from samples import BUILD, REPOSITORY
from simulate import simulate

from tessera import InputError, compare, sweep
from tessera.engine.libraries import check_layer, fitted, layers
from tessera.engine.simulation import Simulation
from tessera.environment import FULLEST, OWN, WAIT, CleaningEnvironment, CleaningEnvironments

EXAMPLES = REPOSITORY / "examples" / "policies"
HEADER = REPOSITORY / "platforms" / "plugin"
in_python = pytest.mark.skipif(not list(BUILD.glob("tessera_python-*.so")), reason="this build has no Python in it")
pytestmark = [pytest.mark.usefixtures("the_built_simulator"), in_python]

OWN_ANSWERS = """
#include "tessera_policy.h"
static tessera_policy_machine *last; /* of the instance that runs; others of the same run only boot */
static void *create(const tessera_policy *p, tessera_policy_machine *m, const tessera_value *v) { (void)p; (void)v; last = m; return m; }
static void destroy(void *self) { (void)self; }
static uint64_t answer(void *self, const tessera_cleaning *c) { (void)c; CODE return ((tessera_policy_machine *)self)->own(self); }
static const tessera_policy policy = {.abi = TESSERA_POLICY_ABI, .size = sizeof policy, .name = NAME, .summary = "as the layer", .create = create, .destroy = destroy, .when = answer, .choose = answer};
const tessera_policy *tessera_firmware_policy(uint32_t abi, uint32_t index) { (void)abi; return index == 0 ? &policy : NULL; }
"""


def compiled(folder, name="own", code="", source=OWN_ANSWERS):
    file = folder / f"{name}.c"
    file.write_text(source.replace("CODE", code).replace("NAME", f'"{name}"'))
    return library_of(file, folder / f"{name}.so")


def library_of(source, library):
    subprocess.run(["cc", "-std=c11", "-Wall", "-Wextra", "-O1", "-g", "-shared", "-fPIC", "-I", HEADER, source, "-o", library], check=True)
    return library


@pytest.fixture(scope="module")
def greedy(tmp_path_factory):
    return library_of(EXAMPLES / "greedy.c", tmp_path_factory.mktemp("greedy") / "greedy.so")


def python(folder, body, name="mine", imports=""):
    """A policy `mine` with a body of methods."""
    file = folder / f"{name}.py"
    file.write_text(f"import random\nfrom tessera.layer import MS, Figure, choice, count, time\nfrom tessera.policy import NEVER, Policy\n{imports}\n\nclass Mine(Policy):\n    '''of a test'''\n\n{body}\n")
    return file


def line_of(file, text):
    return 1 + next(number for number, line in enumerate(file.read_text().split("\n")) if text in line)


# Cleaning begins early: the media cache of the small drive is full after a hundred writes.
BUSY = ("--workload", "random-4k", "--fold", "--limit", 300)
SPARSE = ("--workload", "web-server", "--fold", "--limit", 600)
IDLE = ("--set", "layers.media_cache.idle_after=200 ms", "--set", "layers.tessera.idle_after=200 ms", "--set", "layers.host_aware.idle_after=200 ms")


def tessera(*words, status=0):
    shown = subprocess.run([sys.executable, "-m", "tessera", *map(str, words)], capture_output=True, text=True)
    assert shown.returncode == status, shown.stderr
    return shown


def ran(out, layer, file, *words, status=0, workload=BUSY):
    return simulate("run", "torture", "--layer", layer, *(("--firmware", file) if file else ()), *workload, "--out", out, *words, status=status)


def figures(out):
    """What the model says of a run, without this machine's figures."""
    named = json.loads((out / "summary.json").read_text())["metrics"]
    return {name: entry["value"] for name, entry in named.items() if "of this machine" not in entry["description"]}


def notes(out):
    return json.loads((out / "summary.json").read_text())["run"]["notes"]


# ---- what a policy decides ----

TAKERS = ("media-cache", "tessera", "host-aware", "mu-rmw")


@pytest.mark.parametrize("layer", TAKERS)
@pytest.mark.parametrize("workload", [BUSY, SPARSE], ids=["busy", "sparse"])
def test_a_policy_that_answers_what_the_layer_would_gives_its_figures(tmp_path, layer, workload):
    ran(tmp_path / "alone", layer, None, *IDLE, "--cut-at", "900ms", workload=workload)
    ahead = layer != "mu-rmw"  # never cleans before it must: who asks it when is a task that others know nothing of
    own = "    def when(self, cleaning):\n        return self.own()\n\n" * ahead + "    def choose(self, cleaning):\n        return self.own()\n\n    def arrived(self, arrival):\n        self.last = arrival"
    for name, file in (("mine", python(tmp_path, own)), ("own", compiled(tmp_path, source=OWN_ANSWERS if ahead else OWN_ANSWERS.replace(".when = answer, ", "")))):
        ran(tmp_path / name, f"{layer}:{name}", file, *IDLE, "--cut-at", "900ms", workload=workload)
        assert figures(tmp_path / name) == figures(tmp_path / "alone")
        assert json.loads((tmp_path / name / "summary.json").read_text())["run"]["layer"] == f"{layer}:{name}"
    assert workload == SPARSE or layer in ("tessera", "mu-rmw") or figures(tmp_path / "alone")["rmw.count"] > 20


def test_half_a_policy_leaves_the_other_half_to_the_layer(tmp_path):
    ran(tmp_path / "alone", "media-cache", None, *IDLE, workload=SPARSE)
    ran(tmp_path / "what", "media-cache:mine", python(tmp_path, "    def choose(self, cleaning):\n        return self.own()"), *IDLE, workload=SPARSE)
    ran(tmp_path / "when", "media-cache:mine", python(tmp_path, "    def when(self, cleaning):\n        return self.own()"), *IDLE, workload=SPARSE)
    assert figures(tmp_path / "alone")["cleaning.idle"] > 0
    assert figures(tmp_path / "what") == figures(tmp_path / "when") == figures(tmp_path / "alone")


def test_when_decides_whether_a_quiet_drive_cleans(tmp_path):
    never = python(tmp_path, "    def when(self, cleaning):\n        return NEVER")
    ran(tmp_path / "never", "media-cache:mine", never, *IDLE, workload=SPARSE)
    at_once = python(tmp_path, "    def when(self, cleaning):\n        return cleaning.now")
    ran(tmp_path / "at once", "media-cache:mine", at_once, *IDLE, workload=SPARSE)
    assert figures(tmp_path / "never")["cleaning.idle"] == 0
    assert figures(tmp_path / "at once")["cleaning.idle"] > 20
    assert figures(tmp_path / "at once")["map.extents"] == 0


def test_choose_decides_which_band_is_cleaned_and_is_told_of_each(tmp_path):
    told = (
        "    def choose(self, cleaning):\n        units = self.units()\n        assert len(units) == cleaning.units_cached and sum(u.cached for u in units) == cleaning.cached\n"
        "        assert cleaning.needed and sum(u.entries for u in units) == cleaning.entries <= cleaning.most_entries\n"
        "        assert all(0 < u.cached <= u.held <= u.sectors and 0 < u.newest <= u.oldest <= cleaning.room for u in units)\n"
        "        self.log([u.number for u in units if u.cleaned])\n        return units[-1].number\n\n    def when(self, cleaning):\n        return NEVER"
    )
    shown = ran(tmp_path / "out", "media-cache:mine", python(tmp_path, told), "--events", "--set", "firmware.write_cache.capacity=0 B")
    rows = [line.split(",") for line in (tmp_path / "out" / "events.csv").read_text().splitlines()[1:]]
    subjects = [int(row[3]) for row in rows if row[1:3] == ["rmw", "begin"]]
    assert len(subjects) > 10
    lists = [json.loads(line.split(": ", 1)[1]) for line in shown.stderr.splitlines() if ": [" in line]
    assert set(lists[-1]) <= set(subjects) and lists[0] == []


def test_a_greedy_policy_rewrites_fewer_bands_than_the_oldest_first(tmp_path, greedy):
    for name, words in (("media-cache", ()), ("media-cache:greedy", ("--firmware", greedy, "--set", "policies.greedy.weight=freed"))):
        simulate("run", "demo", "--layer", name, *words, "--workload", "web-server", "--fold", "--limit", 10000, "--caches", "used", "--check", "--out", tmp_path / name)
    alone, decided = figures(tmp_path / "media-cache"), figures(tmp_path / "media-cache:greedy")
    assert decided["scoreboard.errors"] == 0
    assert 0 < decided["rmw.count"] < alone["rmw.count"] / 2


def test_arrivals_and_what_was_served_are_told(tmp_path):
    body = (
        "    def setup(self):\n        self.came = self.latency = 0\n\n    def arrived(self, arrival):\n        self.came += 1\n        assert arrival.kind == 2 or (arrival.kind < 2 and arrival.blocks > 0)\n\n"
        "    def when(self, cleaning):\n        assert cleaning.served <= self.came <= cleaning.served + cleaning.outstanding + 1\n        self.latency = cleaning.latency\n        return cleaning.now + MS\n\n"
        "    def report(self):\n        return [Figure('mine.came', self.came, '1', 'commands'), Figure('mine.latency', self.latency / MS, 'ms', 'of all')]"
    )
    ran(tmp_path / "out", "media-cache:mine", python(tmp_path, body))
    found = figures(tmp_path / "out")
    assert found["mine.came"] >= found["host.served"] == 300
    assert 0 < found["mine.latency"] <= found["host.latency.mean"] * 300


# ---- safety ----

HOSTILE = """    seed = count(1, 0, 1000, "of its dice")

    def setup(self):
        self.dice = random.Random(self.seed)

    def when(self, cleaning):
        return self.dice.choice((cleaning.now, 0, cleaning.now + 1, NEVER, cleaning.now + self.dice.randrange(1000 * MS)))

    def choose(self, cleaning):
        return self.dice.choice(self.units()).number"""


@pytest.mark.parametrize("layer", TAKERS)
def test_a_hostile_policy_loses_nothing_under_torture(tmp_path, layer):
    file = python(tmp_path, HOSTILE)
    shown = simulate("torture", "torture", "--layer", f"{layer}:mine", "--firmware", file, "--durability", "none", "--operations", 12, "--cuts", 8, "--json")
    row = json.loads(shown.stdout)[0]
    assert row["layer"] == f"{layer}:mine" and row["failures"] == 0


def test_a_campaign_draws_a_policys_parameters_and_finds_nothing(tmp_path):
    file = python(tmp_path, HOSTILE)
    simulate("torture", "torture", "--layer", "media-cache:mine", "--firmware", file, "--campaign", "--runs", 4)


# ---- what is wrong with one ----

WHEN, CHOOSE = "    def when(self, cleaning):\n        ", "    def choose(self, cleaning):\n        "
WRONG = {
    "no unit": (CHOOSE + "return None", "def choose", "choose() gave None; expected the number of a unit"),
    "no such unit": (CHOOSE + "return 10**9", None, "choose() gave unit 1000000000, which there is not; expected one of the"),
    "a unit that holds nothing": (CHOOSE + "return next(n for n in range(10**6) if n not in {u.number for u in self.units()})", None, "of which the cache holds nothing; expected one of the"),
    "NEVER as a unit": (CHOOSE + "return NEVER", None, "choose() gave no unit; expected one of the"),
    "a time that is none": (WHEN + "return cleaning.now / 2", "def when", "expected a time in ps, such as cleaning.now, or NEVER"),
    "a time before the beginning": (WHEN + "return -1", "def when", "gave -1; expected a time in ps"),
    "an exception in when": (WHEN + "return {}[7]", "return {}[7]", "in Mine.when: KeyError: 7"),
    "an exception in choose": (CHOOSE + "return {}[7]", "return {}[7]", "in Mine.choose: KeyError: 7"),
    "an exception in arrived": (CHOOSE + "return self.own()\n\n    def arrived(self, arrival):\n        raise ValueError(arrival.kind)", "raise ValueError", "in Mine.arrived: ValueError"),
    "a question of its own outside one": (CHOOSE + "return self.own()\n\n    def arrived(self, arrival):\n        self.units()", None, "list() outside when() and choose()"),
    "an endless loop": (CHOOSE + "while True: pass", "while True", "TimeoutError: choose() has not come back after 1 s of processor time"),
    "an unknown charge": (CHOOSE + "self.charge('hsah')", "hsah", "unknown operation 'hsah'; expected one of command,"),
}  # fmt: skip


@pytest.mark.parametrize("what", WRONG)
def test_a_wrong_answer_ends_the_run_in_order_with_name_place_and_results(tmp_path, what):
    body, at, sentence = WRONG[what]
    file = python(tmp_path, body)
    shown = ran(tmp_path / "out", "media-cache:mine", file, "--firmware-patience", 1, "--check", status=3)
    assert f"firmware fault: {file} (mine), at " in shown.stderr and "model bug" not in shown.stderr
    assert sentence in shown.stderr
    if at is not None:
        assert f"{file}:{line_of(file, at)}" in shown.stderr
    found = figures(tmp_path / "out")
    assert 0 < found["host.served"] < 300 and found["scoreboard.errors"] == 0
    assert any(sentence in note for note in notes(tmp_path / "out"))


def test_a_fault_at_power_on_ends_the_run_before_it_begins(tmp_path):
    file = python(tmp_path, CHOOSE + "return self.own()\n\n    def setup(self):\n        raise ValueError('not today')")
    shown = ran(tmp_path / "out", "media-cache:mine", file, status=3)
    assert f"{file}:{line_of(file, 'not today')}, in Mine.setup: ValueError: not today" in shown.stderr and "model bug" not in shown.stderr


LOOP = "static int asked; if (++asked > 20) for (;;) {}"  # of a policy in C, once its cache is in use


def test_a_policy_in_c_that_never_ends_ends_the_run_in_order_with_its_name_and_results(tmp_path):
    shown = ran(tmp_path / "out", "media-cache:own", compiled(tmp_path, code=LOOP), "--firmware-patience", 1, "--check", status=3)
    assert f"firmware fault: {tmp_path / 'own.so'} (own), at " in shown.stderr and "has not come back after 1 s of processor time" in shown.stderr
    found = figures(tmp_path / "out")
    assert 0 < found["host.served"] < 300 and found["scoreboard.errors"] == 0
    assert json.loads((tmp_path / "out" / "summary.json").read_text())["run"]["partial"]


def test_a_policy_in_c_that_never_ends_as_it_is_made_is_named(tmp_path):
    source = OWN_ANSWERS.replace("last = m; return m;", "last = m; for (;;) {} return m;")
    shown = ran(tmp_path / "out", "media-cache:own", compiled(tmp_path, source=source), "--firmware-patience", 1, status=3)
    assert "(own), at 0.000000 ms: create() has not come back after 1 s" in shown.stderr


def test_a_policy_in_c_that_loops_in_what_it_calls_is_named(tmp_path):
    code = "static char text[1 << 24]; memset(text, 1, sizeof text - 1); for (;;) (void)strlen(text);"
    source = "#include <string.h>\n" + OWN_ANSWERS
    shown = ran(tmp_path / "out", "media-cache:own", compiled(tmp_path, code=code, source=source), "--firmware-patience", 1, status=3)
    assert "(own)" in shown.stderr and "has not come back after 1 s" in shown.stderr


def test_a_run_that_a_policy_ended_can_be_made_again_and_looked_at(tmp_path):
    file = python(tmp_path, CHOOSE + "return 10**9")
    ran(tmp_path / "out", "media-cache:mine", file, status=3)
    shown = tessera("explain", tmp_path / "out", 3, "--firmware", file)
    assert "Request 3 " in shown.stdout
    tessera("view", tmp_path / "out", "--yes", "--firmware", file)
    assert (tmp_path / "out" / "view.html").exists()


def test_a_run_that_did_not_end_says_so_where_it_is_read(tmp_path):
    crash = compiled(tmp_path, code="static int asked; if (++asked > 20) *(volatile int *)0 = 1;")
    shown = ran(tmp_path / "out", "media-cache:own", crash, status=3)
    assert "(own): " in shown.stderr and "crashed: Segmentation fault" in shown.stderr
    for words in (("view", tmp_path / "out"), ("explain", tmp_path / "out", 3), ("plot", tmp_path / "out")):
        assert "its run did not end" in tessera(*words, status=2).stderr


ARRAY = """
[array]
kind = "mirror"
[[drive]]
description = "torture"
layer = "media-cache:{policy}"
firmware = "{file}"
count = 2
"""


def test_an_array_s_drives_have_policies_and_results_up_to_the_fault_of_one(tmp_path):
    own, wrong = python(tmp_path, CHOOSE + "return self.own()"), python(tmp_path, CHOOSE + "return 10**9", name="wrong")
    for name, file, status in (("good", own, 0), ("bad", wrong, 3)):
        description = tmp_path / f"{name}.toml"
        description.write_text(ARRAY.format(policy="mine", file=file))
        shown = simulate("array", description, "--workload", "random-4k", "--fold", "--limit", 300, "--check", "--out", tmp_path / name, status=status)
        whole, drive = (json.loads((tmp_path / name / part / "summary.json").read_text()) for part in (".", "drive-0"))
        assert drive["run"]["layer"] == "media-cache:mine" and "layer media-cache:mine" in shown.stdout
        assert whole["run"]["partial"] == (status == 3) and "scoreboard:" not in shown.stderr
    assert f"firmware fault in drive 0: {wrong} (mine), at " in shown.stderr or f"firmware fault in drive 1: {wrong} (mine), at " in shown.stderr
    assert any("choose() gave unit 1000000000" in note for note in whole["run"]["notes"])


def test_a_served_drive_has_a_policy_and_ends_in_order_at_its_fault(tmp_path):
    file = python(tmp_path, CHOOSE + "return 10**9")
    words = ("--layer", "media-cache:mine", "--firmware", file, "--set", "firmware.write_cache.capacity=0 B", "--out", tmp_path / "out")
    with Served(tmp_path, "torture", *words) as drive:
        client = drive.connect()
        with contextlib.suppress(OSError, EOFError, AssertionError):
            for n in range(2000):
                client.write(4096 * (n * 37 % 2000), bytes(4096))
        assert drive.process.wait(60) == 3
        assert f"firmware fault: {file} (mine), at " in drive.log.read_text()
    run = json.loads((tmp_path / "out" / "summary.json").read_text())["run"]
    assert run["partial"] and run["layer"] == "media-cache:mine" and any("choose() gave unit" in note for note in run["notes"])


def test_a_policy_in_c_that_gives_up_is_named(tmp_path):
    shown = ran(tmp_path / "out", "media-cache:own", compiled(tmp_path, code='last->panic(last, "lost my dice");'), status=3)
    assert "(own), at " in shown.stderr and "panic: lost my dice" in shown.stderr
    assert figures(tmp_path / "out")["host.served"] > 0


def test_torture_counts_a_fault_of_a_policy(tmp_path):
    file = python(tmp_path, CHOOSE + "return 10**9")
    shown = simulate("torture", "torture", "--layer", "media-cache:mine", "--firmware", file, "--durability", "none", "--operations", 30, "--cuts", 1, status=3)
    assert "firmware fault" in shown.stdout + shown.stderr and "choose() gave unit 1000000000" in shown.stdout + shown.stderr


REFUSED = {
    "a layer without a choice": ("cmr:mine", "the layer cmr takes no policy of cleaning", "name a layer that takes one: "),
    "an unknown policy": ("media-cache:mien", "unknown policy 'mien'; did you mean 'mine'?", ""),
    "an unknown host": ("host-aware:lgo", "unknown host 'lgo'; did you mean 'log'?", ""),
    "an unknown layer": ("media-cahce:mine", "unknown layer 'media-cahce:mine'", ""),
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_a_layer_cannot_be_named_with_is_refused(tmp_path, what):
    name, *sentences = REFUSED[what]
    shown = ran(tmp_path / "out", name, python(tmp_path, CHOOSE + "return self.own()"), status=2)
    assert all(sentence in shown.stderr for sentence in sentences), shown.stderr


def test_a_policy_without_its_library_says_what_is_missing(tmp_path):
    shown = ran(tmp_path / "out", "media-cache:mine", None, status=2)
    assert "name the library or .py file that has it with --firmware" in shown.stderr


BROKEN = {
    "no answer at all": ("    pass", "", "it lacks when and choose, one of which it needs"),
    "the name of a host": ("    name = 'log'\n" + CHOOSE + "return 0", "", "the name 'log' is that of a host that translates"),
    "a bad name": ("    name = 'My Own'\n" + CHOOSE + "return 0", "", "a policy has the name 'My Own'; expected"),
    "one name twice": (CHOOSE + "return 0\n\nclass Other(Policy):\n    name = 'mine'\n" + CHOOSE + "return 0", "", "two policies have the name 'mine'"),
    "a layer that is a policy": (CHOOSE + "return 0\n\nclass Both(Layer, Policy):\n    pass", "from tessera.layer import Layer", "Both is a layer and a policy; expected one of them"),
}


@pytest.mark.parametrize("what", BROKEN)
def test_a_file_that_has_no_policy_to_give_is_refused(tmp_path, what):
    body, imports, sentence = BROKEN[what]
    shown = ran(tmp_path / "out", "media-cache:mine", python(tmp_path, body, imports=imports), status=2)
    assert sentence in shown.stderr


@pytest.mark.parametrize(("change", "sentence"), [
    ("TESSERA_POLICY_ABI, .size", "made for version 7 of the policy interface"),
    ("tessera_firmware_policy", "it exports neither tessera_firmware_layer() nor tessera_firmware_policy()"),
    ("index == 0", "tessera_firmware_policy() gives no policy for version 1"),
    (".create = create,", "it lacks create"),
])  # fmt: skip
def test_a_library_of_another_kind_is_refused(tmp_path, change, sentence):
    other = {"TESSERA_POLICY_ABI, .size": "7, .size", "tessera_firmware_policy": "other_entry", "index == 0": "index == 1000", ".create = create,": ""}[change]
    shown = ran(tmp_path / "out", "media-cache:own", compiled(tmp_path, source=OWN_ANSWERS.replace(change, other).replace("-Wextra", "")), status=2)
    assert sentence in shown.stderr


def test_a_policy_that_nobody_named_is_said_to_be_without_effect(tmp_path):
    file = python(tmp_path, CHOOSE + "return self.own()")
    ran(tmp_path / "out", "media-cache", file)
    assert any("are without effect" in note and "media-cache:mine" in note for note in notes(tmp_path / "out"))
    simulate("run", "torture", "--firmware", file, "--set", "layer=media-cache", *BUSY, "--out", tmp_path / "first")  # its first, where no layer is named
    assert json.loads((tmp_path / "first" / "summary.json").read_text())["run"]["layer"] == "media-cache:mine"


# ---- where layers are named ----


def test_a_run_loads_the_library_that_has_its_policy(tmp_path, greedy):
    own = python(tmp_path, HOSTILE)
    settings = {"policies.greedy.weight": "freed", "policies.mine.seed": 3, "layers.media_cache.band_tracks": 20}
    run = Simulation(drive="torture", layer="media-cache:greedy", workload="random-4k", firmware=(str(own), str(greedy)), settings=settings)
    assert fitted(run).firmware == (str(greedy),)
    assert fitted(run).settings == {"policies.greedy.weight": "freed", "layers.media_cache.band_tracks": 20}
    assert fitted(run.but(layer="media-cache")).firmware == ()
    assert layers((str(own), str(greedy)))["media-cache"]["policies"] == ["mine", "greedy"]
    with pytest.raises(InputError, match="did you mean 'media-cache:greedy'"):
        check_layer("media-cache:gredy", (str(greedy),))


def test_a_comparison_and_a_sweep_name_policies_where_they_name_layers(tmp_path, greedy):
    made = compare("torture", layers=["media-cache", "media-cache:greedy"], workload="random-4k", fold=True, limit=300, firmware=str(greedy), seeds=2, jobs=1, caches="empty", out=tmp_path / "compared")
    assert set(made.layers["layer"]) == {"media-cache", "media-cache:greedy"}
    (tmp_path / "sweep.toml").write_text(
        f'[run]\ndrive = "torture"\nworkload = "random-4k"\nfold = true\nlimit = 200\ncaches = "empty"\nfirmware = "{greedy}"\n[axes]\nlayer = ["media-cache", "tessera:greedy"]\n'
        '[[branch]]\nwhere = { layer = "tessera:greedy" }\naxes = { "policies.greedy.weight" = ["freed", "freed_per_moved"] }\n'
    )
    rows = sweep(tmp_path / "sweep.toml", out=tmp_path / "swept", jobs=1)
    assert rows.failed.height == 0
    assert [(row["axis.layer"], row["axis.policies.greedy.weight"]) for row in rows.good.sort("axis.layer", "axis.policies.greedy.weight").iter_rows(named=True)] == [
        ("media-cache", None), ("tessera:greedy", "freed"), ("tessera:greedy", "freed_per_moved"),
    ]  # fmt: skip


def test_a_state_fits_the_layer_with_any_policy(tmp_path, greedy):
    ran(tmp_path / "saved", "media-cache", None, "--save-state", tmp_path / "plain.state", "--check")
    ran(tmp_path / "again", "media-cache:greedy", greedy, "--load-state", tmp_path / "plain.state", "--save-state", tmp_path / "greedy.state", "--check")
    ran(tmp_path / "back", "media-cache", None, "--load-state", tmp_path / "greedy.state", "--check")
    assert figures(tmp_path / "back")["scoreboard.errors"] == 0


# ---- the environment ----


def environment(**options):
    return CleaningEnvironment("torture", workload="web-server", fold=True, limit=200, caches="empty", **options)


def episode(made, choose, seed=1):
    """Rewards, features of each observation, and the metrics of the end."""
    observation, info = made.reset(seed=seed)
    rewards, seen = [], [observation]
    while "metrics" not in info:
        observation, reward, ended, truncated, info = made.step(choose(observation))
        assert ended == ("metrics" in info) and not truncated
        rewards.append(reward)
        seen.append(observation)
    return rewards, np.array(seen), info["metrics"]


def test_an_episode_is_a_run_and_the_same_each_time():
    made = environment()
    first = episode(made, lambda seen: OWN if seen[0] > 0.5 else WAIT)
    again = episode(made, lambda seen: OWN if seen[0] > 0.5 else WAIT)
    other = episode(made, lambda seen: OWN if seen[0] > 0.5 else WAIT, seed=2)
    assert first[0] == again[0] and (first[1] == again[1]).all()
    assert len(first[0]) != len(other[0]) or first[0] != other[0]
    assert first[2]["host.served"] == 200 and first[2]["cleaning.idle"] > 0
    latency = first[2]["host.latency.mean"] * 200 / 1000
    assert 0.5 * latency < -sum(first[0]) <= latency


def test_an_environment_does_what_it_is_told():
    made = environment()
    waited = episode(made, lambda _: WAIT)[2]
    cleaned = episode(made, lambda _: FULLEST)[2]
    assert waited["cleaning.idle"] == 0 < cleaned["cleaning.idle"]
    with pytest.raises(InputError, match="expected one of 0, 1, 2, found 3"):
        made.reset(seed=1)
        made.step(3)
    made.close()
    with pytest.raises(InputError, match="call reset"):
        made.step(WAIT)


def test_environments_side_by_side_are_those_alone():
    rule = lambda seen: OWN if seen[0] > 0.5 else WAIT  # noqa: E731
    alone = [episode(environment(), rule, seed)[2] for seed in (1, 2)]
    several = CleaningEnvironments([environment, environment])
    observations, _ = several.reset(seed=1)
    found: list = [None, None]
    while None in found:
        observations, rewards, ended, _, infos = several.step([rule(seen) for seen in observations])
        assert observations.shape == (2, 8) and rewards.shape == (2,)
        found = [old or new for old, new in zip(found, infos["metrics"])]
    several.close()
    assert [one["host.latency.mean"] for one in found] == [one["host.latency.mean"] for one in alone]


def test_an_environment_that_cannot_run_says_why():
    with pytest.raises(InputError, match="takes no policy of cleaning"):
        CleaningEnvironment("torture", layer="cmr", workload="random-4k", fold=True, limit=10).reset()
    with pytest.raises(InputError, match="found 'media-cache:mine'"):
        CleaningEnvironment("torture", layer="media-cache:mine", workload="random-4k")


def test_gymnasium_takes_it():
    gymnasium = pytest.importorskip("gymnasium")
    from gymnasium.utils.env_checker import check_env

    check_env(gymnasium.make("tessera/Cleaning-v0", drive="torture", workload="web-server", fold=True, limit=200, caches="empty").unwrapped, skip_render_check=True)
