"""Names that a page could take for its own markup: titles, files and drives of others are shown, every chart is drawn, and nothing of theirs runs."""

import os
from pathlib import Path

import pytest

import tessera
from tessera.reports import write_report

browser = pytest.importorskip("browser")
pytestmark = pytest.mark.usefixtures("the_built_simulator")

MARKUP = "</script><script>window.executed = 1</script><img src=picture onerror='window.executed = 2'><!--<script>"
DRIVE = f'extends = "common"\nsummary = """{MARKUP}"""\n'
SWEEP = f"""title = "{MARKUP}"
keep = true
[run]
workload = "random-4k"
limit = 100
replay = "closed:8"
fold = true
[axes]
drive = ["./a<!--<script>.toml", "./b&amp;</script>.toml"]
layer = ["cmr", "imr-rmw"]
seed = [1, 2]
"""
DRAWN = "[...document.querySelectorAll('.plot')].filter(plot => plot.querySelector('.main-svg')).length"


@pytest.fixture(scope="module")
def reports(the_built_simulator, tmp_path_factory) -> list[Path]:
    folder = tmp_path_factory.mktemp("names")
    (folder / "a<!--<script>.toml").write_text(DRIVE)
    (folder / "b&amp;<").mkdir()
    (folder / "b&amp;<" / "script>.toml").write_text(DRIVE)
    (folder / "sweep.toml").write_text(SWEEP)
    sweep = tessera.sweep(folder / "sweep.toml", out=folder / "<!--<script>", jobs=2)
    assert sweep.failed.height == 0
    run = next((sweep.folder / "folders").iterdir())
    return [write_report(sweep.folder), write_report(run)]


@pytest.fixture(scope="module")
def chromium():
    if browser.CHROMIUM is None:
        assert not os.environ.get("TESSERA_STRICT"), browser.MISSING  # in CI it is there
        pytest.skip(browser.MISSING)
    with browser.Browser(1280) as opened:
        yield opened


@pytest.mark.parametrize("number", [0, 1], ids=["sweep", "run"])
def test_names_with_markup_are_shown_every_chart_is_drawn_and_no_script_of_theirs_runs(chromium, reports, number):
    chromium.errors.clear()
    chromium.requests.clear()
    chromium.open(reports[number])
    charts = chromium.run("document.querySelectorAll('.plot').length")
    assert charts >= (2, 3)[number]
    assert chromium.run(DRAWN) == charts
    assert "executed" not in chromium.run("Object.keys(window)")
    assert chromium.run("document.querySelectorAll('img').length") == 0
    if number == 0:
        assert chromium.run("document.querySelector('h1').textContent") == MARKUP
    assert chromium.errors == []  # the policy reports what it has kept from running
    assert [url for url in chromium.requests if not url.startswith(("data:", "blob:"))] == [reports[number].resolve().as_uri()]
