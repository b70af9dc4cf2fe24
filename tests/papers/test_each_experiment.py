"""Every experiment of the papers runs, at a few thousandths of its length: it says that it is scaled, and gives no verdict where it cleaned
too little. Recorded traces have a length of their own, so the experiments that need them are told that there are none."""

import pytest

from tessera.errors import InputError
from validation.papers.experiment import short_runs
from validation.papers.lab import Lab
from validation.papers.lookup import experiments
from validation.papers.record import CLAIM
from validation.papers.section import NO_VERDICT, run_section

SCALE = 0.002


@pytest.fixture(scope="module")
def short(lab):
    """The session's runs of this length are kept, as experiments share some."""
    return Lab(lab.out, None, SCALE)


@pytest.mark.parametrize("chosen", experiments(), ids=lambda chosen: chosen.name)
def test_an_experiment_runs_short_and_says_so(short, chosen):
    short.missing.clear()
    try:
        section = run_section(short, chosen)
    except InputError as error:
        assert str(error).startswith(chosen.name)
        return
    if not section.parts:
        assert short.missing, "an experiment without a section says which trace it needs"
        return
    assert any(note.startswith(f"Scaled to {SCALE:g} ") for note in section.notes)
    found = {line.claim: line.verdict for line in section.measured if line.of == CLAIM}
    if short_runs(section.made) and chosen.claims:
        assert set(found) == {each.claim for each in chosen.claims}
        assert set(found.values()) == {NO_VERDICT}
        assert any(note.startswith("No verdict: ") for note in section.notes)
    assert section.made or found
