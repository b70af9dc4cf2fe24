"""The first sentence of a report: the answer to its question, or that the runs do not settle it, or that the question was not understood.

A question is understood by its words: the metric that it names (METRICS), the axis or part (SYNONYMS), and the values that it names, which are layers,
sizes, traces. Values that are named are the ones that are compared. A question about something without a figure (NO_FIGURES), one that compares with
something that it does not name, and one in which nothing is recognised are not answered with figures that answer another one.
"""

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType

import polars as pl

from tessera.asking.metric import Metric, metric_of
from tessera.evidence.family import equal
from tessera.evidence.marks import MEANING, TOO_SHORT, UNSTABLE, overloaded, rankable
from tessera.evidence.ratios import Measured
from tessera.evidence.verdict import Verdict, Wide, best_of, least_that_is_enough
from tessera.explore.dataset import AXIS
from tessera.explore.designs import SEED, is_recorded, on_recording, zipped_axes
from tessera.figures.pictures import in_order, is_ordered, text
from tessera.results.families import YARDSTICK
from tessera.results.human import counted

# Words of a question and the metric that each means; the first one that is found counts.
METRICS = (
    (r"p99\.9|p999|99\.9", "p999"), (r"p99|99th|\btails?\b|\bslow", "p99"), (r"p95|95th", "p95"), (r"p90|90th", "p90"), (r"p50|median", "p50"),
    (r"energy|\bpower\b(?!\W+(cut|loss|fail|outage))|joule", "energy"), (r"write amplification|\bwa\b", "write-amplification"),
    (r"lifetime|endurance|\byears\b|\bwear", "lifetime"), (r"throughput|\biops\b", "throughput"), (r"\bmean\b|average|latency|\bfast", "mean"),
)  # fmt: skip
# Words that people have for axes, and parts of their paths.
SYNONYMS = {
    "dram": ("write_cache", "memory", "buffer", "map_cache", "dram", "read_cache"), "memory": ("map_cache", "write_cache", "memory", "dram", "buffer"),
    "cache": ("cache",), "flash": ("nand", "flash"), "cpu": ("controller",), "processor": ("controller",), "spindle": ("rpm",), "queue": ("queue", "replay", "tags"),
}  # fmt: skip


OVERLOADED = "Overloaded designs are compared by throughput:"
FIGURES = "latency, a percentile, energy, write amplification, throughput, lifetime"
# What questions ask for and runs have no figure of, and words of questions that any figure answers.
NO_FIGURES = r"\b(cost|cheap|cheaper|cheapest|price|dollars?|capacity|space|noise|reliab\w*|power (?:cuts?|loss|failures?|outages?)|lose[sd]?|lost|loss|safe|crash\w*|recover\w*|rebuilds?|raid|temperature)\b"
OF_ANY = r"\b(best|better|worst|worse|good|compare|enough|help|helps|matter|matters|serve|serves)\b"
COMPARES = r"\b(better|worse|faster|slower|lower|higher|less|more|longer|shorter)\b.*\bthan\b|\b(versus|vs|against|compared (to|with))\b"
THE_OTHERS = r"\b(others?|rest|all|any|every|each)\b"


def metric_named(question: str) -> str | None:
    """The metric that a question names.

    >>> metric_named("Which is fastest?"), metric_named("What does the trace need?")
    ('host.latency.mean', None)
    """
    short = next((name for pattern, name in METRICS if re.search(pattern, question.lower())), None)
    return metric_of(short).name if short else None


def metric_in(question: str) -> Metric:
    """The metric that a question is about; the mean latency where it names none.

    >>> metric_in("How much DRAM does p99 need?").name, metric_in("Which layer?").name
    ('host.latency.p99', 'host.latency.mean')
    """
    return metric_of(metric_named(question) or "mean")


def part_named(question: str) -> str | None:
    """A part of the drive, or a quantity without a figure, that a question is about.

    >>> part_named("How much DRAM does each layer need?"), part_named("Which layer is best?"), part_named("What is cheapest?")
    ('dram', None, 'cheapest')
    """
    words = re.findall(r"[a-z0-9_]+", question.lower())
    found = next((word for word in words if word in SYNONYMS or word.removesuffix("s") in SYNONYMS), None)
    other = re.search(NO_FIGURES, question.lower())
    return found or (other[0] if other else None)


def no_figure(question: str) -> str:
    """Why runs that differ in no part of the drive cannot answer; "" where they can."""
    if not question or metric_named(question):
        return ""
    if (part := part_named(question)) is not None:
        return f"Not understood: the question is about {part}, and names no figure of these runs ({FIGURES})."
    return "" if re.search(f"{OF_ANY}|{COMPARES}", question.lower()) else f"Not understood: the question names no figure ({FIGURES})."


def values_named(question: str, values: Iterable[str]) -> list[str]:
    """The values that a question names, as whole words.

    >>> values_named("Is mu-rmw better than VGuard?", ["mu", "mu-rmw", "vguard", "cmr"]), values_named("than a conventional drive?", ["cmr", "fluid"])
    (['mu-rmw', 'vguard'], ['cmr'])
    """
    question = re.sub(r"\bconventional\b", YARDSTICK, question, flags=re.IGNORECASE)
    return [value for value in values if re.search(rf"(?<![\w.-]){re.escape(value)}(?![\w-])", question, re.IGNORECASE)]


def one_sided(question: str, named: Sequence[str], count: int) -> str:
    """Why a question that compares has no answer: it does not say with what. "" where it does; of two there is no choice."""
    if not re.search(COMPARES, question.lower()) or count == 2 or len(named) > 1 or (named and re.search(THE_OTHERS, question.lower())):
        return ""
    return f"the question compares {named[0]} with something that it does not name" if named else "the question compares things that it does not name"


def asked_about(found: Mapping[str, Measured], question: str, more_is_better: bool) -> dict[str, Measured]:
    """The designs that a question compares: those that it names; one that it names alone, with the best of the others; all where it names none."""
    named = values_named(question, found)
    if len(named) == 1:
        others = {name: each for name, each in found.items() if name != named[0]}
        best = best_of(others, more_is_better).best if others else None
        named += [best] if best else []
    return {name: each for name, each in found.items() if name in named} if named else dict(found)


def axis_in(question: str, groups: Sequence[tuple[str, ...]]) -> tuple[str, ...] | None:
    """The axis that a question names, or the only one there is if the question names no part of the drive.

    >>> axis_in("How much DRAM is enough?", [("layer",), ("firmware.write_cache.capacity", "power.dump_area")])
    ('firmware.write_cache.capacity', 'power.dump_area')
    """
    words = set(re.findall(r"[a-z0-9_]+", question.lower()))
    words |= {word.removesuffix("s") for word in words}
    wanted = {part for word in words for part in SYNONYMS.get(word, (word,)) if len(part) > 2}

    def score(group: tuple[str, ...]) -> int:
        return sum(any(word in part for word in wanted) for part in re.split(r"[.]", group[0].lower()))

    best = max(groups, key=score, default=None)
    if len(groups) == 1 and part_named(question) is None:
        return groups[0]
    return best if best is not None and score(best) > 0 else None


def of_sweep(good: pl.DataFrame, axes: Sequence[str], question: str) -> str:
    """The answer that the runs of a sweep give."""
    metric, groups = metric_in(question), zipped_axes(good, axes)
    if (other := re.search(NO_FIGURES, question.lower())) and metric_named(question) is None:
        return f"Not understood: the question is about {other[0]}, and these runs have no such figure."
    if not groups and good.height:
        values = ", ".join(f"{name}: {text(good[AXIS + name].drop_nulls()[0])}" for name in axes if name != SEED and AXIS + name in good.columns and good[AXIS + name].drop_nulls().len())
        return f"Not settled: every axis has one value ({values}), so there is nothing to compare. Give an axis of [axes] another value."
    group = axis_in(question, groups) or next((each for each in groups if _names_of(question, good[AXIS + each[0]])), None)
    if group is None:
        named = ", ".join(" with ".join(each) for each in groups) or "none"
        return f"Not understood: the question names no axis of this sweep ({named})."
    if metric.name not in good.columns:
        return f"Not settled: these runs have no {metric.name}."
    values = values_named(question, map(text, in_order(good[AXIS + group[0]].drop_nulls())))
    if values and (why_not := one_sided(question, values, good[AXIS + group[0]].drop_nulls().n_unique())):
        return f"Not understood: {why_not}; {' with '.join(group)} has {', '.join(map(text, in_order(good[AXIS + group[0]].drop_nulls())))}."
    said = _by_axis(good, axes, group, question, metric)
    by_load = metric_of("throughput")
    if metric.of_requests and metric != by_load and by_load.name in good.columns and overloaded(good):
        said += f" {OVERLOADED} {_by_axis(good, axes, group, question, by_load)}"
    return said


def _by_axis(good: pl.DataFrame, axes: Sequence[str], group: tuple[str, ...], question: str, metric: Metric) -> str:
    """The answer by one metric."""
    found, over = by_value(good, axes, group, metric.name)
    if not found:
        return f"Not settled: no runs that are alike in all else have every value of {' with '.join(group)} and may be ranked."
    ordered, values = is_ordered(good[AXIS + group[0]]), values_named(question, found)
    if not ordered or len(values) > 1:
        found = asked_about(found, question, metric.more_is_better)
    verdict = (least_that_is_enough if ordered else best_of)(found, metric.more_is_better)
    recorded = is_recorded(good)
    how = f'blocks = "{metric.name}" in the file of the sweep has intervals over its blocks' if recorded else ""
    said = sentence(found, verdict, metric, " with ".join(group), ordered, over, how)
    if recorded:
        said = said.removesuffix(".") + "; on this recording, from this start."
    return said


def _names_of(question: str, column: pl.Series) -> list[str]:
    """The values of an axis that a question names; a bare number may be of any axis."""
    return values_named(question, [value for value in map(text, in_order(column.drop_nulls())) if re.search("[a-z]", value, re.IGNORECASE)])


def by_value(good: pl.DataFrame, axes: Sequence[str], group: tuple[str, ...], metric: str) -> tuple[dict[str, Measured], str]:
    """The figure of each value of an axis by seed, as geometric mean over all else that was run alike; and over what that is."""
    column = AXIS + group[0]
    ranks = rankable(good.drop_nulls([column, metric]), [metric])
    values = in_order(good[column])
    others = [AXIS + name for name in axes if name not in group and AXIS + name in ranks.columns]
    alike = ranks.filter(pl.col(column).n_unique().over(others) == len(values)) if others and ranks.height else ranks
    seed = AXIS + SEED
    found = {}
    for value in values:
        rows = alike.filter((pl.col(column) == value) & (pl.col(metric) > 0))
        if rows.height == 0:
            return {}, ""
        if is_recorded(rows):
            found[text(value)] = on_recording(rows, metric)
            continue
        keyed = rows.group_by(seed).agg(pl.col(metric).log().mean()).rows() if seed in rows.columns else [(1, rows[metric].log().mean())]
        found[text(value)] = Measured({int(at): math.exp(log) for at, log in keyed})
    over = [f"{alike[name].n_unique()} values of {name.removeprefix(AXIS)}" for name in others if name != seed and alike[name].n_unique() > 1]
    return found, " and ".join(over)


def of_layers(table: Mapping[str, list], runs: pl.DataFrame, question: str, recorded: bool = False, blocks: Mapping[str, Mapping[str, list[float]]] = MappingProxyType({})) -> str:
    """The answer that a comparison gives; of a recorded trace over its blocks, where it has them (metric -> layer -> replicates)."""
    if why_not := no_figure(question):
        return why_not
    said, by_load = _by_layer(table, runs, question, metric_in(question), recorded, blocks), metric_of("throughput")
    if not said.startswith("Not understood") and MEANING[UNSTABLE] in said and f"{by_load.name}.unranked" in table:
        said += f" {OVERLOADED} {_by_layer(table, runs, question, by_load, recorded, blocks)}"
    return said


def _by_layer(table: Mapping[str, list], runs: pl.DataFrame, question: str, metric: Metric, recorded: bool, blocks: Mapping[str, Mapping[str, list[float]]]) -> str:
    """The answer by one metric."""
    if metric.name not in runs.columns:
        return f"Not settled: these runs have no {metric.name}."
    reasons = table.get(f"{metric.name}.unranked", [None] * len(table["layer"]))
    found = {}
    for layer, why in zip(table["layer"], reasons):
        rows = runs.filter((pl.col("layer") == layer) & (pl.col("exit_status") == 0)).drop_nulls(metric.name)
        values = {int(seed): float(value) for seed, value in rows.select("seed", metric.name).rows()}
        marks, message = (TOO_SHORT,) if why else (), why or ("" if values else "did not run")
        if recorded and values:
            by_block = dict(enumerate(blocks.get(metric.name, {}).get(layer, ()), 1))
            found[layer] = Measured(by_block, marks, message, whole=float(rows[metric.name].mean()))
        else:
            found[layer] = Measured(values, marks, message)
    if why_not := one_sided(question, values_named(question, found), len(found)):
        return f"Not understood: {why_not}; the layers here are {', '.join(found)}."
    found = asked_about(found, question, metric.more_is_better)
    how = "--baseline of tessera compare has intervals over its blocks" if recorded else ""
    said = sentence(found, best_of(found, metric.more_is_better), metric, "layer", False, "", how)
    return said.removesuffix(".") + "; on this recording, from this start." if recorded else said


def sentence(found: Mapping[str, Measured], verdict: Verdict, metric: Metric, axis: str, ordered: bool, over: str, recorded: str = "") -> str:
    """The verdict in words. `recorded`: of a recorded trace, whose replicates are blocks, what has intervals over them."""
    if verdict.best is None:
        return f"Not settled: no figure may be ranked ({'; '.join(sorted(set(verdict.left_out.values())))})."
    best = found[verdict.best]
    estimate = best.estimate()
    figure = metric.text(best.mean) + (f" ± {metric.text(estimate.half_width)}" if estimate and estimate.half_width else "")
    mean = f" (geometric mean over {over})" if over else ""
    most = ordered and verdict.second and not verdict.alike  # of those that were tried: nothing says that more would not help
    said = f"{axis} {verdict.best}, the most that was tried, still helps" if most else f"{axis} {verdict.best} is enough" if ordered else f"{verdict.best} has the {'largest' if metric.more_is_better else 'smallest'} {metric.short}"
    text_ = f"{said}: {metric.short} {figure}{mean}"
    if verdict.second and verdict.against:
        text_ += f"; {verdict.second} is {verdict.against.value:.3g} [{verdict.against.low:.3g} to {verdict.against.high:.3g}] times {'worse' if metric.more_is_better else 'that'}"
    elif verdict.second:
        text_ += f"; {verdict.second} has {metric.text(found[verdict.second].mean)}"
    if not ordered and verdict.alike:
        text_ += f"; equal within {equal()}: {', '.join(verdict.alike)}"
    if ordered and verdict.worse:
        text_ += "; more is worse: " + ", ".join(f"{large} is {factor.value:.3g} [{factor.low:.3g} to {factor.high:.3g}] times that" for large, factor in verdict.worse.items())
    elif ordered and verdict.alike and not verdict.doubts:
        text_ += f", more brings less than {equal()}"
    why = _why_not(found, verdict, recorded)
    return f"Not settled: {why}. As far as it goes: {text_}." if why else f"{text_}."  # a name is written as on the command line


def _why_not(found: Mapping[str, Measured], verdict: Verdict, recorded: str) -> str:
    """What keeps the answer from being one, and what would settle it; "" where nothing does."""
    count = min((len(each.by_seed) for each in found.values() if each.by_seed), default=0)
    if count < 2 and recorded:
        return f"a recorded trace is one sample, and {recorded}"
    if count < 2:
        return "one seed has no interval (four have one: --seeds 4, or seed = [1, 2, 3, 4] under [axes])"
    if verdict.doubts:
        doubt = verdict.doubts[0]
        pair = doubt.name if isinstance(doubt, Wide) else f"{doubt.one} against {doubt.other}"
        if recorded:
            return f"{count} blocks of this recording do not tell {pair}, and a longer one may"
        wanted = f", about {doubt.seeds} would" if doubt.seeds else ""
        return f"{counted(count, 'seed')} do not tell {pair}{wanted}"
    if verdict.left_out:
        return "; ".join(f"{name} must not be ranked ({why})" for name, why in verdict.left_out.items())
    return ""
