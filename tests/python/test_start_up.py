"""What a command needs not it does not wait for: help, completion and versions come without the libraries of figures and tables."""

import subprocess
import sys

import pytest

HEAVY = ("dask", "distributed", "matplotlib", "numpy", "pandas", "polars", "scipy")


@pytest.mark.parametrize("module", ["tessera", "tessera.cli", "tessera.explore", "tessera.trace", "validation.papers"])
def test_nothing_heavy_comes_with(module):
    loaded = f"import sys, {module}; print(*(name for name in {HEAVY} if name in sys.modules))"
    assert subprocess.run([sys.executable, "-c", loaded], capture_output=True, text=True, check=True).stdout == "\n"


def test_every_public_name_is_found_where_it_is_defined():
    names = "import tessera; print(all(getattr(tessera, name).__name__.endswith(name) for name in tessera.__all__))"
    assert subprocess.run([sys.executable, "-c", names], capture_output=True, text=True, check=True).stdout == "True\n"
    unknown = subprocess.run([sys.executable, "-c", "import tessera; tessera.Runs"], capture_output=True, text=True, check=False)
    assert "module 'tessera' has no attribute 'Runs'" in unknown.stderr
