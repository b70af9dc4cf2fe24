"""Names of a package that are imported when they are first asked for, so that a command waits only for what it uses (PEP 562)."""

import sys
from collections.abc import Callable
from importlib import import_module

from tessera.errors import nearest


def names_of(package: str, *packages: str, **modules: tuple[str, ...]) -> Callable[[str], object]:
    """The package's __getattr__: packages in it, and names by the module in it that defines them."""
    module_of = {name: module for module, names in modules.items() for name in names}

    def get(name: str) -> object:
        if name in packages:
            return import_module(f"{package}.{name}")
        if name not in module_of:
            close = nearest(name, (*packages, *module_of))
            raise AttributeError(f"module {package!r} has no attribute {name!r}" + (f"; did you mean '{close}'?" if close else ""))
        found = getattr(import_module(f"{package}.{module_of[name]}"), name)
        setattr(sys.modules[package], name, found)
        return found

    return get
