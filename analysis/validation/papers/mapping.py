"""He and Du: static address mappings for in-place shingled disks, against the conventional disk and the sequential mapping.

Bands have four tracks of 1000 blocks, and a write destroys the track behind it. A mapping decides in which order the tracks of all
bands are used, so a write is amplified only where a used track lies behind it. The paper fills the disk to 25, 50, 75 and 100 % and
folds its traces into the used part, so that each write is an update. The conventional disk here exports the same 2,400,000 blocks of
the same tracks. Of the paper's traces Financial2 cannot be had; web_0 is its first 100,000 requests.
"""

from collections.abc import Callable, Mapping
from functools import partial

from validation.papers.experiment import Experiment, sections_of
from validation.papers.lab import Grid, Lab
from validation.papers.mapping_formulas import MAPPINGS, NEW, PUBLISHED, cold_ratio, quarter_ratio, uniform_ratio
from validation.papers.mapping_runs import (
    LAYERS,
    MECHANICS,
    NEAR,
    QUARTERS,
    TRACE,
    cold_sequential,
    nearness,
    quarters,
    recorded,
    slowdown,
    surfaces,
    uniform_updates,
    used_up_to,
    war,
    winners,
)
from tessera.results.markdown import number, table
from validation.papers.measures import latency
from validation.papers.page import Figure, Finding, figure_tables, findings, listed, span, verdict
from validation.papers.seeds import Comparison, over_seeds, quotient, seed_table

TITLE = "Static address mappings for shingled disks"


def _war_table(grid: Grid, expected: Callable[[str, str], float], first: str) -> str:
    header = [first, *(f"{mapping} {what}" for mapping in MAPPINGS for what in ("paper", "here"))]
    rows = [[name, *(number(cell) for m in MAPPINGS for cell in (expected(m, name), war(row[m])))] for name, row in grid.items()]
    return table(header, rows)


def _response_table(grid: Grid, first: str = "usage %") -> str:
    rows = []
    for name, row in grid.items():
        rows.append([name, *(number(latency(row[each])) for each in LAYERS), *(number(slowdown(row, m)) for m in MAPPINGS)])
    return table([first, *(f"{each} ms" for each in LAYERS), *(f"{m} / cmr" for m in MAPPINGS)], rows)


def _nearness_finding(grids: Mapping[str, Grid]) -> Finding:
    ratios = nearness(grids)
    far = {where: value for where, value in ratios.items() if value > NEAR}
    return Finding(
        "response like the conventional disk's up to 75 %",
        f"similar (here: at most {NEAR} of it; the bound is ours)",
        f"over cmr: {span(ratios.values())}; 1234: {span(slowdown(row, 'shingled-in-place-1234') for row in used_up_to(75, grids))}",
        verdict(value <= NEAR for value in ratios.values()),
        "beyond it: " + ", ".join(f"{where} {value:.2f}" for where, value in far.items()) if far else "",
    )


def _trace_findings(grids: Mapping[str, Grid]) -> list[Finding]:
    best = winners(grids)
    return [
        _nearness_finding(grids),
        Finding(
            "on a full disk the trace decides which mapping is best",
            "r4123 on web_0, not on Financial2",
            listed(best),
            "holds" if len(set(best.values())) > 1 else "not seen on these traces",
        ),
    ]


def _syn_findings(grid: Grid) -> list[Finding]:
    errors = [abs(war(row[m]) / cold_ratio(m, int(usage)) - 1) for usage, row in grid.items() for m in MAPPINGS]
    return [
        Finding(
            "SYN: write amplification ratio",
            "1, and 1.5 for the new ones on a full disk",
            f"at most {100 * max(errors):.1f} % off",
            verdict(e < 0.01 for e in errors),
        ),
    ]


def _uniform_findings(grid: Grid) -> list[Finding]:
    errors = [abs(war(row[m]) / uniform_ratio(m, int(usage)) - 1) for usage, row in grid.items() for m in MAPPINGS]
    gains = {grid["100"][m].metric("capacity.space_gain") for m in MAPPINGS}
    return [
        Finding(
            "write amplification ratio by usage",
            "1, 1.67 or 4",
            f"at most {100 * max(errors):.1f} % off",
            verdict(e < 0.03 for e in errors),
            ratio=1 + max(errors),
        ),
        Finding("space gain, equation 1", "1.6", span(gains), verdict(abs(gain - 1.6) < 1e-9 for gain in gains), ratio=min(gains)),
    ]


def _quarter_findings(grid: Grid) -> list[Finding]:
    errors = [abs(war(row[m]) / quarter_ratio(m, QUARTERS[name]) - 1) for name, row in grid.items() for m in MAPPINGS]
    best = {name: min(MAPPINGS, key=lambda m: latency(row[m])) for name, row in grid.items()}
    return [
        Finding(
            "ratio by the positions that are updated",
            "(by equation 2)",
            f"at most {100 * max(errors):.1f} % off",
            verdict(e < 0.03 for e in errors),
        ),
        Finding(
            "on a full disk the trace decides which mapping is best",
            "r4123 on web_0, not on Financial2",
            listed(best),
            verdict([len(set(best.values())) > 1]),
        ),
    ]


def _seed_comparisons() -> list[Comparison]:
    def over_1234(usage: str, mapping: str) -> Callable[[Grid], float]:
        return quotient(latency, usage, mapping, "shingled-in-place-1234")

    return [
        *(Comparison(f"SYN to 75 %: response {m} over shingled-in-place-1234", over_1234("75", m), 0.8, NEAR) for m in NEW),
        *(Comparison(f"SYN to 100 %: response {m} over shingled-in-place-1234", over_1234("100", m), above=1) for m in NEW),
    ]


def _uniform(lab: Lab) -> list[str]:
    uniform = uniform_updates(lab)
    return [_war_table(uniform, lambda m, usage: PUBLISHED[m][int(usage)], "usage %"), findings(_uniform_findings(uniform))]


def _trace(lab: Lab, name: str) -> list[str]:
    grid = recorded(lab).get(name)
    return [_war_table(grid, lambda m, usage: PUBLISHED[m][int(usage)], "usage %"), _response_table(grid)] if grid else []


def _traces(lab: Lab) -> list[str]:
    traces = recorded(lab)
    return [findings(_trace_findings(traces))] if traces else []


def _mechanics(lab: Lab) -> list[str]:
    mechanics = recorded(lab, drive=MECHANICS)
    if not mechanics:
        return []
    intro = f"Drive `{MECHANICS}`: no overhead of the electronics, which both sides of the quotient pay, and no read-ahead.\n"
    tables = [part for name, grid in mechanics.items() for part in (f"{name}:\n", _response_table(grid))]
    return [intro, *tables, findings([_nearness_finding(mechanics)])]


def _surfaces(lab: Lab) -> list[str]:
    intro = "web_0 on a full disk and on a half: 3,100 cylinders of one track, or 1,550 of two.\n"
    trace = lab.trace(*TRACE)
    return [intro, *figure_tables(surfaces(lab, trace), (Figure("mean ms", latency),))] if trace else []


def _backups(lab: Lab) -> list[str]:
    return [part for name, grid in recorded(lab, paper=False).items() for part in (f"{name}:\n", _response_table(grid))]


def _syn(lab: Lab) -> list[str]:
    syn = cold_sequential(lab)
    return [
        _war_table(syn, lambda m, usage: cold_ratio(m, int(usage)), "usage %"),
        _response_table(syn),
        findings(_syn_findings(syn)),
        seed_table(over_seeds(lab, cold_sequential), _seed_comparisons()),
    ]


def _uneven(lab: Lab) -> list[str]:
    by_quarter = quarters(lab)
    return [
        "The first figure is the formula's, the second the simulation's.\n",
        _war_table(by_quarter, lambda m, name: quarter_ratio(m, QUARTERS[name]), "shares of the quarters, %"),
        _response_table(by_quarter, "shares"),
        findings(_quarter_findings(by_quarter)),
    ]


EXPERIMENTS = (
    Experiment("uniform", "Uniform updates: write amplification ratio by usage", _uniform),
    *(
        Experiment(short, f"{name}: write amplification ratio and mean response", partial(_trace, name=name))
        for short, name in (("web_0", "web_0 (first 100,000)"), ("hp_c2247", "hp_c2247"))
    ),
    Experiment("traces", "What the recorded traces say", _traces),
    Experiment("mechanics", "The same with the drive's mechanics alone", _mechanics),
    Experiment("surfaces", "One surface and two", _surfaces),
    Experiment("backups", "The same with backups, so that no power cut loses data", _backups),
    Experiment("syn", "SYN: cold sequential writes", _syn),
    Experiment("quarters", "A full disk whose quarters are updated unevenly", _uneven),
)


def sections(lab: Lab) -> list[str]:
    """Markdown of this chapter."""
    return sections_of(EXPERIMENTS, lab)
