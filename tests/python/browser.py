"""A headless Chromium for tests of pages: its DevTools protocol over a websocket."""

import asyncio
import base64
import json
import re
import shutil
import subprocess
import tempfile
from collections.abc import Awaitable, Callable
from pathlib import Path

from tornado.websocket import websocket_connect

CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")
MISSING = "needs Debian's package chromium: ./dev test installs it"
MARGIN = 8  # of a picture of one element
PATIENCE = 120  # seconds for an answer of a busy machine


class Browser:
    """One page; `errors` are what its console called errors and the exceptions that nobody caught."""

    def __init__(self, width: int):
        self._profile = tempfile.TemporaryDirectory(prefix="chromium-", ignore_cleanup_errors=True)
        flags = ["--headless", "--no-sandbox", "--disable-gpu", "--remote-debugging-port=0", "--hide-scrollbars", "--remote-allow-origins=*"]
        self._process = subprocess.Popen(
            [CHROMIUM, *flags, f"--user-data-dir={self._profile.name}", f"--window-size={width},900", "about:blank"],
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
        )
        self._loop = asyncio.new_event_loop()
        self._number = 0
        self.errors: list[str] = []
        self.requests: list[str] = []
        self._loaded: set[str] = set()  # documents, by the loader that Chromium names in its answer to Page.navigate
        address = next(found.group(0) for line in self._process.stderr if (found := re.search(r"ws://\S+", line)))
        self._socket = self._wait(lambda: websocket_connect(address, max_message_size=1 << 28))
        target = self._call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self._call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self._call(f"{domain}.enable")
        self._call("Page.setLifecycleEventsEnabled", enabled=True)
        self.resize(width)

    def resize(self, width: int) -> None:
        self._width = width
        self._call("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=False)

    def colours(self, scheme: str) -> None:
        """As of a user who prefers "dark" or "light"."""
        self._call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])

    def __enter__(self) -> "Browser":
        return self

    def __exit__(self, *_: object) -> None:
        self._socket.close()
        self._process.terminate()
        self._process.wait()
        self._process.stderr.close()
        self._loop.close()
        self._profile.cleanup()

    def _wait(self, begin: Callable[[], Awaitable]):
        async def whole():
            return await asyncio.wait_for(begin(), PATIENCE)

        return self._loop.run_until_complete(whole())

    def _call(self, method: str, **parameters):
        self._number += 1
        session = {"sessionId": self._session} if hasattr(self, "_session") else {}
        text = json.dumps({"id": self._number, "method": method, "params": parameters, **session})
        self._wait(lambda: self._socket.write_message(text))
        while True:
            message = self._read()
            if message.get("id") == self._number:
                assert "error" not in message, message["error"]
                return message["result"]
            self._note(message)

    def _read(self):
        return json.loads(self._wait(self._socket.read_message))

    def _note(self, message) -> None:
        parameters = message.get("params", {})
        match message["method"]:
            case "Runtime.exceptionThrown":
                self.errors.append(json.dumps(parameters["exceptionDetails"]))
            case "Runtime.consoleAPICalled" if parameters["type"] in ("error", "assert"):
                self.errors.append(json.dumps(parameters["args"]))
            case "Log.entryAdded" if parameters["entry"]["level"] == "error":
                self.errors.append(parameters["entry"]["text"])
            case "Network.requestWillBeSent":
                self.requests.append(parameters["request"]["url"])
            case "Page.lifecycleEvent" if parameters["name"] == "load":
                self._loaded.add(parameters["loaderId"])

    def open(self, page: Path | str) -> None:
        """A file, or an address."""
        self._navigate(page.resolve().as_uri() if isinstance(page, Path) else page)
        assert self.run("typeof reportReady !== 'undefined'"), "the page's own script did not run"
        self.run("reportReady.then(() => true)")

    def leave(self) -> None:
        """To an empty page: what the last one left running is gone."""
        self._navigate("about:blank")

    def _navigate(self, address: str) -> None:
        """Until that document is loaded: the one before it is complete too, and may still answer."""
        result = self._call("Page.navigate", url=address)
        assert "errorText" not in result, f"{address}: {result['errorText']}"
        while "loaderId" in result and result["loaderId"] not in self._loaded:
            self._note(self._read())

    def run(self, script: str):
        """The value of an expression in the page; of a promise, what it comes to."""
        result = self._call("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        assert "exceptionDetails" not in result, result["exceptionDetails"]
        return result["result"].get("value")

    def screenshot(self, file: Path, of: str = "") -> None:
        """Of the whole page, or of the element that the selector `of` names."""
        size = self._call("Page.getLayoutMetrics")["cssContentSize"]
        clip = {"x": 0, "y": 0, "width": self._width, "height": min(size["height"], 12_000), "scale": 1}
        if of:
            box = self.run(f"(({{x, y, width, height}}) => ({{x: x + scrollX - {MARGIN}, y: y + scrollY - {MARGIN}, width: width + 2 * {MARGIN}, height: height + 2 * {MARGIN}}}))(document.querySelector('{of}').getBoundingClientRect())")
            clip |= box
        picture = self._call("Page.captureScreenshot", clip=clip, captureBeyondViewport=True)
        file.write_bytes(base64.b64decode(picture["data"]))
