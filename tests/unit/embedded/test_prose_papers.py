"""Letters, certificates, contracts and court papers: who, where and when, without a label or in a sentence."""

from __future__ import annotations

from dataclasses import replace

import pytest

from service.domain.geometry import Box
from service.domain.records import Json
from service.domain.schema import parse_schema
from service.embedded.model import EmbeddedModel
from tests.unit.embedded.asking import DATE, TEXT, ask
from tests.unit.embedded.laid_out import HEIGHT, page

PERSON: Json = {"type": "object", "properties": {"name": TEXT}}


@pytest.mark.parametrize(
    ("lines", "name", "day"),
    [
        (("Marlow Trust", "12 May 2024", "Dear members, the vote of 3 June 2023 stands."), "letter_date", "2024-05-12"),
        (("En Valdeluna, a 14 de mayo de 2024.", "El plazo acaba el 3 de junio de 2025."), "fecha_firma", "2024-05-14"),
        (("Birkental, den 03.05.2024", "Die Wahl vom 01.02.2023 ist gültig."), "ausfertigung", "2024-05-03"),
    ],
)
def test_a_paper_is_dated_where_its_day_stands_alone_or_behind_a_place(lines: tuple[str, ...], name: str, day: str):
    """Not on the days that its sentences speak of."""
    pieces = [(60.0, 60.0 + 30 * at, line) for at, line in enumerate(lines)]
    assert ask({name: DATE}, pieces) == {name: day}


def test_a_signature_is_dated_over_its_caption_and_has_a_place():
    """The last day of the paper, not the first."""
    pieces = [(60, 60, "Report of 2 March 2024"), (60, 300, "Elmworth, 9 March 2024"), (60, 330, "Signature")]
    assert ask({"signed_on": DATE, "place_of_signature": TEXT}, pieces) == {
        "signed_on": "2024-03-09",
        "place_of_signature": "Elmworth",
    }


def test_who_is_named_with_a_role_behind_the_name():
    """Between dashes or in brackets, in another form of the word."""
    pieces = [(60, 100, "Ottilie Brandt - Klägerin -"), (60, 120, "gegen"), (60, 140, "Sandkai OHG - Beklagte -")]
    assert ask({"kläger": TEXT, "beklagter": TEXT}, pieces) == {"kläger": "Ottilie Brandt", "beklagter": "Sandkai OHG"}


def test_what_a_sentence_calls_by_its_name():
    """A code behind the word for it, a title in quotation marks, somebody to ask."""
    pieces = [
        (60, 100, "We confirm that the car with licence plate KX-0123 was seen at the gate today."),
        (60, 120, 'The board has approved a grant for your project "Boats for Everyone" this year.'),
        (60, 140, "For all questions please contact Ms Ida Fenn (desk@marlow.example) at any time."),
    ]
    found = ask({"licence_plate": TEXT, "project_title": TEXT, "contact": PERSON}, pieces)
    assert found == {
        "licence_plate": "KX-0123",
        "project_title": "Boats for Everyone",
        "contact": {"name": "Ida Fenn"},
    }


@pytest.mark.parametrize(
    ("before", "name"),
    [("This is to certify that", "student"), ("Hiermit wird bestätigt, dass Frau", "teilnehmerin"),
     ("Se certifica que", "participante")],
)  # fmt: skip
def test_whom_a_certificate_is_for(before: str, name: str):
    """Who stands behind the words that certify."""
    pieces = [(60, 60, "ACADEMY"), (60, 120, f"{before} Ida Fenn took part in the course of two days.")]
    assert ask({name: TEXT}, pieces) == {name: "Ida Fenn"}


def test_who_employs_whom_as_what_and_from_when():
    """The company and the person of the parties, the work behind `as`, the day that the verb begins."""
    pieces = [
        (60, 60, "EMPLOYMENT CONTRACT"),
        (60, 100, "between Sandkai Ltd and Ida Fenn, residing in Birkwell, who agree as follows."),
        (60, 120, "The employee is employed as a warehouse clerk and reports to the manager."),
        (60, 140, "The employment commences on 1 July 2024 and ends on 30 June 2026 without notice."),
    ]
    asked = {"employer": TEXT, "employee": TEXT, "position": TEXT, "start_date": DATE, "end_date": DATE}
    assert ask(asked, pieces) == {
        "employer": "Sandkai Ltd",
        "employee": "Ida Fenn",
        "position": "warehouse clerk",
        "start_date": "2024-07-01",
        "end_date": "2026-06-30",
    }


def test_the_only_address_of_a_paper_needs_no_label():
    """Also where the code stands behind the place, as in many countries; another amount stands between the lines."""
    pieces = [(60, 100, "Ida Fenn"), (60, 114, "17 Mill Road"), (330, 122, "210.40"), (60, 130, "Birkwell 12190")]
    assert ask({"supply_address": TEXT}, [(60, 30, "Your gas bill"), *pieces]) == {
        "supply_address": "17 Mill Road, Birkwell 12190"
    }


def test_what_a_paper_is_called_is_not_who_issues_it():
    """In any language; and no sentence is a name."""
    pieces = [(60, 60, "CONTRATO DE ARRENDAMIENTO"), (60, 80, "Casa Fenn S.L."), (60, 120, "El contrato dura un año.")]
    assert ask({"company_name": TEXT}, pieces) == {"company_name": "Casa Fenn S.L."}


def test_a_finer_caption_belongs_to_what_stands_over_it():
    """The next answer under it is that of another caption."""
    shown = page([(60, 100, "Boat club"), (60, 300, "Ida Fenn"), (60, 314, "Mentor"), (60, 350, "04/05/2024")])
    small = [
        replace(w, size=6.0, box=Box(w.box.x0, w.box.y0, w.box.x1, w.box.y0 + 6 / HEIGHT)) if w.text == "Mentor" else w
        for w in shown.words
    ]
    schema = parse_schema({"type": "object", "properties": {"mentor": TEXT}})
    assert EmbeddedModel().extract(schema, [replace(shown, words=tuple(small))]).values == {"mentor": "Ida Fenn"}


def test_the_name_of_a_cv_stands_at_its_head():
    """Written larger than the rest."""
    shown = page([(60, 40, "Ida Fenn"), (60, 80, "Work experience"), (60, 100, "2010 - 2024 Clerk, Sandkai Ltd"),
                  (60, 120, "Education"), (60, 140, "Diploma in Logistics")])  # fmt: skip
    large = [replace(w, size=16.0, box=replace(w.box, y1=w.box.y0 + 16 / HEIGHT)) for w in shown.words[:2]]
    schema = parse_schema({"type": "object", "properties": {"name": TEXT}})
    found = EmbeddedModel().extract(schema, [replace(shown, words=(*large, *shown.words[2:]))]).values
    assert found == {"name": "Ida Fenn"}


def test_a_letter_names_whom_it_is_about_and_where_they_were_born():
    """In the line of its subject, and behind the verb."""
    asked = {"patient_name": TEXT, "place_of_birth": TEXT, "date_of_birth": DATE}
    pieces = [
        (60, 60, "Re: Ida Fenn, born on 3 May 1980 in Birkwell, hospital number H 12"),
        (60, 90, "Thank you for referring this patient, whom I saw in my clinic last week."),
    ]
    assert ask(asked, pieces) == {
        "patient_name": "Ida Fenn",
        "place_of_birth": "Birkwell",
        "date_of_birth": "1980-05-03",
    }


def test_of_two_addresses_over_a_salutation_the_upper_one_writes():
    """A person may write to a company, which is no issuer for that."""
    pieces = [
        (60, 60, "Ida Fenn"), (60, 74, "17 Mill Road"), (60, 88, "LE2 3QB Birkwell"),
        (360, 130, "Sandkai Ltd"), (360, 144, "4 Harbour Street"), (360, 158, "LE3 4QB Elmworth"),
        (60, 220, "Dear Sir or Madam,"), (60, 240, "I hereby end my contract at the end of the month."),
    ]  # fmt: skip
    assert ask({"sender": TEXT, "recipient": TEXT}, pieces) == {"sender": "Ida Fenn", "recipient": "Sandkai Ltd"}
