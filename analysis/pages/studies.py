"""The studies of docs/studies: runs their sweeps and arrays and writes the tables of the pages and the data files again."""

import csv
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import polars as pl
from rich.console import Console

import tessera
from pages.array_studies import ARRAY_STUDIES
from pages.digits import three_digits
from tessera.engine.output_file import whole
from tessera.engine.simulator import REPOSITORY
from tessera.errors import InputError
from tessera.evidence.marks import FEW_CLEANINGS, UNRANKED, marks_of
from tessera.results.families import YARDSTICK, ordered
from tessera.results.markdown import number, table
from tessera.results.marked_section import write_marked_section

FOLDER = REPOSITORY / "docs" / "studies"
PAGE = FOLDER / "README.md"
MEAN, P99 = "host.latency.mean", "host.latency.p99"  # ms in a frame of a sweep
STAR = "\\*"


def write_studies(console: Console, out: Path, only: Sequence[str] = ()) -> None:
    """Raises InputError where a sweep of a study does not run, or a run of it fails; SimulatorError where one of an array does."""
    for name, write in STUDIES.items():
        if only and name not in only:
            continue
        console.print(f"[dim]{name} ...[/dim]")
        made = tessera.sweep(FOLDER / f"{name}.toml", out=out / name)
        if made.failed.height:
            raise InputError(f"docs/studies/{name}.toml: {made.failed.height} of its runs failed, the first as {made.failed['message'][0]}")
        write_marked_section(PAGE, f"./dev studies {name}", write(made.good))
        console.print(f"wrote {PAGE}")
    for name, write_page in ARRAY_STUDIES.items():
        if only and name not in only:
            continue
        console.print(f"[dim]{name} ...[/dim]")
        write_page(out / name)
        console.print(f"wrote {FOLDER / name}.md")


def _over_seeds(runs: pl.DataFrame, *more: pl.Expr) -> pl.DataFrame:
    """A row for each point of the axes: means over seeds, and whether each of its runs may be ranked."""
    axes = [name for name in runs.columns if name.startswith("axis.") and name != "axis.seed"]
    ranked = pl.Series("ranked", [not set(marks_of(row)) & set(UNRANKED) for row in runs.iter_rows(named=True)])
    of_all = (pl.col(MEAN).mean(), pl.col(P99).mean(), pl.col("ranked").all())
    return runs.with_columns(ranked).group_by(axes, maintain_order=True).agg(*of_all, *more)


def _marked(text: str, ranked: bool) -> str:
    return text if ranked else text + STAR


NOTE = f"\n({STAR} not to be ranked: a run with fewer than {FEW_CLEANINGS} cleanings, or with a backlog that grew all along.)\n"


def memory(runs: pl.DataFrame) -> str:
    waited = (pl.col("map.misses") / (pl.col("map.misses") + pl.col("map.hits"))).mean().alias("waited")
    rows = _over_seeds(runs, waited)
    cache = pl.coalesce(name for name in rows.columns if name.endswith(".map_cache")).alias("cache")
    rows = rows.with_columns(cache)
    layers, sizes = rows["axis.layer"].unique(maintain_order=True), rows["cache"].unique(maintain_order=True)

    def cell(layer: str, size: str) -> str:
        (row,) = rows.filter(axis("layer") == layer, pl.col("cache") == size).iter_rows(named=True)
        return _marked(f"{three_digits(row[MEAN])} ({100 * row['waited']:.0f} %)", row["ranked"])

    return table(["DRAM for the map", *(f"`{layer}`" for layer in layers)], [[size, *(cell(layer, size) for layer in layers)] for size in sizes]) + NOTE


def axis(name: str) -> pl.Expr:
    return pl.col(f"axis.{name}")


BLOCK_KIB, PLATTERS_GIB = 128, 64  # of the drive `demo`


def flash(runs: pl.DataFrame) -> str:
    figures = {"WA": "write_amplification.total", "years": "nand.lifetime.years.worst_block", "levelled": "nand.lifetime.years.mean"}
    rows = _over_seeds(runs, *(pl.col(metric).mean().alias(name) for name, metric in figures.items()))

    def cells(layer: str, blocks: float) -> list[str]:
        (row,) = rows.filter(axis("layer") == layer, axis("nand.blocks") == blocks).iter_rows(named=True)
        years = "no erase" if row["years"] is None else f"{row['years']:.2f} ({row['levelled']:.2f})"
        return [_marked(text, row["ranked"]) for text in (three_digits(row[MEAN]), three_digits(row[P99]), number(row["WA"], 1), years)]

    layers = list(rows["axis.layer"].unique(maintain_order=True))
    header = [f"blocks of {BLOCK_KIB} KiB (share)", *(f"`{layer}` {what}" for layer in layers for what in ("mean ms", "p99 ms", "WA", "years, worst block (levelled)"))]
    sizes = rows["axis.nand.blocks"].unique(maintain_order=True)
    share = [f"{blocks:,.0f} ({100 * blocks * BLOCK_KIB / 2**20 / PLATTERS_GIB:.2g} %)" for blocks in sizes]
    return table(header, [[text, *(cell for layer in layers for cell in cells(layer, blocks))] for text, blocks in zip(share, sizes)]) + NOTE


NO_FLASH = "0 B"
ROLES = {"reads": "read cache", "writes": "persistent cache", "both": "both, one pool"}


def flash_roles(runs: pl.DataFrame) -> str:
    rows = _over_seeds(runs)
    size, use = (axis(f"firmware.flash_cache.{name}") for name in ("capacity", "use"))
    workloads = rows["axis.workload"].unique(maintain_order=True)
    without = {row["axis.workload"]: row[MEAN] for row in rows.filter(size == NO_FLASH).iter_rows(named=True)}

    def cells(capacity: str, role: str) -> list[str]:
        found = {row["axis.workload"]: row for row in rows.filter(size == capacity, use == role).iter_rows(named=True)}
        return [_marked(f"{three_digits(found[name][MEAN])} ({found[name][MEAN] / without[name]:.2f}) / {three_digits(found[name][P99])}", found[name]["ranked"]) for name in workloads]

    points = rows.select(size.alias("size"), use.alias("use")).unique(maintain_order=True).rows()
    body = [["none" if capacity == NO_FLASH else capacity, "" if capacity == NO_FLASH else ROLES[role], *cells(capacity, role)] for capacity, role in points]
    return table(["flash", "role", *(f"`{name}`" for name in workloads)], body) + NOTE


def arms(runs: pl.DataFrame) -> str:
    rows = _over_seeds(runs)
    layers, workloads = (rows[f"axis.{name}"].unique(maintain_order=True) for name in ("layer", "workload"))

    def cell(layer: str, workload: str) -> str:
        one, two = (rows.filter(axis("layer") == layer, axis("workload") == workload, axis("media.actuators") == count).row(0, named=True) for count in (1, 2))
        return _marked(f"{three_digits(one[MEAN])} / {three_digits(two[MEAN])} ({one[MEAN] / two[MEAN]:.2f})", one["ranked"] and two["ranked"])

    body = [[f"`{layer}`", *(cell(layer, workload) for workload in workloads)] for layer in layers]
    return table(["layer", *(f"`{Path(workload).stem}`" for workload in workloads)], body) + NOTE


def arms_cleaning(runs: pl.DataFrame) -> str:
    rows = _over_seeds(runs)
    places = ("any", "idle", "each")
    layers, workloads = (rows[f"axis.{name}"].unique(maintain_order=True) for name in ("layer", "workload"))
    found = {(row["axis.layer"], row["axis.workload"], row["axis.firmware.cleaning_arm"]): row for row in rows.iter_rows(named=True)}

    def cell(layer: str, workload: str, place: str) -> str:
        if (layer, workload, place) not in found:
            return "refused"
        one, row = (found[layer, workload, name] for name in ("any", place))
        gain = "" if place == "any" else f" ({one[MEAN] / row[MEAN]:.2f})"
        return _marked(three_digits(row[MEAN]) + gain, row["ranked"])

    body = [[f"`{layer}`", f"`{workload}`", *(cell(layer, workload, place) for place in places)] for layer in layers for workload in workloads]
    return table(["layer", "workload", *(f"`{place}`" for place in places)], body) + NOTE


def layers(runs: pl.DataFrame) -> str:
    rows = _over_seeds(runs, pl.col("capacity.gain_vs_cmr").first().alias("gain"), pl.col("cost.per_user_tb").first().alias("cost"))
    names = ordered(rows["axis.layer"].unique())
    workloads = list(rows["axis.workload"].unique(maintain_order=True))
    found = {(row["axis.layer"], row["axis.workload"]): row for row in rows.iter_rows(named=True)}
    header = ["layer", "platters_hold", "dollars_per_user_tb", "workload", "mean_ms", "p99_ms", "ranked"]
    lines = [
        [layer, f"{row['gain']:.2f}", f"{row['cost']:.2f}", workload, f"{row[MEAN]:.3g}", f"{row[P99]:.3g}", "yes" if row["ranked"] else "no"]
        for layer in names for workload in workloads for row in [found[layer, workload]]
    ]  # fmt: skip
    _write_csv(FOLDER / "layers.csv", header, lines)
    others = [name for name in names if name != YARDSTICK]

    def best(workload: str, metric: str) -> str:
        ranked = [layer for layer in others if found[layer, workload]["ranked"]]
        least = min(ranked, key=lambda layer: found[layer, workload][metric])
        return f"`{least}` {three_digits(found[least, workload][metric])}"

    def few(workload: str) -> int:
        return sum(not found[layer, workload]["ranked"] for layer in others)

    body = [
        [f"`{workload}`", " / ".join(three_digits(found[YARDSTICK, workload][metric]) for metric in (MEAN, P99)), best(workload, MEAN), best(workload, P99), few(workload)]
        for workload in workloads
    ]
    return table(["workload", f"`{YARDSTICK}`", "lowest mean of the others", "lowest p99 of the others", "not ranked"], body)


def processor(runs: pl.DataFrame) -> str:
    rows = _over_seeds(runs, pl.col("cpu.utilisation").mean().alias("busy"))
    hits = rows.filter(axis("layer") == "mu-rmw", axis("nand.blocks") == rows["axis.nand.blocks"].max())
    cores, clocks = (hits[f"axis.controller.{name}"].unique(maintain_order=True) for name in ("cores", "clock"))
    lines = [
        [row["axis.controller.clock"].removesuffix(" MHz"), row["axis.controller.costs.source"], f"{row['axis.controller.cores']:.0f}",
         f"{1000 * row[MEAN]:.0f}", f"{1000 * row[P99]:.0f}", f"{100 * row['busy']:.0f}"]
        for row in hits.sort("axis.controller.costs.source", maintain_order=True).iter_rows(named=True)
    ]  # fmt: skip
    _write_csv(FOLDER / "processor.csv", ["clock_mhz", "costs", "cores", "mean_us", "p99_us", "share_of_cores_percent"], lines)

    def cell(clock: str, count: float) -> str:
        point = (axis("controller.clock") == clock, axis("controller.cores") == count, axis("controller.costs.source") == "measured")
        (row,) = hits.filter(*point).iter_rows(named=True)
        return f"{1000 * row[MEAN]:,.0f} / {1000 * row[P99]:,.0f} ({100 * row['busy']:.0f} %)"

    return table(["clock", *(f"cores: {count:.0f}" for count in cores)], [[clock, *(cell(clock, count) for count in cores)] for clock in clocks])


def _write_csv(file: Path, header: Sequence[str], lines: Iterable[Sequence[str]]) -> None:
    def fill(aside: Path) -> None:
        with open(aside, "w", newline="", encoding="utf-8") as out:
            csv.writer(out, lineterminator="\n").writerows([header, *lines])

    whole(file, fill)


STUDIES: dict[str, Callable[[pl.DataFrame], str]] = {"memory": memory, "flash": flash, "flash-roles": flash_roles, "processor": processor, "arms": arms, "arms-cleaning": arms_cleaning, "layers": layers}
NAMES = (*STUDIES, *ARRAY_STUDIES)
