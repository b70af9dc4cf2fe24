"""How every command ends: a sentence and a status, never a traceback for what the user did."""

import os
import signal
import sys
import threading
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

import typer
from typer.core import TyperGroup

from tessera.engine.simulator import BAD_INPUT, SimulatorError, heed_interrupts
from tessera.errors import DEBUG, InputError, nearest

SHELL_SIGNALS = 128  # in front of a signal's number in an exit status
USAGE_ERROR = typer.BadParameter.__mro__[2]  # ClickException of the click that typer brings along
INTERNAL = 70  # EX_SOFTWARE of sysexits.h
ENDING = (signal.SIGTERM, signal.SIGHUP)  # that end a command as Ctrl-C does: in order, with what it made kept and what it needed removed
PACKAGE = Path(__file__).resolve().parents[1]


class Ended(KeyboardInterrupt):
    """A signal that ends programs came."""

    def __init__(self, number: int):
        super().__init__(number)
        self.number = number


def interrupted(error: KeyboardInterrupt, kept: str = "") -> typer.Exit:
    """Says by what a command was ended and what is kept, and gives its exit status."""
    number = error.number if isinstance(error, Ended) else signal.SIGINT
    how = "interrupted" if number == signal.SIGINT else f"ended by {signal.Signals(number).name}"
    print(f"tessera: {how}{kept and f'; {kept}'}", file=sys.stderr)
    return typer.Exit(SHELL_SIGNALS + number)


def _end(number: int, _: FrameType | None) -> None:
    raise Ended(number)


@contextmanager
def ended_in_order() -> Iterator[None]:
    """Signals that would end this process at once raise Ended, where nobody else handles or ignores them."""
    heed_interrupts()
    mine = [each for each in ENDING if signal.getsignal(each) == signal.SIG_DFL] if threading.current_thread() is threading.main_thread() else []
    for each in mine:
        signal.signal(each, _end)
    try:
        yield
    finally:
        for each in mine:
            signal.signal(each, signal.SIG_DFL)


def internal_error(error: Exception) -> str:
    """The sentence for a fault of this program: what it was, where, and how to see the rest."""
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if Path(frame.filename).is_relative_to(PACKAGE)]
    at = f" in {Path(own[-1].filename).name}, line {own[-1].lineno}" if own else ""
    text = " ".join(str(error).split())[:300]
    return f"internal error{at}: {type(error).__name__}: {text}. This is a bug, or input that nobody thought of; {DEBUG}=1 shows where it happened"


class Commands(TyperGroup):
    """Turns errors of input and of the simulator into messages and exit statuses."""

    def invoke(self, ctx: typer.Context) -> object:
        try:
            with ended_in_order():
                return super().invoke(ctx)
        except KeyboardInterrupt as error:
            raise interrupted(error) from None
        except InputError as error:
            if message := str(error):  # else the simulator has said it on the terminal
                print(f"tessera: {message}", file=sys.stderr)
            raise typer.Exit(BAD_INPUT) from None
        except SimulatorError as error:
            sys.stdout.write(error.output)
            print(f"tessera: {error.message or error}", file=sys.stderr)
            raise typer.Exit(error.status) from None
        except BrokenPipeError:  # whoever read what was printed has gone
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise typer.Exit(SHELL_SIGNALS + signal.SIGPIPE) from None
        except OSError as error:  # a disk that is full, a folder that cannot be written
            print(f"tessera: {error.filename or 'output'}: {error.strerror or error}", file=sys.stderr)
            raise typer.Exit(1) from None
        except UnicodeError as error:
            print(f"tessera: expected text in UTF-8, found what is none: {error}", file=sys.stderr)
            raise typer.Exit(BAD_INPUT) from None
        except (USAGE_ERROR, typer.Exit, typer.Abort):
            raise
        except Exception as error:
            if os.environ.get(DEBUG):
                raise
            print(f"tessera: {internal_error(error)}", file=sys.stderr)
            raise typer.Exit(INTERNAL) from None

    def resolve_command(self, ctx: typer.Context, args: list[str]) -> tuple:
        known = self.list_commands(ctx)
        if args and not args[0].startswith("-") and args[0] not in known:
            close = nearest(args[0], known)
            hint = f"did you mean '{close}'?" if close else f"known: {', '.join(known)}"
            print(f"tessera: unknown command '{args[0]}'; {hint}", file=sys.stderr)
            raise typer.Exit(BAD_INPUT)
        return super().resolve_command(ctx, args)
