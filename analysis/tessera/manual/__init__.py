"""Pages of the reference that are made from the code: both command lines, the Python package, the C interface of firmware."""

from tessera.manual.c_interface import c_interface_page
from tessera.manual.calls import python_page
from tessera.manual.commands import simulator_page, tessera_page

__all__ = ["c_interface_page", "python_page", "simulator_page", "tessera_page"]
