"""Which blocks of the flash set its lifetime, where a layer divides it."""

from simulate import run, simulate

WRITES = ("--workload", "zipf-writes", "--replay", "closed:8", "--fold", "--limit", 3000, "--prefill", 100)
HWSR = ("common", "--layer", "hwsr", *WRITES)


def test_the_erases_of_the_areas_are_those_of_the_flash(tmp_path):
    made = run(tmp_path, *HWSR)
    areas = [name.split(".")[2] for name in made.summary["metrics"] if name.startswith("flash.area.") and name.endswith(".erases")]
    assert areas == ["rewrite_journal", "read_cache"]
    assert sum(made.metric(f"flash.area.{area}.erases") for area in areas) == made.metric("nand.erases") > 0


def test_a_journal_that_rotates_over_few_blocks_is_said_to_set_the_lifetime(tmp_path):
    said = simulate("run", *HWSR, "--out", tmp_path).stdout
    assert "(worst block, of the 128 over which the rewrite journal rotates; " in " ".join(said.split()) and "with perfect wear levelling)" in " ".join(said.split())
