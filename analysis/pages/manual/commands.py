"""The command lines of `tessera` and `tessera-sim`, as their own help declares them."""

import re
from collections.abc import Iterator
from typing import Any

import typer

from tessera.commands.help import SIMULATORS
from tessera.engine.simulator import run_simulator

TESSERA_HEAD = """# The command `tessera`

`--help` of a command shows the options that most people need, with examples, `--help-all` every option, `--json` every digit of a result; `tessera --install-completion` adds shell completion.

- one run: [`run`](#run) ([what it writes](../guide/outputs.md)), [`explain`](#explain) (the life of one request), [`torture`](../guide/torture.md), [`array`](../arrays.md), [`serve`](../guide/serve.md)
- several: [`compare`](../guide/compare.md), [`sweep`](../guide/sweeps.md), [`search`](../guide/sweeps.md#searches), [`ask`](../guide/ask.md), [`curve`](../guide/traces.md#miss-ratio-curves)
- results: [`report`, `plot`, `view`](../guide/reports.md), [`wave`](../guide/waveforms.md#from-a-run-to-a-viewer)
- traces: [`describe`, `trace`](../guide/traces.md#tools)
- drives: [`list`](#list), and [`check`](#check), which validates a description with its layer, shows the regions, and warns of the layer's risks on this drive
- firmware: [`firmware`](../guide/firmware.md)

[`tessera-sim`](tessera-sim.md) is the engine: single runs and comparisons, without Python, with the same options; `--out` is required.

- `--set path=value` overrides any parameter of `tessera list parameters`: `--set controller.scheduling=shortest_positioning`.
- `--firmware FILE` loads a layer from a [shared library](../guide/plug-ins.md), `--elf FILE` a [firmware image](../guide/firmware.md).
- Ctrl-C, SIGTERM and SIGHUP end a run in order: requests under way complete, and results are marked as partial. Before power-on there are no results. A second signal of the
  same kind ends the program at once, without results.
- A trace or description may come through a pipe: `zcat week.gz | tessera run common --trace /dev/stdin ...`. Only `compare` needs a file.

## Exit status

- 0: every request was served and every check held
- 1: anything else: a request failed, results or standard output could not be written
- 2: bad input or description; the message says where and what was expected
- 3: model bug or scoreboard error: please report it with the command; or `firmware fault`: your library or image broke a rule of its interface
- 70: a bug in the Python commands: `TESSERA_DEBUG=1` shows the traceback
- 130, 143, 129: ended in order after SIGINT (Ctrl-C), SIGTERM or SIGHUP

What follows is made by `./dev reference` from the commands themselves; a test compares it with them.
"""
SIMULATOR_HEAD = """# The command `tessera-sim`

Made by `./dev reference`: what each command says to `--help`; a test compares it with that. [`tessera`](tessera.md) has exit statuses and what holds for all commands.
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
