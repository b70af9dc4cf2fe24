"""The Python package: its calls and types with their docstrings, whose examples are run by a test."""

import ast
import inspect
import textwrap
from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Any

import tessera
from tessera import curves, environment, kernel, layer, policy, zoned_disk
from tessera.api import OPTIONS
from tessera.evidence.intervals import Estimate
from tessera.explore import Sweep
from tessera.explore.comparison import Comparison
from tessera.explore.searching import Search
from tessera.identify.against_measurement import Validation
from tessera.identify.response_errors import ClassError
from tessera.results.frames import Frames
from tessera.traces.reuse import MissRatios

HEAD = """# The package `tessera`

Made by `./dev reference` from the docstrings; a test holds it against them, another runs the examples. [Python](../guide/python.md) is the guide to it.
"""
CALLS = {
    "tessera": (tessera.run, tessera.compare, tessera.sweep, tessera.search, tessera.validate, tessera.open_results, tessera.latency_ms, tessera.life_phases, tessera.life_causes),
    "tessera.trace": (tessera.trace.describe, tessera.trace.read_trace),
    "tessera.curves": (curves.miss_ratios, curves.frame),
}
MOST_COLUMNS = 110  # of a signature on one line
TYPES = (
    tessera.Run, Frames, Comparison, Estimate, Sweep, Search, Validation, ClassError, MissRatios, tessera.Simulation, kernel.Drive, kernel.Request, kernel.Signal,
    kernel.Metric, zoned_disk.ZonedDisk, zoned_disk.Zone, zoned_disk.Geometry, zoned_disk.Answer, zoned_disk.ZoneError, tessera.InputError, tessera.SimulatorError, kernel.ModelFailure,
)  # fmt: skip
CALLED = {kernel.Drive: "tessera.kernel.Drive", zoned_disk.ZonedDisk: "tessera.zoned_disk.ZonedDisk"}  # types that users make themselves, otherwise than by naming the fields


def python_page() -> str:
    """docs/reference/python.md."""
    text = HEAD + "\n## Calls\n"
    for module, calls in CALLS.items():
        text += "".join(f"\n### {module}.{call.__name__}\n\n{_signature(call, f'{module}.{call.__name__}')}\n{_prose(call)}" for call in calls)
    text += "\n## Types\n" + "".join(_type(kind) for kind in TYPES)
    return text


LAYERS_HEAD = """# Layers and policies in Python

Made by `./dev reference` from the docstrings of `tessera.layer`, `tessera.policy` and `tessera.environment`; a test holds it against them. [Layers in Python](../guide/python-layers.md) and [policies](../guide/policies.md) are the guides to it. Times are integers in
picoseconds of simulated time, sizes bytes.
"""
PARAMETERS = (layer.flag, layer.count, layer.real, layer.time, layer.size, layer.choice)
OF_LAYERS = (
    layer.Layer, layer.Request, layer.Data, layer.Drive, layer.Zone, layer.Region, layer.Refused, layer.Media, layer.Run, layer.Flash, layer.FlashShape, layer.Failed,
    layer.Memory, layer.Table, layer.Cpu, layer.Work, layer.Host, layer.Lock, layer.Figure, layer.Tracks, layer.Bands,
)  # fmt: skip
OF_POLICIES = (policy.Policy, policy.Cleaning, policy.Unit, policy.Arrival, policy.Watcher, environment.CleaningEnvironment, environment.CleaningEnvironments)
MADE = {kind: kind.__name__ for kind in (layer.Tracks, layer.Bands, layer.Lock, layer.Failed, environment.CleaningEnvironment, environment.CleaningEnvironments)}


def layers_page() -> str:
    """docs/reference/python-layers.md."""
    text = LAYERS_HEAD + "\n## Layers and what they see\n" + "".join(_type(kind) for kind in OF_LAYERS)
    text += "\n## Parameters\n" + "".join(f"\n### {call.__name__}\n\n{_signature(call, call.__name__)}\n{_prose(call)}" for call in PARAMETERS)
    text += f"\n## Parts\n\n### plan_bands\n\n{_signature(layer.plan_bands, 'plan_bands')}\n{_prose(layer.plan_bands)}"
    statuses = "".join(f"| `{status.name}` | {status.value} | {meaning} |\n" for status, meaning in layer.MEANINGS.items())
    text += "\n## Policies of cleaning\n" + "".join(_type(kind) for kind in OF_POLICIES)
    return f"{text}\n## Status\n\n| | | |\n|---|---|---|\n{statuses}"


def _type(kind: type) -> str:
    made = f"{_signature(kind.__init__, (CALLED | MADE)[kind])}\n" if kind in CALLED or kind in MADE else ""
    text = f"\n### {kind.__name__}\n\n{made}{_prose(kind)}"
    rows = [*_attributes(kind), *((name, _first(member)) for name, member in _members(kind) if not callable(member))]
    if rows:
        text += "\n| | |\n|---|---|\n" + "".join(f"| `{name}` | {meaning} |\n" for name, meaning in rows)
    for name, member in _members(kind):
        if callable(member):
            text += f"\n{_signature(member, f'{kind.__name__}.{name}')}\n{_prose(member)}"
    return text


def _members(kind: type) -> Iterator[tuple[str, Any]]:
    """What the class itself makes public and documents: properties as they are, methods as functions."""
    for name, member in vars(kind).items():
        found = member.__func__ if isinstance(member, classmethod | staticmethod) else member
        if not name.startswith("_") and inspect.getdoc(found) and (inspect.isfunction(found) or isinstance(found, property | cached_property)):
            yield name, found


def _attributes(kind: type) -> Iterator[tuple[str, str]]:
    """Annotated fields, with the string that follows one as its meaning."""
    body = ast.parse(textwrap.dedent(inspect.getsource(kind))).body[0].body
    for item, following in zip(body, [*body[1:], None]):
        if isinstance(item, ast.AnnAssign) and not item.target.id.startswith("_") and item.target.id != "temporary":
            said = following.value.value if isinstance(following, ast.Expr) and isinstance(following.value, ast.Constant) else ""
            yield f"{item.target.id}: {ast.unparse(item.annotation).strip(chr(39))}".replace("|", "\\|"), " ".join(said.split())


def _signature(call: Callable, name: str) -> str:
    """As the source writes it, one parameter a line where it is long."""
    function = ast.parse(textwrap.dedent(inspect.getsource(call))).body[0]
    words = _parameters(function.args)
    returns = f" -> {ast.unparse(function.returns)}".replace("'", "") if function.returns else ""
    line = f"{name}({', '.join(words)}){returns}"
    if len(line) > MOST_COLUMNS:
        line = f"{name}(\n" + "".join(f"    {word},\n" for word in words) + f"){returns}"
    return f"```python\n{line}\n```\n"


def _parameters(given: ast.arguments) -> list[str]:
    positional = [*given.posonlyargs, *given.args]
    undefined = [None] * (len(positional) - len(given.defaults))
    words = [_parameter(item, default) for item, default in zip(positional, [*undefined, *given.defaults]) if item.arg not in ("self", "cls")]
    if given.vararg:
        words.append(f"*{ast.unparse(given.vararg)}")
    elif given.kwonlyargs:
        words.append("*")
    words += [_parameter(item, default) for item, default in zip(given.kwonlyargs, given.kw_defaults)]
    return [*words, *([f"**{ast.unparse(given.kwarg)}"] if given.kwarg else [])]


def _parameter(item: ast.arg, default: ast.expr | None) -> str:
    kind = f": {ast.unparse(item.annotation)}".replace("'", "") if item.annotation else ""
    return item.arg + kind + (f" = {ast.unparse(default)}" if default else "")


def _first(member: property | cached_property) -> str:
    return " ".join((inspect.getdoc(member) or "").split()).replace("|", "\\|")


def _prose(member: Any) -> str:
    """The docstring: its examples as blocks of Python, the rest as it is."""
    text, example = "", False
    said, options, _ = (inspect.getdoc(member) or "").partition(f"\n\n{OPTIONS}")
    if options:
        said = said.replace("\n\n", "\n\nThe options are the fields of [Simulation](#simulation).\n\n", 1)
    for line in said.splitlines():
        if line.startswith(">>>") and not example:
            text, example = text.rstrip("\n") + "\n\n```python\n", True
        elif example and not line:
            text, example = text + "```\n", False
        text += line + "\n"
    return text + ("```\n" if example else "")
