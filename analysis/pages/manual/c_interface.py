"""The C interface of firmware in shared libraries: its header, section by section."""

import re

HEAD = """# The firmware interface in C

Made by `./dev reference` from `tessera_firmware.h`; a test holds it against that. [Layers out of a shared library](../guide/plug-ins.md) is the guide to it.
"""
SECTION = re.compile(r"^/\* ---- (.+?) ---- \*/\n", re.MULTILINE)
INTRODUCTION = re.compile(r"/\*(.*?)\*/\n", re.DOTALL)


def c_interface_page(header: str) -> str:
    """docs/reference/c-interface.md: the comment at the header's top as text, then the declarations under the header's own headings."""
    introduction = INTRODUCTION.match(header)
    assert introduction, "the header begins with what it is"
    said = "\n".join(re.sub(r"^ \* ?", "", line) for line in introduction[1].strip().splitlines())
    first, *rest = SECTION.split(header[introduction.end() :])
    sections = [("versions and values", first), *zip(rest[::2], rest[1::2])]
    return f"{HEAD}\n{said}\n" + "".join(f"\n## {name.capitalize()}\n\n```c\n{body.strip()}\n```\n" for name, body in sections)
