"""Agreements: what the embedded model reads from running text and signatures."""

from __future__ import annotations

from typing import cast

import pytest

from service.domain.pages import PageText
from service.domain.records import JsonObject
from service.domain.schema import parse_schema
from service.embedded.model import EmbeddedModel
from tests.unit.embedded.laid_out import page

CONTRACT: JsonObject = {
    "type": "object",
    "properties": {
        "effective_date": {
            "type": "string",
            "format": "date",
            "description": "Date on which the agreement takes effect.",
        },
        "law": {"type": "string", "description": "State or country whose law governs the agreement."},
        "party": {"type": "array", "items": {"type": "string"}, "description": "Every party of the agreement."},
    },
}
SENTENCES = (
    "This Non-Disclosure Agreement is made effective as of March 4, 2025 by and between Larkspur Mills, "
    "Inc., a Delaware corporation (the “Discloser”), and Fennel & Rye LLC (the “Recipient”). The parties "
    "wish to share information about their mills and agree to keep it secret. The Recipient shall not use "
    "what it learns for anything but the purpose. The Recipient shall return or destroy every copy on "
    "request. Nothing in this Agreement gives a licence of any kind. This Agreement shall be governed by "
    "and construed in accordance with the laws of the State of Vermont, without regard to its conflict of "
    "laws. Each party has read this Agreement and signs it by its own officer. No change of this "
    "Agreement is valid unless it is made in writing. If a part of it is void the rest stays in force. It "
    "binds those who follow the parties and may not be handed on to others without consent of the other "
    "party, which shall not be held back."
)


def read(schema: JsonObject, text: PageText) -> JsonObject:
    """The model's values."""
    return EmbeddedModel().extract(parse_schema(schema), [text]).values


def written(sentences: str, *below: tuple[float, float, str]) -> PageText:
    """A page of running text, and what stands under it: places counted from its last line."""
    words = sentences.split()
    lines = [" ".join(words[i : i + 14]) for i in range(0, len(words), 14)]
    pieces = [(60.0, 80.0 + 14 * i, line) for i, line in enumerate(lines)]
    return page([*pieces, *((x, 80.0 + 14 * len(lines) + y, text) for x, y, text in below)])


def test_a_contract_is_read_from_its_sentences() -> None:
    """Date, parties and governing law stand in running text."""
    text = written(SENTENCES)
    values = read(CONTRACT, text)
    assert values["effective_date"] == "2025-03-04"
    assert values["law"] == "Vermont"
    assert [str(p).rstrip(".") for p in cast("list[str]", values["party"])] == [
        "Larkspur Mills, Inc",
        "Fennel & Rye LLC",
    ]


def test_sentences_are_no_table() -> None:
    """An array of rows stays empty where the document only has running text."""
    row: JsonObject = {"type": "object", "properties": {
        "description": {"type": "string"}, "quantity": {"type": "number"}, "amount": {"type": "number"},
    }}  # fmt: skip
    schema: JsonObject = {"type": "object", "properties": {"lines": {"type": "array", "items": row}}}
    assert read(schema, written(SENTENCES)) == {"lines": []}


@pytest.mark.parametrize(
    ("opening", "parties"),
    [
        ("by and between Larkspur Mills, Inc., a Delaware corporation (the “Company”), and Fennel & Rye LLC",
         ["Larkspur Mills, Inc.", "Fennel & Rye LLC"]),
        ("between Larkspur Mills Corporation , corporation with its seat (the “Company”), and Ann Lee, M.D. (“A”)",
         ["Larkspur Mills Corporation", "Ann Lee"]),
        ("among TANSY, Inc. (“TANSY”), and Quillwort Bottling, Inc.DBA Quillwort Bio (“QB”)",
         ["TANSY, Inc.", "Quillwort Bottling, Inc."]),
    ],
)  # fmt: skip
def test_parties_are_named_without_what_is_told_of_them(opening: str, parties: list[str]) -> None:
    """Legal forms stay with their dot; the kind of company, degrees and other names do not."""
    start = f"This Non-Disclosure Agreement is made as of March 4, 2025 {opening}. "
    assert read(CONTRACT, written(start + SENTENCES.partition("”). ")[2]))["party"] == parties


def test_who_signs_for_himself_is_a_party() -> None:
    """An agreement of employment may name the employee with the signature alone; an officer signs for the company."""
    start = "In consideration of the employment by Larkspur Mills, Inc. (the “Company”) the signing Employee agrees. "
    text = written(
        start + SENTENCES.partition("”). ")[2],
        (60, 20, "LARKSPUR MILLS, INC."), (330, 20, "EMPLOYEE"),
        (60, 40, "By: /s/ Una Crake"), (330, 40, "/s/ Ann Lee"), (330, 54, "Employee Signature"),
    )  # fmt: skip
    assert read(CONTRACT, text)["party"] == ["LARKSPUR MILLS, INC.", "Ann Lee"]


def test_the_governing_law_is_nobody_s_country() -> None:
    """A field for somebody's nationality stays empty where only the law's state is named."""
    schema: JsonObject = {
        "type": "object",
        "properties": {"nationality": {"type": "string", "description": "Nationality of the person"}},
    }
    text = written(SENTENCES)
    assert read(schema, text) == {"nationality": None}
