"""Server-sent events as bytes: how a stream of chunks is framed.

Source: https://html.spec.whatwg.org/multipage/server-sent-events.html, read 2026-11-30.
"""

from __future__ import annotations

import re

from service.protocol.json_text import encode_json

DONE = "[DONE]"
"""The data of the last event of a stream."""
_LINE_END = re.compile(rb"\r\n|\n|\r")
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


def encode_event(data: object) -> bytes:
    """One event that carries the data as one line of JSON."""
    return b"data: " + encode_json(data) + b"\n\n"


def encode_done() -> bytes:
    """The event that ends a stream."""
    return f"data: {DONE}\n\n".encode("ascii")


class EventReader:
    """Cuts the bytes of a stream, in whatever pieces they come, into the data of its events.

    Works on bytes because text splitters also break lines at U+2028 and others, which stand unescaped in JSON strings.
    """

    def __init__(self) -> None:
        self._line: list[bytes] = []
        self._data: list[str] = []
        self._after_return = False
        self._at_start = True

    def feed(self, piece: bytes) -> list[str]:
        """The data of the events that this piece completes, in order; comments and other fields are passed over."""
        if self._after_return and piece.startswith(b"\n"):
            piece = piece[1:]
            self._after_return = False
        if not piece:
            return []
        self._after_return = piece.endswith(b"\r")
        *ended, rest = _LINE_END.split(piece)
        events: list[str] = []
        for part in ended:
            self._line.append(part)
            events.extend(self._end_line())
        self._line.append(rest)
        return events

    def close(self) -> list[str]:
        """The data of an event whose empty line never came, if there is one."""
        events = self._end_line()
        return events + self._end_event()

    def _end_line(self) -> list[str]:
        line = b"".join(self._line)
        self._line.clear()
        if self._at_start:
            line = line.removeprefix(_BYTE_ORDER_MARK)
            self._at_start = False
        if not line:
            return self._end_event()
        name, _, value = line.partition(b":")
        if name == b"data":
            self._data.append(value.removeprefix(b" ").decode("utf-8", errors="replace"))
        return []

    def _end_event(self) -> list[str]:
        if not self._data:
            return []
        data = "\n".join(self._data)
        self._data.clear()
        return [data]
