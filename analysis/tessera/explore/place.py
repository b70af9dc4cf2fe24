"""Where the runs of a sweep take place: threads of this process, or the workers of a Dask scheduler."""

import os
import threading
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import contextmanager, suppress
from queue import Empty, SimpleQueue
from typing import Any

from tessera.engine.simulator import HEED_SECONDS, end_simulators, heed_interrupts
from tessera.errors import InputError
from tessera.explore.cluster import MOST_JOBS, distributed, jobs_of, queue_cluster

CONNECT_SECONDS = 10


class Threads:
    """Threads of this process, each of which waits for one simulator: nothing listens on a port, and a run is a process of its own."""

    def __init__(self, count: int):
        heed_interrupts()
        self.count = count
        self._members: set[int] = set()
        self._pool = ThreadPoolExecutor(count, thread_name_prefix="tessera-run", initializer=lambda: self._members.add(threading.get_ident()))
        self._waiting: set[Future] = set()
        self._done: SimpleQueue[tuple[str, Any]] = SimpleQueue()

    def submit(self, name: str, work: Callable[[Any], Any], group: Any) -> None:
        future = self._pool.submit(work, group)
        self._waiting.add(future)
        future.add_done_callback(lambda ended: self._done.put((name, _result(ended))))

    def next(self) -> tuple[str, Any]:
        """The name of a group that has ended, and its rows or the exception that ended it."""
        while True:
            with suppress(Empty):
                ended = self._done.get(timeout=HEED_SECONDS)
                break
        self._waiting = {future for future in self._waiting if not future.done()}
        return ended

    def close(self) -> None:
        """What has not begun does not begin; what runs is ended, where the sweep was interrupted. Only this pool's simulators: another sweep
        of this process goes on. A thread may be about to start one, so it is asked again until none runs."""
        self._pool.shutdown(wait=False, cancel_futures=True)
        while running := [future for future in self._waiting if not future.done()]:
            end_simulators(self._members)
            wait(running, timeout=HEED_SECONDS)
        self._pool.shutdown(wait=True)


def _result(future: Future) -> Any:
    return BaseException() if future.cancelled() else future.exception() or future.result()


class Workers:
    """The workers of a Dask scheduler."""

    def __init__(self, client: Any, expected: int = 1):
        """`expected`: runs at a time where the workers are still to come."""
        from distributed import as_completed

        self._client = client
        self._done = as_completed(with_results=True, raise_errors=False)
        self.count = max(expected, sum(client.nthreads().values()))

    def submit(self, name: str, work: Callable[[Any], Any], group: Any) -> None:
        self._done.add(self._client.submit(work, group, key=name, pure=False, retries=2))

    def next(self) -> tuple[str, Any]:
        future, result = next(self._done)
        if future.status == "finished":
            return future.key, result
        return future.key, result[1] if isinstance(result, tuple) else RuntimeError(str(result))


Place = Threads | Workers


@contextmanager
def places(jobs: int | None = None, scheduler: str | None = None, cluster: Mapping[str, Any] | None = None) -> Iterator[Place]:
    """Where runs take place: at the Dask scheduler of an address, in the batch system that `cluster` describes, or in `jobs` threads of this
    process. The first is the user's to protect: a scheduler runs whatever those who reach its port send."""
    if scheduler:
        dask = distributed()
        try:
            client = dask.Client(scheduler, timeout=CONNECT_SECONDS)
        except (OSError, ValueError, TimeoutError) as error:
            reason = str(error).split("\n")[0]
            raise InputError(f"no Dask scheduler answers at {scheduler} ({reason}); 'dask scheduler' starts one") from None
        with client:
            yield Workers(client)
        return
    if cluster:
        dask = distributed()
        with queue_cluster(cluster) as queue, dask.Client(queue) as client:
            queue.scale(jobs=jobs_of(cluster))
            yield Workers(client, expected=jobs_of(cluster) * cluster.get("cores", 1))
        return
    count = jobs or len(os.sched_getaffinity(0))
    if count > MOST_JOBS:
        raise InputError(f"jobs: expected at most {MOST_JOBS:,} runs at a time, found {count:,}: each is a process of this machine")
    threads = Threads(count)
    try:
        yield threads
    finally:
        threads.close()
