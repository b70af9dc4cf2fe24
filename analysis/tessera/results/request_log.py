"""The log of a run's requests (requests.npy): its fields, and what they add up to."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np

OPERATIONS = ("read", "write", "flush", "trim", "zone_report", "zone_open", "zone_close", "zone_finish", "zone_reset")  # `op` of requests.npy
REQUEST_FIELDS = ("number", "lba", "blocks", "op", "status", "arrival", "issue", "completion")  # of requests.npy; the phases follow
_CAUSE = "cause_"


def latency_ms(requests: "np.ndarray") -> "np.ndarray":
    """Completion minus arrival of each request, in ms."""
    return (requests["completion"] - requests["arrival"]) / 1e9


def life_phases(requests: "np.ndarray") -> tuple[str, ...]:
    """Names of the parts of a request's life; their sum is the latency."""
    names = requests.dtype.names
    return names[len(REQUEST_FIELDS) : names.index("cause") if "cause" in names else None]


def life_causes(requests: "np.ndarray") -> dict[str, str]:
    """Cause -> the field with the time that a request took for it, in the order of the numbers in the field `cause`; the times sum to the
    latency. None in logs of older versions, which do not know causes."""
    return {name.removeprefix(_CAUSE): name for name in requests.dtype.names if name.startswith(_CAUSE)}
