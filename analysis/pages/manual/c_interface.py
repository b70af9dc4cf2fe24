"""The C interface of firmware in shared libraries: its header, section by section."""

import itertools
import re
from collections.abc import Mapping

HEAD = """# The firmware interface in C

Made by `./dev reference` from `tessera_firmware.h`; a test holds it against that. [Layers out of a shared library](../guide/plug-ins.md) is the guide to it.
"""
SECTION = re.compile(r"^/\* ---- (.+?) ---- \*/\n", re.MULTILINE)
INTRODUCTION = re.compile(r"/\*(.*?)\*/\n", re.DOTALL)


MACRO = re.compile(r"^(#define \w+(?:\([^)]*\))?) *\\\n(?:.*\\\n)*.*\n", re.MULTILINE)
BODY = re.compile(r"^(static inline [^{;]+?) \{(?: [^\n]* \}|\n.*?\n\})$", re.MULTILINE | re.DOTALL)
EXAMPLE = re.compile(r"\n\n(  static .*?)\n\n", re.DOTALL)


def _helpers(name: str, header: str) -> str:
    """A header of helpers: what is at its top as text, then what it declares, without how that is made."""
    introduction = INTRODUCTION.match(header)
    assert introduction, f"{name} begins with what it is"
    said = EXAMPLE.sub(r"\n\n```c\n\1\n```\n\n", re.sub(r"^ \* ?", "", introduction[1].strip(), flags=re.MULTILINE))
    declared = BODY.sub(r"\1;", MACRO.sub(r"\1\n", header[introduction.end() :]))
    shown = "\n".join(line for line in declared.splitlines() if not re.match(r"#(ifndef|endif|define TESSERA_\w+_H$)", line) or "GNUC" in line)
    return f"\n## {name}\n\n{said}\n\n```c\n{shown.strip()}\n```\n"


def c_interface_page(header: str, helpers: Mapping[str, str]) -> str:
    """docs/reference/c-interface.md: the comment at the header's top as text, then the declarations under the header's own headings; then the
    headers of `helpers`, by their names."""
    introduction = INTRODUCTION.match(header)
    assert introduction, "the header begins with what it is"
    said = "\n".join(re.sub(r"^ \* ?", "", line) for line in introduction[1].strip().splitlines())
    first, *rest = SECTION.split(header[introduction.end() :])
    sections = [("versions and values", first), *zip(rest[::2], rest[1::2])]
    return f"{HEAD}\n{said}\n" + "".join(f"\n## {name.capitalize()}\n\n```c\n{body.strip()}\n```\n" for name, body in sections) + "".join(itertools.starmap(_helpers, helpers.items()))
