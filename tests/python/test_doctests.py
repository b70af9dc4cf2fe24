"""The examples in the package's docstrings give what they say."""

import doctest
import importlib
import pkgutil

import pytest
from simulate import SIMULATOR

import tessera
import validation

FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
MODULES = [name for package in (tessera, validation) for _, name, _ in pkgutil.walk_packages(package.__path__, f"{package.__name__}.")]


def has_examples(name: str) -> bool:
    return any(test.examples for test in doctest.DocTestFinder().find(importlib.import_module(name)))


@pytest.mark.parametrize("name", [name for name in MODULES if has_examples(name)])
def test_the_examples_of_a_module_hold(name, monkeypatch):
    monkeypatch.setenv("TESSERA_SIM", str(SIMULATOR))
    failed, tried = doctest.testmod(importlib.import_module(name), optionflags=FLAGS)
    assert tried > 0
    assert failed == 0


def test_every_call_of_the_package_is_documented():
    for name in tessera.__all__:
        assert getattr(tessera, name).__doc__, name
