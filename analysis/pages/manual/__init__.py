"""Pages of the reference that are made from the code: both command lines, the Python package, the C interface of firmware, the registers."""

from pages.manual.c_interface import c_interface_page
from pages.manual.calls import layers_page, python_page
from pages.manual.commands import simulator_page, tessera_page
from pages.manual.register_files import c_header, enumerations_section, svd
from pages.manual.registers import registers_page

__all__ = ["c_header", "c_interface_page", "enumerations_section", "layers_page", "python_page", "registers_page", "simulator_page", "svd", "tessera_page"]
