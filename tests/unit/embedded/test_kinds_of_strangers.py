"""What papers of kinds and languages that nothing was made for have in common: leaders, sections, references, days."""

from __future__ import annotations

import pytest

from service.domain.records import Json
from service.embedded.words.normalise import parse_boolean, parse_date, parse_period
from tests.unit.embedded.asking import DATE, TEXT, ask
from tests.unit.embedded.laid_out import rows

PERSON: Json = {"type": "object", "properties": {"name": TEXT, "born_in": TEXT}}


def test_dots_lead_from_a_label_to_its_value():
    """They are no word of either, and the next line is no further value."""
    pieces = [
        (60, 100, "Cover ............................ All risks"),
        (60, 114, "Model ............................ QX 750"),
        (60, 128, "Serial no ........................ 9052718842"),
    ]
    found = ask({"cover": TEXT, "model": TEXT, "serial_no": TEXT}, pieces)
    assert found == {"cover": "All risks", "model": "QX 750", "serial_no": "9052718842"}


@pytest.mark.parametrize("beside", [False, True])
def test_the_same_label_in_two_sections_belongs_to_whom_its_section_is_about(beside: bool):
    """Under each other or side by side; what the page says of somebody else before them is neither's."""
    tops = (130, 130) if beside else (130, 190)
    lefts = (60, 330) if beside else (60, 60)
    pieces = [(60, 80, "Name"), (160, 80, "Ottoline Marsh"), (60, 94, "Born in"), (160, 94, "Fernhill")]
    people = (("Mother", "Rosalind Marsh", "Elmworth"), ("Father", "Conrad Marsh", "Birkwell"))
    for left, top, (who, name, place) in zip(lefts, tops, people, strict=True):
        pieces += [(left, top, who), (left, top + 14, f"Name: {name}"), (left, top + 28, f"Born in: {place}")]
    assert ask({"mother": PERSON, "father": PERSON}, pieces) == {
        "mother": {"name": "Rosalind Marsh", "born_in": "Elmworth"},
        "father": {"name": "Conrad Marsh", "born_in": "Birkwell"},
    }


@pytest.mark.parametrize(
    "sentence",
    [
        "Unfortunately our invoice no. R-13995 dated 28 December 2022 has not been paid by you yet.",
        "Leider ist unsere Rechnung Nr. R-13995 vom 28.12.2022 bis heute noch nicht bezahlt worden.",
        "Nous n'avons pas reçu le paiement de la facture n° R-13995 du 28/12/2022 qui est jointe.",
    ],
)
def test_a_sentence_names_another_paper_by_its_number_and_day(sentence: str):
    """The day of the letter itself, which stands alone, is not that of the invoice."""
    pieces = [(60, 60, "20/02/2023"), (60, 120, sentence)]
    assert ask({"invoice_number": TEXT, "invoice_date": DATE}, pieces) == {
        "invoice_number": "R-13995",
        "invoice_date": "2022-12-28",
    }


@pytest.mark.parametrize(
    "before",
    [
        "Vous devez payer au plus tard le",
        "Da pagare entro il",
        "Bitte zahlen Sie bis spätestens",
        "Het bedrag moet uiterlijk",
        "Please pay no later than",
    ],
)
def test_the_last_day_of_a_payment_in_a_sentence(before: str):
    """In the words of several languages; another day of the page is none."""
    pieces = [(60, 60, "01/03/2024"), (60, 120, f"{before} 28/04/2024.")]
    assert ask({"due_date": DATE}, pieces) == {"due_date": "2024-04-28"}


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("14 października 2023", "2023-10-14"),
        ("3. června 2024", "2024-06-03"),
        ("5 Ağustos 2022", "2022-08-05"),
        ("7 maj 2023", "2023-05-07"),
        ("12. desember 2021", "2021-12-12"),
    ],
)
def test_days_with_the_months_of_further_languages(text: str, day: str):
    """Polish, Czech, Turkish, Swedish, Norwegian."""
    found = parse_date(text, day_first=True)
    assert found is not None
    assert found.isoformat() == day


def test_yes_and_no_in_further_languages():
    """As forms print them."""
    assert [parse_boolean(word) for word in ("Sim", "tak", "Evet")] == [True] * 3
    assert [parse_boolean(word) for word in ("Não", "nej", "Hayır", "HAYIR")] == [False] * 4


@pytest.mark.parametrize(
    ("text", "period"),
    [
        ("2 år", "2 years"),
        ("12 måneder", "12 months"),
        ("6 uker", "6 weeks"),
        ("14 dage", "14 days"),
        ("12 lat", "12 years"),
        ("6 měsíců", "6 months"),
        ("3 yıl", "3 years"),
        ("3 YIL", "3 years"),
        ("30 gün", "30 days"),
    ],
)
def test_periods_of_further_languages(text: str, period: str):
    """Swedish, Norwegian, Danish, Polish, Czech, Turkish."""
    assert parse_period(text) == period


@pytest.mark.parametrize(
    ("labels", "language"),
    [
        (("Numer faktury", "Data wystawienia", "Data płatności"), "pl"),
        (("Číslo faktury", "Datum vystavení", "Datum splatnosti"), "cs"),
        (("Fakturanummer", "Fakturadatum", "Förfallodatum"), "sv"),
        (("Fatura numarası", "Fatura tarihi", "Vade tarihi"), "tr"),
    ],
)
def test_labels_of_languages_that_the_schema_is_not_in(labels: tuple[str, str, str], language: str):
    """An English schema finds what a page calls by another name."""
    values = ("FV 7741", "2024-03-02", "2024-04-01")
    pieces = rows((60, 220), 100, 14, list(zip(labels, values, strict=True)))
    found = ask({"invoice_date": DATE, "due_date": DATE}, pieces)
    assert found == {"invoice_date": values[1], "due_date": values[2]}, language


def test_another_address_is_no_part_of_an_address():
    """The addressee stands right under the sender's own line."""
    pieces = [
        (60, 50, "Jorvald Handels AG"), (60, 63, "Hafenstraße 133, 89081 Altfelden"),
        (60, 76, "Cordula Hasselbach"), (60, 89, "Lindenallee 15"), (60, 102, "80849 Seehausen"),
        (60, 240, "1. Mahnung"), (60, 270, "Bitte begleichen Sie den offenen Betrag in den nächsten Tagen."),
    ]  # fmt: skip
    assert ask({"schuldner": TEXT}, pieces) == {"schuldner": "Cordula Hasselbach"}
