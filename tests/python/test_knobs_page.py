"""The page of the sliders in a browser: what it draws and asks, its marks, links, files and keys, and what it says when it is left alone."""

import json
import os
import threading
from pathlib import Path

import pytest

from tessera.commands.knobs import subject_of
from tessera.view.knobs.offline import write_offline
from tessera.view.knobs.page import render
from tessera.view.knobs.server import serving
from tessera.view.knobs.subject import Subject

browser = pytest.importorskip("browser")
WIDTHS = (1280, 400)
TEXT = "document.body.innerText"
NOW = "tesseraKnobs.now"

pytestmark = pytest.mark.usefixtures("the_built_simulator")


@pytest.fixture(scope="module")
def subject(the_built_simulator) -> Subject:
    return subject_of("demo", None, ["cmr", "mu-rmw"], [], [], 2_500, 1, "host.latency.p99:10%", None, None, offline=False)


@pytest.fixture(scope="module")
def chromium():
    if browser.CHROMIUM is None:
        assert not os.environ.get("TESSERA_STRICT"), browser.MISSING  # in CI it is there
        pytest.skip(browser.MISSING)
    with browser.Browser(1280) as started:
        yield started


@pytest.fixture(scope="module")
def served(subject):
    with serving(subject, render(subject), jobs=1) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()


@pytest.fixture(scope="module")
def offline(subject, tmp_path_factory) -> Path:
    return write_offline(subject, tmp_path_factory.mktemp("knobs") / "knobs.html", 5 * subject.most)


@pytest.fixture(params=["served", "offline"])
def page(request, chromium, served, offline):
    yield from opened(chromium, served.address if request.param == "served" else offline)


@pytest.fixture
def live(chromium, served):
    yield from opened(chromium, served.address)


def opened(chromium, place):
    chromium.errors.clear()
    chromium.requests.clear()
    chromium.resize(1280)
    chromium.leave()
    chromium.open(place)
    settled(chromium)
    yield chromium
    assert chromium.errors == []
    assert [url for url in chromium.requests if not url.startswith(("file:", "data:", "blob:", "about:", "http://127.0.0.1:"))] == []


def settled(page) -> None:
    page.run(f"new Promise(done => {{ const look = () => {NOW}.done || {NOW}.version === 0 && !tesseraKnobs.data.served ? done() : setTimeout(look, 10); look() }})")


def take(page, **state) -> None:
    page.run(f"tesseraKnobs.take({json.dumps({name.replace('_', '-'): value for name, value in state.items()})})")
    settled(page)


def press(page, key: str) -> None:
    page.run(f"document.body.dispatchEvent(new KeyboardEvent('keydown', {{key: '{key}', bubbles: true, cancelable: true}}))")


def cells(page, title: str) -> list[str]:
    return page.run(f"[...[...document.querySelectorAll('#rows tr')].find(row => row.firstChild.textContent === '{title}').querySelectorAll('td')].map(cell => cell.textContent)")


def test_the_tail_is_drawn_and_nothing_is_wider_than_the_page(page):
    for width in WIDTHS:
        page.resize(width)
        page.run("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
        assert page.run("document.documentElement.scrollWidth") <= width
        drawn = page.run("(({width, height}) => [width, height])(document.querySelector('#tail .curve').getBBox())")
        assert drawn[0] > 100 and drawn[1] > 100
        left = page.run("Math.min(...[...document.querySelectorAll('#tail text')].map(text => text.getBoundingClientRect().left))")
        assert left >= 0
        smallest = "Math.min(...[...document.querySelectorAll('h1, h2, p, li, td, th, button, label, text, output')].map(one => parseFloat(getComputedStyle(one).fontSize)))"
        assert page.run(smallest) >= 12


def test_marks_go_with_the_figures_into_table_picture_and_legend(page):
    take(page, layer="mu-rmw")
    mark = "too short to compare"
    assert all(cell.endswith(" *") for title in ("p50", "p90", "p99", "p99.9", "throughput", "write amplification") for cell in cells(page, title)[:1])
    assert cells(page, "marks *")[0].startswith(f"{mark}; p99.9 is of fewer than 10 requests")
    assert mark in page.run("document.querySelector('#tail .mark').textContent")
    assert mark in page.run("document.querySelector('#tail svg').getAttribute('aria-label')")
    assert mark in page.run("document.querySelector('#legend li').textContent")
    page.run("tesseraKnobs.pin()")
    take(page, layer="cmr")
    assert cells(page, "p50")[1].endswith(" *") and cells(page, "marks *")[1].startswith(mark)  # of what was pinned
    assert not cells(page, "p50")[0].endswith("*")
    assert page.run("document.querySelector('#tail .letter').textContent") == "A*"


def test_a_slider_moves_by_keys_and_the_link_follows(page):
    page.run("document.getElementById('knob-write-cache').focus()")
    page.run("(slider => { slider.value = slider.max; slider.dispatchEvent(new Event('input')) })(document.activeElement)")
    settled(page)
    value = page.run("tesseraKnobs.state['write-cache']")
    assert value == "256 MiB" and page.run("document.activeElement.getAttribute('aria-valuetext')") == value
    assert "write-cache=256+MiB" in page.run("location.hash")
    assert "--set \"firmware.write_cache.capacity=256 MiB\"" in page.run("document.getElementById('command').textContent")
    assert "Set with it, so that the memory fits: " in page.run(TEXT)
    press(page, "p")
    assert page.run("tesseraKnobs.pins.map(({label}) => label)") == ["cmr, write cache 256 MiB"]
    press(page, "u")
    assert page.run("tesseraKnobs.pins.length") == 0
    press(page, "?")
    assert page.run("document.getElementById('keys').open")
    page.run("document.getElementById('keys').close()")
    press(page, "r")
    assert page.run("tesseraKnobs.state['write-cache']") == "12 MiB"


def test_a_link_and_a_file_carry_the_position(page):
    take(page, layer="mu-rmw")
    held, command = page.run("fileOf(tesseraKnobs)"), page.run("document.getElementById('command').textContent")
    assert json.loads(held)["state"]["layer"] == "mu-rmw" and json.loads(held)["command"] == command
    link = page.run("linkOf(tesseraKnobs)")
    take(page)
    assert page.run("tesseraKnobs.layer") == "cmr"
    page.run(f"openFile(tesseraKnobs, new File([{json.dumps(held)}], 'k.json'))")
    assert page.run("tesseraKnobs.layer") == "mu-rmw"
    take(page)
    page.run(f"new Promise(done => {{ addEventListener('hashchange', () => setTimeout(done), {{once: true}}); location.hash = {json.dumps(link.split('#')[1])} }})")
    assert page.run("tesseraKnobs.layer") == "mu-rmw"


@pytest.mark.parametrize("text", ["{", "[]", "null", '{"kind": "other", "state": {}}', '{"kind": "tessera-knobs", "state": null}'])
def test_a_file_of_another_kind_gets_a_sentence(live, text):
    live.run(f"openFile(tesseraKnobs, new File([{json.dumps(text)}], 'other.json'))")
    assert live.run("document.getElementById('said').textContent").startswith("other.json cannot be opened: ")


def test_what_a_link_names_and_the_page_has_not_is_said(page):
    take(page, layer="mu-rmw", cores="9", nonsense="<b>x</b>")
    assert page.run("document.getElementById('said').textContent") == "This page has no cores = 9, nonsense = <b>x</b>: left at the drive's own."
    assert page.run("tesseraKnobs.layer") == "mu-rmw"


def test_a_slider_without_effect_says_so(live):
    assert live.run("document.getElementById('knob-flash').closest('.knob').textContent").endswith("no effect: cmr has no use for it")
    take(live, layer="mu-rmw")
    assert "no effect" not in live.run(TEXT)


def test_an_offline_page_asks_nobody(chromium, offline):
    for _ in opened(chromium, offline):
        take(chromium, layer="mu-rmw")
        assert [url for url in chromium.requests if url.startswith("http")] == []
        assert "run beforehand: " in chromium.run(TEXT)


def test_a_browser_that_loses_the_server_says_so_and_keeps_what_it_has(subject, chromium):
    with serving(subject, render(subject), jobs=1) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        chromium.leave()
        chromium.open(server.address)
        settled(chromium)
        server.shutdown()
    chromium.run("tesseraKnobs.take({layer: 'mu-rmw'})")
    chromium.run("new Promise(done => { const look = () => document.getElementById('trouble').hidden ? setTimeout(look, 10) : done(); look() })")
    assert chromium.run("document.getElementById('trouble').textContent").startswith("The server has ended, so nothing new can be run: ")
    assert "This position was not measured." in chromium.run(TEXT)
    chromium.run("tesseraKnobs.take({})")
    assert chromium.run("document.querySelectorAll('#tail .curve').length") == 1


def test_a_server_that_refuses_is_quoted(live):
    live.run("tesseraKnobs.data.knobs[1].stops = ['<i>17</i> MiB']; tesseraKnobs.go([0, 0, 0, 0, 0, 0, 0])")
    live.run("new Promise(done => { const look = () => document.getElementById('trouble').hidden ? setTimeout(look, 10) : done(); look() })")
    assert live.run("document.getElementById('trouble').textContent").startswith("The server refused this: write-cache: expected one of 0 B")
    live.errors.clear()  # the console names the status
