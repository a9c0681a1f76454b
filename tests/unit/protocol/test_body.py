"""A body goes out as the JSON it stands for, however large its files are, and as often as it is sent."""

from __future__ import annotations

import json
from collections.abc import Mapping

from hypothesis import given
from hypothesis import strategies as st

from service.protocol.body import Attachment, Body

_FILES = st.lists(st.binary(max_size=400_000), max_size=3)


@given(_FILES, st.text(), st.permutations([0, 1, 2]))
def test_a_body_is_the_json_with_its_files_in_their_places(files: list[bytes], text: str, order: list[int]) -> None:
    """In whatever order they are told."""
    held = {f"held:{number}": Attachment("data:;base64,", data) for number, data in enumerate(files)}
    told = {mark: held[mark] for mark in (f"held:{number}" for number in order) if mark in held}
    body = Body({"text": text, "files": list(held)}, told)
    expected = {"text": text, "files": [file.url() for file in held.values()]}
    assert json.loads(bytes(body)) == expected
    assert len(body) == len(bytes(body))


def _sizes(files: Mapping[str, Attachment]) -> list[int]:
    return [len(piece) for piece in Body({"files": list(files)}, files).pieces()]


def test_a_body_goes_out_in_pieces_that_are_neither_large_nor_small() -> None:
    """A small one at once; of a large one no piece is long enough to be felt."""
    assert len(_sizes({"m": Attachment("data:;base64,", b"x" * 3_000)})) == 1
    sizes = _sizes({"m": Attachment("data:;base64,", b"x" * 3_000_000)})
    assert min(sizes[:-1]) > 50_000
    assert max(sizes) < 400_000
