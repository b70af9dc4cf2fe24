"""The description of an identified drive: each line with how it was found and by how much it may be off."""

from collections.abc import Sequence

import numpy as np

from tessera.disksim.drive import Line
from tessera.disksim.text import FIXED
from tessera.identify.findings import Findings
from tessera.identify.intervals import intervals
from tessera.identify.jobs import window_bases
from tessera.results.human import size

ORDER = ("media", "nand", "controller", "controller.costs", "host", "firmware.read_cache", "firmware.write_cache", "firmware.overheads")


def lines_of(found: Findings) -> list[Line]:
    """Everything but zones and seeks."""
    plan, turn, shape, reads = found.plan, found.rotation, found.geometry, found.reads
    known, rpm = intervals(found), 60 / turn.period
    lines = [
        Line("media", "rpm", f'"{round(rpm)} rpm"', f"angles: {rpm:.3f} ± {known['media.rpm'].half:.3f} rpm, from {plan.anchors} places read again and again"),
        Line("media", "surfaces", str(shape.surfaces), "angles: after so many steps of the same kind comes another" if shape.surfaces > 1 else "angles: all steps from track to track are alike"),
        Line("media", "sector_size", f'"{plan.block} B"', "as the device says"),
        Line("media", "exported_sectors", str(plan.blocks), "as the device says"),
    ]
    if shape.order.serpent > 1:
        least = max((zone.serpent_skew - 1) / zone.sectors for zone in shape.zones) * turn.period
        most = min(zone.serpent_skew / zone.sectors for zone in shape.zones) * turn.period
        lines += [
            Line("media", "track_order", '"serpentine"', "angles: the usual step is to the next radius, and another one comes after as many tracks as a serpent has"),
            Line("media", "serpent_tracks", str(shape.order.serpent), "angles: tracks from one other step to the next"),
            Line("media", "serpent_skew", f'"{(least + most) / 2 * 1e3:.4f} ms"', f"angles: the step after all surfaces, in whole sectors of every zone; ± {abs(most - least) / 2 * 1e3:.4f} ms"),
        ]
    if shape.zones[0].first < 0:
        lines.append(Line("media", "reserved_sectors", str(-shape.zones[0].first), "angles: cylinders do not begin with block 0; less whole cylinders"))
    if found.seeks.switch is not None and shape.surfaces > 1:
        lines.append(Line("media", "head_switch", f'"{found.seeks.switch[0] * 1e3:.3f} ms"', f"seeks: bounds on one cylinder, less those on one track; ± {known['media.head_switch'].half:.3f} ms"))
    hit = reads.hit
    overhead = hit[0] if hit else found.seeks.overhead
    link = reads.link
    transfer = plan.block / link[0] if link else 0.0
    lines.append(Line("host", "command_overhead", f'"{max(0.0, overhead - transfer) * 1e6:.1f} us"', (
        f"run: a hit's latency less the link's time; ± {hit[1] * 1e6:.1f} us" if hit else f"seeks: bounds on one track; ± {found.seeks.overhead_error * 1e6:.1f} us"
    )))  # fmt: skip
    lines.append(Line("host", "completion_overhead", '"0 s"', "not told apart from command_overhead"))
    if link:
        lines.append(Line("host", "link_rate", f'"{round(link[0])} B/s"', f"transfer: hits by length; at least {(link[0] - link[1]) / 1e6:.0f} MB/s: what the electronics take per block is in it"))
    if hit and found.seeks.overhead > hit[0] + 1e-6:
        more = found.seeks.overhead - hit[0]
        for after in ("read", "write"):
            lines.append(Line("firmware.overheads", f"read_miss_after_{after}", f'"{more * 1e6:.1f} us"', f"seeks: bounds on one track, less a hit; ± {found.seeks.overhead_error * 1e6:.1f} us"))
    for choice in found.queue:
        alike = [value.strip('"') for value in choice.alike if value != choice.value]
        lines.append(Line(choice.section, choice.key, choice.value, "depth-4, depth-32, beside, first halves: of what was tried the best" + (f"; as good: {', '.join(alike)}" if alike else "")))
    return lines + _read_cache(found) + _write_cache(found) + list(FIXED)


def _read_cache(found: Findings) -> list[Line]:
    section, reads = "firmware.read_cache", found.reads
    if reads.hit is None:
        return [Line(section, "segments", "0", "run, again: no second read is answered by a cache")]
    ahead, segments = reads.ahead, reads.segments
    blocks = round(ahead[0]) if ahead else 0
    step = [Line(section, "read_ahead_step", str(found.step), "mixed, first half: the power of two with the smallest error")] if found.step else []
    lines = [
        *step,
        Line(section, "segments", str(round(segments[0]) if segments else 1), f"segments: {segments[0] - segments[1]:g} to {segments[0] + segments[1]:g}" if segments else "not identified: one"),
        Line(section, "segment_sectors", str(max(64, 2 * blocks)), "not identified: twice the read-ahead"),
        Line(section, "read_ahead", str(blocks), f"ahead: {ahead[0] - ahead[1]:g} to {ahead[0] + ahead[1] + 1:g}" if ahead else "ahead: no edge was found"),
    ]
    if reads.keeps is not None:
        lines.append(Line(section, "keep_delivered", "true" if reads.keeps >= 0.5 else "false", f"again: {100 * reads.keeps:.0f} % of second reads hit"))
    if reads.first is not None and reads.second is not None:
        kind = "any_read" if reads.first >= 0.5 else "sequential_read"
        lines.append(Line(section, "read_ahead_on", f'"{kind}"', f"run: the next block hits in {100 * reads.first:.0f} % after one read, {100 * reads.second:.0f} % after two"))
    return lines


def _write_cache(found: Findings) -> list[Line]:
    section, writes = "firmware.write_cache", found.writes
    if writes is None or writes.through or writes.capacity is None:
        return []
    sectors = max(1, round(writes.capacity[0] / found.plan.block))
    return [
        Line(section, "capacity", f'"{sectors * found.plan.block} B"', f"burst: writes wait from there on; ± {size(writes.capacity[1])}"),
        Line(section, "durability", '"volatile"', "not identified"),
    ]


def unidentified(found: Findings) -> list[str]:
    """What the logs do not tell, each with its reason."""
    missing = [] if found.queue else ["controller.scheduling, age_limit, host.tags: the jobs depth-4, depth-32 and beside were not run, or not tried (--no-score); the defaults are written, and rates at depth are not the drive's"]
    missing += ["media.write_settle: hidden by write caches; 0 is written", "media.slipped_defects, spare sectors inside a zone: read as tracks of full length; jobs of single tracks would tell"]
    reads, writes = found.reads, found.writes
    if found.seeks.switch is None or found.geometry.surfaces == 1:
        missing.append("media.head_switch: too few reads of one cylinder, or no longer than the seeks that come with it; 0 is written. More pairs (without --small) may tell")
    if reads.hit is not None and found.seeks.overhead <= reads.hit[0] + 1e-6:
        missing.append("firmware.overheads: what a miss takes more than a hit is in the seek times; only a drive without read-ahead tells them apart")
    if found.geometry.surfaces == 1:
        missing.append("media.surfaces: one, or several with equal skews, or in serpents with equal skews: the angles do not tell, the number of heads in the data sheet does")
    if len(found.geometry.zones) > 1:
        widest = max(zone.before for zone in found.geometry.zones[1:])
        missing.append(f"where zones end: within {widest:,} sectors; more reads between windows (without --small) narrow it")
    unseen = found.plan.windows - found.windows_seen
    if unseen:
        missing.append(f"{unseen} of {found.plan.windows} windows: no single track length explains them (a zone's end, spares, defects, or bands with guards)")
    loose = [zone for zone in found.geometry.zones if zone.agreement < 0.9]
    if loose:
        missing.append(f"angles between windows in {len(loose)} of {len(found.geometry.zones)} zones: something between them is not as the skews say")
    if reads.hit is None:
        missing.append("host.link_rate: no cache answers, so that the platters hide it; the interface's own rate is in the data sheet")
    else:
        missing.append("firmware.read_cache.segment_sectors: no job fills a segment" + ("" if found.step else "; read_ahead_step: mixed was not run, or --no-score"))
        missing += [f"firmware.read_cache.{name}: all that was tried is within it; a job with more places or longer distances would tell" for name, value in (("read_ahead", reads.ahead), ("segments", reads.segments)) if value is None]
    if reads.before is not None and reads.before >= 0.5:
        missing.append(f"reads of what lies before a read: {100 * reads.before:.0f} % hit, as of a cache of whole tracks, which a description cannot say")
    if writes is None:
        missing.append("firmware.write_cache, cleaning of a shingled drive: the destructive jobs were not run ('identify jobs --destructive' writes them)")
    elif writes.through:
        missing.append("firmware.write_cache: none, or switched off: the first writes wait for the platters")
    elif writes.capacity is None:
        missing.append("firmware.write_cache.capacity: no write of the bursts waits")
    return missing


def cleaning_said(found: Findings) -> list[str]:
    """What a description's layer and its caches would have to do; which layer that is, logs do not tell."""
    cleaning = found.writes.cleaning if found.writes is not None else None
    if cleaning is None or cleaning.cliff is None:
        return []
    said = [f"cleaning: random writes of 4 KiB become slow after {size(cleaning.cliff[0])} ± {size(cleaning.cliff[1])}, as of a shingled drive's media cache; choose a layer for it"]
    for when, pauses in (("before that", cleaning.before), ("from there on", cleaning.after)):
        if pauses is not None:
            said.append(f"cleaning: {when} pauses of {pauses.length * 1e3:,.0f} ± {pauses.width * 1e3:,.0f} ms, {pauses.apart:,.0f} writes apart")
    if found.geometry.surfaces > 1:
        said.append(f"angles: {found.geometry.surfaces} tracks from one other skew to the next: surfaces, or the bands of a shingled drive")
    return said


def sequential_said(found: Findings) -> list[str]:
    """The measured rates next to what track lengths and skews give: a check of both, which no line of the description comes from."""
    if found.rates is None:
        return []
    shape, plan = found.geometry, found.plan
    zones = [shape.zones[index] for index in shape.zone(window_bases(plan))]
    order = shape.order
    turns = [order.tracks + float(order.skew(zone, np.array([order.tracks]))[0]) / zone.sectors for zone in zones]  # until the order repeats
    given = np.array([order.tracks * zone.sectors * plan.block / found.rotation.period for zone in zones]) / np.array(turns)
    part = float(np.median(found.rates / given))
    return [f"sequential: {found.rates.max() / 1e6:.3g} to {found.rates.min() / 1e6:.3g} MB/s by position, {100 * part:.1f} % of what tracks and skews give"]


def description(found: Findings, name: str, score: Sequence[str] = (), failures: Sequence[str] = ()) -> str:
    head = [f"# {failure}" for failure in failures]
    head += [f"# {name}: identified from fio's logs by 'tessera identify fit'. A comment names the job that a value comes from, and its interval, which holds in 95 of 100 cases.", "# Not identified:"]
    head += [f"# - {sentence}" for sentence in unidentified(found)]
    head += [f"# {said}" for said in (*sequential_said(found), *cleaning_said(found), *score)]
    lines = [*head, f'summary = "{name}, identified from its latencies"', 'layer = "cmr"']
    entries = lines_of(found)
    for section in ORDER:
        inside = [line for line in entries if line.section == section]
        if inside:
            lines += ["", f"[{section}]", *(f"{line.key} = {line.value}" + (f"  # {line.source}" if line.source else "") for line in inside)]
        if section == "media":
            lines += _zones(found) + _seeks(found)
    return "\n".join(lines) + "\n"


def _zones(found: Findings) -> list[str]:
    shape = found.geometry
    lines = ["# last radius, sectors per track, track skew, cylinder skew, spare sectors (what fills the last cylinder), start angle", "zones = ["]
    last, ends = -1, [zone.first for zone in shape.zones[1:]]
    for index, (zone, cylinders) in enumerate(zip(shape.zones, shape.cylinders(), strict=True)):
        last += cylinders
        spares = cylinders * zone.sectors * shape.surfaces - (ends[index] - zone.first) if index < len(ends) else 0
        start = round(zone.start * zone.sectors) % zone.sectors
        off = f"; begins within {zone.before:,} sectors" if index else ""
        lines.append(f"  [{last}, {zone.sectors}, {zone.track_skew}, {zone.cylinder_skew}, {spares}, {start}],  # {zone.windows} windows; skews ± {zone.skew_error:.1f}{off}")
    return [*lines, "]"]


def _seeks(found: Findings) -> list[str]:
    curve, known = found.seeks, intervals(found)
    if curve.fits:
        cylinders = sum(found.geometry.cylinders())
        full = curve.shortest + curve.slope * (cylinders - 1) ** 0.5
        return [
            f'seek_min = "{curve.shortest * 1e3:.3f} ms"  # seeks: least squares of t_min + a * sqrt(distance); ± {known["media.seek_min"].half:.3f} ms',
            f'seek_full_stroke = "{full * 1e3:.3f} ms"  # seeks: the same; ± {known["media.seek_full_stroke"].half:.3f} ms',
        ]
    cells = [f"[{distance}, {time * 1e3:.3f}]" for distance, time in zip(curve.distance, curve.time, strict=True)]
    rows = [f"  {', '.join(cells[begin : begin + 8])}," for begin in range(0, len(cells), 8)]
    worst, usual = curve.error.max() * 1e3, sorted(curve.error)[len(curve.error) // 2] * 1e3
    return [f"# distance in cylinders, milliseconds: seeks, by bounds; ± {usual:.3f} ms, at most {worst:.3f}; all together as the overhead, which they follow", "seek_curve = [", *rows, "]"]
