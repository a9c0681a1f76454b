"""An application form: some fields filled, some left empty, check boxes ticked and not."""

from __future__ import annotations

from paper import GREY, Letters, Page, Sample, Values, record, render_pdf

LEFT, RIGHT = 60.0, 536.0
GREEN = (0.12, 0.36, 0.2)
INK = (0.08, 0.12, 0.5)
VALUES: Values = {
    "applicant_name": "Wilhelmina Thistlewood",
    "date_of_birth": "1984-03-09",
    "street": "14 Heron's Elbow",
    "town": "Nowherebridge",
    "postcode": "NW0 3ZZ",
    "phone": None,
    "email": "w.thistlewood@example.com",
    "membership_number": None,
    "plot_size": "medium",
    "gardened_before": True,
    "wants_shed": False,
    "shares_plot": None,
    "accepts_rules": True,
    "wants_newsletter": False,
    "emergency_contact": None,
    "signed_on": "2026-11-05",
}


def build_form() -> Sample:
    """One page of boxes."""
    page = Page()
    page.text(LEFT, 64, "Mossy Gate Allotment Society", Letters(18, "serif-bold", colour=GREEN))
    page.text(LEFT, 84, "Application for a garden plot", Letters(13, "serif"))
    page.text(RIGHT, 84, "Form MG-2", Letters(9, align="right", colour=GREY))
    page.line(LEFT, 94, RIGHT, 94, width=1.2, colour=GREEN)
    _section(page, 120, "1  About you")
    _box(page, 132, (LEFT, 310), "Full name", "Wilhelmina Thistlewood", "/applicant_name")
    _box(page, 132, (322, RIGHT), "Date of birth (dd/mm/yyyy)", "09/03/1984", "/date_of_birth")
    _box(page, 176, (LEFT, 250), "House number and street", "14 Heron's Elbow", "/street")
    _box(page, 176, (262, 420), "Town", "Nowherebridge", "/town")
    _box(page, 176, (432, RIGHT), "Postcode", "NW0 3ZZ", "/postcode")
    _box(page, 220, (LEFT, 220), "Phone", "", "/phone")
    _box(page, 220, (232, RIGHT), "E-mail", "w.thistlewood@example.com", "/email")
    _box(page, 264, (LEFT, 310), "Membership number (if you have one)", "", "/membership_number")
    _section(page, 334, "2  The plot")
    _choices(
        page,
        356,
        "Plot size",
        (("small (50 m²)", False), ("medium (125 m²)", True), ("large (250 m²)", False)),
        "/plot_size",
    )
    _choices(page, 382, "Have you kept a garden before?", (("Yes", True), ("No", False)), "/gardened_before")
    _choices(page, 408, "Would you like a tool shed?", (("Yes", False), ("No", True)), "/wants_shed")
    _choices(page, 434, "Will you share the plot?", (("Yes", False), ("No", False)), "/shares_plot")
    _section(page, 478, "3  In case of need")
    _box(page, 490, (LEFT, RIGHT), "Emergency contact: name and phone", "", "/emergency_contact")
    _section(page, 560, "4  Declaration")
    _tick(page, LEFT, 582, ticked=True, field="/accepts_rules")
    page.text(LEFT + 18, 582, "I have read the society's rules and accept them.", Letters(10))
    _tick(page, LEFT, 604, ticked=False, field="/wants_newsletter")
    page.text(LEFT + 18, 604, "Send me the newsletter.", Letters(10))
    _box(page, 622, (LEFT, 310), "Signature", "", None)
    page.text(LEFT + 24, 648, "W. Thistlewood", Letters(15, "serif-italic", colour=INK))
    _box(page, 622, (322, RIGHT), "Date (dd/mm/yyyy)", "05/11/2026", "/signed_on")
    page.text(LEFT, 812, "Sample document: this society and the applicant are invented.", Letters(7, colour=GREY))
    return Sample(
        "form", "document.pdf", render_pdf([page], "Application for a garden plot"), _schema(), [record(VALUES,
        [page])],
        (
            "A digital form in English. Four text fields and one pair of check boxes were left empty: their value is "
            "null. A ticked box is a tick inside a drawn square; `wants_newsletter` is an unticked one, so false."
        ),
    )  # fmt: skip


def _section(page: Page, y: float, title: str) -> None:
    page.text(LEFT, y, title, Letters(11, "sans-bold", colour=GREEN))


def _box(page: Page, top: float, span: tuple[float, float], label: str, text: str, field: str | None) -> None:
    """A framed field with its small label inside, 36 points high."""
    page.block((span[0], top, span[1], top + 36), colour=GREY, filled=False)
    page.text(span[0] + 4, top + 10, label, Letters(7, colour=GREY))
    if text:
        page.text(span[0] + 6, top + 27, text, Letters(11, "mono", colour=INK), field=field)


def _choices(page: Page, y: float, question: str, answers: tuple[tuple[str, bool], ...], field: str) -> None:
    page.text(LEFT, y, question, Letters(10))
    x = 236.0
    for label, ticked in answers:
        _tick(page, x, y, ticked=ticked, field=field if ticked else None)
        page.text(x + 16, y, label, Letters(10))
        if ticked:
            page.mark(field, (x, y - 9, x + 16 + page.width_of(label, 10), y + 2))
        x += 100


def _tick(page: Page, x: float, y: float, *, ticked: bool, field: str | None) -> None:
    rect = (x, y - 9, x + 11, y + 2)
    page.block(rect, filled=False)
    if ticked:
        page.text(x + 1.2, y, "✔", Letters(11, "ticks", colour=INK))
    if field is not None:
        page.mark(field, rect)


def _schema() -> dict[str, object]:
    texts = {
        "applicant_name": "Full name of the applicant",
        "street": "House number and street of the applicant",
        "town": "Town of the applicant",
        "postcode": "Postcode of the applicant",
        "phone": "Telephone number of the applicant",
        "email": "E-mail address of the applicant",
        "membership_number": "Membership number, if the applicant has one",
        "emergency_contact": "Whom to call in an emergency, name and number",
    }
    ticks = {
        "gardened_before": "Whether the applicant has kept a garden before",
        "wants_shed": "Whether a tool shed is wanted",
        "shares_plot": "Whether the plot will be shared",
        "accepts_rules": "Whether the box for the society's rules is ticked",
        "wants_newsletter": "Whether the box for the newsletter is ticked",
    }
    days = {"date_of_birth": "Applicant's date of birth", "signed_on": "Day on which the form was signed"}
    fields: dict[str, object] = {name: {"type": "string", "description": text} for name, text in texts.items()}
    fields |= {name: {"type": "string", "format": "date", "description": text} for name, text in days.items()}
    fields |= {name: {"type": "boolean", "description": text} for name, text in ticks.items()}
    fields["plot_size"] = {
        "type": "string",
        "enum": ["small", "medium", "large"],
        "description": "The one plot size that is ticked",
    }
    return {
        "type": "object",
        "x-checks": ["date_of_birth <= signed_on"],
        "properties": {name: fields[name] for name in VALUES},
    }
