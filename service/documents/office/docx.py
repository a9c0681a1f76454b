"""DOCX to blocks. Tracked changes count as accepted: inserted text is read, deleted is not. In a sandbox only."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Protocol, cast

import docx
from docx.oxml.ns import qn

from service.documents.office.blocks import Block, Figure, OfficePage, PageBreak, Paragraph, Table

if TYPE_CHECKING:
    from docx.document import Document
    from docx.parts.story import StoryPart
    from docx.section import _Footer, _Header  # pyright: ignore[reportPrivateUsage] - its only names


class Element(Protocol):
    """As much of an lxml element, which has no types, as is used here."""

    tag: str
    text: str | None

    def __iter__(self) -> Iterator[Element]: ...

    def get(self, key: str, default: str = "") -> str:
        """An attribute."""
        ...

    def find(self, path: str) -> Element | None:
        """The first descendant at that path."""
        ...

    def iter(self, *tags: str) -> Iterator[Element]:
        """Descendants with one of the tags, in the document's order."""
        ...

    def iterancestors(self, *tags: str) -> Iterator[Element]:
        """Ancestors with one of the tags, the nearest first."""
        ...

    def getparent(self) -> Element | None:
        """The element around it."""
        ...


_WIDTH, _HEIGHT = 595.0, 842.0
"""Points: A4, for a document that does not tell its page."""
_COMPATIBILITY = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"
_LEFT_OUT = frozenset({qn("w:del"), qn("w:moveFrom"), f"{_COMPATIBILITY}Fallback"})
"""Deleted or moved text, and the second copy of a drawing for old readers."""
_WRAPPERS = frozenset({qn("w:sdt"), qn("w:sdtContent"), qn("w:ins"), qn("w:moveTo"), qn("w:customXml")})
_BREAK = "\f"
_EMU_A_POINT = 12_700
_BODY_SIZE, _HEADING_SIZE = 10.0, 13.0


def read_docx(data: bytes) -> list[OfficePage]:
    """The document as one flow: the first section's header, the body in its order, the footer."""
    document = docx.Document(io.BytesIO(data))
    blocks: list[Block] = []
    first = document.sections[0] if len(document.sections) else None
    if first is not None:
        blocks += _blocks(_xml(first.header), first.header.part)
    blocks += _blocks(cast(Element, document.element.body), document.part)
    if first is not None:
        blocks += _blocks(_xml(first.footer), first.footer.part)
    return [OfficePage(*_page_size(document), tuple(blocks))]


def _xml(edge: _Header | _Footer) -> Element:
    return cast(Element, edge._element)  # pyright: ignore[reportPrivateUsage] - there is no other way to the XML


def _page_size(document: Document) -> tuple[float, float]:
    first = document.sections[0] if len(document.sections) else None
    if first is None or not first.page_width or not first.page_height:
        return _WIDTH, _HEIGHT
    return first.page_width / _EMU_A_POINT, first.page_height / _EMU_A_POINT


def _blocks(parent: Iterable[Element], part: StoryPart) -> list[Block]:
    found: list[Block] = []
    for child in parent:
        if child.tag == qn("w:p"):
            found += _paragraph(child, part)
        elif child.tag == qn("w:tbl"):
            found.append(Table(tuple(_row(row) for row in _rows(child))))
        elif child.tag in _WRAPPERS:
            found += _blocks(child, part)
    return found


def _paragraph(paragraph: Element, part: StoryPart) -> Iterator[Block]:
    style = paragraph.find(f"{qn('w:pPr')}/{qn('w:pStyle')}")
    heading = style is not None and str(style.get(qn("w:val"), "")).lower().startswith(("heading", "title"))
    size = _HEADING_SIZE if heading else _BODY_SIZE
    if paragraph.find(f"{qn('w:pPr')}/{qn('w:pageBreakBefore')}") is not None:
        yield PageBreak()
    for number, text in enumerate(_text(paragraph).split(_BREAK)):
        if number:
            yield PageBreak()
        if text.strip():
            yield Paragraph(text, size, heading)
    yield from _figures(paragraph, part)


def _text(element: Element) -> str:
    """The text of everything inside, as it stands when all changes are accepted."""
    if element.tag in _LEFT_OUT:
        return ""
    if element.tag == qn("w:t"):
        return element.text or ""
    if element.tag == qn("w:tab"):
        return "\t" if _parent_tag(element) == qn("w:r") else ""
    if element.tag in (qn("w:br"), qn("w:cr")):
        return _BREAK if element.get(qn("w:type")) == "page" else "\n"
    if element.tag == qn("w:lastRenderedPageBreak"):
        return _BREAK
    if element.tag == qn("w:noBreakHyphen"):
        return "-"
    inner = "".join(_text(child) for child in element)
    return f"\n{inner}" if element.tag == qn("w:p") and _parent_tag(element) == qn("w:txbxContent") else inner


def _parent_tag(element: Element) -> str:
    parent = element.getparent()
    return parent.tag if parent is not None else ""


def _rows(table: Element) -> Iterator[Element]:
    for child in table:
        if child.tag == qn("w:tr"):
            yield child
        elif child.tag in _WRAPPERS:
            yield from _rows(child)


def _row(row: Element) -> tuple[str, ...]:
    cells: list[str] = []
    for cell in row.iter(qn("w:tc")):
        if next(cell.iterancestors(qn("w:tr"))) is not row:
            continue  # a table inside a cell: its text belongs to that cell
        properties = cell.find(qn("w:tcPr"))
        span = properties.find(qn("w:gridSpan")) if properties is not None else None
        paragraphs = (_text(p).replace(_BREAK, "\n").strip() for p in cell.iter(qn("w:p")))
        cells.append("\n".join(text for text in paragraphs if text))
        cells += [""] * (int(span.get(qn("w:val"), "1")) - 1 if span is not None else 0)
    return tuple(cells)


def _figures(paragraph: Element, part: StoryPart) -> Iterator[Figure]:
    for drawing in paragraph.iter(qn("w:drawing")):
        blip = next(drawing.iter(qn("a:blip")), None)
        extent = next(drawing.iter(qn("wp:extent")), None)
        related = part.related_parts.get(str(blip.get(qn("r:embed")))) if blip is not None else None
        if related is not None and extent is not None:
            width, height = int(extent.get("cx", "0")), int(extent.get("cy", "0"))
            yield Figure(related.blob, width / _EMU_A_POINT, height / _EMU_A_POINT)
