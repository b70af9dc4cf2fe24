"""tessera new-layer."""

import json
import sys
from pathlib import Path
from typing import Annotated

import typer

from tessera.engine.simulator import ask_simulator
from tessera.errors import InputError
from tessera.new_layer.answers import Answers, collect, one_of
from tessera.new_layer.library import FILES, library_file, write_library
from tessera.new_layer.names import check_name
from tessera.new_layer.places import baselines_folder, checkout, examples_folder, header_folder, policies_folder
from tessera.new_layer.tree import write_tree

EXAMPLES = """Examples:

  tessera new-layer my-log --python

  tessera new-layer my-log --plug-in c

  tessera new-layer my-log --plug-in rust --tracks interlaced --durability plp --unit 5 --buffer '1 MiB' --out layers/my-log"""
IN_TREE = "interlaced tracks, bottoms updated in place"  # summary


def _printed(place: Path) -> None:
    print(place)
    raise typer.Exit


def _include(wanted: bool) -> None:
    if wanted:
        _printed(header_folder())


def _examples(wanted: bool) -> None:
    if wanted:
        _printed(examples_folder())


def _baselines(wanted: bool) -> None:
    if wanted:
        _printed(baselines_folder())


def _policies(wanted: bool) -> None:
    if wanted:
        _printed(policies_folder())


def _ask(question: str, default: str) -> str:
    return typer.prompt(question, default=default)


def new_layer(
    name: Annotated[str, typer.Argument(help="Its name: a-z, 0-9 and '-'.")],
    plug_in: Annotated[str | None, typer.Option("--plug-in", metavar="LANGUAGE", help="As a shared library in c or rust, or as a file in python (default: in C++, in Tessera's own tree).")] = None,
    python: Annotated[bool, typer.Option("--python", help="The same as --plug-in python.")] = False,
    out: Annotated[Path | None, typer.Option(help="Folder to make for a plug-in (default: NAME).")] = None,
    tracks: Annotated[str | None, typer.Option(metavar="FORMAT", help="How tracks overlap: shingled or interlaced (default: shingled; in the tree: interlaced).")] = None,
    durability: Annotated[
        str | None, typer.Option(metavar="NAME", help="When a write is acknowledged: none: on the platters; volatile: in memory; plp: in dumped memory (default: none).")
    ] = None,
    unit: Annotated[str | None, typer.Option(metavar="N", help=f"Tracks that are rewritten together (default: {Answers.unit}).")] = None,
    buffer: Annotated[str | None, typer.Option(metavar="SIZE", help="Write buffer of durability volatile or plp (default: 256 KiB).")] = None,
    summary: Annotated[str | None, typer.Option(metavar="TEXT", help="What the layer does, in one line.")] = None,
    include: Annotated[bool, typer.Option("--include", is_eager=True, callback=_include, help="Print the folder of tessera_firmware.h, and make nothing.")] = False,
    examples: Annotated[bool, typer.Option("--examples", is_eager=True, callback=_examples, help="Print the folder of example layers, and make nothing.")] = False,
    baselines: Annotated[bool, typer.Option("--baselines", is_eager=True, callback=_baselines, help="Print the folder of published layers as plug-ins, and make nothing.")] = False,
    policies: Annotated[bool, typer.Option("--policies", is_eager=True, callback=_policies, help="Print the folder of example policies of cleaning, and make nothing.")] = False,
) -> None:
    """Make a translation layer that works, as a place to begin: source, build, test and page.

    On a terminal, without options, it asks up to five questions. Otherwise what no option answers is taken by default, and named.
    """
    given = {"tracks": tracks, "durability": durability, "unit": unit, "buffer": buffer, "summary": summary}
    check_name(name, [layer["name"] for layer in json.loads(ask_simulator(["list", "layers", "--json"]))])
    if python and plug_in not in (None, "python"):
        raise InputError(f"--python and --plug-in {plug_in}: a layer is written in one language; leave one of them out")
    if python:
        plug_in = "python"
    if plug_in is None:
        _in_tree(name, given, out)
        return
    try:
        language = one_of(tuple(FILES))(plug_in)
    except InputError as error:
        raise InputError(f"--plug-in: {error}") from None
    alone = ("durability", "buffer") if language == "python" else ()
    for option in alone:
        if given[option] is not None:
            raise InputError(f"--{option}: a new layer in Python writes to the platters at once; --plug-in c or --plug-in rust makes one with a write buffer")
    asks = sys.stdin.isatty() and all(text is None for text in given.values())
    answers, defaults = collect(given, _ask if asks else None, alone)
    folder = out or Path(name)
    write_library(name, language, answers, folder)
    if defaults:
        print(f"by default: {', '.join(defaults)}")
    print(f"{folder}: a layer that loses nothing, to be changed; README.md says what it promises\n\nNext:\n  cd {folder} && {'' if language == 'python' else 'make && '}./test.sh")
    print(f"  tessera run demo --firmware ./{library_file(name, language)} --workload web-server --fold --limit 2000 --check")


def _in_tree(name: str, given: dict[str, str | None], out: Path | None) -> None:
    root = checkout(Path.cwd())
    if root is None:
        raise InputError(f"{Path.cwd()} is in no checkout of Tessera, where a layer in C++ belongs; --python, --plug-in c or --plug-in rust makes one anywhere")
    for option in ("durability", "unit", "buffer"):
        if given[option] is not None:
            raise InputError(f"--{option} goes with --plug-in: in the tree the drive's write cache is in front of every layer")
    if out is not None:
        raise InputError("--out goes with --plug-in: a layer of the tree has its place there")
    if given["tracks"] not in (None, "interlaced"):
        raise InputError("--tracks: a new layer of the tree begins on interlaced tracks; for shingled ones start from a copy of static_mapping, or use --plug-in")
    summary = given["summary"] or (_ask("What does the layer do, in one line?", IN_TREE) if sys.stdin.isatty() else None)
    answers, _ = collect({"tracks": "interlaced", "summary": summary or IN_TREE}, None)
    for file in write_tree(name, answers.summary, root):
        print(file.relative_to(root))
    print(f"\nNext:\n  ./dev build && tessera torture torture --layer {name} --durability none --operations 100 --cuts 100\n  ./dev reference     (reference pages and digests with the new layer)")


def register(app: typer.Typer) -> None:
    app.command("new-layer", epilog=EXAMPLES)(new_layer)
