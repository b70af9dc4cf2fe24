"""What the tree weighs and how it is built, each measure with its goal; and the picture of docs/architecture.md, drawn from the includes.

C++ is read by its braces, not compiled: comments and strings go, a class is what stands between its braces, and a statement there with a bracket in
front of any `=` is a function, any other a member.
"""

import os
import re
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table

from pages.rooms import below_rooms, floors_of
from tessera.engine.simulator import REPOSITORY

PICTURE = Path("docs") / "architecture.svg"
PRODUCT = ("models", "platforms", "stimuli", "analysis/tessera")
APART = ("analysis/validation", "analysis/pages", "examples", "tests", "bench")
SOURCES = {".cpp", ".hpp", ".h", ".c", ".py", ".rs"}
COMMENT = re.compile(r'//[^\n]*|/\*.*?\*/|R"\((.*?)\)"|"(?:\\.|[^"\\\n])*"', re.DOTALL)
CLASS = re.compile(r"(?<!enum )\b(?:class|struct) (?:\[\[\w+\]\] )?([A-Z]\w*)(?: final)?(?: *: *([^;{]*?))? *\{")
BASE = re.compile(r"(?:public |private |protected |virtual |, |^)((?:\w+::)*[A-Z]\w*)")
ARGUMENTS = re.compile(r"<[^<>]*>")  # of a template
LABEL = re.compile(r"^(?:public|private|protected):")
INCLUDE = re.compile(r'^\s*#\s*include "([^"]+)"', re.MULTILINE)


@dataclass(frozen=True)
class Class:
    name: str
    file: Path
    bases: tuple[str, ...]
    members: int
    functions: int
    pure: int

    @property
    def size(self) -> int:
        return self.members + self.functions


@dataclass(frozen=True)
class Measure:
    name: str
    value: str
    goal: str = ""


def sources(root: Path, folders: Iterable[str], suffixes: Iterable[str] = SOURCES) -> Iterator[Path]:
    for folder in folders:
        yield from (file for file in sorted((root / folder).rglob("*")) if file.suffix in suffixes and file.is_file())


def lines_of(root: Path, folders: Iterable[str]) -> tuple[int, int]:
    """Lines and files."""
    files = list(sources(root, folders))
    return sum(file.read_text(encoding="utf-8").count("\n") for file in files), len(files)


def _body(text: str, begin: int) -> str:
    """After an opening brace, up to the one that closes it."""
    depth = 1
    for place in range(begin, len(text)):
        depth += {"{": 1, "}": -1}.get(text[place], 0)
        if depth == 0:
            return text[begin:place]
    return text[begin:]


def _statements(body: str) -> Iterator[str]:
    """Those of a class itself, without what is in their braces."""
    depth, statement = 0, ""
    for mark in body:
        if mark == "}":
            depth -= 1
            if depth == 0 and ("(" in statement or statement.lstrip().startswith(("class", "struct", "enum", "union"))):
                yield statement  # a function, or a type
                statement = ""
        elif mark == "{":
            depth += 1
        elif depth == 0 and mark == ";":
            yield statement
            statement = ""
        elif depth == 0:
            statement += mark


def classes_in(text: str, file: Path = Path()) -> list[Class]:
    """Every class of a text, with those inside others.

    >>> [(each.name, each.members, each.functions, each.pure, each.bases) for each in classes_in("class A : public B { public: int a() const { return 1; } virtual void b() = 0; int c_ = 2; };")]
    [('A', 1, 2, 1, ('B',))]
    """
    plain = COMMENT.sub(lambda found: '""' if found[0].startswith(('"', "R")) else "", text)
    found = []
    for begin in CLASS.finditer(plain):
        members = functions = pure = 0
        for statement in _statements(_body(plain, begin.end())):
            while (label := LABEL.match(statement := statement.strip())) is not None:
                statement = statement[label.end() :]
            words = statement.replace("[[nodiscard]]", "").strip()
            if not words or words.startswith(("using", "friend", "class", "struct", "enum", "union", "static_assert", "static constexpr", "template <> ")) or "= default" in words or "= delete" in words:
                continue
            while words != (shorter := ARGUMENTS.sub("", words)):
                words = shorter
            is_function = "(" in words.split("=")[0]
            functions += is_function
            members += not is_function
            pure += is_function and words.endswith("= 0")
        bases = tuple(name.split("::")[-1] for name in BASE.findall(begin[2] or ""))
        found.append(Class(begin[1], file, bases, members, functions, pure))
    return found


def all_classes(root: Path, folders: Iterable[str]) -> list[Class]:
    return [each for file in sources(root, folders, {".hpp", ".cpp"}) for each in classes_in(file.read_text(encoding="utf-8"), file.relative_to(root))]


def implemented_once(product: Iterable[Class], tests: Iterable[Class]) -> list[Class]:
    """Interfaces of the product that one class implements, and no double of a test."""
    product = list(product)
    users: Counter[str] = Counter(base for each in [*product, *tests] for base in set(each.bases))
    return sorted((each for each in product if each.pure and users[each.name] == 1), key=lambda each: str(each.file))


def help_seconds() -> float:
    """Processor time of `tessera --help`: the least of three."""
    least = float("inf")
    for _ in range(3):
        before = os.times()
        subprocess.run([sys.executable, "-m", "tessera", "--help"], stdout=subprocess.DEVNULL, check=True)
        after = os.times()
        least = min(least, after.children_user + after.children_system - before.children_user - before.children_system)
    return least


def measures(root: Path = REPOSITORY) -> list[Measure]:
    lines, files = lines_of(root, PRODUCT)
    found = [Measure("product: lines", f"{lines:,}", "150,000"), Measure("product: files", f"{files:,}", "1,050")]
    found += [Measure(f"{folder}: lines / files", " / ".join(f"{count:,}" for count in lines_of(root, [folder]))) for folder in (*PRODUCT, *APART)]
    cxx = all_classes(root, ("models", "platforms", "stimuli"))
    largest = max(cxx, key=lambda each: each.size)
    alone = implemented_once(cxx, all_classes(root, ("tests", "bench", "examples")))
    over = sum(each.size > 45 for each in cxx)
    floors = floors_of(below_rooms(root / "analysis"))
    return [
        *found,
        Measure("members and functions of the largest class", f"{largest.size} ({largest.name})", "45"),
        Measure("classes with more than 45", str(over), "0"),
        Measure("interfaces with one implementation and no double", str(len(alone)), "0"),
        Measure("floors of Python", str(max(floors.values())), "9"),
        Measure("CPU-seconds of tessera --help", f"{help_seconds():.2f}", "0.3"),
    ]


def folder_of(file: Path) -> str:
    """The box of the picture that a file is in."""
    parts = file.parts
    return "/".join(parts[:2]) if len(parts) > 2 else parts[0]


def arrows(root: Path = REPOSITORY) -> dict[str, set[str]]:
    """Which folder includes which, without what follows from others; two that include each other are told by both arrows."""
    found: dict[str, set[str]] = defaultdict(set)
    for file in sources(root, ("models", "platforms", "stimuli"), {".cpp", ".hpp"}):
        here = folder_of(file.relative_to(root))
        for name in INCLUDE.findall(file.read_text(encoding="utf-8")):
            target = next((path for path in (Path(name), Path("models") / name) if (root / path).exists()), None)
            if target is not None and folder_of(target) != here:
                found[here].add(folder_of(target))
    return reduced(found)


def reduced(below: Mapping[str, set[str]]) -> dict[str, set[str]]:
    """Arrows that no longer way makes needless.

    >>> reduced({"a": {"b", "c"}, "b": {"c"}})
    {'a': {'b'}, 'b': {'c'}}
    """
    left = {upper: set(lowers) for upper, lowers in below.items()}

    def reaches(upper: str, lower: str) -> bool:
        seen, rest = set(), [upper]
        while rest:
            new = left.get(rest.pop(), set()) - seen
            seen |= new
            rest += new
        return lower in seen

    for upper, lower in [(upper, lower) for upper in sorted(below) for lower in sorted(below[upper])]:
        left[upper].remove(lower)
        if not reaches(upper, lower):
            left[upper].add(lower)
    return left


def dot(below: Mapping[str, set[str]]) -> str:
    """The picture in Graphviz's language."""
    colours = {"models": "#dbe9f6", "stimuli": "#e3f2dd", "platforms": "#fdebd3"}
    names = sorted({*below, *(lower for lowers in below.values() for lower in lowers)})
    boxes = [f'  "{name}" [fillcolor="{colours[name.split("/")[0]]}"];' for name in names]
    ties = [f'  "{upper}" -> "{lower}";' for upper in sorted(below) for lower in sorted(below[upper])]
    head = ["digraph {", "  bgcolor=white; nodesep=0.15; ranksep=0.35;", '  node [shape=box, style="filled,rounded", color="#555555", fontname="sans-serif", fontsize=11];', '  edge [color="#777777", arrowsize=0.6];']
    return "\n".join([*head, *boxes, *ties, "}"]) + "\n"


def draw(root: Path = REPOSITORY) -> Path:
    """Writes the picture by Graphviz. Each arrow is in it as its title, so that a test finds what has changed since."""
    picture = root / PICTURE
    made = subprocess.run(["dot", "-Tsvg"], input=dot(arrows(root)), capture_output=True, text=True, check=True).stdout
    picture.write_text(re.sub(r"<!-- (?:Generated|Title).*?-->\n?", "", made, flags=re.DOTALL), encoding="utf-8")
    return picture


def print_house(console: Console) -> None:
    table = Table("measure", "now", "goal", box=None, pad_edge=False)
    for each in measures():
        table.add_row(each.name, each.value, each.goal)
    console.print(table)
