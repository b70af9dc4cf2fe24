"""The answer in words: one sentence, a table, what was held fixed, and what is not settled."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tessera.asking.question import Question
from tessera.evidence.blocks import BLOCKS, LEAST, PAST
from tessera.evidence.family import equal
from tessera.evidence.marks import CLEANINGS, MEANING, NOT_STEADY, NOT_YET, TOO_SHORT, UNSTABLE, words_of
from tessera.evidence.ratios import MOST_SEEDS, NARROW, Measured, Ratio
from tessera.evidence.verdict import NO_FIGURE, Verdict, Wide, by_half
from tessera.results.human import number

GROWING = (TOO_SHORT, NOT_YET, NOT_STEADY)  # marks that a longer run takes away
LONGEST = 1_000_000  # requests of a run that `settle` lengthens
SPARE = 1.2  # of a length that is reckoned from a clock
IDLE = 0.01  # share of the time up to which a processor is no bottleneck


@dataclass(frozen=True)
class Answer:
    question: Question
    measured: Mapping[str, Measured]
    verdict: Verdict
    requests: int
    """Of each run."""
    seeds: int
    costs: Mapping[str, float]
    """Design -> cost per user TB, where that is asked."""
    past: int = 0
    """Of a recorded trace: requests before those that are measured, which fill the caches."""
    short_past: bool = False
    """They were too few to fill them."""
    fold: str = ""
    """Where addresses fold for all designs, in a sentence; "" where each ends there."""
    goes_on: bool = False
    """The recorded trace has more requests than the question may take."""
    warm_up: str = ""
    """What is left out of the figures, in words."""

    def sentence(self) -> str:
        """The answer, or that there is none yet."""
        verdict, metric, source = self.verdict, self.question.asked.metric, self.question.asked.source.name
        if verdict.best is None:
            why = "; ".join(sorted({f"some runs have no {metric.name}" if reason == NO_FIGURE else reason for reason in verdict.left_out.values()}))
            return f"Not settled on {source}: {why}, so no figure may be ranked."
        best = verdict.best
        figure = f"{metric.phrase} {self.figure(best)}"
        said = self._ordered(best, figure) if self.question.ordered else self._best(best, figure)
        return said if verdict.settled else f"Not settled; as far as it goes: {said}"

    def _ordered(self, best: str, figure: str) -> str:
        verdict, source = self.verdict, self.question.asked.source.name
        axis = self.question.axis
        if verdict.second is None and not verdict.alike:
            return f"{best} of {axis} has {figure} on {source}, and no other may be ranked."
        if verdict.second is None:
            more = self._more(f", and more changes it by less than {equal()}")
            return f"more than {best} of {axis} does not help on {source}: {figure}{more}."
        much = f"; {verdict.second} is {self.times(verdict.against)} times that" if verdict.against else ""
        if not verdict.alike:  # nothing larger was measured
            return f"{best} of {axis}, the most that was tried, still helps on {source}: {figure}{much}. Larger ones: --size."
        return f"{best} of {axis} is enough on {source}: {figure}{much}{self._more(f', and more brings less than {equal()}')}."

    def _too_few(self) -> str:
        least = math.ceil(BLOCKS * LEAST * PAST / (PAST - 1))
        return f"{self.requests:,} requests are too few for blocks (a recording of {least} requests has them)" if self._recorded else "there are fewer than two runs in common"

    def _more(self, otherwise: str) -> str:
        """What larger designs bring."""
        if self.verdict.worse:
            return "; more is worse: " + ", ".join(f"{large} is {self.times(factor)} times that" for large, factor in self.verdict.worse.items())
        return "" if self.verdict.doubts else otherwise

    def _best(self, best: str, figure: str) -> str:
        verdict, source = self.verdict, self.question.asked.source.name
        note = next((f" ({design.note})" for design in self.question.designs if design.name == best and design.note), "")
        price = f" at {number(self.costs[best])} per user TB" if best in self.costs else ""
        if verdict.second is None:
            return f"{best}{note} has {figure} on {source}{price}."
        if verdict.second in verdict.alike:
            names = ", ".join(verdict.alike)
            return f"{best}{note} and {names} differ by less than {equal()} on {source}: {figure}{price}."
        better = "largest" if self.question.asked.metric.more_is_better else "smallest"
        ratio = f"{verdict.second} is {self.times(verdict.against)} times {'worse' if better == 'largest' else 'that'}" if verdict.against else ""
        behind = f" at {number(self.costs[verdict.second])}" if verdict.second in self.costs else ""
        return f"{best}{note} has the {better} on {source}: {figure}{price}" + (f"; {ratio}{behind}." if ratio else ".")

    def figure(self, name: str) -> str:
        """Of a design, with its interval and its marks."""
        found, metric = self.measured[name], self.question.asked.metric
        estimate, bounds = found.estimate(), found.bounds()
        text = metric.text(found.mean)
        if bounds:
            text += f" ({metric.text(bounds[0])} to {metric.text(bounds[1])})"
        elif estimate and estimate.half_width:
            text += f" ± {metric.text(estimate.half_width)}"
        return text + f" [{self._over(found)}]" + "".join(f" ({mark})" for mark in found.marks)

    @property
    def _recorded(self) -> bool:
        return self.question.asked.source.recorded

    def _over(self, found: Measured) -> str:
        """What the interval of a figure is over."""
        if not self._recorded:
            return f"95 %, {len(found.by_seed)} seeds"
        return f"95 %, {len(found.by_seed)} {'blocks' if self.question.asked.metric.of_requests else 'parts'} of this recording" if found.by_seed else "this recording: no interval"

    def confidence(self) -> str:
        """What settled means."""
        if self._recorded:
            return "Settled at 95 % on this recording, from this start, over its blocks, for all comparisons together."
        return "Settled at 95 %, over seeds, for all comparisons and looks together."

    @staticmethod
    def times(found: Ratio | None) -> str:
        return "-" if found is None else f"{found.value:.3g} [{found.low:.3g} to {found.high:.3g}]"

    def rows(self) -> list[tuple[str, str, str]]:
        """Design, figure, what else there is to say of it."""
        rows = []
        for design in self.question.designs:
            found = self.measured[design.name]
            notes = [design.note, f"{number(self.costs[design.name])} per user TB" if design.name in self.costs else ""]
            notes += [f"processor busy {100 * found.cpu_busy:.2g} % of the time"] if self.question.asked.kind == "cpu" and found.by_seed else []
            notes += [f"{path.rsplit('.', 1)[-1]} {value}" for path, value in self.question.with_it.get(design.name, {}).items()]
            rows.append((design.name, self.figure(design.name) if found.mean is not None else "-", ", ".join(filter(None, [found.message, *notes]))))
        return rows

    def held(self) -> list[str]:
        """What all designs share."""
        asked = self.question.asked
        layers = {design.layer for design in self.question.designs}
        shared = [f"drive {asked.drive}"] + ([f"layer {next(iter(layers))}"] if len(layers) == 1 else [])
        replay = asked.replay or asked.source.replay
        shared += [f"{asked.source.name}: {self.requests:,} requests" + (f" after {self.past:,} that fill caches" if self.past else ""), "seed 1" if self.seeds == 1 else f"seeds 1 to {self.seeds}"] + ([f"replay {replay}"] if replay else [])
        shared += [f"{path} {value}" for path, value in asked.settings.items()]
        if self.fold:
            shared.append(self.fold[0].lower() + self.fold[1:].removesuffix("."))
        if self.costs:
            shared.append(f"prices: {asked.prices.text()}")
        return shared

    def unsettled(self) -> list[str]:
        """What the runs do not decide, and what would."""
        lines = [f"{name}: {self._lacks(name) or why}{self._meaning(why)}{self._longer(name, why)}{self._by_load(why)}" for name, why in self.verdict.left_out.items()]
        for doubt in self.verdict.doubts:
            wanted = doubt.seeds
            if isinstance(doubt, Wide) and doubt.found is None:
                lines.append(f"{doubt.name}: it has no interval, as {self._too_few()}")
                continue
            if isinstance(doubt, Wide):
                line = f"{doubt.name}: the interval is {100 * doubt.found.relative:.0f} % of the figure; {100 * NARROW:.0f} % "
            elif doubt.found is None:
                lines.append(f"{doubt.one} against {doubt.other}: no ratio can be formed, as a figure is 0 or {self._too_few()}")
                continue
            else:
                whether = f"whether they differ by {equal()}" if doubt.bound is None else f"whether that is above {doubt.bound:.3g}"
                line = f"{doubt.one} against {doubt.other}: {self.times(doubt.found)} times; {whether} "
            if self._recorded:
                line += "takes a longer recording, or another: what differs between its blocks is larger"
            elif wanted is None:
                line += f"takes more than {MOST_SEEDS} seeds: look at another metric, or a longer input"
            else:
                more = max(1, wanted - self.seeds)
                line += f"takes about {more} more seeds, {more * self.requests * len(self.question.designs):,} requests in all (--settle runs them)"
            lines.append(line)
        return lines

    def remarks(self) -> list[str]:
        """What the answer does not cover."""
        busy = max((found.cpu_busy for found in self.measured.values()), default=0.0)
        idle = self.question.asked.kind == "cpu" and busy < IDLE
        order = f"the processor is busy less than {100 * IDLE:.0f} % of the time: a difference comes from the order of its tasks, and another trace may turn it round"
        short = f"the {self.past:,} requests before these were too few to fill the caches: they began between empty and used"
        return [*self.question.remarks, *([self.warm_up] if self.warm_up else []), *([order] if idle else []), *([short] if self.short_past else []), *self._halves(), *self._bursts(), *(f"{name}: {line}" for name, found in self.measured.items() for line in found.told[:1])]

    def _halves(self) -> list[str]:
        """Where the halves of a recording would answer unlike."""
        metric = self.question.asked.metric
        found = by_half(self.measured, metric.more_is_better, self.question.ordered)
        if found is None:
            return []
        said = [f"{of} half has {metric.phrase} {metric.text(self.measured[name].halves[half])} with {name}" for half, (of, name) in enumerate(zip(("its first", "its second"), found))]
        return [f"the halves of this recording disagree: {'; '.join(said)}"]

    def _bursts(self) -> list[str]:
        """Which designs have a tail that a few bursts make; alike ones together."""
        metric, lines = self.question.asked.metric, []
        for name, found in self.measured.items():
            if (made := found.bursts) is not None:
                count = "1 burst" if made.count == 1 else f"{made.count} bursts"
                lines.append(f"{name}: {100 * made.share:.0f} % of the requests at {metric.short} or above lie in {count}; outside {metric.short} is {metric.text(made.outside)}")
        return lines

    def _lacks(self, name: str) -> str:
        """Of a design whose runs do not have the figure, which of them do; "" of any other."""
        if self.verdict.left_out[name] != NO_FIGURE:
            return ""
        others = list(dict.fromkeys(design.layer for design in self.question.designs if self.verdict.left_out.get(design.name) != NO_FIGURE))
        return f"its runs have no {self.question.asked.metric.name}" + (f"; leave it out: --layer {','.join(others)}" if others else ": ask for another --metric")

    @staticmethod
    def _by_load(why: str) -> str:
        """How overloaded designs are compared."""
        return "; --metric throughput compares what they serve" if UNSTABLE in why else ""

    def settles(self) -> list[str]:
        """Options that, with the question's own, may settle it; [] where it is settled, or no words would."""
        asked = self.question.asked
        if self.verdict.settled:
            return []
        if self._recorded:
            return ["--requests", str(4 * asked.most)] if self.goes_on else []
        grows = any(any(mark in why for mark in GROWING) for why in self.verdict.left_out.values())
        return ["--settle"] if grows or self.verdict.seeds else []

    @staticmethod
    def _meaning(why: str) -> str:
        found = [MEANING[mark] for mark in MEANING if mark in why]
        return f" ({'; '.join(found)})" if found else ""

    def _longer(self, name: str, why: str) -> str:
        """How many requests would bring what the design's clocks lack, or its latencies to rest."""
        if not any(mark in why for mark in GROWING):
            return ""
        late = {clock: (done, of) for clock, (done, of) in self.measured[name].clocks.items() if done < of}
        count = "; ".join(f"{words_of(clock)} {done:,.0f} of {of:,.0f}" for clock, (done, of) in late.items() if clock != CLEANINGS)
        wanted = self.requests_needed(name)
        if wanted is None:
            none = "none came" if CLEANINGS in late else count
            return f"; {none} in {self.requests:,} requests: take a longer input, a smaller cache or a fuller drive"
        settles = " (--settle runs them)" if self.question.asked.source.workload and wanted <= LONGEST else ""
        return f"{'; ' if count else ''}{count}; about {wanted:,} requests of this kind would settle it{settles}"

    def requests_needed(self, name: str) -> int | None:
        """For the slowest clock of a design, or twice as many of one that was not steady; None where a clock did not move at all."""
        late = [(done, of) for done, of in self.measured[name].clocks.values() if done < of]
        if any(done == 0 for done, _ in late):
            return None
        times = max((SPARE * of / done for done, of in late), default=2.0)
        return math.ceil(self.requests * times / 1000) * 1000

    def record(self) -> dict[str, object]:
        """For programs."""
        return {
            "question": self.question.title, "answer": self.sentence(), "settled": self.verdict.settled, "best": self.verdict.best,
            "metric": self.question.asked.metric.name, "requests": self.requests, "seeds": self.seeds, "held": self.held(), "not_settled": self.unsettled(), "remarks": self.remarks(),
            "designs": [
                {"name": design.name, "mean": self.measured[design.name].mean, "by_block" if self._recorded else "by_seed": {str(seed): value for seed, value in self.measured[design.name].by_seed.items()},
                 "marks": list(self.measured[design.name].marks), "cost_per_tb": self.costs.get(design.name)}
                for design in self.question.designs
            ],
        }  # fmt: skip


def table_text(rows: Sequence[tuple[str, str, str]], head: tuple[str, str, str]) -> str:
    """The table in columns."""
    lines = [head, *rows]
    widths = [max(len(line[column]) for line in lines) for column in range(2)]
    return "\n".join(f"  {one:<{widths[0]}}  {two:<{widths[1]}}  {three}".rstrip() for one, two, three in lines)
