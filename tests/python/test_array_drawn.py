"""Arrays drawn at random, with failures, power cuts of some or all drives, spares and scrubs: with a journal, or a mirror, nothing is ever lost."""

import random

import pytest
from simulate import simulate

FEWEST = {"mirror": 2, "raid5": 3, "raid6": 4, "jbod": 2}
LAYERS = ("cmr", "media-cache", "mu-rmw", "tessera")


def survived(kind, members):
    return {"mirror": members - 1, "raid5": 1, "raid6": 2, "jbod": 0}[kind]


def drawn_array(draw):
    kind = draw.choice(tuple(FEWEST))
    members = draw.randint(FEWEST[kind], 6)
    journal = draw.choice(("nvram", "drives")) if kind.startswith("raid") else "none"
    text = [
        f'[array]\nkind = "{kind}"\nchunk = "{draw.choice((4, 16, 64))} KiB"',
        f'[journal]\nplace = "{journal}"\nrecords = {draw.choice((2, 8))}',
        f"[rebuild]\ndepth = {draw.choice((1, 4, 16))}",
    ]
    text += [f'[[drive]]\ndescription = "torture"\nlayer = "{draw.choice(LAYERS)}"' for _ in range(members)]
    text += ['[[drive]]\ndescription = "torture"\nlayer = "cmr"\nspare = true'] * draw.randint(0, 2)
    for drive in draw.sample(range(members), draw.randint(0, min(survived(kind, members), 2))):
        text.append(f'[[failure]]\ndrive = {drive}\nat = "{draw.randint(1, 3000)} ms"')
    for _ in range(draw.randint(0, 3)):
        text.append(f'[[power_cut]]\nat = "{draw.randint(1, 3000)} ms"')
        if draw.random() < 0.4:
            text.append(f"drives = {draw.sample(range(members), draw.randint(1, members))}")
    if kind != "jbod" and draw.random() < 0.3:
        text.append('[scrub]\nenabled = true\nat = "500 ms"')
    return "\n".join(text) + "\n"


@pytest.mark.parametrize("seed", range(12))
def test_nothing_is_lost(tmp_path, seed):
    draw = random.Random(seed)
    file = tmp_path / "array.toml"
    file.write_text(drawn_array(draw))
    workload = ("--workload", draw.choice(("random-4k", "oltp", "zipf-writes")), "--replay", f"closed:{draw.choice((1, 8, 32))}", "--limit", 300)
    room = ("--fold-at", draw.choice(("1 MiB", "4 MiB")), "--prefill", draw.choice((0, 100)))
    simulate("array", file, *workload, *room, "--check", "--content", draw.choice(("tags", "bytes")), "--seed", seed, "--out", tmp_path / "out")
