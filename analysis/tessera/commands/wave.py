"""tessera wave."""

import json
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Annotated

import typer

from tessera.commands.group import Commands
from tessera.commands.options import PASS_ON, Json, Limit, Seed, Settings, Trace, Workload, simulation, time_of
from tessera.engine.output_file import apart, make_way, whole, write
from tessera.engine.temporary import work_folder
from tessera.errors import InputError

RECORD_EXAMPLES = """Examples:

  tessera wave record out/first --window "10 ms:60 ms"  # the same run again, and its waveforms in out/first/waves.vcd

  tessera wave record out/first --trigger merge --before "5 ms" --after "20 ms" --out merge.fst

  tessera wave record demo --layer mu-rmw --workload web-server --fold --limit 5000 --window "0 s:1 s" --out second.json

All options of 'tessera-sim run' work with a drive: --replay, --prefill, --elf, ..."""

LIST_EXAMPLES = """Examples:

  tessera wave list out/first/waves.vcd

  tessera wave list out/first/waves.vcd nand "*.queue"

  tessera wave list demo --layer mu-rmw controller.firmware  # what a run of it could record"""

SHOW_EXAMPLES = """Examples:

  tessera wave show out/first/waves.vcd media controller.firmware

  tessera wave show out/first/waves.vcd media.state "nand.die_?.state" --lanes --begin "10 ms" --end "30 ms"

  tessera wave show out/first/waves.vcd --request 17"""

CHECK_EXAMPLES = """Examples:

  tessera wave check out/first/waves.vcd

  tessera wave check waves.fst --drive common --tolerance 1e-4"""

SELECT_EXAMPLES = """Examples:

  tessera wave select out/first/waves.vcd media "*.queue" controller.firmware  # in out/first/waves-selected.gtkw

  tessera wave select out/first/waves.vcd nand --out flash.gtkw"""

wave = typer.Typer(cls=Commands, no_args_is_help=True, help="Record, look through, select, convert and open waveforms of a run.")

Waveforms = Annotated[Path, typer.Argument(metavar="FILE", help="Waveforms, .vcd or .fst.")]
PATTERN_HELP = "Names of signals or scopes, with * and ?; all where none is given."
Patterns = Annotated[list[str] | None, typer.Argument(metavar="PATTERN", help=PATTERN_HELP)]


def _is_run(source: str) -> bool:
    return (Path(source) / "summary.json").exists()


@wave.command(context_settings=PASS_ON, epilog=RECORD_EXAMPLES)
def record(
    context: typer.Context,
    source: Annotated[str, typer.Argument(help="Folder of a run, which is made again for it; or a drive, with the options of a run.")],
    out: Annotated[
        list[Path] | None, typer.Option("--out", metavar="FILE", help="File to write, .vcd, .fst or .json (a timeline); may be repeated. Of a run: its folder's waves.vcd.")
    ] = None,
    window: Annotated[list[str] | None, typer.Option(metavar="A:B", help="From time A to time B; may be repeated (default: the whole run).")] = None,
    trigger: Annotated[str | None, typer.Option(help="Around the first of these: an event such as merge, request:N, latency>TIME, SIGNAL>N or SIGNAL<N.")] = None,
    before: Annotated[str | None, typer.Option(metavar="TIME", help="Length kept before the trigger (default: 1 ms).")] = None,
    after: Annotated[str | None, typer.Option(metavar="TIME", help="Length recorded after it (default: 10 ms).")] = None,
    signals: Annotated[str | None, typer.Option(metavar="GLOB,...", help="Names of signals or scopes, with * and ? (default: all).")] = None,
    layer: Annotated[str | None, typer.Option(help="Translation layer (default: the drive's own).")] = None,
    trace: Trace = None,
    workload: Workload = None,
    limit: Limit = None,
    seed: Seed = 1,
    settings: Settings = None,
    firmware: Annotated[Path | None, typer.Option(help="Of a run: the shared library or image that it used; taken only if its digest is that of the run.")] = None,
) -> None:
    """Make a run for its waveforms, all of it, some windows, or what lies around a trigger."""
    from tessera.waves.record import Record, run_again, record as record_run
    from tessera.waves.save_file import save_file_of

    if _is_run(source):
        if layer or trace or workload or limit or settings or seed != 1 or context.args:
            raise InputError(f"{source} is a run, which says itself what is simulated; --layer, --set and the like go with a drive")
        wanted = run_again(Path(source), firmware)
        files = out or [Path(source) / "waves.vcd"]
        if not out:  # whatever a link points to is not the folder's to name
            for file in (files[0], save_file_of(files[0])):
                make_way(file)
    else:
        if not out:
            raise InputError("--out FILE.vcd, FILE.fst or FILE.json is missing: what is to be written")
        words = [*context.args, *(("--firmware", str(firmware)) if firmware else ())]
        wanted = simulation(source, trace, workload, limit, seed, settings, words).but(layer=layer)
        files = out
    notes = record_run(wanted, Record(tuple(files), signals, window or (), trigger, before, after), progress=True)
    for file in files:
        _tell(file)
    for note in notes:
        if "waveform" in note:
            print(f"  note: {note}")


def _tell(file: Path) -> None:
    from tessera.results.human import size
    from tessera.waves.dump import Dump

    if file.suffix == ".json":
        print(f"{file}: {size(file.stat().st_size)}; https://ui.perfetto.dev opens it, 'tessera plot {file}' draws it")
        return
    print(f"{file}: {len(Dump(file).signals):,} signals, {size(file.stat().st_size)}; 'tessera wave open {file}' shows it")


@wave.command("list", epilog=LIST_EXAMPLES)
def list_signals(
    source: Annotated[str, typer.Argument(help="Waveforms, .vcd or .fst; or a drive: what a run of it could record.")],
    patterns: Patterns = None,
    layer: Annotated[str | None, typer.Option(help="Of a drive: its translation layer.")] = None,
    settings: Settings = None,
    as_json: Json = False,
) -> None:
    """List signals."""
    from tessera.waves.dump import Dump
    from tessera.waves.names import chosen, inside
    from tessera.waves.record import Record, record as record_run

    if Path(source).suffix in (".vcd", ".fst"):
        found = Dump(source).signals
    else:
        # The shortest run that there is: the file's head says what could be recorded.
        shortest = simulation(source, None, "random-4k", 1, 1, settings, ["--fold"]).but(layer=layer)
        with tempfile.TemporaryDirectory(dir=work_folder()) as folder:
            file = Path(folder) / "signals.vcd"
            record_run(shortest, Record((file,), windows=("0 s:1 ps",)))
            found = Dump(file).signals
    wanted = set(chosen([signal.path for signal in found], patterns or ()))
    rows = [signal for signal in found if signal.path in wanted]
    if as_json:
        print(json.dumps([{"name": inside(signal.path), "kind": signal.kind, "bits": signal.width} for signal in rows]))
        return
    width = max((len(inside(signal.path)) for signal in rows), default=0)
    for signal in rows:
        print(f"{inside(signal.path):{width}}  {signal.kind}" + (f", {signal.width} bits" if signal.kind == "number" else ""))


@wave.command(epilog=SHOW_EXAMPLES)
def show(
    file: Waveforms,
    patterns: Patterns = None,
    begin: Annotated[str | None, typer.Option(metavar="TIME", help="Since power-on (default: the beginning of the file).")] = None,
    end: Annotated[str | None, typer.Option(metavar="TIME", help="Since power-on (default: the end of the file).")] = None,
    lanes: Annotated[bool, typer.Option("--lanes", help="A lane for each signal over the width of the terminal, not a list of changes.")] = False,
    limit: Annotated[int, typer.Option(min=1, help="Lines of the list at most.")] = 200,
    request: Annotated[int | None, typer.Option(min=0, metavar="N", help="While this request was under way; without PATTERN, what worked for it.")] = None,
) -> None:
    """Print a window as text: every change in it, or a lane for each signal."""
    from tessera.waves import request as of_request, text, waits
    from tessera.waves.dump import Dump
    from tessera.waves.names import chosen

    dump = Dump(file)
    if request is not None and (begin or end):
        raise InputError("--request says the window itself: without --begin and --end")
    if request is not None and not patterns and not lanes:
        for line in waits.listed(dump, request, limit):
            print(line)
        return
    paths = chosen([signal.path for signal in dump.signals], patterns or ())
    first, last = dump.span()
    start, stop = first if begin is None else time_of(begin), last if end is None else time_of(end)
    if request is not None:
        window = of_request.under_way(dump, request)
        start, stop = window.begin, window.end
    if not first <= start < stop or start >= last:
        raise InputError(f"{file} holds {first / 1e9:g} ms to {last / 1e9:g} ms, and nothing of the window that was asked for")
    changes = dump.changes(paths, stop)
    columns = shutil.get_terminal_size((120, 24)).columns
    for line in text.lanes(changes, paths, start, stop, columns) if lanes else text.listed(changes, start, limit):
        print(line.rstrip())


@wave.command(epilog=CHECK_EXAMPLES)
def check(
    file: Waveforms,
    drive: Annotated[
        str | None, typer.Option(metavar="DRIVE", help="Description to compare with: a run's folder, a .toml file or a name (default: drive.toml next to FILE).")
    ] = None,
    tolerance: Annotated[float, typer.Option(min=0, metavar="SHARE", help="Relative difference that still holds; a picosecond always does.")] = 1e-6,
    as_json: Json = False,
) -> None:
    """Measure timing parameters of the drive from waveforms alone; exit status 1 if one differs from the description."""
    from tessera.waves.check import check as checked, description_of, listed
    from tessera.waves.dump import Dump

    found = checked(Dump(file), description_of(drive, file))
    if as_json:
        print(json.dumps([{"parameter": one.parameter, "stated": one.stated, "measured_ps": one.measured, "intervals": len(one.samples), "worst": one.worst,
                           "holds": one.holds(tolerance), "why_not": None if one.samples else one.why_not} for one in found], indent=1))  # fmt: skip
    else:
        for line in listed(found, tolerance):
            print(line)
    if any(one.holds(tolerance) is False for one in found):
        raise typer.Exit(1)


@wave.command(epilog=SELECT_EXAMPLES)
def select(
    file: Waveforms,
    patterns: Annotated[list[str], typer.Argument(metavar="PATTERN", help="Names of signals or scopes, with * and ?.")],
    out: Annotated[Path | None, typer.Option("--out", help="Save file to write, .gtkw (default: FILE-selected.gtkw).")] = None,
) -> None:
    """Write a save file with which GTKWave shows these signals, in the groups, forms and colours that a run chose for all."""
    from tessera.waves.save_file import pointed_at, read_save_file, save_file_of, selected

    target = out or file.with_name(f"{file.stem}-selected.gtkw")
    if target.suffix != ".gtkw":
        raise InputError(f"{target}: expected a name that ends with .gtkw")
    apart(target, [file, save_file_of(file)])
    text = pointed_at(selected(read_save_file(save_file_of(file)), patterns), file)
    write(target, text)
    print(f"{target}: 'tessera wave open {target}' shows it")


@wave.command(epilog="Example: tessera wave convert out/first/waves.vcd --out waves.fst")
def convert(
    file: Waveforms,
    out: Annotated[Path, typer.Option("--out", help="File to write: .fst, GTKWave's compressed format, or .vcd.")],
) -> None:
    """Make a .fst file of a .vcd file, or the other way round, with GTKWave's own programs; its save file comes along."""
    from tessera.results.human import size
    from tessera.waves.dump import Dump
    from tessera.waves.save_file import pointed_at, read_save_file, save_file_of, without_filters
    from tessera.waves.tools import tool

    commands = {(".vcd", ".fst"): ("vcd2fst", "-v", "-f"), (".fst", ".vcd"): ("fst2vcd", "-f", "-o")}
    if (file.suffix, out.suffix) not in commands:
        raise InputError(f"{file} to {out}: expected .vcd to .fst, or .fst to .vcd")
    dump = Dump(file)  # a file that is none is refused in a sentence
    name, source, target = commands[file.suffix, out.suffix]
    apart(out, [file])

    def converted(aside: Path) -> None:
        with tempfile.TemporaryDirectory(dir=work_folder()) as folder:
            worded = Path(folder) / "worded.vcd" if dump.in_numbers else file
            if dump.in_numbers:
                with worded.open("w", encoding="utf-8") as lines:
                    lines.writelines(dump.with_words())
            run_converter(worded, aside)

    def run_converter(from_file: Path, aside: Path) -> None:
        words = [tool(name), source, str(from_file), target, str(aside)]
        done = subprocess.run(words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, encoding="utf-8", errors="replace")
        if done.returncode != 0:
            raise InputError(f"{file}: {name} cannot convert it: {done.stderr.strip().splitlines()[-1] if done.stderr.strip() else done.returncode}")

    whole(out, converted)
    if save_file_of(file).exists():
        write(save_file_of(out), pointed_at(without_filters(read_save_file(save_file_of(file))), out))
    print(f"{out}: {size(out.stat().st_size)} (of {size(file.stat().st_size)})")


@wave.command("open", epilog="Example: tessera wave open out/first/waves.vcd")
def open_in_viewer(
    file: Annotated[Path, typer.Argument(help="Waveforms, .vcd or .fst, or a save file, .gtkw.")],
    viewer: Annotated[str | None, typer.Option(help="Program that shows it; GTKWave, or Surfer where that is not installed.")] = None,
) -> None:
    """Open waveforms in a viewer, as their save file says."""
    from tessera.waves.save_file import read_save_file, save_file_of
    from tessera.waves.tools import viewer as find_viewer

    if not file.exists():
        raise InputError(f"{file}: No such file or directory")
    if file.suffix == ".json":
        raise InputError(f"{file} is a timeline: https://ui.perfetto.dev opens it, and 'tessera plot {file}' draws it")
    program = find_viewer(viewer)
    described = save_file_of(file)
    shown = described if Path(program).name == "gtkwave" and described.exists() else file
    if shown.suffix == ".gtkw":
        read_save_file(shown)
    raise typer.Exit(subprocess.run([program, str(shown)]).returncode)


def register(app: typer.Typer) -> None:
    app.add_typer(wave, name="wave")
