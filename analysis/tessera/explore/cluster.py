"""Batch systems that start the workers of a sweep. Their scheduler listens on the network, since its workers run on other machines: so it takes
only what has this sweep's certificate, and shows no dashboard."""

import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from tessera.errors import InputError, unknown_name

QUEUES = {"slurm": "SLURMCluster", "lsf": "LSFCluster", "pbs": "PBSCluster", "sge": "SGECluster", "htcondor": "HTCondorCluster"}
MOST_JOBS = 4096  # ours: more than the cores of any machine, less than what fills a process table
LOOPBACK = "127.0.0.1:0"  # Dask serves its own state over HTTP; without an address, to everybody
CERTIFICATE = ("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "365", "-subj", "/CN=tessera")
END_OF_KEY = "-----END PRIVATE KEY-----\n"


@contextmanager
def queue_cluster(table: Mapping[str, Any]) -> Iterator[Any]:
    """dask-jobqueue's cluster for `kind = "slurm"` and the like; every other key goes to its class. Raises InputError."""
    check_cluster(table)
    distributed()
    import dask_jobqueue

    try:
        queue = getattr(dask_jobqueue, QUEUES[table["kind"]])(**_options(table))
    except (TypeError, ValueError, AttributeError, OSError) as error:  # what dask-jobqueue makes of values of another kind
        raise InputError(f"cluster: {error}") from None
    try:
        with queue:
            yield queue
    finally:
        for name, value in vars(queue).items():  # the files with the workers' keys, which would last as long as this process
            if name.startswith("_job_") and hasattr(value, "close"):
                value.close()


def _options(table: Mapping[str, Any]) -> dict[str, Any]:
    given = {name: value for name, value in table.items() if name not in ("kind", "jobs")}
    scheduler, worker = given.get("scheduler_options", {}), given.get("worker_extra_args", [])
    if not isinstance(scheduler, Mapping) or not isinstance(worker, list):
        raise InputError("cluster: expected a table as scheduler_options and a list of texts as worker_extra_args")
    options = {
        "cores": 1, "memory": "2GB", "walltime": "01:00:00", "shared_temp_directory": str(Path.cwd()), **given,
        "scheduler_options": {"dashboard": "dashboard_address" in scheduler, "dashboard_address": LOOPBACK, **scheduler},
        "worker_extra_args": ["--no-dashboard", "--dashboard-address", LOOPBACK, *worker],
    }  # fmt: skip
    security = given.get("security", True)
    if not isinstance(security, bool):
        raise InputError(f"cluster: security: expected false where everybody on the network is trusted, or nothing; found {security!r}")
    options["security"] = own_security() if security else None
    return options


def own_security() -> Any:
    """TLS with a certificate of this process alone: who does not have it cannot speak to the scheduler. Raises InputError."""
    from distributed import Security

    try:
        made = subprocess.run([*CERTIFICATE, "-keyout", "/dev/stdout", "-out", "/dev/stdout"], capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError) as error:
        raise InputError(
            f"cluster: no certificate for the scheduler could be made ({error}): install openssl, or set security = false where everybody on the network is trusted"
        ) from None
    key, end, certificate = made.partition(END_OF_KEY)
    roles = {f"tls_{role}_{part}": text for role in ("client", "scheduler", "worker") for part, text in (("key", key + end), ("cert", certificate))}
    return Security(require_encryption=True, tls_ca_file=certificate, **roles)


def jobs_of(table: Mapping[str, Any]) -> int:
    jobs = table.get("jobs", 1)
    if type(jobs) is not int or not 1 <= jobs <= MOST_JOBS:
        raise InputError(f"cluster: jobs: expected a whole number from 1 to {MOST_JOBS:,}, found {jobs!r}")
    return jobs


def check_cluster(table: Mapping[str, Any]) -> None:
    """Raises InputError where [cluster] names no batch system, or jobs that are no number: before any run."""
    if table:
        kind = table.get("kind", "")
        if not isinstance(kind, str) or kind not in QUEUES:
            raise unknown_name("kind of cluster", str(kind), QUEUES)
        _ = jobs_of(table)


def job_script(table: Mapping[str, Any]) -> str:
    """The script that a batch system gets for each worker. Raises InputError."""
    if not table:
        raise InputError(f"the plan names no batch system: give it a table [cluster] with a kind, one of {', '.join(QUEUES)}")
    with _quiet(), queue_cluster(table) as cluster:
        return cluster.job_script()


def distributed() -> Any:
    try:
        import distributed
    except ImportError:
        raise InputError("sweeps need Dask: pip install 'tessera[sweep]'") from None
    return distributed


@contextmanager
def _quiet() -> Iterator[None]:
    """Dask's logs of workers that come and go are not the user's business."""
    import logging

    logger = logging.getLogger("distributed")
    before = logger.level
    logger.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        with suppress(ValueError):
            logger.setLevel(before)
