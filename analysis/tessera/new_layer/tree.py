"""A layer in C++ in the project's own tree: its folder, its test, its page, and the lines that make it known."""

from pathlib import Path

from tessera.errors import InputError
from tessera.new_layer.library import TEMPLATES, filled
from tessera.new_layer.names import class_name, identifier

FILES = {  # template, without its .in -> place
    "layer.hpp": "models/firmware/layers/@ID@/@ID@_layer.hpp",
    "factory.cpp": "models/firmware/layers/@ID@/@ID@_factory.cpp",
    "CMakeLists.txt": "tests/unit/@ID@/CMakeLists.txt",
    "test.cpp": "tests/unit/@ID@/@ID@_test.cpp",
    "page.md": "docs/layers/@NAME@.md",
}
LINES = {  # file -> a line goes in front of the last of these
    "models/firmware/layers/layer_factories.hpp": ("\n}  // namespace tessera", "[[nodiscard]] std::unique_ptr<LayerFactory> make_@ID@_factory();\n"),
    "models/firmware/layer_list.cpp": ("  return layers;", "  layers.push_back(make_@ID@_factory());\n"),
    "docs/layers/README.md": ("\nLayers that map single sectors", "| [`@NAME@`](@NAME@.md) | its place; on a bottom track the tops next to it are saved and restored | nothing |\n"),
    "analysis/tessera/results/families.py": ("),\n    \"shingled, in place\"", ", \"@NAME@\""),
}
TORTURE = "platforms/drives/torture.toml"


def write_tree(name: str, summary: str, root: Path) -> list[Path]:
    """Writes the new files, changes the others, and gives both. Raises InputError, with nothing written, where a new one exists or another has no place
    for its line."""
    values = {"NAME": name, "ID": identifier(name), "CLASS": class_name(name), "SUMMARY": summary}
    texts = {root / filled(place, values): filled((TEMPLATES / "tree" / f"{file}.in").read_text(encoding="utf-8"), values) for file, place in FILES.items()}
    for file in texts:
        folder = file if file.suffix == ".md" else file.parent
        if folder.exists():
            raise InputError(f"{folder.relative_to(root)} exists already, and is left as it is; another name is free")
    for file, (before, line) in LINES.items():
        old = (root / file).read_text(encoding="utf-8")
        first, found, rest = old.rpartition(before)
        if not found:
            raise InputError(f"{file} has no line '{before.strip()}', in front of which the layer is made known: this checkout is of another version")
        texts[root / file] = first + filled(line, values) + found + rest
    torture = (root / TORTURE).read_text(encoding="utf-8")
    texts[root / TORTURE] = torture + f"\n[layers.{identifier(name)}]\njournal_tracks = 2\n"
    for file, text in texts.items():
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    return list(texts)
