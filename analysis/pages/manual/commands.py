"""The command lines of `tessera` and `tessera-sim`, as their own help declares them."""

import re
from collections.abc import Iterator
from typing import Any

import typer

from tessera.commands.help import SIMULATORS
from tessera.engine.simulator import run_simulator

TESSERA_HEAD = """# The command `tessera`

Made by `./dev reference` from the commands themselves; a test holds it against them. `--help` of a command shows what most people need, `--help-all` every option.
"""
SIMULATOR_HEAD = """# The command `tessera-sim`

Made by `./dev reference`: what each command says to `--help`; a test holds it against that. [Command line](../guide/command-line.md) tells what is worth knowing
of the options.
"""
SUBCOMMAND = re.compile(r"^  ([a-z-]+) {2,}\S", re.MULTILINE)


def tessera_page(app: typer.Typer) -> str:
    """docs/reference/tessera.md, of every command of `app`."""
    return TESSERA_HEAD + "".join(_section(words, command) for words, command in _commands(typer.main.get_command(app), "tessera"))


def simulator_page() -> str:
    """docs/reference/tessera-sim.md, of every command of the simulator."""
    general = run_simulator(["--help"])
    names = SUBCOMMAND.findall(general.partition("Subcommands:")[2])
    parts = [f"\n```text\n{general.strip()}\n```\n"]
    parts += [f"\n## {name}\n\n```text\n{run_simulator([name, '--help']).strip()}\n```\n" for name in names]
    return SIMULATOR_HEAD + "".join(parts)


def _commands(group: Any, words: str) -> Iterator[tuple[str, Any]]:
    """Every command with the words that call it."""
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from _commands(command, f"{words} {name}")
        else:
            yield f"{words} {name}", command


def _section(words: str, command: Any) -> str:
    arguments = [item for item in command.params if not _is_option(item)]
    options = [item for item in command.params if _is_option(item)]
    call = [words, *(_place(item) for item in arguments), *(f"{item.opts[0]} {_value(item)}" for item in options if item.required)]
    if any(not item.required for item in options):
        call.append("[OPTIONS]")
    text = f"\n## {words.partition(' ')[2]}\n\n{command.help}\n\n```text\n{' '.join(call)}\n```\n"
    if command.params:
        text += "\n| | default | |\n|---|---|---|\n" + "".join(_row(item) for item in command.params)
    if not command.params or words.removeprefix("tessera ") in SIMULATORS:
        simulators = SIMULATORS.get(command.name, command.name)
        text += f"\nIt {'also ' if command.params else ''}takes what [`tessera-sim {simulators}`](tessera-sim.md#{simulators}) takes.\n"
    if command.epilog:
        text += "\n" + _examples(command.epilog)
    return text


def _is_option(item: Any) -> bool:
    return item.opts[0].startswith("-")


def _place(item: Any) -> str:
    name = f"{(item.metavar or item.name).upper()}{'...' if item.nargs == -1 else ''}"
    return name if item.required else f"[{name}]"


def _value(item: Any) -> str:
    return "" if item.is_flag else (item.metavar or item.name.upper())


def _row(item: Any) -> str:
    name = f"{', '.join(item.opts)} {_value(item)}".strip() if _is_option(item) else _place(item)
    default = "required" if item.required else "" if item.default in (None, False) else f"`{item.default}`"
    return f"| `{name}` | {default} | {(item.help or '').replace('|', chr(92) + '|')} |\n"


def _examples(epilog: str) -> str:
    """The epilog's commands as a block, its sentences as they are."""
    head, _, rest = epilog.partition(": " if epilog.startswith("Example: ") else "\n")
    lines = [line.strip() for line in rest.splitlines() if line.strip()]
    commands = [line for line in lines if line.startswith("tessera")]
    sentences = [line for line in lines if not line.startswith("tessera")]
    return f"{head.rstrip(':')}:\n\n```sh\n" + "\n".join(commands) + "\n```\n" + "".join(f"\n{sentence}\n" for sentence in sentences)
