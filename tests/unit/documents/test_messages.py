"""What a sandbox sends comes out as it went in, and nothing else is believed."""

from __future__ import annotations

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.documents.messages import (
    BrokenMessage,
    decode_error,
    decode_info,
    decode_page,
    encode_error,
    encode_info,
    encode_page,
    frame,
    read_message,
)
from service.domain.errors import ErrorCode, InputError, ReadingError
from service.domain.geometry import Box
from service.domain.pages import (
    CheckMark,
    DocumentInfo,
    FormEntry,
    MediaKind,
    PageSize,
    PageText,
    RuledTable,
    TableCell,
    TextSource,
    Word,
)
from service.domain.records import Issue, Stage

parts = st.integers(0, 100_000).map(lambda n: n / 100_000)
boxes = st.builds(Box, parts, parts, parts, parts)
texts = st.text(st.characters(exclude_categories=("Cs",)), max_size=12)
words = st.builds(Word, texts, boxes, st.integers(0, 999), st.integers(0, 9999).map(lambda n: n / 100), st.booleans(),
                  st.integers(0, 10_000).map(lambda n: n / 10_000))  # fmt: skip
sizes = st.builds(
    PageSize, st.integers(1, 9999), st.floats(1, 1e5), st.floats(1, 1e5), st.sampled_from((0, 90, 180, 270))
)
issues = st.builds(Issue, stage=st.sampled_from(Stage), code=texts, message=texts, page=st.none() | st.integers(1, 99))
cells = st.builds(TableCell, st.integers(0, 99), st.integers(0, 99), boxes, texts)
tables = st.builds(RuledTable, boxes, st.lists(cells, max_size=3).map(tuple))
pages = st.builds(
    PageText,
    size=sizes,
    source=st.sampled_from(TextSource),
    words=st.lists(words, max_size=4).map(tuple),
    tables=st.lists(tables, max_size=2).map(tuple),
    marks=st.lists(st.builds(CheckMark, boxes, st.booleans(), texts), max_size=2).map(tuple),
    entries=st.lists(st.builds(FormEntry, boxes, texts, texts), max_size=2).map(tuple),
    issues=st.lists(issues, max_size=2).map(tuple),
)


def sent(head: dict, body: bytes = b"") -> tuple[dict, bytes]:
    """Through the pipe and back."""
    answer = read_message(io.BytesIO(frame(head, body) + body).read)
    assert answer is not None
    return answer


@given(pages)
def test_a_page_survives_the_pipe(page: PageText) -> None:
    """Words, tables, marks and issues."""
    assert decode_page(sent(encode_page(page))[0]) == page


@given(st.lists(sizes, min_size=1, max_size=4).map(tuple), st.sampled_from(MediaKind))
def test_what_opening_tells_survives_the_pipe(found: tuple[PageSize, ...], kind: MediaKind) -> None:
    """Kind and sizes."""
    info = DocumentInfo(kind=kind, pages=found)
    assert decode_info(sent(encode_info(info))[0]) == info


@given(st.binary(max_size=300))
def test_a_body_survives_the_pipe(body: bytes) -> None:
    """Bytes as they are."""
    assert sent({"op": "x"}, body) == ({"op": "x"}, body)


@pytest.mark.parametrize("kind", [InputError, ReadingError])
def test_an_error_keeps_its_kind(kind: type[InputError | ReadingError]) -> None:
    """The caller's fault stays the caller's."""
    error = decode_error(sent(encode_error(kind(ErrorCode.DAMAGED_FILE, "broken")))[0])
    assert (type(error), error.code, error.message) == (kind, ErrorCode.DAMAGED_FILE, "broken")


@given(st.binary(min_size=1, max_size=200))
def test_noise_is_no_message(noise: bytes) -> None:
    """Whatever a broken child sends ends in a clear refusal, without a large allocation."""
    try:
        read_message(io.BytesIO(noise).read)
    except BrokenMessage:
        return


def test_a_message_cut_off_is_broken() -> None:
    """An end inside a message is not an end."""
    whole = frame({"op": "read"}, b"body") + b"body"
    assert read_message(io.BytesIO(b"").read) is None
    with pytest.raises(BrokenMessage):
        read_message(io.BytesIO(whole[:-1]).read)
