"""Miss ratio curves: what every size of a cache would hold, from one pass over a trace. (The public name of `traces.curves`.)"""

from tessera.traces.curves import chart, frame, miss_ratios

__all__ = ["chart", "frame", "miss_ratios"]
