"""What a report of a comparison says."""

from tessera.evidence.blocks import THROUGHPUT
from tessera.evidence.intervals import beyond_rounding
from tessera.explore.comparison import Comparison, command_of
from tessera.figures import gallery
from tessera.figures.page import Cell, Column, Page, Table
from tessera.reports.answer import of_layers
from tessera.reports.run_page import compared, ranking
from tessera.results.human import with_interval
from tessera.results.terms import terms


def comparison_page(comparison: Comparison, question: str = "") -> Page:
    table, facts = comparison.columns["layers"], comparison.columns["comparison"]
    units = comparison.columns["units"]
    rows, unranked, shown = [], set(), compared(table, THROUGHPUT in table)
    for index, layer in enumerate(table["layer"]):
        row = [Cell(layer, layer)]
        for _, metric in shown:
            value = table[metric][index] if metric in table else None
            half = table.get(f"{metric}.half_width_95", [None] * len(table["layer"]))[index]
            why = table.get(f"{metric}.unranked", [None] * len(table["layer"]))[index] or ""
            if why:
                unranked |= {(layer, reason) for reason in why.split("; ")}
            row.append(Cell(with_interval(value, half, units.get(metric, "1")), value, why))
        row.append(Cell(table["status"][index], table["status"][index]))
        rows.append(row)
    columns = [Column("layer", False), *(Column(title, True, metric) for title, metric in shown), Column("status", False)]
    warnings = [f"{layer} must not be ranked by the figures with an asterisk: {why}." for layer, why in sorted(unranked)]
    refused = [(layer, status) for layer, status in zip(table["layer"], table["status"]) if status != "ok"]
    warnings = [f"{layer}: {status}" for layer, status in refused] + [f"{line}." for line in facts.get("warnings", [])] + _gathered(warnings)
    good = {layer: comparison.run(layer) for layer, status in zip(table["layer"], table["status"]) if status == "ok" and (comparison.folder / layer).is_dir()}
    shared = terms(good)
    return Page(
        title=f"{len(table['layer'])} layers on {facts.get('drive', '')}", question=question or f"Which layer serves {facts.get('input', 'this input')} best?",
        answer=of_layers(table, comparison.runs, question, facts.get("recorded", False), comparison.columns.get("blocks", {})),
        facts=[f"drive {facts['drive']}", facts["input"], facts["tool"], *([shared] if shared else [])], warnings=warnings,
        findings=_comparison_findings(table, units), charts=gallery.of_comparison(comparison), tables=[Table("The layers", columns, rows), *_ratio_tables(comparison)], notes=comparison.notes,
        commands=[command] if (command := command_of(comparison.folder)) else [],
    )  # fmt: skip


def _ratio_tables(comparison: Comparison) -> list[Table]:
    """One for each baseline: geometric means of ratios, seed by seed, with their own 95 % intervals, and verdicts in which all layers share 95 %."""
    tables = []
    for baseline in comparison.baselines:
        ratios = comparison.ratios(baseline)
        shown = [(title, metric) for title, metric in compared(comparison.columns["layers"], THROUGHPUT in comparison.columns["layers"]) if f"{metric}.ratio" in ratios.columns]
        against = {metric: comparison.divided_by(baseline, metric) for _, metric in shown}
        titles = [f"{title} (to {against[metric]})" if baseline == "best" and against[metric] else title for title, metric in shown]
        rows = [
            [Cell(row["layer"], row["layer"]), *(_ratio_cell(row, metric) for _, metric in shown)] for row in ratios.iter_rows(named=True)
        ]
        named = "the best layer of each column" if baseline == "best" else baseline
        columns = [Column("layer", False), *(Column(title, True) for title in titles)]
        tables.append(Table(f"Times {named}, seed by seed [95 %]", columns, rows))
    return tables


def _ratio_cell(row: dict, metric: str) -> Cell:
    ratio, low, high = (row[f"{metric}.ratio{end}"] for end in ("", ".low_95", ".high_95"))
    if ratio is None:
        return Cell("-")
    interval = f" [{low:.3g}, {high:.3g}]" if low is not None and beyond_rounding(high - low, ratio) else ""
    verdict = row.get(f"{metric}.verdict")
    return Cell(f"{ratio:.3g}{interval}" + (f" {verdict}" if verdict else ""), ratio, row[f"{metric}.ratio.unranked"] or "")


def _gathered(warnings: list[str]) -> list[str]:
    """Many layers with one reason are one line."""
    reasons: dict[str, list[str]] = {}
    for line in warnings:
        layer, reason = line.split(" must not", 1)
        reasons.setdefault(reason, []).append(layer)
    return [f"{', '.join(layers)} must not{reason}" for reason, layers in reasons.items()]


def _comparison_findings(table: dict[str, list], units: dict[str, str]) -> list[str]:
    nothing = [None] * len(table["layer"])
    figures = {
        metric: [
            (layer, value, why is None)
            for layer, value, why in zip(table["layer"], table.get(metric, nothing), table.get(f"{metric}.unranked", nothing))
        ]
        for _, metric in compared(table, THROUGHPUT in table)
    }
    return ranking(figures, units)
