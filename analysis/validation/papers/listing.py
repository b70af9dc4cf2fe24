"""What there is to run, as lines of text."""

from collections.abc import Iterator
from textwrap import shorten

from validation.papers.catalogue import catalogue
from validation.papers.lookup import PAPERS, check_paper, experiments
from validation.papers.record import read
from validation.papers.verdicts import judge


def papers() -> Iterator[str]:
    """A line a paper."""
    for name in PAPERS:
        paper = catalogue()[name]
        untested = sum(bool(each.not_tested) for each in paper.claims)
        yield f"{name:12} {len(experiments(name)):3} experiments, {len(paper.claims):3} claims ({untested} not tested)  {paper.title}"
    yield "tessera papers list PAPER shows the experiments and claims of one"


def claims_of(name: str) -> Iterator[str]:
    """The experiments of a paper, each with its claims, and what is not tested."""
    check_paper(name)
    paper, lines = catalogue()[name], read()
    yield f"{paper.title} ({paper.source})"
    for chosen in experiments(name):
        yield f"{chosen.name}: {chosen.experiment.title}"
        for claim in chosen.claims:
            found = judge(claim, lines)
            yield f"  {claim.name}  {claim.where}"
            yield f"      {shorten(claim.claim, 110)}; published: {shorten(claim.published, 70)}; {found.direction}{f', size {found.size}' if found.size else ''}"
    yield "not tested:"
    for claim in paper.claims:
        if claim.not_tested:
            yield f"  {claim.name}  {claim.where}: {claim.claim}"
            yield f"      {claim.not_tested}"
