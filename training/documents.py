"""All kinds of invented documents, by a seed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from random import Random

from service.domain.pages import PageText
from service.domain.records import JsonObject
from training.business import make_delivery, make_invoice, make_order
from training.contract import make_contract
from training.form import make_form, make_memo
from training.paper import Paper
from training.receipt import make_receipt
from training.request import ask
from training.statement import make_statement
from training.stranger import make_ledger, make_letter, make_slip

MAKERS: tuple[tuple[str, Callable[[Random], Paper], int], ...] = (
    ("invoice", make_invoice, 23),
    ("receipt", make_receipt, 23),
    ("form", make_form, 16),
    ("order", make_order, 8),
    ("contract", make_contract, 8),
    ("statement", make_statement, 6),
    ("memo", make_memo, 4),
    ("delivery", make_delivery, 3),
    ("slip", make_slip, 3),
    ("letter", make_letter, 3),
    ("ledger", make_ledger, 3),
)
"""Kind, how it is made, and how many of a hundred are of it."""


@dataclass(frozen=True)
class Document:
    """Pages as they are read, what is asked of them, and what is right."""

    kind: str
    pages: tuple[PageText, ...]
    schema: JsonObject
    truth: JsonObject
    absent: frozenset[str]


def invent(seed: int, count: int) -> Iterator[Document]:
    """So many documents; the same ones for the same seed, each independent of the others."""
    kinds = [(kind, make) for kind, make, share in MAKERS for _ in range(share)]
    for number in range(count):
        rng = Random(f"{seed}/{number}")
        kind, make = kinds[rng.randrange(len(kinds))]
        paper = make(rng)
        request = ask(paper)
        yield Document(kind, paper.pages(), request.schema, request.truth, frozenset(request.absent))
