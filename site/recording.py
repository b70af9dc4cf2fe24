"""Records docs/gallery/view.webp, the disk at work as an animated picture: the life of a slow request, out of the page that `tessera view` writes."""

import sys
import tempfile
from pathlib import Path

from PIL import Image

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "analysis"), str(ROOT / "tests" / "python")]

import tessera  # noqa: E402
from browser import Browser  # noqa: E402
from tessera.view import write_view  # noqa: E402

PICTURE = ROOT / "docs" / "gallery" / "view.webp"
RUN = {"layer": "imr-rmw", "workload": "web-server", "fold": True, "prefill": 100, "limit": 20_000}
WIDTH = 960  # of the page
FRAMES = 64
FRAME = 100  # ms
QUALITY, METHOD = 40, 6  # of WebP: half a megabyte; an animated PNG takes nine times as much


def main() -> None:
    with tempfile.TemporaryDirectory() as temporary, Browser(WIDTH) as browser:
        folder = Path(temporary)
        tessera.run("demo", requests=True, events=True, out=folder / "run", **RUN)
        browser.open(write_view(folder / "run", ask=lambda _: True))
        browser.run("tesseraView.slowMotion(); tesseraView.play(false)")
        begin, end = browser.run("[tesseraView.from, tesseraView.to]")
        step = (end - begin) / FRAMES
        for number in range(FRAMES):
            browser.run(f"tesseraView.setTime({begin + number * step}); tesseraView.draw({step}); new Promise(requestAnimationFrame)")
            browser.screenshot(folder / f"{number}.png", of="#sides")
        first, *others = [Image.open(folder / f"{number}.png").convert("RGB") for number in range(FRAMES)]
        first.save(PICTURE, save_all=True, append_images=others, duration=FRAME, loop=0, quality=QUALITY, method=METHOD)
    print(f"{PICTURE}: {PICTURE.stat().st_size / 1e3:,.0f} kB")


if __name__ == "__main__":
    main()
