"""tessera papers list, run and page."""

import csv
import os
from pathlib import Path

import polars as pl
import pytest
from typer.testing import CliRunner

from tessera.cli import app
from validation.papers.lookup import PAPERS

REPOSITORY = Path(__file__).resolve().parents[2]
SIMULATOR = REPOSITORY / os.environ.get("TESSERA_BUILD", "build/release") / "tessera-sim"


def papers(*words: object) -> tuple[int, str]:
    result = CliRunner().invoke(app, ["papers", *map(str, words)], env={"TESSERA_SIM": str(SIMULATOR)})
    return result.exit_code, result.output


def test_the_list_has_every_paper_and_a_paper_s_list_every_claim():
    status, text = papers("list")
    assert status == 0
    assert all(text.count(f"{name} ") for name in PAPERS)
    status, text = papers("list", "hwsr")
    assert status == 0
    assert "hwsr/financial/financial1-faster" in text
    assert "not tested:" in text


@pytest.mark.parametrize("words", [("list", "hswr"), ("run", "hwsr/finacial"), ("page", "maping")])
def test_an_unknown_name_gets_the_nearest(words):
    status, text = papers(*words)
    assert status == 2
    assert "did you mean 'hwsr" in text or "did you mean 'mapping'" in text


def test_an_experiment_alone_leaves_rows_claims_drives_commands_and_a_picture(tmp_path):
    status, text = papers("run", "mapping/uniform", "--out", tmp_path, "--scale", "0.05")
    assert status == 0, text
    folder = tmp_path / "mapping" / "uniform"
    rows = pl.read_csv(folder / "rows.csv")
    assert pl.read_parquet(folder / "rows.parquet").shape == rows.shape
    assert rows["scale"].unique().to_list() == [0.05]
    assert rows["command"][0].startswith("tessera run ")
    assert (folder / "picture.png").read_bytes().startswith(b"\x89PNG")
    assert list((folder / "drives").glob("*.toml"))
    assert "tessera papers run mapping/uniform --scale 0.05" in (folder / "command.txt").read_text()
    assert "Scaled to 0.05" in (folder / "section.md").read_text()
    assert "Scaled to 0.05" in text
    assert "  holds: space gain, equation 1; published: 1.6; here: 1.60\n" in text  # nothing of these layers fills or learns


def test_a_run_that_cleans_too_little_gives_no_verdict_and_says_so(tmp_path):
    status, text = papers("run", "mu-rmw/wear", "--out", tmp_path, "--scale", "0.003")
    assert status == 0, text
    assert "No verdict: " in text
    folder = tmp_path / "mu-rmw" / "wear"
    assert "no verdict" in (folder / "section.md").read_text()
    with open(folder / "claims.csv", newline="") as file:
        assert {line["verdict"] for line in csv.DictReader(file)} == {"no verdict"}
