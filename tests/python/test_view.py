"""The disk at work as a page: it holds what the run logged, stands alone, trusts no folder, and says what it cannot show."""

import html
import json
import os
import re
import shutil
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import tessera
from tessera.cli import app
from tessera.engine.simulator import ask_simulator
from tessera.explore.comparison import Comparison
from tessera.results.request_log import life_phases
from tessera.results.run_folder import Run
from tessera.view import again, write_view
from tessera.view.band_strip import MOST_BANDS
from tessera.view.dies import STATES, dies_of
from tessera.view.dram import bus_load
from tessera.view.head import head_of
from tessera.view.packed import unpacked

browser = pytest.importorskip("browser")
SMALL = {"workload": "web-server", "fold": True, "limit": 300, "prefill": 100}
FIELDS = ("number", "lba", "blocks", "op", "status", "arrival", "issue", "completion")

pytestmark = pytest.mark.usefixtures("the_built_simulator")


def command(*words: object) -> tuple[int, str]:
    done = CliRunner().invoke(app, ["view", *map(str, words)])
    return done.exit_code, done.output


def data_in(page: Path) -> dict:
    return json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', page.read_text(), re.DOTALL)[1])


@pytest.fixture(scope="module")
def results(the_built_simulator, tmp_path_factory) -> Path:
    """A run with its logs, one without any, and a comparison."""
    folder = tmp_path_factory.mktemp("view")
    tessera.run("demo", layer="media-cache", requests=True, events=True, places=True, intervals="10 requests", out=folder / "run", **SMALL)
    tessera.run("demo", layer="imr-rmw", out=folder / "bare", **SMALL)
    tessera.compare("demo", layers=("cmr", "imr-rmw", "mu-rmw"), requests=True, events=True, out=folder / "comparison", **SMALL)
    return folder


@pytest.fixture
def bare(results, tmp_path) -> Path:
    return Path(shutil.copytree(results / "bare", tmp_path / "bare"))


@pytest.fixture
def logged(results, tmp_path) -> Path:
    return Path(shutil.copytree(results / "run", tmp_path / "run"))


def test_the_page_holds_every_request_and_phase_to_the_picosecond(results, tmp_path):
    side = data_in(write_view(results / "run", tmp_path / "v.html"))["sides"][0]
    requests = Run(results / "run").requests
    assert side["total"] == len(requests) == SMALL["limit"]
    for field in FIELDS:
        assert (unpacked(side["requests"][field]) == requests[field]).all()
    times = {phase["name"]: unpacked(phase["time"]) for phase in side["phases"]}
    for phase in life_phases(requests):
        assert (times.pop(phase, np.zeros(len(requests))) == requests[phase]).all()
    assert times == {}


def test_the_page_holds_the_levels_and_the_places_of_the_run(results, tmp_path):
    side = data_in(write_view(results / "run", tmp_path / "v.html"))["sides"][0]
    run = Run(results / "run")
    for gauge in side["gauges"]:
        assert unpacked(gauge["level"]).tolist() == [row[gauge["name"]] for row in run.intervals]
    assert "media_cache.log_sectors" in [gauge["name"] for gauge in side["gauges"]]
    assert sum(side["rings"]["uses"]) == sum(run.frames.tracks["reads"]) + sum(run.frames.tracks["writes"])
    assert side["drive"] == {"radii": 32768, "surfaces": 1, "turn": pytest.approx(60e12 / 7200)}


def test_a_run_without_logs_is_repeated_if_the_user_agrees_and_stays_as_it_was(bare, tmp_path):
    before = {file: file.read_bytes() for file in bare.iterdir()}
    status, said = command(bare, "--yes", "--out", tmp_path / "v.html")
    assert status == 0, said
    assert {file: file.read_bytes() for file in bare.iterdir()} == before
    side = data_in(tmp_path / "v.html")["sides"][0]
    again_ = tessera.run("demo", layer="imr-rmw", requests=True, events=True, out=tmp_path / "again", **SMALL)
    assert (unpacked(side["requests"]["completion"]) == again_.requests["completion"]).all()
    assert [work["kind"] for work in side["works"]] == ["rmw"]
    # Every seek that a request waited for is one of the head's.
    head = {name: unpacked(column) for name, column in side["head"].items()}
    lengths = np.diff(head["at"].astype(np.int64))
    assert lengths[head["state"][:-1] == 1].sum() >= again_.requests["seek"].sum() > 0
    assert (np.diff(head["at"].astype(np.int64)) > 0).all()


def test_the_page_shows_what_the_flash_dies_did(results, tmp_path):
    run = tessera.run("demo", layer="mu-rmw", out=tmp_path / "run", **SMALL)
    write_view(tmp_path / "run", tmp_path / "v.html", ask=lambda _: True)
    (die,) = data_in(tmp_path / "v.html")["sides"][0]["dies"]
    state = unpacked(die["state"])
    assert die["name"] == "flash die 0" and state[-1] == STATES.index("idle")
    assert (state == STATES.index("programming")).sum() == run.metric("nand.programs") > 0


def test_dies_of_a_waveform_with_gaps_or_words_of_another_version_are_not_shown(tmp_path):
    names = "$scope module nand $end\n$scope module die_3 $end\n$var string 1 ! state $end\n$upscope $end\n$upscope $end\n$enddefinitions $end\n"
    file = tmp_path / "waves.vcd"
    for changes, shown in (("#5\nsidle !\n#7\nserasing !\n#9\nsidle !\n", 1), ("#5\nserasing !\n#7\ns? !\n", 0), ("#5\nswriting !\n", 0), ("#5\nsidle !\n", 0)):
        file.write_text(names + changes)
        assert [die.number for die in dies_of(file)] == [3] * shown, changes


def test_the_page_shows_how_busy_the_bus_of_the_dram_was(bare, tmp_path):
    write_view(bare, tmp_path / "v.html", ask=lambda _: True)
    side = data_in(tmp_path / "v.html")["sides"][0]
    (load,) = [gauge for gauge in side["gauges"] if gauge["name"] == "DRAM bus in use"]
    percent = unpacked(load["level"])
    assert load["unit"] == " %" and 0 == percent.min() < percent.max() <= 100


def test_a_long_run_is_repeated_without_the_bus_whose_changes_would_take_minutes_to_read(bare, tmp_path, monkeypatch):
    requests = Run(bare).metric("host.requests")
    for bound, shown in ((requests, 1), (requests - 1, 0)):
        monkeypatch.setattr("tessera.view.again.MOST_WITH_BUS", bound)
        write_view(bare, tmp_path / "v.html", ask=lambda _: True)
        assert [gauge["name"] for gauge in data_in(tmp_path / "v.html")["sides"][0]["gauges"]].count("DRAM bus in use") == shown


def test_the_load_of_the_bus_is_its_busy_time_over_each_stretch(tmp_path):
    names = "$scope module dram $end\n$var string 1 ! bus $end\n$upscope $end\n$enddefinitions $end\n"
    file = tmp_path / "waves.vcd"
    file.write_text(names + "#0\nsidle !\n#1000000\nscpu !\n#2500000\nsidle !\n#6000000\nsdma !\n#10000000\nsidle !\n")
    load = bus_load(file)
    lengths = np.diff([*load.at.astype(np.float64), 10_000_000])
    assert (load.percent * lengths).sum() / 100 == pytest.approx(1_500_000 + 4_000_000, rel=1e-3)
    assert load.percent.tolist() == [0, 100, 0, 100]
    for changes in ("#5\nsidle !\n#7\nscpu !\n#9\nsx !\n", "#5\nslink !\n", "#5\nsidle !\n"):
        file.write_text(names + changes)
        assert bus_load(file) is None, changes


def test_the_page_shows_how_full_the_bands_are_and_when(results, tmp_path):
    write_view(results / "run", tmp_path / "v.html", ask=lambda _: True)
    bands = data_in(tmp_path / "v.html")["sides"][0]["bands"]
    at, held, cached = (unpacked(bands[name]) for name in ("at", "held", "cached"))
    assert len(held) == len(cached) == len(at) * bands["count"] and bands["count"] <= MOST_BANDS
    assert (np.diff(at.astype(np.int64)) > 0).all()
    assert (held == 100).all() and cached[: bands["count"]].max() <= cached.max() and 0 < cached.max() <= 100  # prefilled; writes wait in the log


def test_a_damaged_record_of_bands_is_refused(logged, tmp_path):
    (logged / "bands.csv").write_text("time_s,band,sectors,held,cached\n0.1,0,zero,1,1\n")
    status, said = command(logged)
    assert status == 2 and "bands.csv" in said.replace("\n", "")


@pytest.fixture(scope="module")
def state(results) -> Path:
    """Of a drive whose description is not as the name says."""
    file = results / "warm.state"
    tessera.run("demo", layer="mu-rmw", settings={"media.rpm": "5400 rpm", "layers.mu_rmw.merge_buffer": "8 MiB"}, save_state=file, out=results / "warm", **SMALL)
    return file


def test_a_saved_state_is_shown_as_it_boots(state, tmp_path):
    status, said = command(state, "--out", tmp_path / "s.html")
    assert status == 0, said
    data = data_in(tmp_path / "s.html")
    (side,) = data["sides"]
    assert data["origin"] == "0" and side["total"] == 1 and side["drive"]["turn"] == pytest.approx(60e12 / 5400)
    assert side["facts"] == ["layer mu-rmw", "drive demo", "saved after 300 requests", "seed 1"]
    assert unpacked(side["head"]["at"]).max() > 0 and side["dies"] and side["bands"]["count"] > 0
    assert write_view(state) == Path(f"{state}.html")


def test_a_state_says_what_it_is_of(state):
    said = CliRunner().invoke(app, ["describe", str(state)]).output
    assert "the state of a drive" in said and "demo, layer mu-rmw" in said and "after 300 requests, seed 1, 100 % prefilled" in said
    facts = json.loads(CliRunner().invoke(app, ["describe", str(state), "--json"]).output)
    assert facts["parameters"]["media.rpm"] == '"5400 rpm"' and facts["firmware"] == "" and facts["content"] == "none"


def test_states_that_cannot_be_shown_are_refused_in_a_sentence(state, results, tmp_path):
    cut = tmp_path / "cut.state"
    cut.write_bytes(state.read_bytes()[:-40])
    for words, expected in (
        ((cut,), "the state of the drive is damaged"),
        ((state, "--drive", "dmeo"), "did you mean 'demo'?"),
        ((state, "--out", state), "is what the command reads"),
        ((results / "run", "--drive", "demo"), "--drive names the description of a saved state's drive"),
    ):
        status, said = command(*words)
        assert status == 2 and expected in said.replace("\n", " "), said


def test_without_agreement_the_sentence_names_both_ways_out(bare):
    status, said = command(bare)
    assert status == 2 and "has no requests.npy" in said and "--requests" in said and "--yes" in said


def test_a_long_run_is_not_repeated(bare, monkeypatch):
    monkeypatch.setattr(again, "MOST", 299)
    status, said = command(bare, "--yes")
    assert status == 2 and "at most 299 requests, and this run has 300" in said


def test_a_run_of_another_simulator_is_not_shown_as_this_one(bare):
    summary = json.loads((bare / "summary.json").read_text())
    summary["metrics"]["host.latency.mean"]["value"] += 1
    (bare / "summary.json").write_text(json.dumps(summary))
    status, said = command(bare, "--yes")
    assert status == 2 and "gives other results (host.latency.mean" in said


def test_a_run_with_requests_alone_is_shown_and_says_what_is_missing(results, tmp_path):
    side = data_in(write_view(results / "comparison", tmp_path / "v.html", ["cmr"]))["sides"][0]
    assert side["head"] is None and side["rings"] is None and side["gauges"] == []
    assert "Head positions were not recorded" in side["notes"][0]
    status, said = command(results / "comparison", "--layers", "cmr", "--out", tmp_path / "w.html")
    assert status == 0 and "no head positions; --yes repeats the run" in said


def test_a_comparison_shows_two_layers_on_one_clock(results, tmp_path):
    page = data_in(write_view(results / "comparison", tmp_path / "v.html", ["mu-rmw", "cmr"]))
    assert [side["name"] for side in page["sides"]] == ["mu-rmw", "cmr"]
    starts = [Run(results / "comparison" / layer / "1").requests["arrival"].min() for layer in ("mu-rmw", "cmr")]
    assert int(page["origin"]) == min(starts)
    means = {layer: Comparison(results / "comparison").run(layer).metric("host.latency.mean") for layer in ("cmr", "imr-rmw", "mu-rmw")}
    default = data_in(write_view(results / "comparison", tmp_path / "w.html"))
    assert [side["name"] for side in default["sides"]] == [min(means, key=means.get), max(means, key=means.get)]


def test_names_out_of_a_folder_are_text_and_the_page_runs_its_own_scripts_alone(logged, tmp_path):
    summary = json.loads((logged / "summary.json").read_text())
    for fact in ("layer", "drive", "input"):
        summary["run"][fact] = f"</script><script>{fact}()</script><!--&"
    (logged / "summary.json").write_text(json.dumps(summary))
    events = (logged / "events.csv").read_text().splitlines()
    (logged / "events.csv").write_text("\n".join([events[0], "1,<img src=x onerror=evil()>,instant,0,0", *events[1:]]) + "\n")
    text = write_view(logged, tmp_path / "v.html").read_text()
    assert "<script>layer" not in text and "<script>drive" not in text and "<img" not in text
    policy = html.unescape(re.search(r'Content-Security-Policy" content="([^"]*)"', text)[1])
    assert policy.startswith("default-src 'none'; script-src 'sha256-") and "unsafe" not in policy and "http" not in policy
    scripts = [script for script in re.findall(r"<script>(.*?)</script>", text, re.DOTALL)]
    assert policy.count("sha256-") == len(scripts) + 1  # and the style


@pytest.mark.parametrize(
    ("break_it", "expected"),
    [
        (lambda folder: np.save(folder / "requests.npy", np.zeros(3)), "is not a request log of this version"),
        (lambda folder: (folder / "requests.npy").write_bytes((folder / "requests.npy").read_bytes()[:2000]), "is damaged or was cut off"),
        (lambda folder: (folder / "summary.json").write_text('{"schema": 99}'), "results of schema 99, this version reads 1"),
        (lambda folder: (folder / "summary.json").unlink(), "holds no results"),
        (lambda folder: (folder / "drive.toml").write_text("[media]\nrpm = 5\ntracks = 9\n"), "expected a speed such as"),
        (lambda folder: (folder / "events.csv").write_text("time_ps,kind,edge,subject,amount\n1,rmw,middle,0,0\n"), "is damaged or was cut off"),
        (lambda folder: (folder / "tracks.csv").write_text("radius,surface\n1,0\n"), "is damaged or was cut off"),
        (lambda folder: (folder / "intervals.csv").write_text("start_s,end_s,a.b\n0,inf,1\n"), "is damaged or was cut off"),
        (lambda folder: (folder / "waves.vcd").write_text("no waveform\n"), "holds no waveforms that can be read"),
    ],
)
def test_a_folder_that_cannot_be_shown_is_refused_in_a_sentence(logged, break_it, expected):
    break_it(logged)
    status, said = command(logged)
    assert status == 2 and expected in said.replace("\n", " ")


@pytest.mark.parametrize(("field", "by"), [("seek", 1), ("issue", -(10**13))])
def test_lives_that_cannot_be_are_refused(logged, field, by):
    requests = np.load(logged / "requests.npy")
    requests[field][-1] = int(requests[field][-1]) + by
    np.save(logged / "requests.npy", requests)
    status, said = command(logged)
    assert status == 2 and "is damaged" in said


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("{}/run/requests.npy",), "is a file: expected the folder of a run or a comparison"),
        (("{}/nothing",), "holds no results"),
        (("{}/run", "--layers", "cmr,fluid"), "is not the folder of a comparison"),
        (("{}/comparison", "--layers", "cmr,imr-rmw,mu-rmw"), "expected one or two layers, found 3"),
        (("{}/comparison", "--layers", "cmr,imr-rwm"), "did you mean 'imr-rmw'?"),
        (("{}/run", "--out", "{}/run/requests.npy"), "is what the command reads"),
    ],
)
def test_what_is_no_run_is_refused_in_a_sentence(results, words, expected):
    status, said = command(*(word.format(results) for word in words))
    assert status == 2 and expected in said.replace("\n", " ")


def test_the_head_is_read_by_instants_and_not_out_of_windows(tmp_path):
    names = "$scope module drive $end $scope module media $end\n".replace(" $scope", "\n$scope")
    names += "$var string 1 ! state $end\n$var wire 32 r head_radius [31:0] $end\n$var wire 8 s head_surface [7:0] $end\n$enddefinitions $end\n"
    whole = tmp_path / "whole.vcd"
    whole.write_text(f"{names}#0\nsidle !\nb0 r\nb0 s\n#5\nsseek !\n#9\nswrite !\nb1100 r\n")
    head = head_of(whole)
    assert (head.at.tolist(), head.state.tolist(), head.radius.tolist()) == ([0, 5, 9], [0, 1, 4], [0, 0, 12])
    assert head_of(whole, until=9).at.tolist() == [0, 5]
    whole.write_text(whole.read_text() + "#12\ns !\nbx r\n#20\nsidle !\nb1 r\n")
    assert head_of(whole) is None


@pytest.fixture(scope="module")
def pages(results) -> dict[str, Path]:
    return {"run": write_view(results / "run", ask=lambda _: True), "comparison": write_view(results / "comparison", layers=("cmr", "mu-rmw"))}


@pytest.fixture(scope="module")
def chromium():
    if browser.CHROMIUM is None:
        assert not os.environ.get("TESSERA_STRICT"), browser.MISSING  # in CI it is there
        pytest.skip(browser.MISSING)
    with browser.Browser(1280) as started:
        yield started


@pytest.fixture(scope="module", params=[(kind, width) for kind in ("run", "comparison") for width in (1280, 400)], ids=lambda wanted: f"{wanted[0]}-{wanted[1]}")
def opened(request, chromium, pages):
    chromium.errors.clear()
    chromium.requests.clear()
    chromium.kind, chromium.width = request.param
    chromium.resize(chromium.width)
    chromium.open(pages[chromium.kind])
    return chromium


@pytest.fixture
def page(opened):
    yield opened
    assert opened.errors == []
    assert [url for url in opened.requests if not url.startswith(("file:", "data:", "blob:"))] == []  # nothing from the network


def press(page, key: str) -> None:
    page.run(f"document.dispatchEvent(Object.defineProperty(new KeyboardEvent('keydown', {{key: '{key}', cancelable: true}}), 'target', {{value: document.body}}))")


def test_the_page_is_drawn_and_nothing_is_wider_than_it(page):
    assert page.run("document.documentElement.scrollWidth") <= page.width
    painted = "[...document.querySelectorAll('canvas')].map(c => new Set(c.getContext('2d').getImageData(0, 0, c.width, c.height).data).size)"
    page.run("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
    assert len(page.run(painted)) == {"run": 2, "comparison": 4}[page.kind] and min(page.run(painted)) > 20
    smallest = "Math.min(...[...document.querySelectorAll('h1, h2, p, li, td, th, button, label')].map(e => parseFloat(getComputedStyle(e).fontSize)))"
    assert page.run(smallest) >= 12


def test_the_words_of_a_request_are_those_of_explain(page, results):
    folders = {"run": [results / "run"], "comparison": [results / "comparison" / layer / "1" for layer in ("cmr", "mu-rmw")]}[page.kind]
    for number in (0, 17, 299):
        for side, folder in enumerate(folders):
            words = page.run(f"(() => {{ const side = tesseraView.sides[{side}]; return wordsOf(side, side.byNumber.get({number})) }})()")
            assert words == ask_simulator(["explain", folder, str(number)])


def test_the_requests_under_way_and_the_queue_are_those_of_the_log(page, results):
    folder = {"run": results / "run", "comparison": results / "comparison" / "cmr" / "1"}[page.kind]
    requests = Run(folder).requests
    origin = int(page.run("String(tesseraView.origin)"))
    for at in np.linspace(requests["arrival"].min(), requests["completion"].max(), 7).astype(np.uint64).tolist() + requests["issue"][:3].tolist() + requests["completion"][:3].tolist():
        time = at - origin
        shown = page.run(f"aliveAt(tesseraView.sides[0], {time}, 1000).map(i => Number(tesseraView.sides[0].columns.number[i]))")
        assert sorted(shown) == sorted(requests["number"][(requests["arrival"] <= at) & (requests["completion"] > at)].tolist())
        depth = page.run(f"(({{at, level}}) => level[countUpTo(at, {time}) - 1] ?? 0)(tesseraView.sides[0].levels[0])")
        assert depth == ((requests["issue"] <= at) & (requests["completion"] > at)).sum()


def test_the_caption_names_the_request_that_has_waited_longest_and_for_how_long(page, results):
    folder = {"run": results / "run", "comparison": results / "comparison" / "cmr" / "1"}[page.kind]
    requests = Run(folder).requests
    origin = int(page.run("String(tesseraView.origin)"))
    turn = page.run("tesseraView.sides[0].drive.turn")
    slowest = requests[np.argmax(requests["completion"] - requests["arrival"])]
    for at in (int(slowest["completion"]) - 1, int(slowest["arrival"]) + 1, int(requests["completion"].max()) + 1):
        alive = requests[(requests["arrival"] <= at) & (requests["completion"] > at)]
        said = page.run(f"(picture => picture.caption({at - origin}, aliveAt(picture.side, {at - origin}, 1000), {len(alive)}))(tesseraView.pictures[0].platter)")
        if len(alive) == 0:
            assert said == "No request under way"
            continue
        first = alive["arrival"].min()
        waited = f"; request {alive['number'][np.argmin(alive['arrival'])]} has waited " in said
        assert said.startswith(f"{len(alive)} under way") and waited == (at - int(first) > turn)


def test_the_tracks_of_a_stretch_of_time_are_found_without_going_over_it(page, pages):
    if page.kind == "comparison":
        return  # its head was not recorded
    radius = unpacked(data_in(pages["run"])["sides"][0]["head"]["radius"])
    ends = np.sort(np.random.default_rng(1).integers(0, len(radius), (40, 2)))
    for begin, end in [*ends, (0, len(radius)), (64, 128), (63, 129), (5, 6)]:
        if begin < end:
            found = page.run(f"(({{radius, blocks}}) => rangeOf(radius, blocks, {begin}, {end}))(tesseraView.sides[0].head)")
            assert found == [radius[begin:end].min(), radius[begin:end].max()]


def test_a_search_and_a_scrub_show_the_request(page, results):
    requests = Run({"run": results / "run", "comparison": results / "comparison" / "cmr" / "1"}[page.kind]).requests
    latency = requests["completion"] - requests["arrival"]
    # One that arrives while a slower one is under way, so that the place alone tells them apart.
    quick = next(one for one, took in zip(requests, latency) if ((requests["arrival"] < one["arrival"]) & (requests["completion"] > one["completion"]) & (latency > 3 * took)).any())
    number = int(quick["number"])
    page.run(f"document.getElementById('number').value = '{number}'; document.getElementById('search').requestSubmit()")
    assert page.run("document.querySelector('#life h2').textContent").startswith(f"Request {number}")
    page.run(f"tesseraView.select({requests['number'][0]}); tesseraView.setWindow(...(side => {{ const i = side.byNumber.get({number}); return [side.arrival[i], side.completion[i]] }})(tesseraView.sides[0]))")
    place = (
        f"(line => {{ const i = line.side.byNumber.get({number}); const box = line.canvas.getBoundingClientRect();"
        "return {clientX: box.left + line.x(line.side.arrival[i]), clientY: box.top + line.y(line.logs[i]), bubbles: true} })(tesseraView.pictures[0].timeLine)"
    )
    page.run("tesseraView.pictures[0].timeLine.canvas.setPointerCapture = () => {}")  # a made-up pointer cannot be captured
    page.run(f"tesseraView.pictures[0].timeLine.canvas.dispatchEvent(new PointerEvent('pointerdown', {place}))")
    assert page.run("document.querySelector('#life .words').textContent").startswith(f"Request {number} ")
    assert page.run(f"tesseraView.time - tesseraView.sides[0].arrival[tesseraView.sides[0].byNumber.get({number})]") == pytest.approx(0, abs=1e6)


def test_a_request_that_is_not_there_gets_a_sentence(page):
    page.run("document.getElementById('number').value = '99999'; document.getElementById('search').requestSubmit()")
    assert "no request 99,999" in page.run("document.getElementById('said').textContent")


def test_a_browser_that_is_too_old_shows_a_sentence_and_no_blank_page(page):
    page.run("(async () => { const kept = DecompressionStream; window.DecompressionStream = undefined; await begin(); window.DecompressionStream = kept })()")
    assert page.run("document.getElementById('trouble').hidden") is False
    assert page.run("document.getElementById('trouble').textContent").startswith("The view cannot be shown: this browser is too old; it takes Chromium")
    page.run("document.getElementById('trouble').hidden = true")


def test_the_keys_play_and_go_from_slow_request_to_slow_request(page):
    press(page, "n")
    first = page.run("tesseraView.selected")
    press(page, "p")
    press(page, "n")
    slow = page.run("tesseraView.slow.map(({number}) => number)")
    assert page.run("tesseraView.selected") == first or first == slow[0]
    assert page.run("tesseraView.selected") in slow
    page.run("tesseraView.setTime(0)")
    press(page, " ")
    assert page.run("document.getElementById('play').textContent") == "Pause"
    page.run("new Promise(done => setTimeout(done, 100))")
    press(page, " ")
    assert page.run("tesseraView.time") > 0 and page.run("tesseraView.playing") is False
    press(page, "?")
    assert page.run("document.getElementById('keys').open")
    page.run("document.getElementById('keys').close()")


def test_slow_motion_shows_the_life_of_the_request_and_the_head_over_its_track(page):
    page.run("tesseraView.select(42); tesseraView.slowMotion(); tesseraView.play(false)")
    life = page.run("(side => { const i = side.byNumber.get(42); return [side.arrival[i], side.completion[i]] })(tesseraView.sides[0])")
    window = page.run("[tesseraView.from, tesseraView.to]")
    assert window[0] < life[0] < life[1] < window[1]
    said = page.run("document.querySelector('.head').textContent")
    assert said.startswith("The head was not recorded" if page.kind == "comparison" else "The head ")
