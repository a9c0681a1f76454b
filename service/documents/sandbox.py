"""The child process in which files are read: `python -m service.documents.sandbox KIND MEMORY_BYTES PARENT_PID`.

It answers one request after the other on its standard input and output until its input ends. What it loads, it loads
when first needed, so that a sandbox for PDF starts quickly.
"""

from __future__ import annotations

import gc
import os
import signal
import sys
from typing import BinaryIO, Protocol

from service.documents.messages import encode_error, frame, read_message
from service.domain.errors import ServiceError
from service.domain.records import JsonObject

Answer = tuple[JsonObject, bytes]
_PR_SET_PDEATHSIG = 1
"""Source: Linux, prctl(2)."""
_COLLECT_AFTER = (50_000, 10, 10)
"""A page is thousands of letters in no loop; looking for loops at the usual rate takes a twentieth of the time."""


class RequestServer(Protocol):
    """Answers requests of one kind of sandbox."""

    def serve(self, head: JsonObject, body: bytes) -> Answer:
        """Answer one request."""
        ...


def main(arguments: list[str]) -> int:
    """Serve until the input ends."""
    kind, memory_bytes, parent = arguments[0], int(arguments[1]), int(arguments[2])
    if not _die_with(parent):
        return 1
    output = _own_output()
    server = _server(kind, memory_bytes)
    gc.set_threshold(*_COLLECT_AFTER)
    _send(output, {"ready": True}, b"")
    while (request := read_message(sys.stdin.buffer.read)) is not None:
        try:
            answer = server.serve(*request)
        except ServiceError as error:
            answer = encode_error(error), b""
        except MemoryError:
            _send(output, {"out_of_memory": True}, b"")
            return 1  # what is left of the process is not to be trusted
        _send(output, *answer)
    return 0


def _server(kind: str, memory_bytes: int) -> RequestServer:
    if kind == "ocr":
        from service.documents.ocr.server import OcrServer  # late: a PDF sandbox never loads the networks

        return OcrServer()
    if kind == "office":
        from service.documents.office.server import OfficeServer  # late: LibreOffice minds its own memory

        return OfficeServer()
    _limit_memory(memory_bytes)
    from service.documents.file_server import FileServer  # late: an OCR sandbox never loads PDFium

    return FileServer()


def _send(output: BinaryIO, head: JsonObject, body: bytes) -> None:
    output.write(frame(head, body))
    output.write(body)
    output.flush()


def _own_output() -> BinaryIO:
    """Keep the pipe to the parent for answers; whatever a library prints goes to the bin."""
    pipe = os.fdopen(os.dup(1), "wb")
    sink = os.open(os.devnull, os.O_WRONLY)
    os.dup2(sink, 1)
    os.close(sink)
    return pipe


def _die_with(parent: int) -> bool:
    """Ask Linux to end this process with its parent; elsewhere the end of input does. False if it is gone already."""
    if not sys.platform.startswith("linux"):
        return True
    import ctypes  # late: only where it is used

    ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, int(signal.SIGKILL), 0, 0, 0)
    return os.getppid() == parent


def _limit_memory(memory_bytes: int) -> None:
    if sys.platform == "win32":
        return
    import resource  # late: not on every platform

    limit = resource.RLIMIT_DATA if sys.platform == "darwin" else resource.RLIMIT_AS
    resource.setrlimit(limit, (memory_bytes, memory_bytes))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
