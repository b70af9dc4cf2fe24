"""tessera ask: what the evidence is made into, by hand; what goes with a parameter; and the mistakes that people make."""

import json
import tomllib
from dataclasses import replace

import polars as pl
import pytest
from typer.testing import CliRunner

from tessera.asking.answer import Answer
from tessera.asking.ask import looks
from tessera.asking.dependants import dependants
from tessera.asking.metric import metric_of
from tessera.asking.question import Asked, Design, Question
from tessera.asking.source import Source
from tessera.asking.templates import question_of, uses_flash
from tessera.cli import app
from tessera.errors import InputError
from tessera.evidence.blocks import Bursts
from tessera.evidence.family import judged_within
from tessera.evidence.ratios import Measured, ratio
from tessera.evidence.verdict import best_of, least_that_is_enough
from tessera.explore import Sweep

pytestmark = pytest.mark.usefixtures("the_built_simulator")


def measured(*values, **more):
    return Measured(dict(enumerate(values, 1)), **more)


def answer(found, verdict, ordered=False):
    asked = Asked("layer", metric_of("p99"), Source("mine", workload="mine"), "demo")
    question = Question("Which?", asked, "layer", [Design(name, name, {}) for name in found], ordered)
    return Answer(question, found, verdict, 1000, 3, {})


def test_ratios_are_paired_by_seed():
    # The seeds differ tenfold, the designs by 2 in each: the interval knows only the latter.
    found = ratio(measured(2, 20, 200), measured(1, 10, 100), 1)
    assert (found.value, found.low, found.high) == pytest.approx((2, 2, 2))


def test_comparisons_of_one_question_share_their_confidence():
    alone, of_six = (ratio(measured(2, 2.2, 2.1), measured(1, 1, 1), comparisons) for comparisons in (1, 6))
    assert of_six.low < alone.low < alone.high < of_six.high


def test_each_look_at_the_seeds_takes_its_share():
    assert (looks(False), looks(True)) == (2, 5)
    found = {"a": measured(10, 10.2, 10.4), "b": measured(11, 11.5, 11)}
    assert best_of(found, False, looks=5).against.low < best_of(found, False).against.low


def test_the_least_that_is_enough_is_the_first_that_no_larger_one_beats():
    found = {"0 B": measured(90, 91, 92), "4 MiB": measured(30, 30.1, 30.2), "16 MiB": measured(30, 30.2, 30.1), "64 MiB": measured(30.1, 30, 30.2)}
    verdict = least_that_is_enough(found, more_is_better=False)
    assert (verdict.best, verdict.second, verdict.settled) == ("4 MiB", "0 B", True)
    assert answer(found, verdict, ordered=True).sentence().startswith("4 MiB of layer is enough on mine: p99 30.1 ms ± ")


def test_the_largest_that_was_tried_is_not_called_enough():
    found = {"0 B": measured(90, 91, 92), "4 MiB": measured(30, 30.1, 30.2)}
    verdict = least_that_is_enough(found, more_is_better=False)
    said = answer(found, verdict, ordered=True).sentence()
    assert said.startswith("4 MiB of layer, the most that was tried, still helps on mine: p99 30.1 ms ± ") and said.endswith("Larger ones: --size.")


def test_of_one_size_that_may_be_ranked_nothing_is_said_about_more():
    found = {"0 B": measured(90, 91, 92), "4 MiB": measured(30, 30.1, 30.2, marks=("too short to compare",))}
    said = answer(found, least_that_is_enough(found, False), ordered=True).sentence()
    assert said.startswith("Not settled; as far as it goes: 0 B of layer has p99 91.0 ms ± ") and said.endswith(" on mine, and no other may be ranked.")


def test_what_seeds_do_not_tell_is_a_doubt_with_the_seeds_that_would():
    found = {"small": measured(10, 12, 14), "large": measured(9, 13, 12)}
    verdict = least_that_is_enough(found, more_is_better=False)
    assert not verdict.settled
    (doubt,) = verdict.doubts
    assert doubt.seeds is None or doubt.seeds > 3
    said = answer(found, verdict, ordered=True)
    assert said.sentence().startswith("Not settled; as far as it goes:")
    assert "small against large" in said.unsettled()[0] and "seeds" in said.unsettled()[0]


def test_a_marked_figure_is_shown_and_not_ranked():
    found = {"idle": measured(1, 1, 1, marks=("too short to compare",), clocks={"cleanings": (5, 20)}), "busy": measured(7, 7.1, 7.2), "slow": measured(9, 9.1, 9.2)}
    verdict = best_of(found, more_is_better=False)
    said = answer(found, verdict)
    assert verdict.best == "busy" and not verdict.settled
    assert "(too short to compare)" in said.rows()[0][1]
    assert "idle: too short to compare" in said.unsettled()[0] and "about 5,000 requests" in said.unsettled()[0]
    only = {"idle": found["idle"]}
    assert answer(only, best_of(only, False)).sentence() == "Not settled on mine: too short to compare, so no figure may be ranked."


def test_a_processor_that_is_idle_is_no_reason():
    found = {"1 x 500 MHz": measured(9, 9.1, 9.2, cpu_busy=0.001), "2 x 250 MHz": measured(7, 7.1, 7.2, cpu_busy=0.001)}
    said = answer(found, best_of(found, False))
    assert said.remarks() == []
    about_cpu = Answer(replace(said.question, asked=replace(said.question.asked, kind="cpu")), found, said.verdict, 1000, 3, {})
    assert "busy less than 1 % of the time" in about_cpu.remarks()[0]


def test_a_figure_alone_is_settled_when_its_interval_is_narrow():
    assert best_of({"a": measured(100, 101, 102)}, more_is_better=True).settled
    wide = best_of({"a": measured(100, 150, 200)}, more_is_better=True)
    assert not wide.settled and wide.seeds > 3


def test_a_larger_cache_brings_what_has_to_grow_with_it():
    added = dependants("demo", "mu-rmw", {"firmware.write_cache.capacity": "64 MiB"}, {}, "a cache")
    assert added == {"power.dump_area": "65 MiB", "power.hold_up_energy": "3.5 J", "nand.dump_blocks": 520}
    assert dependants("demo", "mu-rmw", {"firmware.write_cache.capacity": "4 MiB"}, {}, "a cache") == {}


def test_what_is_held_too_small_is_named_all_at_once():
    held = {"power.dump_area": "16 MiB", "power.hold_up_energy": "2 J"}
    with pytest.raises(InputError, match="power.dump_area is 16 MiB and has to be 65 MiB; power.hold_up_energy is 2 J and has to be 3.5 J"):
        dependants("demo", "mu-rmw", {"firmware.write_cache.capacity": "64 MiB"}, held, "a cache of 64 MiB")


def test_flash_is_asked_of_one_layer_in_every_role():
    asked = Asked("flash", metric_of("p99"), Source("mine", trace="mine.csv"), "common", layers=["cmr"])
    designs = question_of(asked).designs
    uses = [(design.settings["firmware.flash_cache.capacity"], design.settings["firmware.flash_cache.use"]) for design in designs]
    assert uses == [("0 B", "reads"), ("1 GiB", "writes"), ("1 GiB", "reads"), ("1 GiB", "both")]
    assert [uses_flash(asked, design.layer, design.settings) for design in designs] == [False, True, True, True]
    assert {design.settings["nand.blocks"] for design in designs[1:]} == {8192}


def test_a_question_is_answered_and_its_file_repeats_it(tmp_path):
    words = ["ask", "dram", "--layer", "imr-rmw", "--on", "sample", "--requests", "600", "--size", "64 MiB, 0 B", "--metric", "mean", "--out", str(tmp_path)]
    said = CliRunner().invoke(app, words)
    assert said.exit_code == 0, said.output
    assert "write buffer" in said.output and "dump_area 65 MiB" in said.output and "Held fixed: drive demo; layer imr-rmw; sample: 480 requests" in said.output
    table = tomllib.loads((tmp_path / "question.toml").read_text(encoding="utf-8"))
    assert [point["firmware.write_cache.capacity"] for point in table["points"]] == ["0 B", "64 MiB"]
    again = CliRunner().invoke(app, ["sweep", str(tmp_path / "question.toml"), "--out", str(tmp_path)])
    assert ", 0 made now" in again.output


def test_a_drive_of_one_s_own_is_found_from_the_file_that_repeats_the_question(tmp_path, monkeypatch):
    (tmp_path / "mine.toml").write_text('extends = "demo"\nsummary = "mine"\n')
    monkeypatch.chdir(tmp_path)
    words = ["ask", "what-if", "--layer", "cmr", "--on", "sample", "--requests", "60", "--drive", "mine.toml", "--change", "media.rpm=5400 rpm", "--out", "out"]
    said = CliRunner().invoke(app, words)
    assert said.exit_code == 0 and "media.rpm = 7200 rpm" in said.output, said.output
    assert ", 0 made now" in CliRunner().invoke(app, ["sweep", "out/question.toml", "--out", "out"]).output


MISTAKES = {
    "a layer misspelt": (["dram", "--layer", "mu-rwm"], "unknown layer 'mu-rwm'; did you mean 'mu-rmw'?"),
    "no such metric": (["dram", "--layer", "mu-rmw", "--metric", "p98"], "unknown metric 'p98'; did you mean 'p99'?"),
    "one size": (["dram", "--layer", "mu-rmw", "--size", "4 MiB"], "dram: name two or more sizes with --size, such as --size \"4 MiB, 64 MiB\", or none for 0 B, "),
    "a size without unit": (["dram", "--layer", "mu-rmw", "--size", "64"], "'64' has no unit; write '64 MiB' or '64 GiB'"),
    "a lifetime without flash": (["lifetime", "--layer", "cmr"], "cmr uses no flash"),
    "no layer": (["dram"], "name one layer with --layer"),
    "no such question": (["drma"], "unknown question 'drma'; did you mean 'dram'?"),
    "no such file": (["layer", "--on", "web_0.csv.xz"], "web_0.csv.xz: no such file"),
    "a recorded trace that is not there": (["layer", "--on", "no-such-trace_0"], "; recorded traces: "),
    "a workload misspelt": (["layer", "--on", "web-servr"], "unknown workload or trace 'web-servr'; did you mean 'web-server'?"),
    "a clock without unit": (["cpu", "--layer", "cmr", "--clock", "250"], "--clock: '250' has no unit; write '250 MHz'"),
    "an option of another question": (["dram", "--layer", "cmr", "--cores", "2"], "--cores belongs to the question cpu, not to dram"),
    "a parameter misspelt": (["what-if", "--layer", "cmr", "--change", "media.rpn=5400 rpm"], "unknown parameter 'media.rpn'; did you mean 'media.rpm'?"),
    "a value without unit": (["what-if", "--layer", "cmr", "--change", "media.rpm=5400"], "media.rpm is 7200 rpm now; '5400' has no unit"),
    "one layer to choose from": (["layer", "--layer", "cmr"], "name two or more layers"),
    "nothing is that cheap": (["cost", "--layer", "cmr", "--on", "sample", "--requests", "50", "--at-most", "0.01"], "the cheapest is cmr at"),
}


def test_what_no_design_can_run_is_refused_and_what_some_cannot_is_in_the_table(tmp_path):
    (tmp_path / "notes.csv").write_text("milk, bread\n")
    said = CliRunner().invoke(app, ["ask", "layer", "--layer", "cmr,imr-rmw", "--on", str(tmp_path / "notes.csv"), "--out", str(tmp_path / "a")])
    assert said.exit_code == 2 and "notes.csv" in said.output and "Not settled" not in said.output, said.output
    words = ["ask", "layer", "--layer", "cmr,mu-rmw", "--on", "sample", "--requests", "50", "--set", "nand.blocks=0", "--out", str(tmp_path / "b")]
    said = CliRunner().invoke(app, words)
    assert said.exit_code == 1 and "mu-rmw: the layer mu-rmw needs NAND flash" in said.output and "cmr has p99" in said.output, said.output


@pytest.mark.parametrize("words, expected", MISTAKES.values(), ids=MISTAKES)
def test_a_mistake_gets_a_useful_answer(words, expected, tmp_path):
    said = CliRunner().invoke(app, ["ask", *words, "--out", str(tmp_path)])
    assert said.exit_code == 2 and expected in said.output, said.output


def test_a_trace_that_is_too_short_is_said_to_be(tmp_path):
    said = CliRunner().invoke(app, ["ask", "layer", "--layer", "mu-rmw,media-cache", "--on", "sample", "--requests", "200", "--out", str(tmp_path)])
    assert said.stdout.startswith("Not settled on sample: too short to compare"), said.output
    assert "none came in 160 requests: take a longer input" in said.output


def test_the_slowest_clock_says_how_many_requests_would_settle_it():
    found = {"plain": measured(9, 9.1, 9.2), "learns": measured(7, 7.1, 7.2, marks=("not yet",), clocks={"heat_intervals": (4, 20), "cleanings": (25, 20)})}
    said = answer(found, best_of(found, False))
    assert said.sentence().startswith("Not settled; as far as it goes: plain has p99")
    assert "heat intervals 4 of 20; about 6,000 requests of this kind would settle it" in said.unsettled()[0]
    assert said.requests_needed("learns") == 6_000 and said.requests_needed("plain") == 2_000


def test_a_question_grows_to_its_slowest_design(tmp_path):
    """Layers that learn are not ranked after four intervals, whatever the first design needs."""
    words = ["ask", "layer", "--layer", "imr-rmw,imr-flip", "--on", "hot-tracks-scattered", "--requests", "12000", "--metric", "mean", "--out", str(tmp_path)]
    said = CliRunner().invoke(app, words)
    assert said.stdout.startswith("Not settled"), said.output
    assert "imr-flip: not yet" in said.output and "heat intervals" in said.output and "requests of this kind would settle it" in said.output


def test_an_answer_leaves_out_the_longest_warm_up(tmp_path):
    words = ["ask", "layer", "--layer", "cmr,imr-rmw", "--on", "oltp", "--requests", "20000", "--metric", "mean", "--out", str(tmp_path)]
    said = CliRunner().invoke(app, words)
    compared, part = Sweep(tmp_path).compared()
    assert f"Note: latencies and throughput leave out the first 1/{part} of each run, the longest warm-up of all; other figures are of whole runs.\n" in said.output, said.output
    rest, whole = (rows.filter(pl.col("axis.layer") == "cmr")["host.latency.mean"].mean() for rows in (compared, Sweep(tmp_path).good))
    assert rest < whole


def test_the_margin_of_an_answer_is_the_users(tmp_path):
    words = ["ask", "dram", "--layer", "imr-rmw", "--on", "sample", "--requests", "1000", "--size", "0 B, 64 MiB", "--metric", "mean", "--out", str(tmp_path)]
    assert CliRunner().invoke(app, words).stdout.startswith("64 MiB of write buffer, the most that was tried, still helps")
    said = CliRunner().invoke(app, [*words, "--margin", "50", "--json"])
    assert json.loads(said.stdout)["margin"] == 50 and "\nmargin = 50.0\n" in (tmp_path / "question.toml").read_text()
    with judged_within(30):
        found = {"a": measured(10, 10.01, 10.02), "b": measured(12, 12.01, 12.02)}
        assert "a and b differ by less than 30 % on mine" in answer(found, best_of(found, False)).sentence()


def test_bursts_and_halves_of_a_recording_are_remarks():
    found = {
        name: measured(10.0, 11.0, whole=10.5, halves=halves, bursts=bursts)
        for name, halves, bursts in (("a", (9.0, 12.0), Bursts(1, 0.95, 2.0)), ("b", (12.0, 9.0), Bursts(3, 1.0, 4.0)), ("c", (15.0, 15.0), None))
    }  # fmt: skip
    assert answer(found, best_of(found, False)).remarks() == [
        "the halves of this recording disagree: its first half has p99 9.00 ms with a; its second half has p99 9.00 ms with b",
        "a: 95 % of the requests at p99 or above lie in 1 burst; outside p99 is 2.00 ms", "b: 100 % of the requests at p99 or above lie in 3 bursts; outside p99 is 4.00 ms",
    ]  # fmt: skip


def test_a_recorded_trace_has_blocks_and_no_seeds(tmp_path):
    words = ["ask", "dram", "--layer", "imr-rmw", "--on", "sample", "--requests", "1000", "--size", "0 B, 64 MiB", "--metric", "mean", "--out", str(tmp_path / "a")]
    said = CliRunner().invoke(app, words)
    assert said.exit_code == 0 and "[95 %, 10 blocks of this recording]" in said.output and "sample: 800 requests after 200 that fill caches; seed 1" in said.output, said.output
    assert "Settled at 95 % on this recording, from this start, over its blocks" in said.output
    table = tomllib.loads((tmp_path / "a" / "question.toml").read_text(encoding="utf-8"))
    assert table["blocks"] == "host.latency.mean" and (table["run"]["skip"], table["run"]["limit"]) == (200, 800)
    words = ["ask", "what-if", "--layer", "cmr", "--on", "sample", "--requests", "1000", "--metric", "energy", "--change", "media.rpm=5400 rpm", "--out", str(tmp_path / "b")]
    said = CliRunner().invoke(app, words)
    assert said.exit_code == 0 and "[95 %, 5 parts of this recording]" in said.output, said.output
    words = ["ask", "layer", "--layer", "cmr,imr-rmw", "--on", "sample", "--requests", "150", "--metric", "mean", "--out", str(tmp_path / "c")]
    said = CliRunner().invoke(app, words)
    assert "[this recording: no interval]" in said.output and "120 requests are too few for blocks (a recording of 250 requests has them)" in said.output, said.output
    assert "no interval].\n" in said.output and "Settle: " in said.output and " --requests 600\n" in said.output


def test_a_design_whose_runs_lack_the_figure_is_to_be_left_out(tmp_path):
    words = ["ask", "layer", "--layer", "cmr,mu-rmw", "--on", "sample", "--requests", "300", "--metric", "lifetime", "--out", str(tmp_path)]
    said = CliRunner().invoke(app, words)
    assert said.stdout.startswith("Not settled on sample: some runs have no nand.lifetime.years.worst_block; "), said.output
    assert "cmr: its runs have no nand.lifetime.years.worst_block; leave it out: --layer mu-rmw\n" in said.output


def test_overloaded_designs_are_compared_by_what_they_serve(tmp_path):
    """Requests that come faster than any design serves them: latencies measure the length of the run, and the drive serves what it can."""
    trace = tmp_path / "overload.csv"
    trace.write_text("".join(f"{128166372003061629 + n * 1000},hm,0,Write,{n * 7919 % 5_000_000 * 4096},4096,1\n" for n in range(8_000)))
    words = ["ask", "layer", "--layer", "cmr,imr-rmw", "--on", str(trace), "--out", str(tmp_path / "out"), "--metric"]
    said = CliRunner().invoke(app, [*words, "mean"])
    assert said.stdout.startswith("Not settled on overload: unstable") and "; --metric throughput compares what they serve" in said.output, said.output
    said = CliRunner().invoke(app, [*words, "throughput"])
    assert said.stdout.startswith("cmr has the largest on overload: throughput ") and "10 blocks of this recording" in said.output and "Settled at 95 %" in said.output, said.output
