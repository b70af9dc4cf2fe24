"""The tutorial's notebook with its outputs: the cells run one after the other as in Jupyter, and each keeps what it prints, its last value and its pictures."""

import ast
import contextlib
import io
import json
import os
from base64 import b64encode
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

Cell = dict[str, Any]
INDENT = 1  # of a notebook as Jupyter writes it


def cells_of(file: Path) -> list[Cell]:
    return json.loads(file.read_text(encoding="utf-8"))["cells"]


def write_outputs(file: Path) -> None:
    notebook = json.loads(file.read_text(encoding="utf-8"))
    for cell, (number, outputs) in zip((cell for cell in notebook["cells"] if cell["cell_type"] == "code"), run_cells(notebook["cells"])):
        cell |= {"execution_count": number, "outputs": outputs}
    file.write_text(json.dumps(notebook, indent=INDENT, ensure_ascii=False) + "\n", encoding="utf-8")


def run_cells(cells: list[Cell]) -> Iterator[tuple[int, list[Cell]]]:
    """Number and outputs of each cell of code, in a folder of its own."""
    import matplotlib
    import matplotlib.pyplot as plt

    matplotlib.use("Agg")
    plt.close("all")  # whoever called may have pictures open
    names: dict[str, Any] = {"__name__": "__main__"}
    began = Path.cwd()
    with TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            for number, cell in enumerate((cell for cell in cells if cell["cell_type"] == "code"), 1):
                yield number, _run("".join(cell["source"]), names, number)
        finally:
            os.chdir(began)


def _run(source: str, names: dict[str, Any], number: int) -> list[Cell]:
    """A value that ends in a semicolon is not shown, as in Jupyter."""
    tree = ast.parse(source)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(tree, f"<cell {number}>", "exec"), names)
        value = eval(compile(ast.Expression(last.value), f"<cell {number}>", "eval"), names) if last else None
    outputs: list[Cell] = [{"name": "stdout", "output_type": "stream", "text": printed.getvalue().splitlines(keepends=True)}] if printed.getvalue() else []
    if value is not None and not source.rstrip().endswith(";"):
        data = {"text/plain": repr(value).splitlines(keepends=True)}
        if hasattr(value, "_repr_html_"):
            data["text/html"] = value._repr_html_().splitlines(keepends=True)
        outputs.append({"data": data, "execution_count": number, "metadata": {}, "output_type": "execute_result"})
    return [*outputs, *_pictures()]


def _pictures() -> Iterator[Cell]:
    import matplotlib.pyplot as plt

    for number in plt.get_fignums():
        drawn = io.BytesIO()
        plt.figure(number).savefig(drawn, format="png", dpi=72, metadata={"Software": None})
        yield {"data": {"image/png": b64encode(drawn.getvalue()).decode(), "text/plain": ["<Figure>"]}, "metadata": {}, "output_type": "display_data"}
    plt.close("all")


def texts_of(outputs: list[Cell]) -> list[str]:
    """What a reader reads of a cell's outputs; pictures are for the eye."""
    return ["".join(output["text"] if output["output_type"] == "stream" else output["data"]["text/plain"]) for output in outputs]
