"""What the server was told and what it saw."""

from __future__ import annotations

import base64
import io
import time
from collections import Counter, deque
from contextlib import suppress

from aiohttp import web
from PIL import Image, UnidentifiedImageError
from pydantic import JsonValue

from service.rehearsal.json_values import JsonObject, as_object, as_text
from service.rehearsal.openai_shape import parts_of
from service.rehearsal.script import Fault
from service.rehearsal.values import Source

REMEMBERED_REQUESTS = 100
_SHOWN_URL_CHARS = 40


class Counts:
    """Touched on the server's loop only."""

    def __init__(self) -> None:
        self.script: deque[Fault] = deque()
        self.source = Source()
        self.requests = 0
        self.in_flight = 0
        self.peak_in_flight = 0
        self.aborted = 0
        """Requests whose client went away."""
        self.bytes_in = 0
        self.answered: Counter[str] = Counter()
        """By status."""
        self.seen: deque[JsonObject] = deque(maxlen=REMEMBERED_REQUESTS)
        self._peers: set[object] = set()

    def enter(self, request: web.Request) -> None:
        """A request has come."""
        self.requests += 1
        self.in_flight += 1
        self.peak_in_flight = max(self.peak_in_flight, self.in_flight)
        if request.transport is not None:
            self._peers.add(request.transport.get_extra_info("peername"))

    def told(self, open_connections: int) -> JsonObject:
        """The counts as they are asked for."""
        return {
            "requests": self.requests,
            "in_flight": self.in_flight,
            "peak_in_flight": self.peak_in_flight,
            "aborted": self.aborted,
            "bytes_in": self.bytes_in,
            "answered": dict(self.answered),
            "connections_open": open_connections,
            "connections_total": len(self._peers),
            "script_left": len(self.script),
        }


def summary(request: web.Request, body: JsonObject) -> JsonObject:
    """Time, path, query, headers and body of a request; a file is replaced by the length of its URL."""
    return {
        "at": time.time(),
        "path": request.path,
        "query": dict(request.query),
        "headers": {name.lower(): value for name, value in request.headers.items()},
        "body": {**body, "messages": _without_files(body.get("messages"))},
    }


def _without_files(value: JsonValue) -> JsonValue:
    if isinstance(value, list):
        return [_without_files(child) for child in value]
    if not isinstance(value, dict):
        return value
    shown = {name: _without_files(child) for name, child in value.items()}
    url = shown.get("url")
    return shown | {"url": url[:_SHOWN_URL_CHARS], "url_chars": len(url)} if isinstance(url, str) else shown


def pictures_of(body: JsonObject) -> list[JsonValue]:
    """Format, mode and size of every picture in a request that is one."""
    found: list[JsonValue] = []
    for part in parts_of(body):
        url = as_text(as_object(part.get("image_url")).get("url"))
        with suppress(ValueError, UnidentifiedImageError, OSError):
            data = base64.b64decode(url.partition(",")[2])
            with Image.open(io.BytesIO(data)) as picture:
                found.append({"format": picture.format, "mode": picture.mode, "size": list(picture.size)})
    return found
