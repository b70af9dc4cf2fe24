"""The runs of the chapter on zone buffers: volumes by the paper's Table 3, its sweeps, and what is measured of them."""

import re
import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import product
from math import exp, log
from pathlib import Path

from tessera.engine.simulator import REPOSITORY
from tessera.results.run_folder import Run
from validation.papers.lab import Grid, Lab, Variant, of_layer, setting_words
from validation.papers.measures import metric

DRIVE = "amphisbaena-paper"
OURS = "amphisbaena"
OTHERS = ("skylight-disk", "fluid", "fluid-loop")
LAYERS = (*OTHERS, OURS)
CLEANINGS = 20  # fewer do not make a ranking
BUFFER_MIB = {  # 1 % of Table 3's ranges
    "hm_0": 143,
    "prn_0": 678,
    "prxy_0": 212,
    "ts_0": 225,
    "web_0": 348,
    "src2_2": 1736,
    "src2_0": 161,
    "usr_0": 164,
}
REQUESTS = {  # until each buffer has been filled about twice with addresses that were not in it
    "hm_0": 400_000,
    "prn_0": 300_000,
    "prxy_0": 4_000_000,
    "ts_0": 1_600_000,
    "web_0": 1_600_000,
    "src2_2": 150_000,
    "src2_0": 300_000,
    "usr_0": 400_000,
}
BUFFER_ZONES = 8  # Skylight's zones of 256 MiB would not fit five of these buffers once
VOLUMES = tuple(BUFFER_MIB)
SOME = ("hm_0", "prn_0", "src2_0", "src2_2")  # for the sweeps: small and large ranges, many and few updates
RULES = ("paper", "corrected", "count", "cost")
OFFSETS = ("hm_0", "prxy_0", "src2_0", "ts_0", "usr_0", "web_0")  # whose histograms of write offsets are public
MOST_REQUESTS_BY_OFFSET = 1_000_000
CHUNKS_KIB = (64, 128, 256, 512, 1024)
SHARES = (0.1, 0.3, 0.5)
# Its ideas, one setting each: how it is in the paper, and without it or otherwise. All combinations are run.
IDEAS = {
    "chunks of 64 KiB instead of 16 KiB": ({"chunk": "64 KiB"}, {"chunk": "16 KiB"}),
    "victims by equation 4 instead of by most chunks": ({"victim": "paper"}, {"victim": "count"}),
    "collections given up for a blocked write, or never": ({"abort_scope": "victim"}, {"abort_scope": "off"}),
    "a high-frequency buffer that grows, or stays": ({"hfb_share_max": 0.75}, {"hfb_share_max": 0.25}),
}
SCOPES = ("victim", "zone", "off")
SEGMENTS = ("whole zones", "256 KiB", "2 MiB", "16 MiB")
GIVEN_BACK = ("idle", "any", "fewest", "none")
FIRST_RULE = "paper"  # what the paper's figures were made with


def volume_text(name: str) -> str:
    """The description of a volume of Table 3."""
    return (REPOSITORY / "stimuli" / "workloads" / "papers" / f"zone-{name}.toml").read_text(encoding="utf-8")


def published(layer: str, **parameters: object) -> Variant:
    """A layer as its paper prints it, but for these parameters."""
    published = {"paper": True, "victim": FIRST_RULE} if layer == OURS else {"paper": True}
    return Variant(layer, of_layer(layer, **{**published, **parameters}))


def inputs_of(
    lab: Lab, names: Iterable[str], prefill: int = 0, workloads: Mapping[str, Path] | None = None, requests: Mapping[str, int] = REQUESTS
) -> dict[str, tuple[object, ...]]:
    """`workloads`: files in the place of the volumes' own descriptions."""
    inputs = {}
    for name in names:
        sizes = {key: value for layer in LAYERS for key, value in of_layer(layer, buffer=f"{BUFFER_MIB[name]} MiB").items()}
        sizes |= of_layer("skylight-disk", buffer_zone=f"{BUFFER_MIB[name] * 1024 // BUFFER_ZONES} KiB")
        limits = ("--limit", lab.requests(requests[name]), "--prefill", prefill)
        workload = workloads[name] if workloads else f"zone-{name}"
        inputs[name] = ("--workload", workload, *limits, *setting_words(**sizes))
    return inputs


def headline(
    lab: Lab, names: Sequence[str] = VOLUMES, prefill: int = 0, workloads: Mapping[str, Path] | None = None, requests: Mapping[str, int] = REQUESTS, layers: Sequence[str] = LAYERS
) -> Grid:
    """The eight volumes under the four layers, on empty or full zones."""
    return lab.grid(DRIVE, inputs_of(lab, names, prefill, workloads, requests), {layer: published(layer) for layer in layers}, f"volumes, zones {prefill} % full")


def _combined(choice: Sequence[int]) -> dict[str, object]:
    """The settings of the ideas, 0 as in the paper, 1 otherwise."""
    return {key: value for sides, side in zip(IDEAS.values(), choice, strict=True) for key, value in sides[side].items()}


BESIDE = {"fluid-loop": published("fluid-loop")}
SWEEPS: Mapping[str, Mapping[str, Variant]] = {  # by experiment: one parameter, or what the paper leaves open
    "victim-rules": BESIDE | {rule: published(OURS, victim=rule) for rule in RULES},
    "chunk-sizes": {f"{kib} KiB": published(OURS, chunk=f"{kib} KiB") for kib in CHUNKS_KIB},
    "filter-share": {f"{share}": published(OURS, filter_share=share) for share in SHARES},
    "scopes": BESIDE | {scope: published(OURS, abort_scope=scope) for scope in SCOPES},
    "segments": {
        **{f"{layer}, {size}": published(layer, evict_segment="0 B" if size == SEGMENTS[0] else size) for layer in ("fluid", "fluid-loop") for size in SEGMENTS},
        OURS: published(OURS),
    },
    "given-back": {rule: published(OURS, give_back=rule) for rule in GIVEN_BACK},
    "ideas": BESIDE | {"".join(map(str, choice)): published(OURS, **_combined(choice)) for choice in product((0, 1), repeat=len(IDEAS))},
}


def swept(lab: Lab, sweep: str, names: Sequence[str] = SOME) -> Grid:
    return lab.grid(DRIVE, inputs_of(lab, names), SWEEPS[sweep], sweep)


def chunk_locality(lab: Lab, name: str = "prn_0", starts: Sequence[int] = (1, 4, 16)) -> Grid:
    """A volume with more and more start addresses in a chunk of 64 KiB: what the paper does not print of its traces."""
    options = inputs_of(lab, (name,))[name]
    text = volume_text(name)
    inputs = {}
    for count in starts:
        file = lab.workload_file(f"zone-{name}-{count}", re.sub(r"chunk_starts = \d+", f"chunk_starts = {count}", text))
        inputs[f"{count} of 16"] = ("--workload", file, *options[2:])
    return lab.grid(DRIVE, inputs, {layer: published(layer) for layer in ("fluid-loop", OURS)}, "locality inside chunks")


def published_offsets(lab: Lab, names: Iterable[str] = OFFSETS) -> Grid:
    """The volumes whose write offsets are published, in random order, with the sizes and shares of the paper's table: with chunks as in
    the paper, and with smaller ones."""
    inputs = {}
    for name in names:
        histogram = lab.trace("msr", "write_offset_histograms", f"{name}.csv.xz")
        if histogram is None:
            continue
        volume = tomllib.loads(volume_text(name))
        text = (
            f'summary = "write offsets of {name}"\nlaw = "offsets"\noffsets = "{histogram.resolve()}"\noffset_unit = "1 B"\n'
            f'alignment = "4 KiB"\nrange = "1 TiB"\nwrite_share = {volume["write_share"]}\nwrite_sizes = {volume["write_sizes"]}\n'
            f'[arrivals]\nlaw = "exponential"\nmean = "{volume["arrivals"]["mean"]}"\n'
        )
        _, file, *_ = lab.generated(f"zone-offsets-{name}", text, 1)
        limit = lab.requests(min(REQUESTS[name], MOST_REQUESTS_BY_OFFSET))
        inputs[name] = ("--workload", file, "--limit", limit, *inputs_of(lab, (name,))[name][4:])
    variants = {"fluid-loop": published("fluid-loop")} | {f"{OURS}, {size}": published(OURS, chunk=size) for size in ("64 KiB", "16 KiB")}
    return lab.grid(DRIVE, inputs, variants, "published write offsets")


def effect(row: Mapping[str, Run], idea: int, value: Callable[[Run], float]) -> float | None:
    """How many times as much a run has with an idea as without, geometric mean over all combinations of the others."""
    ratios = []
    for name, run in row.items():
        if name[0] not in "01" or name[idea] == "1":
            continue
        with_it, without = value(run), value(row[name[:idea] + "1" + name[idea + 1 :]])
        if not with_it or not without:
            return None
        ratios.append(log(with_it / without))
    return exp(sum(ratios) / len(ratios))


hit_rate, amplification_without_padding = metric("hit.write"), metric("wa.unpadded")


def padding_gib(run: Run) -> float:
    return run.metric("pad.sectors") * 4096 / 2**30


def victim_size(run: Run) -> float:
    """Mean sectors that a zone gets back; 0 where nothing was written back."""
    return run.metric("victim.sectors_mean") or 0.0


def ranked(row: Mapping[str, Run]) -> bool:
    """Whether each layer cleaned often enough."""
    return all(run.metric("cleaning.count") >= CLEANINGS for run in row.values())


def change(row: Mapping[str, Run], value: Callable[[Run], float], against: str, ours: str = OURS) -> float | None:
    """By what share Amphisbaena is above (or, negative, below) another layer."""
    other = value(row[against])
    return value(row[ours]) / other - 1 if other else None
