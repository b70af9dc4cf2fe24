"""The folder of a measurement: job files for fio, what they replay, and the order to run them in."""

import json
import os
import stat
from pathlib import Path

import numpy as np

from tessera.engine.output_file import write
from tessera.errors import InputError, read_json, regular
from tessera.identify.jobs import JOBS, REQUESTS, Job
from tessera.identify.plan import Plan

MANIFEST = "identify.json"
SCHEMA = 1
MEAN_ACCESS = 0.013  # seconds: seek and half a turn of a drive of 7200 rpm
PRE_IDLE = 10        # seconds before a burst, in which the write cache empties
WARNING = "# WARNING: overwrites data all over {device}. Everything on it is lost. Run it only on a drive that holds nothing.\n"


def device_of(path: str) -> tuple[Path, int, int]:
    """A device's or file's absolute path, bytes, and sector size. Raises InputError where fio could not name it."""
    device = Path(path).resolve()
    if any(letter.isspace() or letter == ":" for letter in str(device)):
        raise InputError(f"{device}: fio's replay files cannot name a path with blanks or colons; make a link to it elsewhere")
    try:
        kind = device.stat().st_mode
        if stat.S_ISDIR(kind):
            raise InputError(f"{device}: is a folder; expected a block device or a file")
        with open(device, "rb") as opened:
            size = opened.seek(0, os.SEEK_END)
    except OSError as error:
        raise InputError(f"{device}: {error.strerror}; expected a block device or a file that can be read") from None
    if size == 0:
        raise InputError(f"{device}: holds 0 B; expected a block device or a file with the size of the drive")
    if not stat.S_ISBLK(kind):
        return device, size, 4096
    physical = Path("/sys/class/block") / device.name / "queue" / "physical_block_size"
    return device, size, int(physical.read_text()) if physical.exists() else 4096


def write_jobs(out: Path, device: str, plan: Plan, destructive: bool) -> dict[str, np.ndarray]:
    """Writes the folder and gives each job's requests. Without `destructive` no job that writes is there."""
    made = {}
    for job in JOBS:
        if job.destructive and not destructive:
            (out / job.folder / f"{job.name}.fio").unlink(missing_ok=True)  # of jobs that were written here before
            continue
        requests = made[job.name] = job.requests(plan)
        folder = out / job.folder
        write(folder / f"{job.name}.fio", _job_file(job, device))
        write(folder / f"{job.name}.iolog", _replay(requests, device))
    write(out / "README.txt", _readme(device, plan, made))
    write(out / MANIFEST, json.dumps({"schema": SCHEMA, "device": device, "plan": vars(plan), "jobs": {name: len(found) for name, found in made.items()}}, indent=1) + "\n")
    return made


def read_plan(folder: Path) -> tuple[Plan, list[Job]]:
    """What the folder's jobs were made for. Raises InputError where `jobs` did not write it."""
    file = folder / MANIFEST
    if not file.exists():
        raise InputError(f"{folder} has no {MANIFEST}: 'tessera identify jobs' or 'tessera identify simulate' makes such a folder")
    content = read_json(file)
    try:
        if content["schema"] != SCHEMA:
            raise InputError(f"{file}: schema {content['schema']}, this version reads {SCHEMA}")
        return Plan(**content["plan"]), [job for job in JOBS if job.name in content["jobs"]]
    except (KeyError, TypeError):
        raise InputError(f"{file}: expected what 'tessera identify jobs' wrote: schema, device, plan and jobs") from None


def read_requests(folder: Path, job: Job) -> np.ndarray:
    """What a job's replay log sends. Raises InputError with file and line where it is not as `jobs` wrote it."""
    file = folder / job.folder / f"{job.name}.iolog"
    rows = []
    for number, line in enumerate(regular(file).read_text(encoding="utf-8", errors="replace").splitlines(), 1):
        fields = line.split()
        if len(fields) == 4 and fields[1] in ("read", "write") and fields[2].isdecimal() and fields[3].isdecimal():
            rows.append((fields[1] == "write", int(fields[2]), int(fields[3])))
        elif number > 1 and fields[1:] not in (["add"], ["open"], ["close"]):
            raise InputError(f"{file}:{number}: expected 'DEVICE read|write OFFSET SIZE', found '{line.strip()[:60]}'; write the jobs again")
    return np.array(rows, REQUESTS)


def _job_file(job: Job, device: str) -> str:
    lines = [f"# Measures {job.measures}."]
    if job.destructive:
        lines.insert(0, WARNING.format(device=device).rstrip())
    lines += [
        f"[{job.name}]", f"filename={device}", f"read_iolog={job.name}.iolog", f"ioengine={'psync' if job.depth == 1 else 'libaio'}", "direct=1", f"iodepth={job.depth}",
        f"write_lat_log={job.name}", "log_offset=1", "per_job_logs=0",
    ]  # fmt: skip
    if job.think_us:
        lines += [f"thinktime={job.think_us}", "thinktime_blocks=1"]
    if job.destructive:
        lines.append(f"startdelay={PRE_IDLE}")
    return "\n".join(lines) + "\n"


def _replay(requests: np.ndarray, device: str) -> str:
    """fio's replay log of version 2: no times, so that each request follows the one before it."""
    rows = (f"{device} {'write' if one['write'] else 'read'} {one['offset']} {one['length']}" for one in requests)
    return "\n".join(["fio version 2 iolog", f"{device} add", f"{device} open", *rows, f"{device} close"]) + "\n"


def _minutes(job: Job, requests: int) -> str:
    seconds = requests * (MEAN_ACCESS / job.depth**0.3 + job.think_us * 1e-6)  # a queue in order of position
    return f"{max(1, round(seconds / 60))} min"


def _readme(device: str, plan: Plan, made: dict[str, np.ndarray]) -> str:
    rows = {job.name: (job, len(made[job.name])) for job in JOBS if job.name in made}
    lines = [
        f"Jobs for fio 3 that take {device} apart ({plan.capacity:,} B, sectors of {plan.block} B, tracks of about {plan.track:,} B).",
        "", "Nothing else may use the drive meanwhile. Run each job in its folder, in this order:", "",
    ]  # fmt: skip
    for job, count in rows.values():
        flag = "" if job.destructive else "--readonly "
        lines += [f"  (cd {job.folder} && fio {flag}{job.name}.fio)", f"      {_minutes(job, count)}, {count:,} requests: {job.measures}", ""]
    if not any(job.destructive for job, _ in rows.values()):
        lines += ["Write caches and shingled drives' cleaning take jobs that overwrite the drive: 'tessera identify jobs --destructive' writes them, too.", ""]
    else:
        lines += [f"The jobs in destructive/ overwrite {device}. Leave them out on a drive that holds anything: the rest is identified without them.", ""]
    lines += [
        "Each job leaves NAME_lat.log next to it: a line for each request, with time in ms, latency in ns, direction, size, offset.",
        "Then, in any place:", "", "  tessera identify fit THIS_FOLDER -o drive.toml", "",
    ]  # fmt: skip
    return "\n".join(lines)
