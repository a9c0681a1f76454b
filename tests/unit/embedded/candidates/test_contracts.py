"""Agreements: what the embedded model reads from running text and signatures."""

from __future__ import annotations

from typing import cast

import pytest

from service.domain.pages import PageText
from service.domain.records import JsonObject
from tests.unit.embedded.asking import values_of
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


def written(sentences: str, *below: tuple[float, float, str]) -> PageText:
    """A page of running text, and what stands under it: places counted from its last line."""
    words = sentences.split()
    lines = [" ".join(words[i : i + 14]) for i in range(0, len(words), 14)]
    pieces = [(60.0, 80.0 + 14 * i, line) for i, line in enumerate(lines)]
    return page([*pieces, *((x, 80.0 + 14 * len(lines) + y, text) for x, y, text in below)])


def test_a_contract_is_read_from_its_sentences() -> None:
    """Date, parties and governing law stand in running text."""
    text = written(SENTENCES)
    values = values_of(CONTRACT, text)
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
    assert values_of(schema, written(SENTENCES)) == {"lines": []}


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
    assert values_of(CONTRACT, written(start + SENTENCES.partition("”). ")[2]))["party"] == parties


def test_who_signs_for_himself_is_a_party() -> None:
    """An agreement of employment may name the employee with the signature alone; an officer signs for the company."""
    start = "In consideration of the employment by Larkspur Mills, Inc. (the “Company”) the signing Employee agrees. "
    text = written(
        start + SENTENCES.partition("”). ")[2],
        (60, 20, "LARKSPUR MILLS, INC."), (330, 20, "EMPLOYEE"),
        (60, 40, "By: /s/ Una Crake"), (330, 40, "/s/ Ann Lee"), (330, 54, "Employee Signature"),
    )  # fmt: skip
    assert values_of(CONTRACT, text)["party"] == ["LARKSPUR MILLS, INC.", "Ann Lee"]


def test_the_governing_law_is_nobody_s_country() -> None:
    """A field for somebody's nationality stays empty where only the law's state is named."""
    schema: JsonObject = {
        "type": "object",
        "properties": {"nationality": {"type": "string", "description": "Nationality of the person"}},
    }
    text = written(SENTENCES)
    assert values_of(schema, text) == {"nationality": None}


LASTING: JsonObject = {
    "type": "object",
    "properties": {
        "effective_date": {
            "type": "string",
            "format": "date",
            "description": "Date on which the agreement takes effect.",
        },
        "law": {"type": "string", "description": "State or country whose law governs the agreement."},
        "term": {"type": "string", "description": "How long the agreement lasts."},
    },
}
AROUND = (
    "The mill keeps its recipes secret and the reader of this paper keeps them secret too. Nothing here gives a "
    "licence of any kind to anyone. Each copy is returned on request of the mill. No change is valid unless it is "
    "made in writing and signed by both sides of it. If a part is void the rest stays in force. It binds those who "
    "follow them and may not be handed on to others without consent of the other side, which is not held back."
)


def said(sentence: str) -> JsonObject:
    """What an agreement says for sure in which one sentence stands among others."""
    values = values_of(LASTING, written(f"{AROUND} {sentence} {AROUND}"))
    return {name: value for name, value in values.items() if value is not None}


@pytest.mark.parametrize(
    ("sentence", "term"),
    [
        ("This Agreement shall terminate three (3) years after the date of signing.", "3 years"),
        ("The term of this Agreement shall be two (2) years.", "2 years"),
        ("Term: two (2) years from the date above.", "2 years"),
        ("The obligations of confidentiality set forth herein shall continue for a period of three years.", "3 years"),
        ("The Recipient's duties of confidentiality shall last for five (5) years.", "5 years"),
        ("This Agreement has a term of two years.", "2 years"),
        ("The confidentiality period shall be eighteen (18) months.", "18 months"),
        ("The undertakings in this letter shall cease to apply two (2) years from its date.", "2 years"),
        ("This NDA shall stay in force for 5 years.", "5 years"),
        ("Unless sooner ended, this contract shall be valid for one (1) year.", "1 year"),
    ],
)
def test_how_long_an_agreement_lasts_is_said_of_the_agreement(sentence: str, term: str) -> None:
    """Of the agreement, of what it lays upon somebody, or of its term."""
    assert said(sentence) == {"term": term}


@pytest.mark.parametrize(
    "sentence",
    [
        "Under this Agreement the Company shall continue to pay the salary of Ms Lee for a period of twelve months.",
        "The options granted by this Agreement shall remain exercisable for a period of two years from the grant.",
        "Upon termination, the severance shall be twelve (12) months of salary.",
        "Following termination the non-compete period shall be one year.",
        "The initial term of the loan shall be five years and it bears interest.",
        "For purposes of this Agreement, the term “Restricted Period” shall be the two year period after it ends.",
        "The covenant not to compete in this Agreement shall remain in effect for a period of two (2) years.",
        "The license granted in this Agreement shall remain in force for ten (10) years.",
        "The probationary term is six (6) months.",
        "The term of office of each director is two (2) years.",
        "The parties entered into a supply agreement which expires in two (2) years.",
        "The records of the use of information under this Agreement will remain available for five (5) years.",
        "The restrictions contained in Section 3 of this Agreement shall continue for one (1) year.",
        "All obligations under this Agreement shall survive its termination for a period of five (5) years.",
        "The obligations hereunder shall continue for three years after the disclosure of each recipe.",
        "This Agreement may be terminated by either party at any time after one year.",
        "This Agreement shall be extended for successive periods of one (1) year each.",
        "Once the employment of Ms Lee with the mill has ended all duties laid upon her shall remain for two years.",
    ],
)
def test_how_long_something_else_lasts_is_no_term(sentence: str) -> None:
    """Pay, options, other agreements, a ban on competing: an agreement names it without lasting so long."""
    assert said(sentence) == {}


def test_the_term_of_a_lease_is_that_of_an_agreement_which_is_one() -> None:
    """What lasts is the agreement itself where its title says so."""
    text = written(f"Lease agreement. {AROUND} The term of the lease is five (5) years. {AROUND}")
    assert values_of(LASTING, text)["term"] == "5 years"


@pytest.mark.parametrize(
    ("sentence", "law"),
    [
        ("THIS AGREEMENT IS GOVERNED BY THE LAWS OF THE STATE OF TEXAS WITHOUT REGARD TO ITS CHOICE OF LAW.", "TEXAS"),
        ("THIS AGREEMENT IS GOVERNED BY THE LAWS OF NEW YORK TO THE EXTENT PERMITTED.", "NEW YORK"),
        ("THE LAWS OF THE STATE OF TEXAS SHALL GOVERN THIS AGREEMENT.", "TEXAS"),
        ("THE LAW OF OHIO APPLIES TO THIS AGREEMENT.", "OHIO"),
        ("This Agreement shall be construed under Delaware law, without regard to conflicts.", "Delaware"),
        ("This Agreement shall be governed by English law.", "England"),
        ("This Agreement is governed by the laws of England and Wales.", "England and Wales"),
        ("The law of the State of Washington applies to this Agreement.", "Washington"),
        (
            "The laws of the State of Ohio govern it. Rye is organized under the laws of the State of Delaware. "
            "Fennel is a company existing under the laws of the State of Delaware.",
            "Ohio",
        ),
    ],
)
def test_the_law_that_governs_is_told_by_what_is_said_of_it(sentence: str, law: str) -> None:
    """Before the law, as `governed by`, or behind it, as `applies to`."""
    assert said(sentence) == {"law": law}


@pytest.mark.parametrize(
    "sentence",
    [
        "Fennel Inc. is a corporation organized and existing under the laws of the State of Delaware.",
        "The mill is a partnership formed under the laws of Vermont and the keeper is its agent.",
        "Each party obeys the laws of France when it travels there.",
        "The securities laws of the United States prohibit trading on it.",
    ],
)
def test_a_law_that_is_only_spoken_of_governs_nothing(sentence: str) -> None:
    """Neither the law that somebody was founded under nor one that is obeyed."""
    assert said(sentence) == {}


@pytest.mark.parametrize(
    "sentence",
    [
        "This Agreement shall expire on December 31, 2015.",
        "Payment under this Agreement is due on June 1, 2012.",
        "The offer made to the Employee remains open until July 9, 2014.",
        "Notice of termination of this Agreement must be received by August 31, 2016.",
        "The Supply Agreement between them was signed on March 4, 2010 and stays as it is.",
        "Under this Agreement invoices issued before May 1, 2015 are not paid.",
    ],
)
def test_a_day_on_which_something_else_happens_is_no_effective_date(sentence: str) -> None:
    """Ends, deadlines, and days of other papers."""
    assert said(sentence) == {}
