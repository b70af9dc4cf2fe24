"""Arrays drawn at random, with failures, power cuts of some or all drives, spares and scrubs: with a journal, or a mirror, nothing is ever lost."""

import random

import pytest
from simulate import simulate

FEWEST = {"mirror": 2, "raid5": 3, "raid6": 4, "jbod": 2, "raid10": 3, "erasure": 4}
LAYERS = ("cmr", "media-cache", "mu-rmw", "tessera")


def survived(kind, members, parities):
    return {"mirror": members - 1, "raid5": 1, "raid6": 2, "jbod": 0, "raid10": 1, "erasure": parities}[kind]


def drawn_shape(draw, kind, members):
    """Rows of an erasure code: parities, and the lines that say them."""
    if kind != "erasure":
        return 0, ""
    spares = draw.randint(0, min(2, members - 3))
    parities = draw.randint(1, min(3, members - spares - 2))
    data = draw.choice((0, draw.randint(2, members - spares - parities)))
    placement = draw.choice(("permuted", "hash")) if data else "permuted"
    return parities, f'\ndata = {data}\nparities = {parities}\nspare_places = {spares}\nplacement = "{placement}"'


def drawn_array(draw):
    kind = draw.choice(tuple(FEWEST))
    members = draw.randint(FEWEST[kind], 8 if kind == "erasure" else 6)
    parities, shape = drawn_shape(draw, kind, members)
    journal = draw.choice(("nvram", "drives")) if kind in ("raid5", "raid6", "erasure") else "none"
    text = [
        f'[array]\nkind = "{kind}"\nchunk = "{draw.choice((4, 16, 64))} KiB"{shape}',
        f'[journal]\nplace = "{journal}"\nrecords = {draw.choice((2, 8))}',
        f"[rebuild]\ndepth = {draw.choice((1, 4, 16))}",
    ]
    text += [f'[[drive]]\ndescription = "torture"\nlayer = "{draw.choice(LAYERS)}"' for _ in range(members)]
    text += ['[[drive]]\ndescription = "torture"\nlayer = "cmr"\nspare = true'] * draw.randint(0, 2)
    for drive in draw.sample(range(members), draw.randint(0, min(survived(kind, members, parities), 2))):
        text.append(f'[[failure]]\ndrive = {drive}\nat = "{draw.randint(1, 3000)} ms"')
    for _ in range(draw.randint(0, 3)):
        text.append(f'[[power_cut]]\nat = "{draw.randint(1, 3000)} ms"')
        if draw.random() < 0.4:
            text.append(f"drives = {draw.sample(range(members), draw.randint(1, members))}")
    if kind != "jbod" and draw.random() < 0.3:
        text.append('[scrub]\nenabled = true\nat = "500 ms"')
    return "\n".join(text) + "\n"


@pytest.mark.parametrize("seed", range(16))
def test_nothing_is_lost(tmp_path, seed):
    draw = random.Random(seed)
    file = tmp_path / "array.toml"
    file.write_text(drawn_array(draw))
    workload = ("--workload", draw.choice(("random-4k", "oltp", "zipf-writes")), "--replay", f"closed:{draw.choice((1, 8, 32))}", "--limit", 300)
    room = ("--fold-at", draw.choice(("1 MiB", "4 MiB")), "--prefill", draw.choice((0, 100)))
    simulate("array", file, *workload, *room, "--check", "--content", draw.choice(("tags", "bytes")), "--seed", seed, "--out", tmp_path / "out")
