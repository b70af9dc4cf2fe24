"""The study of archives of 60 disks at equal cost: prices them, runs them, and writes the tables of docs/studies/archive.md."""

import math
import statistics
import tomllib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from pages.array_runs import ArrayRun, Words, array_runs
from pages.digits import three_digits
from tessera.engine.simulator import REPOSITORY, run_simulator
from tessera.evidence.marks import FEW_CLEANINGS
from tessera.results.markdown import table
from tessera.results.marked_section import write_marked_section
from tessera.results.run_folder import Run

PAGE = REPOSITORY / "docs" / "studies" / "archive.md"
FOLDER = PAGE.parent / "archive"
WHOLE_DRIVE = "seagate-st8000as0002"  # docs/studies/rebuild/archive.toml is its outermost part
DRIVES = 60
SEEDS = (1, 2)
SCALES = {"5": "1", "20": "0.25", "40": "0.125"}  # requests per second of load.toml: --time-scale
LOAD_REQUESTS, WARM_UP, INGEST, REPLACED, UPDATES = 12000, 4000, 3000, 1000, 15000
OBJECT_BYTES = 8_519_680  # a row of each archive
HOURS_PER_YEAR = 8760
BEYOND_YEARS = 1e9  # of independent failures; other losses come first
STAR = "\\*"


@dataclass(frozen=True)
class Kind:
    file: str
    layer: str
    data: int
    parities: int
    as_sold: bool = False

    @property
    def title(self) -> str:
        return f"{self.file.replace('-', ' ')} {self.data}+{self.parities}"


KINDS = (
    Kind("conventional", "cmr", 16, 2),
    Kind("interlaced", "imr-rmw", 13, 6),
    Kind("shingled-as-sold", "media-cache", 10, 4, as_sold=True),
    Kind("shingled", "media-cache", 8, 9),
)


@dataclass(frozen=True)
class Price:
    """Of a whole drive of the platters that all kinds share."""

    gain: float
    per_user_tb: float  # dollars, of the drive
    user_tb: float  # of a drive for the same money


def years_to_loss(drives: int, parities: int, rebuild_hours: float, annual_failure_rate: float) -> float:
    """Mean time to data loss of independent failures and rebuilds one after the other, where any parities + 1 drives lose data:
    (1/T)^m / (a^(m+1) n (n-1) ... (n-m)), with T in years. Patterson, Gibson, Katz 1988 have it for m = 1, Chen et al. 1994 for 2.

    >>> years_to_loss(2, 1, 8760, 0.5)
    2.0
    >>> years_to_loss(4, 2, 4380, 0.5)  # 2 * 2 / (0.125 * 4 * 3 * 2)
    1.3333333333333333
    """
    rebuilds_per_year = HOURS_PER_YEAR / rebuild_hours
    return rebuilds_per_year**parities / (annual_failure_rate ** (parities + 1) * math.perm(drives, parities + 1))


def inputs() -> dict[str, float]:
    return tomllib.loads((FOLDER / "inputs.toml").read_text(encoding="utf-8"))


def prices(out: Path) -> dict[str, Price]:
    """Of each kind by its file, as the simulator reports them of the whole drive."""
    given = inputs()

    def report(kind: Kind, platters: float) -> Run:
        folder = out / f"price-{kind.file}"
        # By the papers' formula: what disks gain as sold is an input of the study.
        settings = ("--set", "media.exported_sectors=0", "--set", "media.shingled_gain=0", "--set", f"cost.platters={platters}")
        run_simulator(["run", WHOLE_DRIVE, "--layer", kind.layer, *settings, "--workload", "archive", "--limit", "1", "--out", folder], quiet=True)
        return Run(folder)

    def price(kind: Kind, conventional_tb: float | None) -> Price:
        run = report(kind, given["platters"])
        gain = run.metric("capacity.gain_vs_cmr")
        if kind.as_sold:
            run = report(kind, given["platters"] * gain / given["gain_as_sold"])
            gain = given["gain_as_sold"]
        return Price(gain, run.metric("cost.per_user_tb"), gain * (conventional_tb or run.metric("capacity.user") * 1e-12))

    found: dict[str, Price] = {}
    for kind in KINDS:
        found[kind.file] = price(kind, found[KINDS[0].file].user_tb if found else None)
    return found


def archive_cost(price: Price, archive_bytes: float, drive_bytes: float, drives: int = DRIVES) -> float:
    """Dollars per user TB of an archive whose drives have so many user bytes each."""
    return price.per_user_tb * drives * drive_bytes / archive_bytes


def runs() -> dict[str, Words]:
    """Each run by its name: what is asked, the kind, the seed."""
    made: dict[str, Words] = {}
    for kind in KINDS:
        whole, failed = FOLDER / f"{kind.file}.toml", FOLDER / f"{kind.file}-rebuild.toml"

        def closed(workload: str, limit: int, array: Path = whole) -> Words:
            return (array, "--workload", FOLDER / f"{workload}.toml", "--fold", "--replay", "closed:8", "--limit", str(limit))

        load = ("--workload", FOLDER / "load.toml", "--fold", "--replay", "timed")
        for seed in SEEDS:
            for rate, scale in SCALES.items() if seed == SEEDS[0] else [("20", SCALES["20"])]:
                length = ("--limit", str(LOAD_REQUESTS), "--warmup", str(WARM_UP))
                made[f"load-{rate}-{kind.file}-{seed}"] = (whole, *load, "--time-scale", scale, *length, "--seed", str(seed))
            made[f"rebuild-{kind.file}-{seed}"] = (failed, *load, "--seed", str(seed))
        made[f"idle-{kind.file}-1"] = (failed,)
        made[f"ingest-{kind.file}-1"] = closed("ingest", INGEST)
        made[f"replace-{kind.file}-1"] = closed("replace", REPLACED)
        made[f"updates-{kind.file}-1"] = closed("updates", UPDATES)
    return made


def archive(out: Path) -> None:
    done = array_runs(runs(), out)
    priced = prices(out)
    for name, text in (("cost", _costs(priced, done)), ("load", _loads(done)), ("rates", _rates(done)), ("rebuild", _rebuilds(priced, done))):
        write_marked_section(PAGE, f"./dev studies archive ({name})", text)


def of_drives(run: ArrayRun, metric: str) -> float:
    """Mean over the drives that did not fail."""
    return statistics.mean(drive.metric(metric) or 0 for drive in run.drives if not drive.summary["run"]["failed"])


def ranked(run: ArrayRun) -> bool:
    """Whether the drives of a layer that cleans did so often enough, and the load was one that the archive sustains."""
    cleans = run.drives[0].summary["run"]["cleans"]
    return not (cleans and of_drives(run, "cleaning.count") < FEW_CLEANINGS) and not run.find("host.backlog.unstable")


def _cell(of: Sequence[ArrayRun], text: Callable[[Sequence[ArrayRun]], str]) -> str:
    return text(of) + ("" if all(ranked(run) for run in of) else STAR)


def _mean(of: Sequence[ArrayRun], metric: str) -> float:
    return statistics.mean(run.metric(metric) for run in of)


def _mean_p99(of: Sequence[ArrayRun]) -> str:
    return " / ".join(three_digits(_mean(of, f"host.read.latency.{figure}")) for figure in ("mean", "p99"))


def _all_seeds(done: dict[str, ArrayRun], name: str) -> list[ArrayRun]:
    return [done[f"{name}-{seed}"] for seed in SEEDS if f"{name}-{seed}" in done]


def _costs(priced: dict[str, Price], done: dict[str, ArrayRun]) -> str:
    def cost(kind: Kind) -> float:
        run = done[f"load-5-{kind.file}-1"]
        return archive_cost(priced[kind.file], run.metric("capacity.user"), run.drives[0].metric("capacity.user"))

    first = cost(KINDS[0])
    body = []
    for kind in KINDS:
        price = priced[kind.file]
        dollars = price.user_tb * price.per_user_tb
        per_drive = [f"{price.gain:.2f}", f"{dollars:.1f}", f"{price.per_user_tb:.2f}"]
        off = f"{100 * (cost(kind) / first - 1):+.1f} %"
        body.append([kind.title, *per_drive, f"{dollars * DRIVES / cost(kind):.0f}", f"{cost(kind):.2f}", off, kind.parities])
    return table(["archive", "gain", "$ per drive", "$ per user TB, drive", "user TB, archive", "$ per user TB, archive", "off", "drives that may fail"], body)


def _loads(done: dict[str, ArrayRun]) -> str:
    body = []
    for kind in KINDS:
        cells = [_cell(_all_seeds(done, f"load-{rate}-{kind.file}"), _mean_p99) for rate in SCALES]
        twenty = _all_seeds(done, f"load-20-{kind.file}")
        busy = 100 * statistics.mean(of_drives(run, "disk_channel.utilisation") for run in twenty)
        cleanings = statistics.mean(of_drives(run, "cleaning.count") for run in twenty)
        body.append([kind.title, *cells, f"{busy:.0f} %", f"{cleanings:.0f}"])
    return table(["archive", *(f"{rate} per second" for rate in SCALES), "drives busy at 20", "cleanings per drive"], body) + NOTE


def _rates(done: dict[str, ArrayRun]) -> str:
    def per_second(of: Sequence[ArrayRun]) -> float:
        return of[0].metric("host.served") / of[0].metric("run.measured_seconds")

    def objects(of: Sequence[ArrayRun]) -> str:
        return three_digits(per_second(of) * OBJECT_BYTES / 2**20)

    def updates(of: Sequence[ArrayRun]) -> str:
        return three_digits(per_second(of))

    columns = {"ingest": objects, "replace": objects, "updates": updates}
    body = [[kind.title, *(_cell([done[f"{name}-{kind.file}-1"]], text) for name, text in columns.items())] for kind in KINDS]
    return table(["archive", "in order, MiB/s", "replaced at random, MiB/s", "updates per second"], body) + NOTE


def _rebuilds(priced: dict[str, Price], done: dict[str, ArrayRun]) -> str:
    body = []
    for kind in KINDS:
        loaded = _all_seeds(done, f"rebuild-{kind.file}")
        rates = [run.metric("array.rebuild.rate") for run in loaded]
        hours = priced[kind.file].user_tb * 1e12 / statistics.mean(rates) / 3600
        years = years_to_loss(DRIVES, kind.parities, hours, inputs()["annual_failure_rate"])
        mib = [rate / 2**20 for rate in rates]
        spread = f"{three_digits(statistics.mean(mib))} ({three_digits(min(mib))} to {three_digits(max(mib))})"
        lost = f"1 in {float(f'{years:.2g}'):,.0f}" if years < BEYOND_YEARS else f"below 1 in {BEYOND_YEARS:,.0f}"
        idle = _cell([done[f"idle-{kind.file}-1"]], lambda of: three_digits(_mean(of, "array.rebuild.rate") / 2**20))
        body.append([kind.title, idle, _cell(loaded, lambda _: spread), three_digits(hours), _cell(loaded, _mean_p99), lost])
    return table(["archive", "idle, MiB/s", "under load, MiB/s (seeds)", "whole drive, h", "reads meanwhile, mean / p99 ms", "loss in a year"], body) + NOTE


NOTE = f"\n({STAR} not to be ranked: fewer than {FEW_CLEANINGS} cleanings per drive, or a backlog that grew all along.)\n"
