"""The door of this room: open a file, read its pages, draw them, cut them. All work happens in sandbox processes."""

from __future__ import annotations

import hashlib
import logging
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from difflib import SequenceMatcher
from pathlib import Path

from service.documents.limits import ReadingLimits
from service.documents.line import LOOK_S
from service.documents.messages import (
    decode_info,
    decode_page,
    decode_tables,
    decode_words,
    encode_box,
)
from service.documents.ocr.codes import MOST_WORDS
from service.documents.process import Answer
from service.documents.readings import OpenedDocument, RenderOptions
from service.documents.sandboxes import ReadingAbortedError, Sandboxes
from service.documents.sniffing import OFFICE_KINDS, sniff, sniff_file
from service.documents.text.judging import Route
from service.documents.text.merging import add_picture_words, complete_page, fill_tables, sample_lines
from service.domain.errors import ErrorCode, InputError, ReadingError
from service.domain.pages import (
    NO_TURNS,
    MediaKind,
    PageRange,
    PageSize,
    PageText,
    TextSource,
    Turns,
    Word,
)
from service.domain.records import Issue, JsonObject, Stage

__all__ = [
    "DocumentReader",
    "OpenedDocument",
    "ReadingAbortedError",
    "ReadingLimits",
    "RenderOptions",
    "sniff",
    "sniff_file",
]

_log = logging.getLogger(__name__)
_FAILED_WIDTH, _FAILED_HEIGHT = 595.0, 842.0
_LAYER_AGREES = 0.8
"""A foreign text layer is kept when, over sampled lines, this share of its letters is what the picture shows."""
_LETTERHEADS = 32
_WHOLE_FILE = 3
"""Opening looks at every page and cutting copies many: they may take so many times longer than one page."""


@dataclass(frozen=True, slots=True)
class _Source:
    """A file, how it is opened, and which of its pages are turned."""

    path: Path
    password: str | None = None
    turns: Turns = field(default_factory=lambda: NO_TURNS)


class DocumentReader:
    """Reads files in sandbox processes; safe to share between threads, and to take over a fork."""

    def __init__(self, limits: ReadingLimits, clock: Callable[[], float] = time.monotonic) -> None:
        self._limits = limits
        self._sandboxes = Sandboxes(limits, clock)
        self._letterheads: dict[bytes, Sequence[Word]] = {}
        """Digest of the pictures on a page → the words on them."""

    def open(self, path: Path, *, password: str | None = None, quickly: bool = False) -> OpenedDocument:
        """Look at a file: its kind, its pages and their sizes; `quickly`, also whether its only page is blank.

        Raises:
            InputError: what is wrong with the file; `password_required` asks for a password.
            ReadingError: looking at it ran over its limits; `quickly`, over two seconds, or another one did just now.
        """
        if sniff_file(path) in OFFICE_KINDS:
            return self._open_office(path, password)
        source, most_s = _Source(path, password), LOOK_S if quickly else None
        answer, _ = self._ask_file({"op": "open", "look": quickly}, source, subject="the file", timeout_s=most_s)
        return OpenedDocument(decode_info(answer), None, bool(answer["blank"]) if "blank" in answer else None)

    def read_pages(
        self,
        path: Path,
        pages: PageRange,
        *,
        password: str | None = None,
        by_picture: bool = False,
        turns: Turns = NO_TURNS,
    ) -> Iterator[PageText]:
        """Read pages one by one, in order; a page that defeats the readers comes as FAILED with an issue.

        With `by_picture` the text that a page holds is passed over for what its picture shows.

        Raises:
            InputError: the file as a whole cannot be opened.
            ReadingAbortedError: `abort` was called.
        """
        for number in pages.numbers():
            try:
                yield self._read_page(_Source(path, password, turns), number, by_picture=by_picture)
            except ReadingAbortedError:
                raise
            except ReadingError as error:
                yield _failed_page(number, error.code, error.message)

    def read_plain(self, path: Path, page: int) -> PageText | None:
        """A page (1-based) whose words are all in its text, as `read_pages` reads it; None if there is more to do.

        It takes a few milliseconds, or is given up: in doubt, and whatever is wrong with the page, it is None too.

        Raises:
            ReadingAbortedError: `abort` was called.
        """
        head: JsonObject = {"op": "read_plain", "page": page}
        try:
            answer, _ = self._ask_file(head, _Source(path), subject=f"page {page}", timeout_s=LOOK_S)
        except ReadingAbortedError:
            raise
        except (InputError, ReadingError):
            return None
        return decode_page(answer) if answer else None

    def route_of(self, path: Path, page: int, *, password: str | None = None) -> Route:
        """How a page (1-based) would be read, for whoever wants to know what reading costs; no picture is read.

        Raises:
            InputError: the file cannot be opened or has no such page.
            ReadingError: looking at it ran over its limits.
        """
        answer, _ = self._ask_file({"op": "read", "page": page}, _Source(path, password), subject=f"page {page}")
        return Route(str(answer["route"]))

    def render_page(self, path: Path, page: int, options: RenderOptions, *, turns: Turns = NO_TURNS) -> bytes:
        """Draw a page (1-based) as displayed, or a part of it, as the bytes of a picture file.

        A page so large that it would take too many pixels at that resolution is drawn at a lower one.

        Raises:
            InputError: the file or the page cannot be opened.
            ReadingError: drawing it ran over its limits.
        """
        head: JsonObject = {"op": "render", "page": page, "dpi": options.dpi, "grey": options.grey}
        head |= {"format": options.image_format, "crop": list(encode_box(options.crop)) if options.crop else None}
        return self._ask_file(head, _Source(path, turns=turns), subject=f"page {page}")[1]

    def cut(self, path: Path, pages: PageRange, *, password: str | None = None, turns: Turns = NO_TURNS) -> bytes:
        """The bytes of a file that holds only these pages.

        A PDF or a TIFF of several pages gives a PDF without a password; a single image gives its own bytes, or those of
        another picture if it is turned.

        Raises:
            InputError: the file cannot be opened or has no such page.
            ReadingError: cutting ran over its limits.
        """
        head: JsonObject = {"op": "cut", "first": pages.first, "last": pages.last}
        return self._ask_file(head, _Source(path, password, turns), subject=f"pages {pages}")[1]

    def inked(self, path: Path, pages: PageRange) -> PageRange | None:
        """The range without blank pages at its ends; None if all are blank. A quick look: in doubt a page is not blank.

        Raises:
            InputError: the file cannot be opened.
        """
        head: JsonObject = {"op": "inked", "first": pages.first, "last": pages.last}
        try:
            answer, _ = self._ask_file(head, _Source(path), subject=f"pages {pages}", timeout_s=LOOK_S)
        except ReadingAbortedError:
            raise
        except ReadingError:
            return pages
        return PageRange(int(str(answer["first"])), int(str(answer["last"]))) if answer else None

    def warm_up(self) -> None:
        """Start the sandbox that files are opened in, so that the first file does not wait for it.

        Raises:
            ReadingError: it could not be started.
        """
        self._sandboxes.warm_up("pdf")

    def close(self) -> None:
        """End the sandboxes in good order."""
        self._sandboxes.close()

    def abort(self, thread_id: int | None = None) -> None:
        """End the call that is under way, from any other thread: it raises ReadingAbortedError at once.

        Args:
            thread_id: only if it is this thread's call; None: whoever's it is.
        """
        self._sandboxes.abort(thread_id)

    def sandbox_pids(self) -> tuple[int, ...]:
        """Process ids of the sandboxes that run, for whoever watches over processes."""
        return self._sandboxes.pids()

    def _open_office(self, path: Path, password: str | None) -> OpenedDocument:
        kind, pdf = self._converted(path, password)
        with tempfile.TemporaryDirectory(prefix="fieldmark-") as folder:
            made = Path(folder) / "document.pdf"
            made.write_bytes(pdf)
            answer, _ = self._ask_file({"op": "open"}, _Source(made), subject="the file")
        return OpenedDocument(replace(decode_info(answer), kind=kind), pdf)

    def _converted(self, path: Path, password: str | None) -> tuple[MediaKind, bytes]:
        """The kind of an office file and the PDF made of it: by LibreOffice, or when that fails by our own readers."""
        head: JsonObject = {"op": "convert", "path": str(path.resolve()), "password": password}
        if shutil.which("soffice") is not None:
            timeout_s = self._limits.page_timeout_s * _WHOLE_FILE
            try:
                answer, pdf = self._sandboxes.ask("office", head, b"", timeout_s=timeout_s, subject="the file")
                return MediaKind(str(answer["kind"])), pdf
            except ReadingError:
                _log.warning("LibreOffice did not convert a file; the own readers are used")
            finally:
                self._sandboxes.end("office")
        answer, pdf = self._ask_file(head, _Source(path, password), subject="the file")
        return MediaKind(str(answer["kind"])), pdf

    def _read_page(self, source: _Source, number: int, *, by_picture: bool) -> PageText:
        head: JsonObject = {"op": "read", "page": number, "by_picture": by_picture}
        try:
            answer, picture = self._ask_file(head, source, subject=f"page {number}")
        except InputError as error:
            if error.code is not ErrorCode.DAMAGED_FILE or number == 0:
                raise
            return _failed_page(number, error.code, error.message)
        page, route = decode_page(answer), Route(str(answer["route"]))
        if route is not Route.DIGITAL:
            head = {key: answer[key] for key in ("width", "height", "channels")}
            page = self._read_picture(page, route, head, picture)
            page = self._with_codes(page, head, picture) if len(page.words) <= MOST_WORDS else page
        return self._with_tables(page, source) if answer.get("ruled") and page.words else page

    def _with_tables(self, page: PageText, source: _Source) -> PageText:
        """The page with its ruled tables; without them, and an issue, when finding them costs too much."""
        subject = f"the tables of page {page.page}"
        try:
            answer, _ = self._ask_file({"op": "tables", "page": page.page}, source, subject=subject)
        except ReadingError as error:
            message = f"The tables drawn with lines were not found: {error.message}"
            issue = Issue(stage=Stage.READ, code="tables_skipped", message=message, page=page.page)
            return replace(page, issues=(*page.issues, issue))
        return fill_tables(page, decode_tables(answer["tables"]))

    def _read_picture(self, page: PageText, route: Route, head: JsonObject, picture: bytes) -> PageText:
        """The page with what its picture shows."""
        if route is Route.PICTURES:
            return self._with_picture_words(page, head, picture)
        if route is Route.VERIFY and self._layer_agrees(page, head, picture):
            return page
        return complete_page(page, self._ocr_words(page, head, picture), keep_layer=route is Route.COMPLETE)

    def _with_picture_words(self, page: PageText, head: JsonObject, picture: bytes) -> PageText:
        """A digital page with the words of its small pictures; a letterhead is read once, not on every page."""
        digest = hashlib.blake2b(picture, digest_size=16).digest()
        words = self._letterheads.get(digest)
        if words is None:
            try:
                words = self._ocr_words(page, head, picture)
            except ReadingAbortedError:
                raise
            except ReadingError as error:
                message = f"Words inside pictures on the page were not read: {error.message}"
                issue = Issue(stage=Stage.READ, code="picture_skipped", message=message, page=page.page)
                return replace(page, issues=(*page.issues, issue))
            if len(self._letterheads) >= _LETTERHEADS:
                self._letterheads.clear()
            self._letterheads[digest] = words
        return add_picture_words(page, words)

    def _with_codes(self, page: PageText, head: JsonObject, picture: bytes) -> PageText:
        """A page with hardly a word, with the formats of its bar codes; if it shows nothing else, nothing is unread."""
        found = self._ask_ocr({**head, "op": "codes"}, picture, subject=f"the codes of page {page.page}")[0]["codes"]
        if not isinstance(found, list) or not found:
            return page
        source = page.source if page.words else TextSource.NONE
        return replace(page, source=source, codes=tuple(map(str, found)))

    def _ocr_words(self, page: PageText, head: JsonObject, picture: bytes) -> Sequence[Word]:
        request: JsonObject = {**head, "op": "read", "height_points": page.size.height}
        return decode_words(self._ask_ocr(request, picture, subject=f"page {page.page}")[0]["words"])

    def _layer_agrees(self, page: PageText, head: JsonObject, picture: bytes) -> bool:
        """Whether sampled lines of a foreign text layer are what the picture shows."""
        lines = sample_lines(page)
        boxes = [encode_box(box) for box, _ in lines]
        answer, _ = self._ask_ocr({**head, "op": "compare", "boxes": list(boxes)}, picture, subject=f"page {page.page}")
        shown = answer["texts"]
        assert isinstance(shown, list)
        ratios = [
            SequenceMatcher(None, text.replace(" ", ""), str(seen).replace(" ", ""), autojunk=False).ratio()
            for (_, text), seen in zip(lines, shown, strict=True)
        ]
        return bool(ratios) and sum(ratios) / len(ratios) >= _LAYER_AGREES

    def _ask_file(self, head: JsonObject, source: _Source, *, subject: str, timeout_s: float | None = None) -> Answer:
        limits = self._limits
        whole: JsonObject = {**head, "path": str(source.path.resolve()), "password": source.password}
        whole["turns"] = [[page, degrees] for page, degrees in sorted(source.turns.items()) if degrees]
        whole |= {"max_pages": limits.max_pages, "max_pixels": limits.max_page_pixels}
        usual_s = limits.page_timeout_s * (1 if "page" in head else _WHOLE_FILE)
        return self._sandboxes.ask("pdf", whole, b"", timeout_s=timeout_s or usual_s, subject=subject)

    def _ask_ocr(self, head: JsonObject, picture: bytes, *, subject: str) -> Answer:
        return self._sandboxes.ask("ocr", head, picture, timeout_s=self._limits.ocr_page_timeout_s, subject=subject)


def _failed_page(number: int, code: ErrorCode, message: str) -> PageText:
    return PageText(
        size=PageSize(number, _FAILED_WIDTH, _FAILED_HEIGHT),
        source=TextSource.FAILED,
        issues=(Issue(stage=Stage.READ, code=code.value, message=message, page=number),),
    )
