"""tessera firmware."""

import json
import shlex
from pathlib import Path
from typing import Annotated

import typer

from tessera.commands.group import Commands
from tessera.commands.options import PASS_ON, Json, Limit, Out, Seed, Settings, Trace, Workload, simulation
from tessera.errors import InputError, unknown_name

BUILD_EXAMPLES = """Examples:

  tessera firmware build mu-rmw

  tessera firmware build all --arch rv32imac

  tessera firmware build cmr --small  # optimised for size, without figures of its own

  tessera firmware build cmr --tcm data,stack  # build/firmware/cmr-rv64imac-tcm-data-stack.elf

  tessera firmware build mine.c  # mine.elf"""

SIZE_EXAMPLES = """Examples:

  tessera firmware size cmr

  tessera firmware size build/firmware/cmr-rv64imac.elf --symbols 20 --matching Journal"""

RUN_EXAMPLES = """Examples:

  tessera firmware run cmr --workload web-server --limit 2000 --check --out out/image

  tessera firmware run mine.elf --drive common --workload random-4k --limit 500 --gdb 3333 --out out/debugged

All options of 'tessera-sim run' work."""

PROFILE_EXAMPLES = """Examples:

  tessera firmware profile cmr --workload web-server --limit 2000 --out out/profile

  tessera firmware profile mine.elf --workload random-4k --limit 500 --by line --out out/profile

All options of 'tessera-sim run' work."""

firmware = typer.Typer(cls=Commands, no_args_is_help=True, help="Build, list, measure and run firmware images for the drive's own processor.")

ImageName = Annotated[str, typer.Argument(metavar="IMAGE", help="Image, a file; or a layer whose image was built.")]


@firmware.command(epilog=BUILD_EXAMPLES)
def build(
    layer: Annotated[str, typer.Argument(help="Layer, all, or a file of your own (.c, .S).")] = "cmr",
    arch: Annotated[str, typer.Option(help="Processor: one of those that 'tessera firmware list' names.")] = "rv64imac",
    small: Annotated[bool, typer.Option("--small", help="Optimise for size, and report no figures.")] = False,
    tcm: Annotated[str, typer.Option(metavar="PARTS", help="What is to lie in the processor's TCM: of code, data and stack, with commas between them.")] = "",
) -> None:
    """Build the firmware of a layer as an image, build/firmware/LAYER-ARCH.elf, and print its size. Missing compilers are installed, but for files of your own."""
    from tessera.firmware.images import build as build_image, build_own

    if Path(layer).suffix in (".c", ".S"):
        if small or tcm:
            raise InputError("--small and --tcm are for layers, not for files of your own")
        print(build_own(Path(layer), arch))
        return
    build_image(layer, arch, small, tcm)


@firmware.command("list")
def list_images(as_json: Json = False) -> None:
    """List layers, architectures, and the images that are built."""
    from tessera.engine.simulator import layer_names
    from tessera.firmware.elf import Image
    from tessera.firmware.images import architectures, forms_of

    known = architectures()
    built = {layer: {form: Image(file).sizes.text for form, file in forms_of(layer).items()} for layer in layer_names()}
    if as_json:
        print(json.dumps({"architectures": known, "layers": built}))
        return
    print(f"architectures: {', '.join(known)}; of images that are built, bytes of code and constants\n")
    for layer, texts in built.items():
        print(f"{layer:<16}{', '.join(f'{form} {text:,}' for form, text in texts.items()) or '-'}")


@firmware.command(epilog=SIZE_EXAMPLES)
def size(
    image: ImageName,
    symbols: Annotated[int, typer.Option(metavar="N", min=0, help="So many of its functions and objects, the largest first.")] = 10,
    matching: Annotated[str, typer.Option(metavar="TEXT", help="Of them, those whose name holds this.")] = "",
    as_json: Json = False,
) -> None:
    """Show what an image is of, how large it is, and what takes most of it."""
    from tessera.firmware.elf import Image
    from tessera.firmware.images import find, largest

    read = Image(find(image))
    sizes, rows = read.sizes, largest(read, symbols, matching)
    layer, version = read.text_at("tessera_image_layer"), read.text_at("tessera_image_version")
    if as_json:
        facts = {"file": str(read.file), "machine": read.machine, "layer": layer, "registers": version}
        print(json.dumps({**facts, "text": sizes.text, "data": sizes.data, "bss": sizes.bss, "symbols": dict(rows)}))
        return
    made_of = f", of layer {layer}, for version {version} of the registers" if layer else ""
    print(f"{read.file}: {read.machine}{made_of}")
    print(f"text {sizes.text:,} B, data {sizes.data:,} B, bss {sizes.bss:,} B")
    for name, count in rows:
        print(f"{count:>10,}  {name}")


@firmware.command(context_settings=PASS_ON, epilog=RUN_EXAMPLES)
def run(
    context: typer.Context,
    image: ImageName,
    out: Out,
    drive: Annotated[str, typer.Option(help="Drive: a name of 'tessera list drives' or a .toml file.")] = "demo",
    trace: Trace = None,
    workload: Workload = None,
    limit: Limit = None,
    seed: Seed = 1,
    settings: Settings = None,
    as_json: Json = False,
) -> None:
    """Replay a trace or workload on a drive whose firmware is an image."""
    from tessera.firmware.images import find

    words = ["--elf", str(find(image)), *context.args]
    result = simulation(drive, trace, workload, limit, seed, settings, words).run(out, progress=True)
    print(json.dumps(result.summary, indent=1) if as_json else result.printed, end="\n" if as_json else "")


@firmware.command(context_settings=PASS_ON, epilog=PROFILE_EXAMPLES)
def profile(
    context: typer.Context,
    image: ImageName,
    out: Out,
    drive: Annotated[str, typer.Option(help="Drive: a name of 'tessera list drives' or a .toml file.")] = "demo",
    trace: Trace = None,
    workload: Workload = None,
    limit: Limit = None,
    seed: Seed = 1,
    settings: Settings = None,
    by: Annotated[str, typer.Option(help="What a row is: function or line.")] = "function",
    rows: Annotated[int, typer.Option(metavar="N", min=1, help="So many rows, those with most cycles first.")] = 20,
    as_json: Json = False,
) -> None:
    """Run an image, and show where its processor's cycles go: by function or line, and by cause. Results do not change.

    The run's folder gets profile.json, callgrind.out (KCachegrind), stacks.folded (flame graphs) and coverage.info (lcov).
    """
    from tessera.firmware.images import find
    from tessera.firmware.profile import Profile, write_forms
    from tessera.firmware.profile_text import as_rows, listed

    if by not in ("function", "line"):
        raise unknown_name("row of a profile", by, ["function", "line"])
    file = out / "profile.json"
    words = ["--elf", str(find(image)), "--firmware-profile", str(file), *context.args]
    simulation(drive, trace, workload, limit, seed, settings, words).run(out, progress=True)
    counted = Profile(file)
    files = write_forms(counted, out)
    if as_json:
        print(json.dumps(as_rows(counted, by, rows), indent=1))
        return
    for line in listed(counted, by, rows):
        print(line)
    print(f"\nfiles: {', '.join(str(one) for one in (file, *files))}")


@firmware.command()
def flags(arch: Annotated[str, typer.Option(help="Processor: rv64imac or rv32imac.")] = "rv64imac") -> None:
    """Print what the compiler has to be told after the C files of an image: processor, header, linker script and start-up."""
    from tessera.firmware.images import flags as of_compiler

    print(shlex.join(of_compiler(arch)))


def register(app: typer.Typer) -> None:
    app.add_typer(firmware, name="firmware")
