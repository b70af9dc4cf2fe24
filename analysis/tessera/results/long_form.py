"""Results by what they are of: a row for each metric of each run, or an array over the axes."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from tessera.errors import InputError, unknown_name

if TYPE_CHECKING:
    import xarray

SEED = "seed"
LONG = {"metric": pl.String, "value": pl.Float64, "unit": pl.String}


def _chosen(rows: pl.DataFrame, asked: Sequence[str], known: Sequence[str]) -> list[str]:
    for name in asked:
        if name not in known or name not in rows.columns:
            raise unknown_name("metric", name, [each for each in known if each in rows.columns])
    return list(asked or (name for name in known if name in rows.columns))


def long_form(rows: pl.DataFrame, index: Sequence[str], units: Mapping[str, str], asked: Sequence[str] = ()) -> pl.DataFrame:
    """A row a run and metric: the columns of `index`, metric, value, unit; what is undefined is left out. `asked`: which metrics (default: all).

    >>> long_form(pl.DataFrame({"layer": ["a", "b"], "x": [1.0, None], "y": [2.0, 3.0]}), ["layer"], {"x": "ms", "y": "1"}).rows()
    [('a', 'x', 1.0, 'ms'), ('a', 'y', 2.0, '1'), ('b', 'y', 3.0, '1')]
    """
    metrics = _chosen(rows, asked, list(units))
    numbered = rows.select(*index, *(pl.col(name).cast(pl.Float64) for name in metrics)).with_row_index("run")
    found = numbered.unpivot(metrics, index=["run", *index], variable_name="metric", value_name="value").drop_nulls("value").sort("run", maintain_order=True)
    unit = pl.col("metric").replace_strict(dict(units), return_dtype=pl.String) if found.height else pl.lit(None, pl.String)
    return found.select(*index, pl.col("metric").cast(pl.String), "value", unit.alias("unit"))


def as_xarray(rows: pl.DataFrame, axes: Sequence[str], units: Mapping[str, str], asked: Sequence[str] = ()) -> "xarray.Dataset":
    """The metrics as arrays over the axes, which have a coordinate each; NaN where there is no run. Raises InputError where an axis is not of every run,
    or two runs are at one place, or xarray is not installed."""
    try:
        import xarray
    except ImportError:
        raise InputError("arrays need xarray: pip install 'tessera[xarray]'") from None
    metrics = _chosen(rows, asked, list(units))
    for name in axes:
        if rows[name].null_count():
            raise InputError(f"axis {name}: {rows[name].null_count()} of {rows.height} runs have none, so that they have no place in an array; long() has them")
    coordinates = {name: rows[name].unique(maintain_order=True).to_list() for name in axes}
    shape = [len(values) for values in coordinates.values()]
    if rows.select(axes).is_duplicated().any():
        raise InputError(f"two runs are at one place of {', '.join(axes)}, as an axis has several names for one thing; long() has both")
    places = [[values.index(value) for value in rows[name]] for name, values in coordinates.items()]
    variables = {}
    for metric in metrics:
        cells = np.full(shape, np.nan)
        cells[tuple(places)] = rows[metric].cast(pl.Float64).fill_null(float("nan")).to_numpy()
        variables[metric] = xarray.Variable(list(axes), cells, {"units": units[metric]})
    return xarray.Dataset(variables, coords=coordinates)
