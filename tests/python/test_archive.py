"""The study of archives at equal cost: its files run, cost what the page says, and are all named by it."""

import pytest
from pages import archive
from pages.array_studies import ARRAY_STUDIES
from samples import REPOSITORY
from simulate import SIMULATOR, simulate

from tessera.results.run_folder import Run

FILES = sorted(archive.FOLDER.glob("*.toml"))
LOADS = [file for file in FILES if file.stem in ("load", "ingest", "replace", "updates")]
ARRAYS = [file for file in FILES if file not in LOADS and file.stem != "inputs"]


@pytest.mark.parametrize("file", ARRAYS, ids=lambda file: file.stem)
def test_an_archive_of_the_study_is_checked_and_planned(file):
    simulate("check", file)
    assert "60 drives and 1 spare place" in simulate("array", file, "--plan").stdout


@pytest.mark.parametrize("load", LOADS, ids=lambda file: file.stem)
def test_a_first_short_run_of_each_load_works(load, tmp_path):
    simulate("array", archive.FOLDER / "conventional.toml", "--workload", load, "--fold", "--limit", 20, "--out", tmp_path)
    assert Run(tmp_path).metric("host.served") == 20


def test_whole_objects_need_no_reads_in_any_archive(tmp_path):
    for kind in archive.KINDS:
        out = tmp_path / kind.file
        simulate("array", archive.FOLDER / f"{kind.file}.toml", "--workload", archive.FOLDER / "ingest.toml", "--fold", "--limit", 5, "--out", out)
        assert Run(out).metric("array.writes.whole_row") == 5


def test_archives_cost_the_same_per_user_terabyte_within_one_percent(tmp_path, monkeypatch):
    monkeypatch.setenv("TESSERA_SIM", str(SIMULATOR))
    priced = archive.prices(tmp_path)
    costs = []
    for kind in archive.KINDS:
        out = tmp_path / kind.file
        simulate("array", archive.FOLDER / f"{kind.file}.toml", "--workload", archive.FOLDER / "load.toml", "--fold", "--limit", 1, "--out", out)
        costs.append(archive.archive_cost(priced[kind.file], Run(out).metric("capacity.user"), Run(out / "drive-0").metric("capacity.user")))
    assert max(costs) / min(costs) < 1.01
    assert costs[0] == pytest.approx(priced["conventional"].per_user_tb * 18 / 16 * 60 / 59, rel=1e-3)


def test_the_folder_of_a_rebuild_without_requests_is_read(tmp_path):
    file = tmp_path / "array.toml"
    drive = '[[drive]]\ndescription = "torture"\nlayer = "cmr"\n'
    file.write_text('[array]\nkind = "raid5"\n' + drive + "count = 3\n" + drive + 'spare = true\n[[failure]]\nat = "1 s"\n')
    simulate("array", file, "--prefill", 0, "--out", tmp_path / "out")
    assert Run(tmp_path / "out").metric("array.rebuild.rate") > 0


def test_every_run_of_the_study_names_files_that_are_there():
    for words in archive.runs().values():
        assert all(word.exists() for word in words if not isinstance(word, str))


def test_more_parity_and_faster_rebuilds_lose_later():
    assert archive.years_to_loss(60, 3, 24, 0.02) > archive.years_to_loss(60, 2, 24, 0.02) > archive.years_to_loss(60, 2, 48, 0.02)


def test_the_page_names_each_file_and_is_a_study():
    page = archive.PAGE.read_text()
    assert [file.name for file in FILES if f"[{file.name}](archive/{file.name})" not in page] == []
    assert "archive" in ARRAY_STUDIES
    assert archive.PAGE == REPOSITORY / "docs" / "studies" / "archive.md"
