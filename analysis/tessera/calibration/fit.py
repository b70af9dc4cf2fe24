"""Costs of named operations that explain the cycles of the images best."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from tessera.calibration.least_squares import non_negative
from tessera.calibration.measurement import Measurement

LAYER = 5  # what the sum of a layer's runs weighs, over these runs together: it is the layers that are to be right
TOGETHER = 0.02  # operations whose counts differ by less everywhere: no more than what a warm-up cuts in two


@dataclass(frozen=True)
class Fit:
    costs: Mapping[str, int]             # every operation; cycles
    never: tuple[str, ...]               # performed nowhere: as before
    together: tuple[tuple[str, ...], ...]  # only their sum is known; it is divided as before

    def cycles(self, measurement: Measurement) -> float:
        return sum(self.costs[name] * times for name, times in measurement.operations.items())

    def residual(self, measurements: Sequence[Measurement]) -> float:
        """Of their sum: what the costs say in excess of what the images took, as a share of that."""
        return sum(map(self.cycles, measurements)) / sum(one.cycles for one in measurements) - 1


def fit(measurements: Sequence[Measurement], before: Mapping[str, int]) -> Fit:
    """The least sum of squared relative errors of the measurements and of the layers' sums, with no cost below zero."""
    names = list(before)
    performed = np.array([[one.operations[name] for name in names] for one in measurements], float)
    cycles = np.array([[one.cycles] for one in measurements])
    layers = np.array([one.layer for one in measurements])
    of_layer = np.array([layers == layer for layer in dict.fromkeys(layers)], float)
    counts = np.vstack([performed / cycles, (of_layer @ performed) / (of_layer @ cycles)])
    weights = np.sqrt(np.concatenate([np.ones(len(measurements)), LAYER * of_layer.sum(axis=1)]))
    groups = _groups(counts)
    never = tuple(name for index, name in enumerate(names) if not counts[:, index].any())
    old = np.array([float(before[name]) for name in names])
    shares = [old[group] / old[group].sum() if old[group].sum() else np.full(len(group), 1 / len(group)) for group in groups]
    columns = [counts[:, group] @ share for group, share in zip(groups, shares, strict=True)]
    found = non_negative(np.column_stack(columns) * weights[:, None], weights)
    costs = dict(before)
    for group, share, cost in zip(groups, shares, found, strict=True):
        costs |= {names[index]: round(part * cost) for index, part in zip(group, share, strict=True)}
    return Fit(costs, never, tuple(tuple(names[index] for index in group) for group in groups if len(group) > 1))


def _groups(counts: np.ndarray) -> list[list[int]]:
    """Columns that are not zero; those that are all but equal in every row stand together."""
    groups: list[list[int]] = []
    for index in range(counts.shape[1]):
        column = counts[:, index]
        if not column.any():
            continue
        for group in groups:
            if np.all(np.abs(column - counts[:, group[0]]) <= TOGETHER * column):
                group.append(index)
                break
        else:
            groups.append([index])
    return groups


def by_layer(measurements: Sequence[Measurement]) -> dict[str, list[Measurement]]:
    layers: dict[str, list[Measurement]] = {}
    for one in measurements:
        layers.setdefault(one.layer, []).append(one)
    return layers
