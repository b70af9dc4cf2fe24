"""Nothing that a user can vary is silently without effect: each parameter, set to something else, changes a figure of a short run or is said
to be without effect there, and never both. The drive's own parameters are tried on one layer, and a third of what counts elsewhere only; with
TESSERA_EFFECTS=all (./dev effects) all of it on every layer, without and with a write cache in front."""

import fnmatch
import os

import pytest
from effects import TABLE, Finding, Hunt, Verdict, alive, entry, own_section, parameters
from simulate import LAYERS

ALL = os.environ.get("TESSERA_EFFECTS") == "all"


def excused(finding: Finding) -> bool:
    if finding.verdict is Verdict.REFUSED and alive(finding.path) is not None:
        return True
    return finding.verdict is not Verdict.BOTH and entry("exempt", finding.path) is not None


def wrong(hunt: Hunt, chosen: list[dict]) -> list[str]:
    """What effects.toml has no excuse for."""
    good = (Verdict.CHANGES, Verdict.SAID)
    return [str(finding) for finding in hunt.try_all(chosen) if finding.verdict not in good and not excused(finding)]


@pytest.mark.parametrize("layer", LAYERS)
def test_each_parameter_of_a_layer_changes_something_or_is_said_to_change_nothing(layer, tmp_path):
    own = [parameter for parameter in parameters() if parameter["path"].startswith(own_section(layer))]
    assert wrong(Hunt(tmp_path, layer), own) == []


@pytest.mark.parametrize("layer", LAYERS if ALL else ["tessera"])
@pytest.mark.parametrize("cache", ("64 KiB", "0 B") if ALL else ("64 KiB",))
def test_each_parameter_of_the_drive_changes_something_or_is_said_to_change_nothing(layer, cache, tmp_path):
    of_drive = [parameter for parameter in parameters() if not parameter["path"].startswith("layers.")]
    assert wrong(Hunt(tmp_path, layer, (f"firmware.write_cache.capacity={cache}",)), of_drive) == []


def test_what_is_switched_off_or_rarely_counts_changes_something_where_it_does(tmp_path):
    beside: dict[tuple, list[dict]] = {}
    for parameter in parameters():
        if (where := alive(parameter["path"])) is not None:
            beside.setdefault(where, []).append(parameter)
    findings = []
    for number, ((layer, settings, cuts), chosen) in enumerate(beside.items()):
        if not ALL and number % 3 != 0:
            continue
        folder = tmp_path / str(number)
        folder.mkdir()
        findings += Hunt(folder, layer, settings, cuts).try_all(chosen)
    assert [str(finding) for finding in findings if finding.verdict is not Verdict.CHANGES] == []


def test_the_table_names_parameters_that_there_are():
    known = [parameter["path"] for parameter in parameters()]
    patterns = [*TABLE["values"], *TABLE["exempt"], *(pattern for one in TABLE["alive"] for pattern in one["parameters"])]
    assert [pattern for pattern in patterns if not fnmatch.filter(known, pattern)] == []


def test_another_layers_parameters_are_said_to_be_without_effect(tmp_path):
    hunt = Hunt(tmp_path, "cmr")
    for path, value in (("layers.fluid.zone", "1 MiB"), ("layers.tessera_imr.moves", "dtm"), ("layer", "fluid")):
        assert len(hunt.run("other", f"{path}={value}").says_of(path)) == 1
