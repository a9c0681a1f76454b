"""Which schema a document is given, on pages of our own: by kind, by language, and never by force."""

from __future__ import annotations

import random

import pytest

from service.domain.geometry import Box
from service.domain.pages import PageSize, PageText, TextSource, Word
from service.domain.routes import UnroutedReason
from service.domain.schema import ExtractionSchema, parse_schema
from service.embedded.routing import Router
from service.embedded.words.kinds import kinds, kinds_of_schema
from service.jobs.intake.schemas import ready_schemas


def page(*lines: str, number: int = 1) -> PageText:
    """A sheet with lines from the top; the first one is the largest."""
    words = [
        Word(
            text=text,
            box=Box(0.1 + 0.08 * place, 0.05 + 0.04 * line, 0.17 + 0.08 * place, 0.08 + 0.04 * line),
            line=line,
            size=18.0 if line == 0 else 11.0,
        )
        for line, content in enumerate(lines)
        for place, text in enumerate(content.split())
    ]
    size = PageSize(page=number, width=595.0, height=842.0)
    return PageText(size=size, source=TextSource.DIGITAL if words else TextSource.NONE, words=tuple(words))


READY: dict[str, ExtractionSchema] = {
    name: parse_schema(schema.source, name) for name, schema in ready_schemas().items()
}
DOCUMENTS = {
    "invoice": (
        (
            "INVOICE",
            "Invoice number: 17",
            "Invoice date: 2026-10-05",
            "Due date: 2026-11-04",
            "Bill to: Heron Library",
            "Description Quantity Unit price Amount",
            "Shelf 4 80.00 320.00",
            "Subtotal: 320.00",
            "VAT: 64.00",
            "Total: 384.00",
        ),
        (
            "Rechnung",
            "Rechnungsnummer: 17",
            "Rechnungsdatum: 05.10.2026",
            "Kundennummer: 4",
            "Fällig am: 04.11.2026",
            "Bezeichnung Menge Einzelpreis Betrag",
            "Regal 4 80,00 320,00",
            "Nettobetrag: 320,00",
            "MwSt: 60,80",
            "Gesamtbetrag: 380,80",
        ),
        (
            "Facture",
            "Numéro de facture : 17",
            "Date de facture : 05/10/2026",
            "Échéance : 04/11/2026",
            "Désignation Quantité Prix unitaire Montant",
            "Étagère 4 80,00 320,00",
            "Total HT : 320,00",
            "TVA : 64,00",
            "Total TTC : 384,00",
        ),
    ),
    "bank_statement": (
        (
            "Bank statement",
            "Account holder: Ada Brandt",
            "IBAN: DE02 1203 0000 0000 2020 51",
            "Statement period: October 2026",
            "Opening balance: 210.00",
            "Date Description Amount",
            "03 Oct Rent -450.00",
            "Closing balance: 1,240.00",
        ),
        (
            "Kontoauszug",
            "Kontoinhaber: Ada Brandt",
            "IBAN: DE02 1203 0000 0000 2020 51",
            "Alter Kontostand: 210,00",
            "Buchung Valuta Betrag",
            "03.10. Miete -450,00",
            "Neuer Kontostand: 1.240,00",
        ),
    ),
    "contract": (
        (
            "Service agreement",
            "This agreement is made between the parties named below and is effective from 1 May 2026.",
            "Whereas the client needs help, the parties agree as follows.",
            "Either party may terminate with three months notice.",
            "This agreement is governed by the law of Scotland.",
            "In witness whereof the parties have signed.",
        ),
    ),
}  # fmt: skip - documents in rows
STRANGERS = (
    ("Lemon shortbread", "Ingredients: 250 g flour, 180 g butter, 90 g sugar.", "Bake at 160 degrees for 25 minutes."),
    ("Liebe Großeltern,", "vielen Dank für das Paket, die Socken passen gut.", "Viele Grüße, euer Enkel"),
    ("How tides shape a marsh", "Abstract. We describe how creeks widen.", "Introduction. A marsh looks still."),
    ("Using the drill stand", "Press the green button to switch it on.", "Caution: never reach under the drill."),
)  # fmt: skip - documents in rows


def routed(names: list[str], *lines: str) -> str | UnroutedReason | None:
    """The name of the schema that a page is given among some of the ready ones, or why it is given none."""
    route = Router([READY[name] for name in names]).route([page(*lines)])
    return route.reason if route.schema is None else names[route.schema]


@pytest.mark.parametrize(("kind", "lines"), [(kind, lines) for kind, all_ in DOCUMENTS.items() for lines in all_])
def test_a_document_is_given_the_schema_of_its_kind_in_any_order(kind: str, lines: tuple[str, ...]) -> None:
    """Whatever its language, and in whatever order the schemas are named."""
    names = list(READY)
    for seed in range(3):
        random.Random(seed).shuffle(names)
        assert routed(names, *lines) == kind


@pytest.mark.parametrize("lines", STRANGERS)
def test_a_stranger_is_given_none_however_few_schemas_there_are(lines: tuple[str, ...]) -> None:
    """A single schema is no reason to fit."""
    assert routed(list(READY), *lines) is UnroutedReason.NO_FIT
    for name in READY:
        assert routed([name], *lines) is UnroutedReason.NO_FIT


def test_a_document_whose_schema_is_missing_is_not_given_another() -> None:
    """A contract is no receipt."""
    for kind, documents in DOCUMENTS.items():
        others = [name for name in ("receipt", "bank_statement", "contract", "tax_form") if name != kind]
        for lines in documents:
            assert isinstance(routed(others, *lines), UnroutedReason)


def test_pages_without_words_are_told_apart_from_those_that_do_not_fit() -> None:
    """Nothing was read."""
    route = Router(list(READY.values())).route([page(), page(number=2)])
    assert (route.schema, route.reason, route.candidates) == (None, UnroutedReason.NO_TEXT, ())


def test_two_schemas_that_fit_alike_are_both_candidates_and_neither_is_taken() -> None:
    """The same schema under two names."""
    twins = [parse_schema(READY["invoice"].source, name) for name in ("invoice", "invoices")]
    route = Router(twins).route([page(*DOCUMENTS["invoice"][0])])
    assert (route.schema, route.reason) == (None, UnroutedReason.SEVERAL_FIT)
    assert [candidate.schema for candidate in route.candidates] == [0, 1]


def test_fields_that_no_other_schema_asks_for_decide_between_kinds_alike() -> None:
    """Two sorts of invoices, told apart by what is on them."""
    freight = parse_schema(
        {
            "title": "Freight invoice",
            "description": "An invoice for the transport of goods",
            "properties": {
                n: {"type": "string"} for n in ("consignee", "vessel", "container", "port_of_loading", "invoice_number")
            },
        }
    )
    router = Router([READY["invoice"], freight])
    lines = (
        "INVOICE",
        "Invoice number: 8",
        "Consignee: Tidebury Stores",
        "Vessel: Plover",
        "Container: 4411",
        "Port of loading: Leith",
    )
    assert router.route([page(*lines)]).schema == 1
    assert router.route([page(*DOCUMENTS["invoice"][0])]).schema == 0


def test_candidates_come_best_first_with_scores_between_nothing_and_one() -> None:
    """At most three."""
    route = Router(list(READY.values())).route([page(*DOCUMENTS["contract"][0])])
    scores = [candidate.score for candidate in route.candidates]
    assert len(scores) == 3
    assert scores == sorted(scores, reverse=True)
    assert all(0 <= score <= 1 for score in scores)


def test_a_title_inside_a_longer_one_is_not_another_kind() -> None:
    """A lease agreement is no agreement of any kind, a tax form no form of any kind."""
    assert set(kinds_of_schema("Lease agreement", "")) == {"lease"}
    assert set(kinds_of_schema("tax form", "")) == {"tax_form"}
    assert kinds_of_schema("Beleg", "A till receipt of a shop") == {"receipt": 0.8}


def test_the_list_of_kinds_is_whole() -> None:
    """Every kind has titles and cues, and wider kinds exist."""
    known = kinds()
    assert len(known) > 30
    for kind in known.values():
        assert kind.titles
        assert all(kind.titles)
        assert kind.telling
        assert "" not in kind.telling | kind.usual
        assert kind.wider in ("", *known)
