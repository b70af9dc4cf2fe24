"""Files of a run as somebody else may send them: each mutation is drawn, and spoils one file."""

import csv
import io
import json
import os
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

VALUES: tuple[Any, ...] = (
    None, "x", "", -1, float("inf"), float("nan"), 10**400, 2**64, 0, 0.5, 1e308, True, [], {}, [1], {"a": 1}, "../../x", "a\0b", "9" * 5000,
)  # fmt: skip
CELLS = ("x", "", "nan", "inf", "-1", "1e400", "9" * 400, str(2**64), "0x10", "true", "é", "1_0", "\u0663", "\0")
HEADERS = (
    "{'descr': '|O', 'fortran_order': False, 'shape': (3,), }", "{'descr': [('a', '<u8'), ('a', '<u8')], 'fortran_order': False, 'shape': (1,)}", "{'descr': 'zz', 'fortran_order': 0, 'shape': 1}",
    "{", "[]", "(" * 300, "{'descr': '<u8', 'fortran_order': False, 'shape': (" + "9" * 30 + ",)}", "{'descr': '<u8', 'fortran_order': False, 'shape': (-1,)}",
    "{'descr': '<u8', 'fortran_order': False, 'shape': ()}", "{'descr': '<M8[D]', 'fortran_order': False, 'shape': (3,)}",
)  # fmt: skip


def spoilt(folder: Path, draw: Random) -> str:
    """Spoils a file of the folder; says how."""
    file = draw.choice(sorted(each for each in folder.rglob("*") if each.is_file() and each.suffix in (".json", ".csv", ".npy", ".toml", ".parquet", ".keys")))
    if draw.random() < 0.15:
        return f"{file.name}: {_replaced(file, draw)}"
    data = file.read_bytes()
    kinds = {".json": _json, ".csv": _csv, ".npy": _npy}
    made, how = kinds[file.suffix](data, draw) if file.suffix in kinds and draw.random() < 0.85 else _bytes(data, draw)
    file.write_bytes(made)
    return f"{file.name}: {how}"


def _replaced(file: Path, draw: Random) -> str:
    how = draw.choice(("pipe", "folder", "loop", "nowhere", "device"))
    file.unlink()
    if how == "pipe":
        os.mkfifo(file)
    elif how == "folder":
        file.mkdir()
    else:
        file.symlink_to({"loop": file.name, "nowhere": "/not/there/at/all", "device": "/dev/zero"}[how])
    return how


def _bytes(data: bytes, draw: Random) -> tuple[bytes, str]:
    how = draw.choice(("cut", "flipped", "inserted", "empty", "not UTF-8", "twice"))
    made = bytearray(data)
    if how == "cut":
        del made[draw.randrange(len(made) + 1) :]
    elif how == "flipped":
        for _ in range(draw.choice((1, 8, 40))):
            made[draw.randrange(len(made))] = draw.randrange(256)
    elif how == "inserted":
        at = draw.randrange(len(made))
        made[at:at] = draw.randbytes(8)
    elif how == "empty":
        made.clear()
    elif how == "not UTF-8":
        made[:0] = b"\xff\xfe"
    else:
        made = made + made
    return bytes(made), how


def _places(value: Any, at: tuple = ()) -> list[tuple]:
    inner = value.items() if isinstance(value, dict) else enumerate(value[:4]) if isinstance(value, list) else ()
    return [at, *(place for key, each in inner for place in _places(each, (*at, key)))]


def _json(data: bytes, draw: Random) -> tuple[bytes, str]:
    whole = json.loads(data)
    places = _places(whole)
    at = draw.choice([place for place in places if len(place) <= 2] if draw.random() < 0.4 else places)
    value = draw.choice(VALUES)
    if not at:
        return json.dumps(value).encode(), f"all = {str(value)[:20]}"
    holder = whole
    for key in at[:-1]:
        holder = holder[key]
    if draw.random() < 0.2:
        del holder[at[-1]]
        return json.dumps(whole).encode(), f"without {at}"
    holder[at[-1]] = value
    return json.dumps(whole).encode(), f"{at} = {str(value)[:20]}"


def _csv(data: bytes, draw: Random) -> tuple[bytes, str]:
    rows = list(csv.reader(io.StringIO(data.decode())))
    how = draw.choice(("without column", "renamed", "cell", "cell", "cell", "heading alone", "short row", "long row", "twice a name", "no table"))
    column = draw.randrange(len(rows[0]))
    if how == "no table":
        return b"hello\nworld\n", how
    if how == "heading alone":
        del rows[1:]
    elif how == "without column":
        rows = [row[:column] + row[column + 1 :] for row in rows]
    elif how in ("renamed", "twice a name"):
        rows[0][column] = "zzz" if how == "renamed" else rows[0][0]
    elif how == "cell" and len(rows) > 1:
        rows[draw.randrange(1, len(rows))][column] = value = draw.choice(CELLS)
        how = f"{rows[0][column]} = {value[:20]!r}"
    else:
        rows.insert(1, ["1"] * (2 if how == "short row" else 99))
    return "".join(",".join(row) + "\n" for row in rows).encode(), how


def _npy(data: bytes, draw: Random) -> tuple[bytes, str]:
    log = np.load(io.BytesIO(data))
    how = draw.choice(("heading", "heading", "floats", "without a field", "renamed", "largest", "largest", "none", "plain", "two dimensions"))
    names = list(log.dtype.names)
    if how == "heading":
        text = draw.choice(HEADERS).encode()
        return data[:8] + len(text).to_bytes(2, "little") + text + data[-200:], text[:40].decode()
    if how == "floats":
        log = log.astype([(name, "<f8") for name in names])
    elif how == "without a field":
        names.remove(draw.choice(names))
        log = log[names].copy()
    elif how == "renamed":
        names[draw.randrange(len(names))] = "zzz"
        log = log.copy()
        log.dtype.names = tuple(names)
    elif how == "largest":
        name = draw.choice(names)
        log[name][draw.randrange(len(log))] = np.iinfo(log.dtype[name]).max
        how = f"largest {name}"
    else:
        log = {"none": log[:0], "plain": np.zeros(5, "u8"), "two dimensions": log.reshape(2, -1)}[how]
    made = io.BytesIO()
    np.save(made, log)
    return made.getvalue(), how
