"""What several chapters measure of a run."""

from tessera.results.run_folder import Run


def latency(run: Run) -> float:
    """Mean response in ms."""
    return run.metric("host.latency.mean")


def p99(run: Run) -> float:
    return run.metric("host.latency.p99")


def p999(run: Run) -> float:
    return run.metric("host.latency.p999")


def longest(run: Run) -> float:
    """The worst response in ms."""
    return run.metric("host.latency.max")


def read_latency(run: Run) -> float | None:
    return run.metric("host.read.latency.mean")


def write_latency(run: Run) -> float | None:
    return run.metric("host.write.latency.mean")


def amplification(run: Run) -> float:
    """Write amplification as most papers define it: scratch space and logs left out."""
    return run.metric("write_amplification.no_backup")


def total_amplification(run: Run) -> float:
    """Write amplification of all that is written."""
    return run.metric("write_amplification.total")


def rmws(run: Run) -> float:
    return run.metric("rmw.count")
