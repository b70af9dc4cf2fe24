"""Serves a page to this machine's own browser: on the loopback interface alone, to those who know the token, and to no other page."""

import hmac
import json
import secrets
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tessera.errors import InputError

LOOPBACK = "127.0.0.1"
NAMES = (LOOPBACK, "localhost")  # by which a browser may call it; under any other, a page elsewhere had its name point here
LARGEST_BODY = 1 << 16
SILENT_SECONDS = 30  # of a connection before it is closed
TOKEN_BYTES = 16
PAGE_NAME = 64  # characters, at most
HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": "frame-ancestors 'none'",  # the rest is in the page, which says it of its own scripts
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}


Asked = dict[str, Any]
"""What a page sends: its own name in `page`, the version that it has in `seen`, and more."""


class LoopbackServer(ThreadingHTTPServer):
    """The page at /TOKEN/, and answers to what it asks, as JSON, each at /TOKEN/NAME."""

    daemon_threads = True

    def __init__(self, page: str, answers: Mapping[str, Callable[[Asked], Mapping[str, Any]]], port: int = 0):
        """An answer may raise InputError, which the page is told, and ConnectionAbortedError where the server has ended."""
        self.page, self.answers = page.encode(), answers
        self.token = secrets.token_urlsafe(TOKEN_BYTES)
        try:
            super().__init__((LOOPBACK, port), _Handler)
        except OSError as error:
            raise InputError(f"port {port} of {LOOPBACK} cannot be listened on ({error.strerror}); --port 0 takes a free one") from None

    @property
    def address(self) -> str:
        return f"http://{LOOPBACK}:{self.server_port}/{self.token}/"

    @property
    def hosts(self) -> tuple[str, ...]:
        return tuple(f"{name}:{self.server_port}" for name in NAMES)

    def handle_error(self, request: object, client_address: object) -> None:
        """A browser that closes a connection is no error."""


class _Refused(Exception):
    def __init__(self, status: HTTPStatus, why: str):
        super().__init__(why)
        self.status = status


class _Handler(BaseHTTPRequestHandler):
    server: LoopbackServer
    protocol_version = "HTTP/1.1"
    server_version, sys_version = "tessera", ""
    timeout = SILENT_SECONDS

    def do_GET(self) -> None:  # noqa: N802
        with self._checked():
            if self._place() != "":
                raise _Refused(HTTPStatus.NOT_FOUND, "there is nothing here; the page is at the address that the command printed")
            self._send(HTTPStatus.OK, "text/html; charset=utf-8", self.server.page)

    def do_POST(self) -> None:  # noqa: N802
        with self._checked():
            answer = self.server.answers.get(self._place())
            if answer is None:
                raise _Refused(HTTPStatus.NOT_FOUND, f"there is nothing here; what the page asks for is at '{next(iter(self.server.answers))}'")
            self._json(HTTPStatus.OK, answer(self._asked()))

    @contextmanager
    def _checked(self) -> Iterator[None]:
        try:
            self._check()
            yield
        except _Refused as refused:
            self.close_connection = True  # a body may be left unread
            self._json(refused.status, {"message": str(refused)})
        except InputError as error:
            self._json(HTTPStatus.BAD_REQUEST, {"message": str(error)})

    def _check(self) -> None:
        """Who asks: a browser that calls this server by its own name, for a page of this server or for none, with the token."""
        host, origin = self.headers.get("Host", ""), self.headers.get("Origin")
        if host not in self.server.hosts:
            raise _Refused(HTTPStatus.FORBIDDEN, f"expected the host {self.server.hosts[0]}, found '{host}'")
        if origin is not None and origin != f"http://{host}":
            raise _Refused(HTTPStatus.FORBIDDEN, f"a page of '{origin}' may not ask")
        given = self.path.split("/", 2)[1] if self.path.startswith("/") else ""
        if not hmac.compare_digest(given.encode(), self.server.token.encode()):
            raise _Refused(HTTPStatus.FORBIDDEN, "wrong token: open the address that the command printed")

    def _place(self) -> str:
        return self.path.split("/", 2)[2].partition("?")[0] if self.path.count("/") > 1 else "-"

    def _asked(self) -> Asked:
        if self.headers.get_content_type() != "application/json":  # which no form of another page can send
            raise _Refused(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, f"expected application/json, found {self.headers.get_content_type()}")
        length = self.headers.get("Content-Length", "")
        if not length.isdecimal() or int(length) > LARGEST_BODY:
            raise _Refused(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"expected a body of at most {LARGEST_BODY:,} bytes")
        try:
            asked = json.loads(self.rfile.read(int(length)))
        except (ValueError, RecursionError):
            raise InputError("expected JSON") from None
        if not isinstance(asked, dict) or not isinstance(asked.get("page"), str) or not 0 < len(asked["page"]) <= PAGE_NAME:
            raise InputError(f"page: expected a name of at most {PAGE_NAME} characters")
        if type(asked.get("seen")) is not int:
            raise InputError("seen: expected the version that the page has")
        return asked

    def _json(self, status: HTTPStatus, content: Mapping[str, Any]) -> None:
        self._send(status, "application/json", json.dumps(dict(content)).encode())

    def _send(self, status: HTTPStatus, kind: str, body: bytes) -> None:
        self.send_response(status)
        for name, value in {"Content-Type": kind, "Content-Length": str(len(body)), **HEADERS}.items():
            self.send_header(name, value)
        if self.close_connection:
            self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *arguments: object) -> None:  # noqa: A002
        """The address has the token, which belongs into no log."""
