"""Answers to requests about files, in a sandbox with little memory. Keeps the last file open between requests."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from service.documents.messages import decode_box, decode_turns, encode_info, encode_page, encode_tables
from service.documents.pdf.pages import PdfPages
from service.documents.readings import OpenFile, RenderOptions
from service.documents.sniffing import OFFICE_KINDS, sniff_file
from service.domain.errors import ErrorCode, InputError
from service.domain.pages import MediaKind, PageRange
from service.domain.records import JsonObject

Answer = tuple[JsonObject, bytes]


@dataclass(frozen=True, slots=True)
class _Key:
    path: Path
    password: str | None
    size: int
    changed_ns: int
    turns: tuple[tuple[int, int], ...]
    """Pages (1-based) that are turned, with the degrees clockwise."""


class FileServer:
    """Opens, reads, renders and cuts files."""

    def __init__(self) -> None:
        self._key: _Key | None = None
        self._file: OpenFile | None = None
        self._operations: dict[str, Callable[[JsonObject], Answer]] = {
            "open": self._open,
            "read": self._read,
            "read_plain": self._read_plain,
            "tables": self._tables,
            "convert": self._convert,
            "render": self._render,
            "cut": self._cut,
            "inked": self._inked,
        }

    def serve(self, head: JsonObject, body: bytes) -> Answer:
        """Answer one request; `op` names it."""
        return self._operations[str(head["op"])](head)

    def _open(self, head: JsonObject) -> Answer:
        file = self._opened(head)
        most = _number(head, "max_pages")
        if file.page_count > most:
            raise InputError(
                ErrorCode.TOO_MANY_PAGES, f"The file has {file.page_count} pages; at most {most} are taken. Split it."
            )
        answer = encode_info(file.info())
        if head.get("look") and file.page_count == 1:
            answer["blank"] = _is_blank(file, 1)
        return answer, b""

    def _read(self, head: JsonObject) -> Answer:
        file, index = self._page(head)
        reading = file.read(index, by_picture=bool(head.get("by_picture")))
        answer = encode_page(reading.page)
        answer |= {"route": reading.route.value, "ruled": reading.ruled}
        picture = reading.picture
        if picture is None:
            return answer, b""
        answer |= {"width": picture.width, "height": picture.height, "channels": picture.channels}
        return answer, picture.pixels

    def _read_plain(self, head: JsonObject) -> Answer:
        """The page; nothing if there is more to do than to take its text."""
        file, index = self._page(head)
        page = file.read_plain(index)
        return {} if page is None else encode_page(page), b""

    def _tables(self, head: JsonObject) -> Answer:
        file, index = self._page(head)
        return {"tables": encode_tables(file.tables(index))}, b""

    def _convert(self, head: JsonObject) -> Answer:
        from service.documents.office.convert import convert  # late: loads slowly, for office files only

        kind, pdf = convert(Path(str(head["path"])), _password(head))
        return {"kind": kind.value}, pdf

    def _render(self, head: JsonObject) -> Answer:
        image_format = str(head["format"])
        options = RenderOptions(
            dpi=_number(head, "dpi"),
            crop=decode_box(head["crop"]) if head.get("crop") else None,
            image_format="png" if image_format == "png" else "webp" if image_format == "webp" else "jpeg",
            grey=bool(head["grey"]),
        )
        file, index = self._page(head)
        return {}, file.render(index, options)

    def _cut(self, head: JsonObject) -> Answer:
        file = self._opened(head)
        pages = PageRange(_number(head, "first"), _number(head, "last"))
        if pages.last > file.page_count:
            raise _no_such_page(pages.last, file.page_count)
        return {}, file.cut(pages)

    def _inked(self, head: JsonObject) -> Answer:
        """The range without blank pages at its ends; no numbers when all are blank."""
        file, numbers = self._opened(head), range(_number(head, "first"), _number(head, "last") + 1)
        first = next((n for n in numbers if not _is_blank(file, n)), None)
        if first is None:
            return {}, b""
        return {"first": first, "last": next(n for n in reversed(numbers) if n == first or not _is_blank(file, n))}, b""

    def _page(self, head: JsonObject) -> tuple[OpenFile, int]:
        """The file, and the 0-based index of the page asked for."""
        file, page = self._opened(head), _number(head, "page")
        if not 1 <= page <= file.page_count:
            raise _no_such_page(page, file.page_count)
        return file, page - 1

    def _opened(self, head: JsonObject) -> OpenFile:
        path = Path(str(head["path"]))
        password = _password(head)
        state = path.stat()
        key = _Key(path, password, state.st_size, state.st_mtime_ns, decode_turns(head.get("turns", [])))
        if self._file is not None and key == self._key:
            return self._file
        if self._file is not None:
            self._file.close()
            self._file = None
        kind = sniff_file(path)
        if kind in OFFICE_KINDS:
            raise InputError(
                ErrorCode.INVALID_REQUEST, "An office file is read through the PDF that opening it gave, not by itself."
            )
        if kind is MediaKind.PDF:
            self._file = PdfPages(path, password, dict(key.turns))
        else:
            from service.documents.image_file import ImagePages  # late: most files are PDF

            self._file = ImagePages(path, kind, _number(head, "max_pixels"), dict(key.turns))
        self._key = key
        return self._file


def _is_blank(file: OpenFile, page: int) -> bool:
    try:
        return file.is_blank(page - 1)
    except InputError:
        return False  # a page that cannot be loaded may show something


def _password(head: JsonObject) -> str | None:
    return str(head["password"]) if head.get("password") else None


def _number(head: JsonObject, key: str) -> int:
    return int(str(head[key]))


def _no_such_page(page: int, count: int) -> InputError:
    return InputError(ErrorCode.INVALID_REQUEST, f"The file has no page {page}; its pages are 1 to {count}.")
