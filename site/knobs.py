"""Records docs/gallery/knobs.webp, the sliders as an animated picture: the write cache grows, and the tail of a layer with it."""

import dataclasses
import sys
import tempfile
from pathlib import Path

from PIL import Image

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "analysis"), str(ROOT / "tests" / "python")]

from browser import Browser  # noqa: E402
from tessera.commands.knobs import OFFLINE_REQUESTS, subject_of  # noqa: E402
from tessera.view.knobs.offline import write_offline  # noqa: E402

PICTURE = ROOT / "docs" / "gallery" / "knobs.webp"
LAYERS = ("cmr", "imr-rmw")
MOVED = ("layer", "write-cache")  # sliders
WIDTH = 960  # of the page
FRAME = 1200  # ms
QUALITY, METHOD = 60, 6  # of WebP


def main() -> None:
    subject = subject_of("demo", "web-server", LAYERS, (), (), OFFLINE_REQUESTS, 1, "host.latency.p99:10%", None, None, offline=True)
    caches = subject.by_name["write-cache"].stops
    moved = tuple(knob if knob.name in MOVED else dataclasses.replace(knob, stops=(knob.stops[knob.own],), own=0) for knob in subject.knobs)
    with tempfile.TemporaryDirectory() as temporary, Browser(WIDTH) as browser:
        folder = Path(temporary)
        browser.open(write_offline(dataclasses.replace(subject, knobs=moved), folder / "knobs.html", len(LAYERS) * len(caches) * subject.most))
        browser.run("tesseraKnobs.pin()")
        frames = []
        for size in caches:
            browser.run(f"tesseraKnobs.before = null; tesseraKnobs.now = null; tesseraKnobs.take({ {'layer': LAYERS[1], 'write-cache': size} })")
            browser.screenshot(folder / "frame.png", of="#work")
            frames.append(Image.open(folder / "frame.png").convert("RGB"))
    height = min(frame.height for frame in frames)
    first, *others = [frame.crop((0, 0, frame.width, height)) for frame in frames]
    first.save(PICTURE, save_all=True, append_images=others, duration=FRAME, loop=0, quality=QUALITY, method=METHOD)
    print(f"{PICTURE}: {PICTURE.stat().st_size / 1e3:,.0f} kB")


if __name__ == "__main__":
    main()
