"""The help of the program, its commands by need, and of the commands that take dozens of options, in two tiers.

`--help` shows the options of EVERYDAY, by need, and says how many there are besides; `--help-all` shows every option, those besides under the headings
of FURTHER. Options that the simulator declares (a command hands it what it does not know itself) are read from its own help, so that there is one
declaration of each, and look like those of this package; the shell completes both.
"""

import re
import shutil
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import typer
from typer.core import TyperCommand, TyperOption

from tessera.commands.group import Commands
from tessera.engine.simulation import OF_ONE_RUN
from tessera.engine.simulator import BAD_INPUT, SimulatorError, run_simulator
from tessera.errors import InputError

EVERYDAY: dict[str, dict[str, tuple[str, ...]]] = {
    "run": {
        "The drive": ("--layer", "--set"),
        "What it serves": ("--trace", "--workload", "--limit", "--fold", "--replay"),
        "What you get": ("--out", "--check", "--requests", "--json"),
    },
    "compare": {
        "What is compared": ("--layers", "--set", "--seeds", "--baseline"),
        "On what": ("--trace", "--workload", "--limit", "--fold"),
        "What you get": ("--out", "--wide", "--csv", "--jobs"),
    },
    "sweep": {"Before it runs": ("--dry-run",), "What you get": ("--out", "--jobs", "--json")},
    "search": {"What you get": ("--out", "--jobs", "--json")},
    "ask": {
        "The question": ("--on", "--layer", "--metric", "--drive", "--set"),
        "What differs": ("--size", "--change"),
        "The answer": ("--settle", "--out", "--json"),
    },
    "array": {
        "The array": ("--set", "--plan"),
        "What it serves": ("--trace", "--workload", "--limit", "--fold"),
        "What you get": ("--out", "--check", "--json", "--workers"),
    },
    "torture": {
        "What is cut": ("--layer", "--durability", "--operations", "--cuts", "--trace", "--workload"),
        "Many runs at random": ("--campaign", "--runs", "--keep"),
        "In general": ("--seed", "--jobs"),
    },
}  # fmt: skip

COMMANDS: dict[str, tuple[str, ...]] = {
    "The first day": ("demo", "run", "compare", "report", "view", "explain", "list"),
    "Questions and designs": ("ask", "score", "sweep", "search", "plot", "curve"),
    "Traces and workloads": ("describe", "trace", "workload", "convert"),
    "Drives": ("check", "drive", "import", "identify"),
    "Arrays, real clients, power cuts": ("array", "serve", "torture"),
    "Firmware and waveforms": ("new-layer", "new-firmware", "firmware", "wave"),
    "Is it right?": ("papers", "validate", "calibrate", "same"),
}

FURTHER: dict[str, tuple[str, ...]] = {
    "How a trace is read": ("--format", "--event", "--volume", "--columns", "--time-unit", "--sort", "--spread", "--arrival"),
    "How it is played": ("--replay", "--time-scale", "--skip", "--fold-at", "--fold-prefilled", "--adapt", "--age", "--seed", "--requests"),
    "What is measured": ("--warmup", "--until", "--percentiles", "--intervals", "--events", "--places"),
    "How the drive starts and ends": ("--prefill", "--caches", "--load-state", "--any-firmware", "--save-state"),
    "Firmware of your own": ("--firmware", "--firmware-patience", "--elf", "--firmware-digest", "--gdb", "--firmware-profile"),
    "Power cuts, faults and checks": ("--cut-at", "--restart-at", "--faults", "--content", "--check", "--check-protocol"),
    "Waveforms": ("--vcd", "--vcd-words", "--fst", "--timeline", "--signals", "--record-window", "--record-trigger", "--record-before", "--record-after"),
    "Other machines": ("--scheduler", "--job-script"),
}
REST = "More"
SHORT, WHOLE = "--help", "--help-all"

SIMULATORS = {"run": "run", "compare": "run", "array": "array", "torture": "torture"}  # whose options a command takes besides its own
TEXT_AT = 30  # the column at which the simulator's help describes an option
MARGIN = 28  # in front of the description of an option
MARGIN_OF_COMMANDS = 16
FIRST_WORD = re.compile(r"[A-Z](?=[a-z]*\b(?!-))")


@dataclass(frozen=True)
class Described:
    """An option or argument as help shows it."""

    name: str
    value: str
    text: str

    def lines(self, width: int, margin: int = MARGIN) -> Iterator[str]:
        label = "  " + f"{self.name} {self.value}".strip()
        described = textwrap.wrap(self.text, width - margin, break_on_hyphens=False) or [""]
        if len(label) >= margin:
            yield label
            label = ""
        yield f"{label:{margin}}{described[0]}".rstrip()
        yield from (" " * margin + line for line in described[1:])


def _width() -> int:
    return min(100, shutil.get_terminal_size((80, 24)).columns)


def _own(item: Any) -> Described:
    option = isinstance(item, TyperOption)
    value = "" if option and item.is_flag else (item.metavar or item.name).upper() if not option or item.metavar is None else item.metavar
    text = item.help or ""
    text = text[:1].lower() + text[1:] if FIRST_WORD.match(text) else text
    shown = f" (default: {item.default})" if option and item.default not in (None, False, "") and "default" not in text else ""
    return Described(", ".join(item.opts) if option else "", value, text.rstrip(".") + shown)


@dataclass(frozen=True)
class Declared:
    """What the simulator declares for a command."""

    arguments: tuple[Described, ...] = ()
    options: tuple[Described, ...] = ()
    examples: str = ""


def _simulators(command: str) -> Declared:
    """Nothing where the simulator is not built, or has no such command."""
    if command not in SIMULATORS:
        return Declared()
    try:
        text = run_simulator([SIMULATORS[command], SHORT], as_tessera=True)
    except (InputError, SimulatorError):
        return Declared()

    def section(heading: str) -> list[Described]:
        lines = text.partition(f"\n{heading}:\n")[2].partition("\n\n")[0].splitlines()
        words = [(line[:TEXT_AT].strip().partition(" "), line[TEXT_AT:].strip()) for line in lines]
        return [Described(name, value, described) for (name, _, value), described in words]

    refused = {"-h,--help"} | ({"--layer", *OF_ONE_RUN} if command == "compare" else set())
    options = [option for option in section("Options") if option.name not in refused]
    return Declared(tuple(section("Positionals")), tuple(options), text.partition("\nExamples:\n")[2])


class TwoTier(TyperCommand):
    """A command with the help of this module."""

    def __init__(self, *arguments: Any, **named: Any):
        super().__init__(*arguments, **named)
        self.context_settings["help_option_names"] = [SHORT, WHOLE]

    def parse_args(self, ctx: typer.Context, args: list[str]) -> list[str]:
        ctx.meta[WHOLE] = WHOLE in args
        return super().parse_args(ctx, args)

    def format_help(self, ctx: typer.Context, formatter: Any) -> None:
        formatter.write(self.help_text(ctx, ctx.meta.get(WHOLE, False)))

    def help_text(self, ctx: typer.Context, whole: bool) -> str:
        width = _width()
        declared = _simulators(self.name)
        arguments = [_own(item) for item in self.params if not isinstance(item, TyperOption)] or declared.arguments
        left = {option.name.partition(",")[0]: option for option in self._options(ctx, declared)}
        sections = [(heading, _taken(left, names)) for heading, names in EVERYDAY[self.name].items()]
        if whole:
            sections += [(heading, _taken(left, names)) for heading, names in FURTHER.items()] + [(REST, list(left.values()))]
        sections.append(("Help", [
            Described(SHORT, "", "show the options that most people need"),
            Described(WHOLE, "", "show all options" if whole or not left else f"show all options, {len(left)} more"),
        ]))  # fmt: skip
        lines = [*textwrap.wrap((self.help or "").strip(), width), "", " ".join([f"Usage: tessera {self.name}", *(item.value or item.name for item in arguments), "[OPTIONS]"]), ""]
        lines += [line for item in arguments for line in item.lines(width)]
        for heading, members in sections:
            if members:
                lines += ["", f"{heading}:", *(line for option in members for line in option.lines(width))]
        return "\n".join([*lines, "", *_examples(self.epilog, declared.examples), ""])

    def _options(self, ctx: typer.Context, declared: Declared) -> list[Described]:
        """Each option once, but for those of help; this package's first."""
        own = [item for item in self.get_params(ctx) if isinstance(item, TyperOption) and SHORT not in item.opts]
        names = {name for item in own for name in item.opts}
        return [*map(_own, own), *(option for option in declared.options if option.name not in names)]

    def shell_complete(self, ctx: typer.Context, incomplete: str) -> list:
        found = super().shell_complete(ctx, incomplete)
        if not incomplete.startswith("-"):
            return found
        from typer._click.shell_completion import CompletionItem

        known = {name for item in self.params for name in item.opts}
        return found + [CompletionItem(option.name, help=option.text) for option in _simulators(self.name).options if option.name.startswith(incomplete) and option.name not in known]


class Program(Commands):
    """All commands, those of the first day first."""

    def parse_args(self, ctx: typer.Context, args: list[str]) -> list[str]:
        if not args and not ctx.resilient_parsing:
            print(ctx.get_help())
            ctx.exit(BAD_INPUT)
        return super().parse_args(ctx, args)

    def format_help(self, ctx: typer.Context, formatter: Any) -> None:
        width = _width()
        lines = [*textwrap.wrap((self.help or "").strip(), width), "", "Usage: tessera COMMAND [OPTIONS]"]
        for heading, names in COMMANDS.items():
            lines += ["", f"{heading}:"]
            for name in names:
                first = " ".join((self.commands[name].help or "").split()).partition(". ")[0]
                lines += Described(name, "", f"{first[:1].lower()}{first[1:]}".rstrip(".")).lines(width, MARGIN_OF_COMMANDS)
        lines += ["", "Help:", *Described("COMMAND --help", "", "show what a command does, its options and examples").lines(width)]
        lines += [line for item in self.get_params(ctx) if SHORT not in item.opts for line in _own(item).lines(width)]
        formatter.write("\n".join([*lines, ""]))


def _taken(left: dict[str, Described], names: tuple[str, ...]) -> list[Described]:
    return [left.pop(name) for name in names if name in left]


def _examples(epilog: str | None, simulators: str) -> list[str]:
    """The command's own as lines, or else the simulator's."""
    if not epilog:
        return ["Examples:", *simulators.rstrip().splitlines()]
    return [line if line.endswith(":") else f"  {line}" if line.startswith("tessera ") else f"\n{line}" for line in map(str.strip, epilog.splitlines()) if line]
