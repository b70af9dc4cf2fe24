"""Where the runs of a sweep take place: Dask's workers, on this machine or on a cluster."""

import math
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any

from tessera.errors import InputError, unknown_name

QUEUES = {"slurm": "SLURMCluster", "lsf": "LSFCluster", "pbs": "PBSCluster", "sge": "SGECluster", "htcondor": "HTCondorCluster"}
CONNECT_SECONDS = 10
RUNS_A_WORKER = 8  # that one process of Python keeps going without being in their way


@contextmanager
def dask_client(
    jobs: int | None = None, scheduler: str | None = None, cluster: Mapping[str, Any] | None = None, processes: bool = False
) -> Iterator[Any]:
    """A client of the scheduler at an address, of the batch system that `cluster` describes, or of workers on this machine that keep
    `jobs` runs going: threads of this process, since a run is a process of its own, or more processes where many runs at a time would
    keep one of them busy. (Those are for programs that may be started again: Python's rule for `multiprocessing`.)"""
    distributed = _distributed()
    if scheduler:
        try:
            client = distributed.Client(scheduler, timeout=CONNECT_SECONDS)
        except (OSError, ValueError, TimeoutError) as error:
            reason = str(error).split("\n")[0]
            raise InputError(f"no Dask scheduler answers at {scheduler} ({reason}); 'dask scheduler' starts one") from None
        with client:
            yield client
        return
    if cluster:
        with queue_cluster(cluster) as queue, distributed.Client(queue) as client:
            queue.scale(jobs=cluster.get("jobs", 1))
            yield client
        return
    count = jobs or len(os.sched_getaffinity(0))
    workers = math.ceil(count / RUNS_A_WORKER) if processes else 1
    with (
        _quiet(),
        distributed.LocalCluster(
            n_workers=workers, threads_per_worker=math.ceil(count / workers), processes=workers > 1, dashboard_address=":0",
            memory_limit=0, silence_logs=50,
        ) as local,
        distributed.Client(local) as client,
    ):
        yield client


def queue_cluster(table: Mapping[str, Any]) -> Any:
    """dask-jobqueue's cluster for `kind = "slurm"` and the like; every other key goes to its class. Raises InputError."""
    options = {name: value for name, value in table.items() if name not in ("kind", "jobs")}
    kind = table.get("kind", "")
    if kind not in QUEUES:
        raise unknown_name("kind of cluster", str(kind), QUEUES)
    _distributed()
    import dask_jobqueue

    try:
        return getattr(dask_jobqueue, QUEUES[kind])(**{"cores": 1, "memory": "2GB", "walltime": "01:00:00", **options})
    except (TypeError, ValueError) as error:
        raise InputError(f"cluster: {error}") from None


def job_script(table: Mapping[str, Any]) -> str:
    """The script that a batch system gets for each worker."""
    with _quiet(), queue_cluster(table) as cluster:
        return cluster.job_script()


def _distributed() -> Any:
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
