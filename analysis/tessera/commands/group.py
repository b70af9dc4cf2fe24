"""How every command ends: a sentence and a status, never a traceback for what the user did."""

import os
import signal
import sys

import typer
from typer.core import TyperGroup

from tessera.errors import InputError, nearest
from tessera.simulator import BAD_INPUT, SimulatorError

SHELL_SIGNALS = 128  # in front of a signal's number in an exit status
INTERRUPTED = SHELL_SIGNALS + signal.SIGINT


class Commands(TyperGroup):
    """Turns errors of input and of the simulator into messages and exit statuses."""

    def invoke(self, ctx: typer.Context) -> object:
        try:
            return super().invoke(ctx)
        except InputError as error:
            print(f"tessera: {error}", file=sys.stderr)
            raise typer.Exit(BAD_INPUT) from None
        except SimulatorError as error:
            sys.stdout.write(error.output)
            print(f"tessera: {error.message or error}", file=sys.stderr)
            raise typer.Exit(error.status) from None
        except BrokenPipeError:  # whoever read what was printed has gone
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise typer.Exit(SHELL_SIGNALS + signal.SIGPIPE) from None
        except OSError as error:  # a disk that is full, a folder that cannot be written
            print(f"tessera: {error.filename or 'output'}: {error.strerror}", file=sys.stderr)
            raise typer.Exit(1) from None

    def resolve_command(self, ctx: typer.Context, args: list[str]) -> tuple:
        known = self.list_commands(ctx)
        if args and not args[0].startswith("-") and args[0] not in known:
            close = nearest(args[0], known)
            hint = f"did you mean '{close}'?" if close else f"known: {', '.join(known)}"
            print(f"tessera: unknown command '{args[0]}'; {hint}", file=sys.stderr)
            raise typer.Exit(BAD_INPUT)
        return super().resolve_command(ctx, args)
