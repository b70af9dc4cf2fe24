"""Experiments by what a reader names: a paper, an experiment, a claim or a figure; and what there is, as lines of text."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from textwrap import shorten

from tessera.errors import InputError, unknown_name
from validation.papers import CHAPTERS
from validation.papers.catalogue import Claim, catalogue
from validation.papers.check import Comparison
from validation.papers.experiment import Experiment
from validation.papers.outcome import Standing
from validation.papers.record import Measured, measured_in, read
from validation.papers.verdicts import in_a_sentence, judge, judged, statements

PAPERS = tuple(name for name, chapter in CHAPTERS.items() if hasattr(chapter, "EXPERIMENTS"))
ALL = "all"


@dataclass(frozen=True)
class Chosen:
    """An experiment of a paper, and the claims that it tests."""

    paper: str
    experiment: Experiment

    @property
    def name(self) -> str:
        return f"{self.paper}/{self.experiment.name}"

    @property
    def claims(self) -> list[Claim]:
        return [each for each in catalogue()[self.paper].claims if each.experiment == self.experiment.name]

    @property
    def comparisons(self) -> Sequence[Comparison]:
        """The lines of its table over seeds."""
        source = catalogue()[self.paper].experiments.get(self.experiment.name)
        return source.seeds if source else ()

    def measured_in(self, text: str, program: str) -> list[Measured]:
        """Its lines of the record, by the tables of its section."""
        return measured_in(self.claims, self.comparisons, (self.paper, self.experiment.name), text, program)


def experiments(paper: str | None = None) -> list[Chosen]:
    """Of one paper, or of all."""
    return [Chosen(name, each) for name in PAPERS for each in CHAPTERS[name].EXPERIMENTS if paper in (None, name)]


def _figure(word: str) -> str:
    """`figure-9`, `fig9` and `Figure 9` are one name."""
    found = re.fullmatch(r"fig(?:ure)?[\s._-]*(\d+)", word.strip(), re.IGNORECASE)
    return f"Figure {found[1]}" if found else ""


def _shows(claim: Claim, figure: str) -> bool:
    number = int(figure.split()[1])
    for first, more in re.findall(r"Figures? (\d+)((?:(?:, | and | to )\d+)*)", f"{claim.where} {claim.published}"):
        numbers = [int(first), *map(int, re.findall(r"\d+", more))]
        if number in numbers or (" to " in more and numbers[0] <= number <= numbers[-1]):
            return True
    return False


def choose(name: str) -> list[Chosen]:
    """The experiments of `all`, PAPER, PAPER/EXPERIMENT, PAPER/CLAIM or PAPER/figure-N. Raises InputError, with the nearest name."""
    if name == ALL:
        return experiments()
    paper, _, rest = name.partition("/")
    if paper not in PAPERS:
        raise unknown_name("paper, experiment or claim", name, _names() if rest else (*PAPERS, ALL))
    of_paper = experiments(paper)
    if not rest:
        return of_paper
    claims = catalogue()[paper].claims
    if figure := _figure(rest):
        shown = [each for each in claims if _shows(each, figure)]
        tested = {each.experiment for each in shown if each.experiment}
        if tested:
            return [each for each in of_paper if each.experiment.name in tested]
        if shown:
            raise InputError(f"{figure} of {paper} is not tested: {shown[0].not_tested}")
        raise InputError(f"no claim of {paper} is on {figure}; 'tessera papers list {paper}' shows what there is")
    named = [each for each in claims if rest in (each.id, each.statement)]
    if named and named[0].not_tested:
        raise InputError(f"{name} is not tested: {named[0].not_tested}")
    wanted = {each.experiment for each in named} or {rest}
    found = [each for each in of_paper if each.experiment.name in wanted]
    if not found:
        raise unknown_name("paper, experiment or claim", name, _names(paper))
    return found


def _figures(claims: Iterable[Claim]) -> set[int]:
    """Numbers of the figures that they name."""
    return {int(number) for each in claims for found in re.findall(r"Figures? ([\d, ]+)", each.where) for number in re.findall(r"\d+", found)}


def _names(paper: str | None = None) -> Iterable[str]:
    for each in experiments(paper):
        yield each.name
        yield from (claim.name for claim in each.claims)
        yield from (f"{each.paper}/figure-{number}" for number in sorted(_figures(each.claims)))


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
    if name not in PAPERS:
        raise unknown_name("paper", name, PAPERS)
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
