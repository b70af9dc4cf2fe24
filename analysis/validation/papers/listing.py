"""What there is to run, as lines of text."""

from collections import Counter
from collections.abc import Iterator
from textwrap import shorten

from validation.papers.catalogue import catalogue
from validation.papers.lookup import PAPERS, check_paper, experiments
from validation.papers.record import read
from validation.papers.outcome import Standing
from validation.papers.verdicts import in_a_sentence, judge, judged, statements


def papers() -> Iterator[str]:
    """How the published statements stand, and a line a paper."""
    found = statements(judged(read()))
    yield in_a_sentence(found).replace("**", "").strip()
    for name in PAPERS:
        count = Counter(each.standing for each in found if each.claim.paper == name)
        stands = ", ".join(f"{count[each]} {each.value}" for each in Standing)
        yield f"{name:12} {len(experiments(name)):3} experiments, {sum(count.values()):3} statements: {stands}  {catalogue()[name].title}"
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
            yield f"      {shorten(claim.claim, 110)}; published: {shorten(claim.published, 70)}; {found.cell}{f', size {found.size}' if found.size else ''}"
    yield "not tested:"
    for claim in paper.claims:
        if claim.not_tested:
            yield f"  {claim.name}  {claim.where}: {claim.claim}"
            yield f"      {claim.not_tested}"
