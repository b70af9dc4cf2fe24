"""The figures of the benchmark are computed as they are named."""

from samples import metric, write_run

from tessera import Run
from tessera.bench import COMMANDS, MEMORY, speed


def test_commands_of_disk_and_flash_are_summed_over_cpu_time(tmp_path):
    metrics = {"media.commands": metric(500), "nand.programs": metric(300), "nand.erases": metric(None), "run.cpu_seconds": metric(2)}
    assert COMMANDS.of(Run(write_run(tmp_path, metrics))) == 400


def test_a_speed_is_met_from_its_target_on_and_a_memory_up_to_it():
    assert speed(500).met(500) and not speed(500).met(499.9)
    assert MEMORY.met(MEMORY.target) and not MEMORY.met(MEMORY.target + 0.1)
