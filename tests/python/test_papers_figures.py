"""The papers' figures: printed values as data, and the pictures with ours."""

import os
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from tessera.cli import app
from tessera.errors import InputError
from validation.papers.picture import draw_figure
from validation.papers.figure_values import OURS
from validation.papers.figures import figures, load, read_values, record
from validation.papers.lookup import experiments

REPOSITORY = Path(__file__).resolve().parents[2]
SIMULATOR = REPOSITORY / os.environ.get("TESSERA_BUILD", "build/release") / "tessera-sim"
FACT = '{ series = "a", at = "1", value = 2.0, error = 0.1, read = "printed" }'
GOOD = f'[[figures]]\npaper = "hwsr"\nfigure = "Figure 8"\ntitle = "t"\nexperiment = "utilisation"\nkind = "series"\nx = "x"\ny = "y"\nfacts = [{FACT}]\n'


def run(*words: object) -> tuple[int, str]:
    result = CliRunner().invoke(app, ["papers", "figures", *map(str, words)], env={"TESSERA_SIM": str(SIMULATOR)})
    return result.exit_code, result.output


def test_figures_need_no_checkout_as_current_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    drawn = []
    monkeypatch.setattr("validation.papers.figure_values.draw_alone", lambda console, lab, figure, out: drawn.append(figure.name))
    status, text = run("hwsr/figure-8")
    assert (status, drawn) == (0, ["hwsr/figure-8"]), text
    status, text = run("hwsr/figure-8", "--renew")
    assert status != 0 and "there is no file 'docs/validation.md'" in " ".join(text.split())


def test_each_figure_belongs_to_an_experiment_and_has_runs():
    known = {each.name for each in experiments()}
    assert {each.name for each in figures()} == set(OURS)
    assert all(f"{each.paper}/{each.experiment}" in known for each in figures())


def test_what_is_on_record_has_a_picture_next_to_the_pages_and_the_paper_s_series():
    by_name = {each.name: each for each in figures()}
    for name, values in read_values().items():
        assert (REPOSITORY / "docs" / "validation" / f"{name.replace('/', '-')}.svg").exists()
        assert {fact.series for fact in by_name[name].facts} <= set(values)


def test_ratios_of_a_figure_are_averaged_geometrically():
    recorded = read_values()
    averages = {(name, series): of for name, by_series in recorded.items() for series, of in by_series.items() if "mean" in of}
    assert len(averages) == 4
    for (name, series), of in averages.items():
        ratios = [value for at, value in of.items() if at not in ("mean", "least", "largest")]
        assert of["mean"] == pytest.approx(float(np.exp(np.mean(np.log(ratios)))), rel=0.001), (name, series)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('kind = "series"', 'kind = "pie"', "'kind' is 'pie'; expected one of bars, series, cdf"),
        ('at = "1"', 'at = "few"', "'at' is 'few'; expected a number, since the figure is no bars"),
        ("error = 0.1", "error = -0.1", "the error of a at 1 is below 0; expected 0 or more"),
        ("value = 2.0", 'value = "2"', "'value' is '2'; expected a number"),
        ('title = "t"', 'titel = "t"', "did you mean 'title'"),
        (f"[{FACT}]", "[]", "'facts' is empty; expected at least one value of the paper"),
    ],
)
def test_a_fault_in_the_data_is_a_sentence(tmp_path, old, new, said):
    file = tmp_path / "figures.toml"
    file.write_text(GOOD)
    assert load(file)[0].name == "hwsr/figure-8"
    file.write_text(GOOD.replace(old, new))
    with pytest.raises(InputError, match="figures.toml: figure 1.*") as error:
        load(file)
    assert said in str(error.value)


def test_values_on_record_are_replaced_a_figure_at_a_time(tmp_path):
    file, (first, second, *_) = tmp_path / "figures.csv", figures()
    record(second, {"a": {"x": 1.0}}, "p", file)
    record(first, {"b": {"y": 2.0}}, "p", file)
    record(second, {"a": {"z": 3.0}}, "p", file)
    assert read_values(file) == {first.name: {"b": {"y": 2.0}}, second.name: {"a": {"z": 3.0}}}
    assert list(read_values(file)) == [first.name, second.name]


@pytest.mark.parametrize("kind", ["bars", "series", "cdf"])
def test_a_picture_has_the_printed_values_with_their_error_and_ours(tmp_path, kind):
    (tmp_path / "figures.toml").write_text(GOOD.replace('"series"', f'"{kind}"', 1))
    figure = load(tmp_path / "figures.toml")[0]
    text = draw_figure(figure, {"a": {"1": 1.5, "2": 3.0}}, tmp_path / "picture.svg", "\n(scaled)").read_text()
    assert "a, as printed" in text and "a, here" in text and "(scaled)" in text
    assert 'id="LineCollection_' in text  # the bars of the error


def test_the_command_draws_one_figure_and_says_where_it_is_scaled(tmp_path):
    status, text = run("hwsr/figure-8", "--out", tmp_path, "--scale", "0.05")
    assert status == 0, text
    assert (tmp_path / "hwsr" / "utilisation" / "figure-8.png").read_bytes().startswith(b"\x89PNG")
    assert "scaled to 0.05: not the page's figures" in text


def test_errors_are_sentences(tmp_path):
    status, text = run("hwsr/figure-88", "--out", tmp_path)
    assert status == 2 and "did you mean 'hwsr/figure-8" in text
    status, text = run("hwsr/figure-8", "--scale", "0.1", "--renew", "--out", tmp_path)
    assert status == 2 and "the record holds figures at full length" in text
    status, text = run("nosuch", "--out", tmp_path)
    known = text.replace("\n", " ").split("known: ")[1].split(", ")
    assert status == 2 and len(known) == len(set(known))
