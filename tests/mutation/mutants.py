"""Small faults for each function body of a C++ file, found on clang's syntax tree.

A mutant is written as a schema: the text that takes its place holds both what was there and the fault, and MUTANT(id) chooses at run
time. So one build holds all mutants, and as nothing is but inserted and no line added, the lines of the source keep their numbers.
"""

import re
from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path

from clang.cindex import Cursor, CursorKind, Index, TranslationUnit, TypeKind

RELATIONS = {"<": ("<=", ">="), "<=": ("<", ">"), ">": (">=", "<="), ">=": (">", "<"), "==": ("!=",), "!=": ("==",)}
ARITHMETIC = {"+": ("-",), "-": ("+",), "*": ("+",), "/": ("*",), "%": ("/",), "&": ("|",), "|": ("&",), "<<": (">>",), ">>": ("<<",)}
LOGICAL = {"&&": ("||",), "||": ("&&",)}
ASSIGNMENTS = {"=", "+=", "-=", "*=", "/=", "%=", "|=", "&=", "<<=", ">>="}
NEGATED = "condition is negated"
NEGATIONS = {f"`{one}` becomes `{other}`" for one, other in (("<", ">="), ("<=", ">"), (">", "<="), (">=", "<"), ("==", "!="), ("!=", "=="))}
INTEGERS = {
    TypeKind.BOOL, TypeKind.UCHAR, TypeKind.USHORT, TypeKind.UINT, TypeKind.ULONG, TypeKind.ULONGLONG,
    TypeKind.SCHAR, TypeKind.CHAR_S, TypeKind.SHORT, TypeKind.INT, TypeKind.LONG, TypeKind.LONGLONG,
}  # fmt: skip
FUNCTIONS = {
    CursorKind.CXX_METHOD, CursorKind.FUNCTION_DECL, CursorKind.CONSTRUCTOR, CursorKind.DESTRUCTOR, CursorKind.CONVERSION_FUNCTION,
    CursorKind.FUNCTION_TEMPLATE,
}  # fmt: skip
CONDITIONS = {CursorKind.IF_STMT, CursorKind.WHILE_STMT, CursorKind.DO_STMT, CursorKind.CONDITIONAL_OPERATOR}
# What must be known at compile time, and what is declared rather than done: names, units and ranges of parameters, names of figures.
CONSTANT = {CursorKind.CASE_STMT, CursorKind.STATIC_ASSERT, CursorKind.ENUM_DECL, CursorKind.TYPE_ALIAS_DECL, CursorKind.TEMPLATE_REF}
DECLARATIVE = re.compile(r"(describe|report)(_\w+)?|summary|name")
# Only a cost in time or a line of a report: these are tested with the models' figures, not with the firmware's cores.
UNOBSERVED = re.compile(r"(ports_\.)?cpu_?\.(array|hash|tree|scan|event|charge)\(|metrics\.")


@dataclass(frozen=True)
class Mutant:
    file: str
    line: int
    start: int  # bytes of the file
    end: int
    what: str
    before: str  # inserted at start and at end
    after: str
    turn: int = 1  # among those of the file of which the same is said

    def told(self) -> str:
        return self.what if self.turn == 1 else f"{self.what} (number {self.turn})"

    def name(self) -> str:
        """Stays what it is for as long as the mutant's line does."""
        return f"{self.file}: {self.told()}"


@dataclass
class _Source:
    path: str
    text: bytes
    macros: list[tuple[int, int]]

    def slice(self, start: int, end: int) -> str:
        return self.text[start:end].decode()

    def line_text(self, offset: int) -> str:
        begin = self.text.rfind(b"\n", 0, offset) + 1
        end = self.text.find(b"\n", offset)
        return self.text[begin:end].decode().strip()


def _extent(cursor: Cursor) -> tuple[int, int]:
    return cursor.extent.start.offset, cursor.extent.end.offset


def _plain(text: str) -> bool:
    """Can be written twice: no comment, no suspension, nothing that declares a type or a name of its own."""
    return not re.search(r"//|/\*|co_await|\[[^\]]*\]\s*\(|\[[&=]|<=>", text)


class Finder:
    def __init__(self, root: Path, arguments: list[str]):
        self.read: list[Path] = []  # the files below `root` that were read for the last mutants
        self._root = root
        self._arguments = arguments
        self._index = Index.create()

    def mutants(self, path: str) -> list[Mutant]:
        """The mutants of the file `path`, in order of their places."""
        file = self._root / path
        unit = self._index.parse(str(file), self._arguments, options=TranslationUnit.PARSE_DETAILED_PROCESSING_RECORD)
        errors = [d for d in unit.diagnostics if d.severity >= 3]
        if errors:
            raise ValueError(f"{path}: {errors[0]}")
        name = str(file)
        self.read = [file] + sorted({p for i in unit.get_includes() if self._root in (p := Path(i.include.name)).parents})
        here = [c for c in unit.cursor.get_children() if (where := c.location.file) is not None and where.name == name]
        macros = [_extent(c) for c in here if c.kind == CursorKind.MACRO_INSTANTIATION]
        source = _Source(path, file.read_bytes(), macros)
        found: dict[tuple[int, int, str], Mutant] = {}
        for cursor in here:
            self._declarations(cursor, source, found)
        for start, end, what in list(found):
            if what == NEGATED and any((start, end, negation) in found for negation in NEGATIONS):
                del found[start, end, what]
        in_order = sorted(found.values(), key=lambda m: (m.start, -m.end, m.after != ";}", m.what))  # a removal encloses
        said = Counter[str]()
        for place, mutant in enumerate(in_order):
            said[mutant.what] += 1
            in_order[place] = replace(mutant, turn=said[mutant.what])
        return in_order

    def _declarations(self, cursor: Cursor, source: _Source, found: dict) -> None:
        if cursor.kind in FUNCTIONS:
            head = source.slice(cursor.extent.start.offset, min(cursor.extent.end.offset, cursor.location.offset))
            if "constexpr" in head or "consteval" in head or DECLARATIVE.fullmatch(cursor.spelling):
                return
            for body in cursor.get_children():
                start, end = _extent(body)
                if source.text[start : start + 1] == b"{" and body.kind in (CursorKind.COMPOUND_STMT, CursorKind.UNEXPOSED_STMT):
                    self._body(body, source, found, end)
            return
        for child in cursor.get_children():
            self._declarations(child, source, found)

    def _body(self, cursor: Cursor, source: _Source, found: dict, end: int) -> None:
        for child in cursor.get_children():
            if child.kind in CONSTANT or (child.kind == CursorKind.VAR_DECL and "constexpr" in source.slice(*_extent(child)).split("=")[0]):
                if child.kind == CursorKind.CASE_STMT:
                    for part in list(child.get_children())[1:]:
                        self._one(part, source, found)
                        self._body(part, source, found, end)
                continue
            self._one(child, source, found)
            if child.kind == CursorKind.COMPOUND_STMT:
                self._statements(child, source, found)
            self._body(child, source, found, end)
        if cursor.kind in (CursorKind.COMPOUND_STMT, CursorKind.UNEXPOSED_STMT):
            self._statements(cursor, source, found)

    def _add(self, source: _Source, found: dict, cursor: Cursor, what: str, before: str, after: str) -> None:
        start, end = _extent(cursor)
        if start >= end or any(start < m_end and m_start < end for m_start, m_end in source.macros):
            return
        line = cursor.extent.start.line
        text = source.line_text(start)
        if UNOBSERVED.search(text) or (start, end, what) in found:
            return
        found[start, end, what] = Mutant(source.path, line, start, end, f"{what} in `{text}`", before, after)

    def _one(self, cursor: Cursor, source: _Source, found: dict) -> None:
        kind = cursor.kind
        if kind in (CursorKind.BINARY_OPERATOR, CursorKind.CALL_EXPR):
            self._operator(cursor, source, found)
        if kind == CursorKind.CALL_EXPR:
            self._arguments_of(cursor, source, found)
        if kind == CursorKind.INTEGER_LITERAL:
            self._literal(cursor, source, found)
        if kind in CONDITIONS:
            self._condition(cursor, source, found)

    def _operator(self, cursor: Cursor, source: _Source, found: dict) -> None:
        operands = [c for c in cursor.get_children()]
        if cursor.kind == CursorKind.CALL_EXPR:
            if not cursor.spelling.startswith("operator") or cursor.spelling[8:] not in RELATIONS or len(operands) != 3:
                return
            operands = [operands[0], operands[2]]
        if len(operands) != 2:
            return
        (start, left), (right, end) = _extent(operands[0]), _extent(operands[1])
        operator = source.slice(left, right).strip()
        if (start, end) != _extent(cursor) or not _plain(source.slice(start, end)):
            return
        builtin = all(c.type.get_canonical().kind in INTEGERS for c in operands)
        table = RELATIONS | (ARITHMETIC if builtin and cursor.kind == CursorKind.BINARY_OPERATOR else {}) | LOGICAL
        for other in table.get(operator, ()):
            alternative = f"{source.slice(start, left)} {other} {source.slice(right, end)}".replace("\n", " ")
            self._add(source, found, cursor, f"`{operator}` becomes `{other}`", f"(MUTANT ? ({alternative}) : (", "))")

    def _arguments_of(self, cursor: Cursor, source: _Source, found: dict) -> None:
        text = source.slice(*_extent(cursor))
        if not _plain(text) or cursor.type.get_canonical().kind not in INTEGERS | {TypeKind.VOID} or cursor.spelling.startswith("operator"):
            return
        if cursor.spelling in {"min", "max", "swap", "insert", "run"}:  # symmetric, or a coroutine's
            return
        arguments = [a for a in cursor.get_arguments() if a is not None]
        start, end = _extent(cursor)
        for one, two in zip(arguments, arguments[1:]):
            same = one.type.get_canonical().spelling.removeprefix("const ") == two.type.get_canonical().spelling.removeprefix("const ")
            (a, b), (c, d) = _extent(one), _extent(two)
            if not same or not start < a < b <= c < d < end or source.slice(a, b) == source.slice(c, d):
                continue
            swapped = source.slice(start, a) + source.slice(c, d) + source.slice(b, c) + source.slice(a, b) + source.slice(d, end)
            what = f"arguments `{source.slice(a, b)}` and `{source.slice(c, d)}` are swapped"
            self._add(source, found, cursor, what, f"(MUTANT ? ({swapped}) : (".replace("\n", " "), "))")

    def _literal(self, cursor: Cursor, source: _Source, found: dict) -> None:
        text = source.slice(*_extent(cursor))
        match = re.fullmatch(r"(\d+)([uUlL]*)", text)
        if not match:
            return
        value = int(match[1])
        others = [value + 1] + ([value - 1] if value > 1 else [])
        for other in others:
            self._add(source, found, cursor, f"`{text}` becomes `{other}{match[2]}`", f"(MUTANT ? {other}{match[2]} : ", ")")

    def _condition(self, cursor: Cursor, source: _Source, found: dict) -> None:
        children = list(cursor.get_children())
        if not children:
            return
        condition = children[-1] if cursor.kind == CursorKind.DO_STMT else children[0]
        start, end = _extent(condition)
        if condition.kind.is_declaration() or condition.kind in (CursorKind.DECL_STMT, CursorKind.VAR_DECL) or start >= end:
            return
        behind = source.text[end : end + 1]
        if cursor.kind != CursorKind.CONDITIONAL_OPERATOR and behind != b")":
            return
        self._add(source, found, condition, NEGATED, "(static_cast<bool>(", ") != MUTANT)")

    def _statements(self, body: Cursor, source: _Source, found: dict) -> None:
        """Statements of a block that can go without leaving a name undeclared."""
        for statement in body.get_children():
            self._removal(statement, source, found)
            for part in statement.get_children():
                if statement.kind in (CursorKind.IF_STMT, CursorKind.WHILE_STMT, CursorKind.FOR_STMT, CursorKind.CXX_FOR_RANGE_STMT):
                    self._removal(part, source, found)

    def _removal(self, statement: Cursor, source: _Source, found: dict) -> None:
        start, end = _extent(statement)
        text = source.slice(start, end)
        if source.text[end : end + 1] != b";" or text.startswith("co_return") or source.text[:start].endswith(b"co_return "):
            return
        jump = statement.kind in (CursorKind.CONTINUE_STMT, CursorKind.BREAK_STMT)
        call = statement.kind == CursorKind.CALL_EXPR and statement.type.get_canonical().kind == TypeKind.VOID
        wait = text.startswith("co_await ")
        step = statement.kind in (CursorKind.UNARY_OPERATOR, CursorKind.CALL_EXPR) and (text[:2] in ("++", "--") or text[-2:] in ("++", "--"))
        assignment = statement.kind in (CursorKind.BINARY_OPERATOR, CursorKind.COMPOUND_ASSIGNMENT_OPERATOR, CursorKind.CALL_EXPR) and bool(
            re.match(r"[\w.\->()\[\]:*]+(\s*\([^;=]*\))?\s*[-+*/%|&]?=[^=]", text)
        )
        if jump or call or wait or step or assignment:
            self._add(source, found, statement, f"`{text}` is removed".replace("\n", " "), "if (!MUTANT) {", ";}")
