"""The figures of the benchmark are computed as they are named."""

import pytest
from rich.console import Console
from samples import metric, write_run

from tessera import Run
from tessera.errors import InputError
from pages import growth as pages_growth
from pages.bench import COMMANDS, memory, speed
from pages.growth import FACTORS, Cost, growth, hold_growth, subjects
from pages.years import described, drive_years_a_day, loads


def test_commands_of_disk_and_flash_are_summed_over_cpu_time(tmp_path):
    metrics = {"media.commands": metric(500), "nand.programs": metric(300), "nand.erases": metric(None), "run.cpu_seconds": metric(2)}
    assert COMMANDS.of(Run(write_run(tmp_path, metrics))) == 400


def test_a_speed_is_met_from_its_target_on_and_a_memory_up_to_it():
    assert speed(500).met(500) and not speed(500).met(499.9)
    most = memory(300e6)
    assert most.met(most.target) and not most.met(most.target + 0.1)


def test_growth_is_of_a_request_unless_cleanings_came_between():
    small, large = Cost(9000, 10, 20, 0), Cost(12000, 10, 30, 0)
    assert growth([small, large]) == ("request", [900, 1200])
    assert growth([small, Cost(12000, 10, 30, 1)]) == ("operation", [300, 300])


def test_the_measured_part_is_what_the_whole_run_adds_to_its_warm_up():
    assert Cost(9000, 10, 20, 3) - Cost(4000, 4, 5, 1) == Cost(5000, 6, 15, 2)


@pytest.mark.parametrize(("only", "most"), [("mu-rmw", 0.10), ("media-cache", 0.40)])
def test_a_layer_that_grows_further_than_it_is_known_to_is_refused_with_its_figures(tmp_path, monkeypatch, only, most):
    def grows(by):
        monkeypatch.setattr(pages_growth, "cost_at", lambda subject, factor, out: Cost(10_000 if factor < FACTORS[-1] else round(10_000 * (1 + by)), 10, 0, 0))
        hold_growth(Console(quiet=True), tmp_path, only, 1)

    grows(most - 0.001)
    with pytest.raises(InputError, match=f"{only}: 1,000, 1,000, .* instructions per request at 1, 4, 16 times the capacity"):
        grows(most + 0.01)


def test_drive_years_are_those_of_the_load_s_arrivals_on_two_cores():
    assert drive_years_a_day(seconds=365.25 * 100, cpu_seconds=2) == pytest.approx(100)


def test_a_drive_that_cannot_keep_up_says_so_and_earns_no_time_by_it(tmp_path):
    busy = loads(tmp_path / "busy.toml")[1]
    metrics = {"host.served": metric(36525), "run.cpu_seconds": metric(0.02), "run.measured_seconds": metric(365.25)}
    assert described(busy, "cmr", Run(write_run(tmp_path / "even", metrics))) == "100 requests/s 100.0 (at least 100: met)"
    metrics["run.measured_seconds"] = metric(730.5)
    late = described(busy, "mu-rmw", Run(write_run(tmp_path / "late", metrics)))
    assert late == "100 requests/s 100.0 (at least 25: met), the drive needs 2.0 times as long"


def test_a_buffer_that_is_nearly_full_at_one_size_does_not_go_past_the_flash_there():
    (tessera,) = [subject for subject in subjects() if subject.name == "tessera"]
    assert tessera.settings == ("--set", "layers.tessera.flash_backlog=1000000")
