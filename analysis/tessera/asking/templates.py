"""The questions: which designs each compares, and the parameters that go with them."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from tessera.asking.dependants import dependants, values_at
from tessera.asking.question import Asked, Design, Question
from tessera.engine.libraries import check_layer, layers, parameters
from tessera.engine.simulation import Setting
from tessera.errors import InputError, unknown_name
from tessera.explore.axes import amount, quantity_text
from tessera.results.families import YARDSTICK
from tessera.results.terms import own_buffer

DRAM_SIZES = ("0 B", "4 MiB", "16 MiB", "64 MiB")
READ_CACHES = ("sblock", "hwsr")  # layers whose flash holds what was read; others keep what was written
FLASH_FRONT = "firmware.flash_cache"
FLASH_CACHE = f"{FLASH_FRONT}.capacity"
ROLES = {"persistent cache": "writes", "read cache": "reads", "both": "both"}  # of flash in front of a layer that uses none itself
LAYERS = (YARDSTICK, "imr-rmw", "mu-rmw", "media-cache", "tessera", "tessera-imr")  # of each family one that is not beaten by its kin, and ours


def check_layers(names: Iterable[str], libraries: Sequence[str] = ()) -> None:
    for name in names:
        check_layer(name, libraries)


def needs_flash(layer: str, libraries: Sequence[str] = ()) -> bool:
    return bool(layers(libraries)[layer.partition(":")[0]]["needs_flash"])


def size_in_bytes(text: str, what: str) -> int:
    """A size that has its unit. Raises InputError where it has none.

    >>> size_in_bytes("64", "--size")
    Traceback (most recent call last):
    tessera.errors.InputError: --size: '64' has no unit; write '64 MiB' or '64 GiB'
    """
    value, unit = amount(text)
    if not unit:
        raise InputError(f"{what}: '{text}' has no unit; write '{text} MiB' or '{text} GiB'")
    if unit != "B":
        raise InputError(f"{what}: expected a size such as '64 MiB', found '{text}'")
    return int(value)


def _one_layer(asked: Asked) -> str:
    if len(asked.layers) != 1:
        raise InputError(f"{asked.kind}: name one layer with --layer, such as --layer mu-rmw; found {', '.join(asked.layers) or 'none'}")
    return asked.layers[0]


def write_buffer_of(layer: str) -> str:
    """The parameter that holds the size of the DRAM that takes the layer's writes."""
    return own_buffer(layer) or "firmware.write_cache.capacity"


def _design(asked: Asked, name: str, layer: str, settings: Mapping[str, Setting], what: str, note: str = "") -> tuple[Design, dict[str, Setting]]:
    """A design with what has to grow with it."""
    with_it = dependants(asked.drive, layer, settings, asked.settings, what, asked.firmware)
    return Design(name, layer, {**settings, **with_it}, note), with_it


def _question(asked: Asked, title: str, axis: str, made: Iterable[tuple[Design, dict[str, Setting]]], **more: Any) -> Question:
    made = list(made)
    # Every design names each parameter that any of them sets, so that the points of the sweep have the same axes.
    paths = list(dict.fromkeys(path for design, _ in made for path in design.settings))
    designs = [
        Design(design.name, design.layer, {path: design.settings.get(path, _as_it_is(asked, path)) for path in paths}, design.note) for design, _ in made
    ]
    return Question(title, asked, axis, designs, with_it={design.name: added for design, added in made if added}, **more)


def _as_it_is(asked: Asked, path: str) -> Setting:
    from tessera.engine.parameters import drive_value

    return asked.settings.get(path, drive_value(asked.drive, path, asked.firmware))


def dram(asked: Asked) -> Question:
    """How much DRAM the write buffer needs until more stops helping."""
    layer = _one_layer(asked)
    path = write_buffer_of(layer)
    sizes = sorted(asked.sizes or DRAM_SIZES, key=lambda text: size_in_bytes(text, "--size"))
    if len(set(sizes)) < 2:
        raise InputError(f"dram: name two or more sizes with --size, such as --size \"{sizes[0]}, {next(size for size in reversed(DRAM_SIZES) if size != sizes[0])}\", or none for {', '.join(DRAM_SIZES)}; found {sizes[0]}")
    made = [_design(asked, size, layer, {path: size}, f"a write buffer of {size} ({path})") for size in sizes]
    return _question(asked, f"How much DRAM does {layer} need before {asked.metric.short} stops improving?", "write buffer", made, ordered=True)


def flash_settings(drive: str, given: Mapping[str, Setting], layer: str, size: str) -> dict[str, Setting]:
    """`size` of flash in all, on a drive with the `given` settings. Of layers that give a part of it to a read cache, the rest stays as large as on the drive."""
    block = values_at(drive, given, "nand.pages_per_block") * values_at(drive, given, "nand.page_size")
    blocks = math.floor(size_in_bytes(size, "--size") / block)
    if blocks < 1:
        raise InputError(f"--size: {size} is less than a flash block of {quantity_text(int(block), 'B')}")
    settings: dict[str, Setting] = {"nand.blocks": blocks}
    if layer in READ_CACHES:
        path = f"layers.{layer}.flash"
        rest = values_at(drive, {}, "nand.blocks") * block - values_at(drive, {}, path)
        if blocks * block <= rest:
            raise InputError(f"--size: of {size} the journals of {layer} take {quantity_text(int(rest), 'B')}: nothing is left for its read cache")
        settings[path] = quantity_text(int(blocks * block - rest), "B")
    return settings


def _role(layer: str) -> str:
    return "read cache" if layer in READ_CACHES else "persistent cache"


def uses_flash(asked: Asked, layer: str, settings: Mapping[str, Setting]) -> bool:
    """The layer itself, or a flash cache in front of it."""
    return needs_flash(layer, asked.firmware) or values_at(asked.drive, {**asked.settings, **settings}, FLASH_CACHE) != 0


def _in_front(asked: Asked, layer: str, size: str, role: str) -> tuple[Design, dict[str, Setting]]:
    """`size` of flash, all of it in front of a layer that uses none."""
    settings: dict[str, Setting] = {**flash_settings(asked.drive, asked.settings, layer, size), FLASH_CACHE: size, f"{FLASH_FRONT}.use": ROLES[role]}
    return _design(asked, f"{layer}, {size} as {role}", layer, settings, f"{size} of flash in front of {layer}", role)


def _check_flash(names: Iterable[str], libraries: Sequence[str]) -> None:
    for name in names:
        if not needs_flash(name, libraries):
            having = ", ".join(layer for layer in layers(libraries) if needs_flash(layer, libraries))
            raise InputError(f"{name} uses no flash; layers that do: {having}")


def flash(asked: Asked) -> Question:
    """What flash does: in front of a layer that uses none as persistent cache, read cache and both; in layers that keep writes or reads in it, as they do."""
    chosen = list(asked.layers or (YARDSTICK,))
    sizes = list(asked.sizes or ("1 GiB",))
    made = []
    for layer in chosen:
        if not needs_flash(layer, asked.firmware):
            made.append((Design(f"{layer} without flash", layer, {FLASH_CACHE: "0 B"}, "none"), {}))
            made += [_in_front(asked, layer, size, role) for role in ROLES for size in sizes]
            continue
        for size in sizes:
            name = f"{layer}, {size}" if len(sizes) > 1 else layer
            made.append(_design(asked, name, layer, flash_settings(asked.drive, asked.settings, layer, size), f"{size} of flash in {layer}", _role(layer)))
    own = [layer for layer in chosen if needs_flash(layer, asked.firmware)]
    ordered = len(chosen) == 1 and len(sizes) > 1 and bool(own)
    roles = sorted({role for layer in chosen for role in ((_role(layer),) if needs_flash(layer, asked.firmware) else ROLES)})
    remarks = [
        "layers that use flash themselves do it in one role each, so the difference between them holds the rest of their designs, too; "
        "--layer cmr asks one layer in every role"
    ] if len({_role(layer) for layer in own}) > 1 else []  # fmt: skip
    of = f"{' or '.join(sizes)} of flash"
    title = f"Is {of} better as {' or as '.join(roles)}?" if len(roles) > 1 else f"What does {of} do for {', '.join(chosen)}?"
    return _question(asked, title, "flash" if ordered else "design", made, ordered=ordered, remarks=remarks)


def cpu(asked: Asked) -> Question:
    """Other cores or another clock against the drive's own."""
    layer = _one_layer(asked)
    own: dict[str, Setting] = {path: _as_it_is(asked, path) for path in ("controller.cores", "controller.clock")}
    if asked.cores is None and asked.clock is None:
        clock, unit = amount(own["controller.clock"])
        other: dict[str, Setting] = {"controller.cores": 2 * int(amount(own["controller.cores"])[0]), "controller.clock": quantity_text(int(clock / 2), unit)}
    else:
        other = {**own, **({"controller.cores": asked.cores} if asked.cores else {}), **({"controller.clock": asked.clock} if asked.clock else {})}
    if amount(other["controller.clock"])[1] != "Hz":
        raise InputError(f"--clock: '{other['controller.clock']}' has no unit; write '{other['controller.clock']} MHz'")
    name = lambda at: f"{at['controller.cores']:g} x {at['controller.clock']}"  # noqa: E731
    if name(own) == name(other):
        raise InputError(f"the drive {asked.drive} has {name(own)} already: name other cores or another clock")
    made = [(Design(name(at), layer, at), {}) for at in (own, other)]
    return _question(asked, f"Is {name(other)} better than {name(own)} for {layer}?", "cores x clock", made)


def layer(asked: Asked) -> Question:
    """Which layer is best."""
    chosen = list(asked.layers or LAYERS)
    if len(chosen) < 2:
        raise InputError("layer: name two or more layers with --layer, or none for one of each family")
    return _question(asked, f"Which layer has the best {asked.metric.short}?", "layer", [(Design(name, name, {}), {}) for name in chosen])


def lifetime(asked: Asked) -> Question:
    """How many years the flash lasts."""
    name = _one_layer(asked)
    _check_flash([name], asked.firmware)
    if asked.sizes:
        made = [_design(asked, f"{name} with {size} of flash", name, flash_settings(asked.drive, asked.settings, name, size), f"{size} of flash in {name}") for size in asked.sizes]
    else:
        blocks = _as_it_is(asked, "nand.blocks")
        made = [(Design(f"{name} with {blocks:,} flash blocks", name, {"nand.blocks": blocks}), {})]
    return _question(asked, f"How many years does the flash of {name} last?", "flash", made)


def cost(asked: Asked) -> Question:
    """Which layer is best for a cost per user TB."""
    chosen = list(asked.layers or LAYERS)
    made = [(Design(name, name, {}), {}) for name in chosen]
    remarks = [] if asked.drive != "demo" else ["the drive demo has 64 GiB of platters and the memories of a larger one, so that memory weighs more in its cost than in that of a drive as sold"]
    return _question(asked, f"Which layer has the best {asked.metric.short} for its cost per user TB?", "layer", made, remarks=remarks)


def what_if(asked: Asked) -> Question:
    """One parameter changed."""
    name = _one_layer(asked)
    if len(asked.change) != 1:
        raise InputError("what-if: name one parameter with --change PATH=VALUE, such as --change \"media.rpm=5400 rpm\"")
    ((path, value),) = asked.change.items()
    if path not in (known := parameters(asked.firmware)):
        raise unknown_name("parameter", path, known)
    own = _as_it_is(asked, path)
    if isinstance(own, str) and amount_or_none(own) and not amount_or_none(str(value)):
        raise InputError(f"--change: {path} is {own} now; '{value}' has no unit of that kind")
    made = [(Design(f"{path} = {own}", name, {path: own}), {}), _design(asked, f"{path} = {value}", name, {path: value}, f"{path} = {value}")]
    return _question(asked, f"What if {path} were {value} instead of {own}?", path, made)


def amount_or_none(text: str) -> str | None:
    """The base unit of a quantity; None of any other text, and of a plain number."""
    try:
        return amount(text)[1] or None
    except InputError:
        return None


TEMPLATES: dict[str, Callable[[Asked], Question]] = {
    "dram": dram, "flash": flash, "cpu": cpu, "layer": layer, "lifetime": lifetime, "cost": cost, "what-if": what_if,
}  # fmt: skip


def question_of(asked: Asked) -> Question:
    check_layers(asked.layers, asked.firmware)
    known = parameters(asked.firmware)
    for path in asked.settings:
        if path not in known:
            raise unknown_name("parameter", path, known)
    return TEMPLATES[asked.kind](asked)
