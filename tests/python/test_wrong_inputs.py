"""Wrong input to every Python command ends in a sentence that names it, never in a traceback: not UTF-8, of another shape, cut off, not a number."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from simulate import SIMULATOR
from typer.testing import CliRunner

from tessera.cli import app
from tessera.commands.group import INTERNAL

pytestmark = pytest.mark.usefixtures("the_built_simulator")

SWEEP = '[run]\nworkload = "random-4k"\nlimit = 10\n[axes]\nseed = [1, 2]\n'
SEARCH = '[run]\nworkload = "random-4k"\nlimit = 10\n[axes]\n"nand.dies" = [1, 2]\n[objectives]\n"host.latency.mean" = "minimise"\n'
GOOD_SUMMARY = {
    "schema": 1, "run": {"drive": "d", "layer": "cmr", "input": "i", "seed": 1, "tool": "t", "notes": [], "unstable": False, "cleans": False},
    "metrics": {"host.served": {"value": 1, "unit": "1", "description": "d"}},
}  # fmt: skip


def refused(*words: object) -> str:
    """What is said; the status is one of bad input, and nothing of Python shows."""
    result = CliRunner().invoke(app, [str(word) for word in words])
    assert "Traceback" not in result.output
    assert result.exit_code not in (0, INTERNAL), f"status {result.exit_code}: {result.output}"
    assert result.exception is None or isinstance(result.exception, SystemExit), repr(result.exception)
    return result.output


def file_of(folder: Path, name: str, content: str | bytes) -> Path:
    file = folder / name
    file.write_bytes(content.encode() if isinstance(content, str) else content)
    return file


PLANS = {
    "not UTF-8": b'title = "caf\xe9"\n' + SWEEP.encode(),
    "no TOML": "[[[",
    "empty": "",
    "cluster of lists": SWEEP + '[cluster]\nkind = ["slurm"]\n',
    "cluster without kind": SWEEP + "[cluster]\njobs = 2\n",
    "jobs in words": SWEEP + '[cluster]\nkind = "slurm"\njobs = "many"\n',
    "jobs below 1": SWEEP + '[cluster]\nkind = "slurm"\njobs = -1\n',
    "set is a list": SWEEP.replace("limit = 10", 'limit = 10\nset = ["a"]'),
    "set is a text": SWEEP.replace("limit = 10", 'limit = 10\nset = "nand.dies=2"'),
    "a list as a setting": SWEEP.replace("limit = 10", "limit = 10\nset = { nand = { dies = [1, 2] } }"),
    "a time as a limit": SWEEP.replace("limit = 10", "limit = 2026-01-01"),
    "a limit that is no number": SWEEP.replace("limit = 10", "limit = nan"),
    "NUL in a name": SWEEP.replace("random-4k", "a\\u0000b"),
    "NUL in more": SWEEP.replace("limit = 10", 'limit = 10\nmore = ["--set", "a\\u0000=1"]'),
    "more is a text": SWEEP.replace("limit = 10", 'limit = 10\nmore = "--check"'),
    "more of numbers": SWEEP.replace("limit = 10", "limit = 10\nmore = [1, 2]"),
    "cut_at is a number": SWEEP.replace("limit = 10", "limit = 10\ncut_at = 5"),
    "run is a list": "run = [1]\n[axes]\nseed = [1]\n",
    "axes is a text": '[run]\nworkload = "random-4k"\naxes = "seed"\n',
    "an axis of tables": SWEEP + "[[zip]]\nseed = [{a = 1}]\n",
    "a point of lists": SWEEP + "[[points]]\nseed = [[1]]\n",
    "skip of numbers": "skip = [1]\n" + SWEEP,
    "latin of nothing": SWEEP + "[latin]\nsamples = 1.5\n",
    "a branch of nothing": SWEEP + "[[branch]]\nwhere = 1\n",
    "until is a number": SWEEP + "until = 5\n",
    "until is a list": "until = [1]\n" + SWEEP,
    "keep is a text": 'keep = "yes"\n' + SWEEP,
    "title is a number": "title = 1\n" + SWEEP,
    "steps in words": '[run]\nworkload = "random-4k"\n[axes]\nseed = { from = 1, to = 9, steps = "many" }\n',
    "from a list": '[run]\nworkload = "random-4k"\n[axes]\nseed = { from = [1], to = 9, steps = 2 }\n',
    "warm is empty": SWEEP + "[warm]\n",
    "warm of lists": SWEEP + '[warm]\nworkload = ["random-4k"]\n',
    "trace is a table": '[run]\ntrace = { a = 1 }\n[axes]\nseed = [1]\n',
    "drive is a number": SWEEP.replace("limit = 10", "limit = 10\ndrive = 7"),
    "a drive that is not there": SWEEP.replace("limit = 10", 'limit = 10\ndrive = "nowhere.toml"'),
    "a huge seed": SWEEP.replace("[1, 2]", "[99999999999999999999999]"),
}


@pytest.mark.parametrize("plan", PLANS.values(), ids=PLANS)
def test_a_wrong_plan_is_refused_before_any_run(tmp_path, plan):
    file = file_of(tmp_path, "plan.toml", plan)
    said = refused("sweep", file, "--out", tmp_path / "out")
    assert "tessera:" in said
    assert not (tmp_path / "out" / "runs").exists() or not list((tmp_path / "out" / "runs").iterdir())


SEARCHES = {
    "not UTF-8": b"\xff" + SEARCH.encode(),
    "objectives are a list": SEARCH.replace('"minimise"', '["minimise"]'),
    "trials in words": SEARCH + '[search]\ntrials = "4"\n',
    "a price in words": SEARCH + '[cost]\nfixed = "cheap"\n',
    "a price of a list": SEARCH + "[cost]\nnand = { dies = [1] }\n",
    "a price that is no number": SEARCH + "[cost]\nfixed = nan\n",
    "cluster of lists": SEARCH + '[cluster]\nkind = ["slurm"]\n',
    "search is a text": 'search = "all"\n' + SEARCH,
    "objectives are a text": SEARCH.split("[objectives]")[0] + 'objectives = "all"\n',
}


@pytest.mark.parametrize("search", SEARCHES.values(), ids=SEARCHES)
def test_a_wrong_search_is_refused_before_any_run(tmp_path, search):
    assert "tessera:" in refused("search", file_of(tmp_path, "search.toml", search), "--out", tmp_path / "out")


SUMMARIES = {
    "no JSON": "{",
    "not UTF-8": b'{"schema": 1, "run": "\xff"}',
    "a list": "[]",
    "a number": "7",
    "nested without end": "[" * 100_000,
    "of nothing": '{"schema": 1}',
    "of another schema": json.dumps({**GOOD_SUMMARY, "schema": 99}),
    "run is a list": json.dumps({**GOOD_SUMMARY, "run": []}),
    "metrics are a list": json.dumps({**GOOD_SUMMARY, "metrics": []}),
    "a metric is a number": json.dumps({**GOOD_SUMMARY, "metrics": {"a": 1}}),
    "a value is a text": json.dumps({**GOOD_SUMMARY, "metrics": {"a": {"value": "x", "unit": "1", "description": "d"}}}),
    "notes are a text": json.dumps({**GOOD_SUMMARY, "run": {**GOOD_SUMMARY["run"], "notes": "none"}}),
    "the drive is a table": json.dumps({**GOOD_SUMMARY, "run": {**GOOD_SUMMARY["run"], "drive": {}}}),
}
READERS = (("report", "{}"), ("plot", "{}", "--out", "{}/p.png"), ("explain", "{}", "1"), ("wave", "record", "{}"))


@pytest.mark.parametrize("words", READERS, ids=lambda words: words[0])
@pytest.mark.parametrize("summary", SUMMARIES.values(), ids=SUMMARIES)
def test_a_summary_of_another_shape_is_refused_by_whatever_reads_it(tmp_path, summary, words):
    file_of(tmp_path, "summary.json", summary)
    assert "tessera:" in refused(*(word.format(tmp_path) for word in words))


OTHERS = {
    "an ELF of 4 bytes": (("firmware", "size", "{file}"), b"\x7fELF"),
    "an ELF cut off": (("firmware", "size", "{file}"), b"\x7fELF\x02\x01\x01" + bytes(57)),
    "a VCD cut off": (("wave", "list", "{file}.vcd"), "$scope module a $end\n$var wire 1 "),
    "a VCD of bytes": (("wave", "show", "{file}.vcd"), bytes(range(256))),
    "a VCD of nothing": (("wave", "show", "{file}.vcd"), ""),
    "a VCD with a wrong width": (("wave", "list", "{file}.vcd"), "$var wire many ! a $end\n$enddefinitions $end\n"),
    "a VCD with a wrong time": (("wave", "show", "{file}.vcd"), "$timescale 1ps $end\n$var wire 1 ! a $end\n$enddefinitions $end\n#x\n1!\n"),
    "a trace that is none": (("describe", "{file}"), b"\0\1\2\3"),
    "a load that is no number": (("trace", "scale", "{file}", "--load", "nan", "--out", "{file}.out"), "1,hm,0,Read,4096,4096,1\n"),
    "times below 1": (("trace", "repeat", "{file}", "--times", "-5", "--out", "{file}.out"), "1,hm,0,Read,4096,4096,1\n"),
    "a fit of a binary file": (("trace", "fit", "{file}", "--out", "{file}.toml"), bytes(100)),
    "a curve of a directory": (("curve", "/"), ""),
    "a timeline that is none": (("plot", "{file}.json"), "{"),
}


@pytest.mark.parametrize(("words", "content"), OTHERS.values(), ids=OTHERS)
def test_other_files_that_are_none_are_refused(tmp_path, words, content):
    for suffix in ("", ".vcd", ".json"):
        file_of(tmp_path, f"f{suffix}", content)
    refused(*(word.format(file=tmp_path / "f") for word in words))


@pytest.mark.parametrize(
    "words",
    [
        ("run", "common", "--workload", "a\0b", "--out", "{out}"),
        ("run", "common", "--workload", "random-4k", "--limit", "1", "--until", "x:y", "--out", "{out}"),
        ("sweep", "{plan}", "--jobs", "100000", "--out", "{out}"),
        ("sweep", "{plan}", "--jobs", "0", "--out", "{out}"),
        ("sweep", "{plan}", "--job-script"),
        ("papers", "nowhere"),
        ("papers", "mapping", "--scale", "0"),
        ("plot", "{plan}"),
        ("report", "{plan}"),
        ("wave", "convert", "{plan}", "--out", "{out}.fst"),
        ("validate", "drives", "hp-c3323a", "{plan}", "--out", "{out}"),
    ],
    ids=lambda words: " ".join(words[:4]),
)
def test_wrong_words_are_refused(tmp_path, words):
    plan = file_of(tmp_path, "plan.toml", SWEEP)
    refused(*(word.format(plan=plan, out=tmp_path / "out") for word in words))


@pytest.mark.parametrize("locale", ["C", "de_DE.ISO-8859-1"])
def test_a_locale_that_is_not_utf_8_changes_nothing(tmp_path, locale):
    plan = file_of(tmp_path, "plan.toml", 'title = "größer ± 1"\n' + SWEEP)
    environment = {**os.environ, "LC_ALL": locale, "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0", "TESSERA_SIM": str(SIMULATOR)}
    for words in (("sweep", plan, "--out", tmp_path / "out"), ("report", tmp_path / "out")):
        done = subprocess.run([sys.executable, "-m", "tessera", *map(str, words)], env=environment, capture_output=True)
        assert done.returncode == 0, done.stderr
    assert "größer ± 1".encode() in (tmp_path / "out" / "report.html").read_bytes()


def test_a_fault_of_the_program_is_a_sentence_with_its_place(monkeypatch):
    def fails(*_: object) -> None:
        raise ZeroDivisionError("a bug")

    monkeypatch.setattr("tessera.results.sameness.differences", fails)
    result = CliRunner().invoke(app, ["same", ".", "."])
    assert result.exit_code == INTERNAL
    assert "internal error in cli.py" in result.output and "ZeroDivisionError: a bug" in result.output and "TESSERA_DEBUG=1" in result.output
