"""The record of the night list: a line per commit and step, and on the page the newest of each step."""

import sys

import pytest
from samples import REPOSITORY

sys.path.insert(0, str(REPOSITORY / "tests"))
import night


@pytest.fixture
def tree(tmp_path, monkeypatch):
    monkeypatch.setattr(night, "RECORD", tmp_path / "night.csv")
    monkeypatch.setattr(night, "PAGE", tmp_path / "testing.md")
    night.PAGE.write_text(f"# Testing\n\n{night.BEGIN}{night.END}\nText.\n")
    return tmp_path


def state(tree, **steps):
    found = night.State(tree)
    found.steps = {name: {"seed": 7, "minutes": 2.5, "result": result} for name, result in steps.items()}
    return found


def test_a_step_that_ran_again_stands_once_on_the_page_and_with_each_commit_in_the_record(tree):
    night.record("aaaa", state(tree, chaos="failed (1)", fuzzing="passed"))
    night.record("bbbb", state(tree, chaos="passed"))
    night.record("bbbb", state(tree, chaos="passed"))
    lines = night.RECORD.read_text().splitlines()
    assert [line.split(",")[0] for line in lines] == ["commit", "aaaa", "aaaa", "bbbb"]
    page = night.PAGE.read_text()
    assert page.count("chaos") == 1 and "| chaos | `bbbb` |" in page and "| fuzzing | `aaaa` |" in page
    assert page.startswith("# Testing\n") and page.endswith("Text.\n")


def test_steps_stand_in_the_order_of_the_list(tree):
    night.record("aaaa", state(tree, **{"fuzzing": "passed", "clang-tidy": "passed"}))
    page = night.PAGE.read_text()
    assert page.index("clang-tidy") < page.index("fuzzing")


def test_a_step_that_passed_is_not_repeated_and_one_that_failed_is(tree):
    steps = {step.name: step for step in night.STEPS}
    ended = state(tree, chaos="passed", fuzzing="failed (1)")
    assert ended.passed(steps["chaos"]) and not ended.passed(steps["fuzzing"]) and not ended.passed(steps["torture"])
