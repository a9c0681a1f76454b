"""A hire agreement: one page from a word processor, one page from a scanner."""

from __future__ import annotations

from camera import Shot, move_marks, photograph
from paper import A4, GREY, PHOTOGRAPHED, Letters, Page, Picture, Sample, Values, record, render_image, render_pdf

LEFT, RIGHT = 64.0, 532.0
SHOT = Shot(
    size=(1240, 1754), corners=((10, 22), (1222, -8), (1236, 1738), (24, 1762)),
    blur=0.8, noise=6.0, shadow=0.12, table=(232, 230, 226), seed=7, quality=50,
)  # fmt: skip
TERMS = (
    "1. The owner lets the machine named above to the hirer for the agreed time. It stays the owner's property.",
    "2. The hirer keeps the machine dry, feeds it proper ink only and lets no one else take it apart.",
    "3. The rent is due on the first working day of each month. A week's delay costs two per cent of that rent.",
    "4. The deposit is handed back within ten days after the machine has come home in good order.",
    "5. Either side may end this agreement in writing with one month's notice.",
)


def build_mixed() -> Sample:
    """Page 1 has a text layer, page 2 is a picture."""
    contract, handover = _contract(), _handover()
    picture = Picture(photograph(render_image(handover, dpi=150), SHOT), A4)
    values: Values = {
        "agreement_number": "HM-0093",
        "owner": "Pressgang & Daughters",
        "hirer": "Gullwing Poster Club",
        "machine": "Proof press, model Little Otter",
        "start_date": "2026-11-02",
        "end_date": "2027-04-30",
        "monthly_rent": 185.0,
        "deposit": 1200.0,
        "serial_number": "LO-77310-B",
        "handover_date": "2026-11-03",
        "counter_reading": 48216,
        "received_by": "Perpetua Gullwing",
    }
    pages = [contract, move_marks(handover, SHOT)]
    return Sample(
        "mixed", "document.pdf", render_pdf([contract, picture], "Hire agreement HM-0093"), _schema(),
        [record(values, pages)],
        (
            "A two-page PDF in English: page 1 is digital, page 2 is a slightly crooked scan without a text layer. "
            "The record needs both."
        ),
    )  # fmt: skip


def _rows(page: Page, y: float, rows: tuple[tuple[str, str, str], ...], size: float) -> float:
    for label, text, field in rows:
        page.text(LEFT, y, label, Letters(size, colour=GREY))
        page.text(220, y, text, Letters(size, "sans-bold"), field=field)
        page.line(LEFT, y + 6, RIGHT, y + 6, width=0.3, colour=(0.75, 0.75, 0.75))
        y += size + 12
    return y


def _contract() -> Page:
    page = Page()
    page.text(page.size[0] / 2, 84, "HIRE AGREEMENT", Letters(20, "sans-bold", align="centre"))
    lead = "Agreement no. "
    start = page.size[0] / 2 - page.width_of(lead + "HM-0093", 11) / 2
    page.text(start, 104, lead, Letters(11))
    page.text(start + page.width_of(lead, 11), 104, "HM-0093", Letters(11), field="/agreement_number")
    rows = (
        ("Owner", "Pressgang & Daughters", "/owner"), ("Hirer", "Gullwing Poster Club", "/hirer"),
        ("Machine", "Proof press, model Little Otter", "/machine"), ("Start of hire", "2 November 2026", "/start_date"),
        ("End of hire", "30 April 2027", "/end_date"), ("Monthly rent", "£ 185.00", "/monthly_rent"),
        ("Deposit", "£ 1,200.00", "/deposit"),
    )  # fmt: skip
    y = _rows(page, 146, rows, 10.5) + 16
    page.text(LEFT, y, "Terms", Letters(12, "sans-bold"))
    for term in TERMS:
        y += 22
        for line in _wrap(page, term, RIGHT - LEFT):
            page.text(LEFT, y, line, Letters(10))
            y += 13
    for x, who in ((LEFT, "For the owner"), (320.0, "For the hirer")):
        page.line(x, 690, x + 180, 690)
        page.text(x, 702, who, Letters(8, colour=GREY))
    page.text(LEFT, 812, "Sample document: all firms, people and figures are invented.", Letters(7, colour=GREY))
    page.text(RIGHT, 812, "Page 1 of 2", Letters(8, align="right", colour=GREY))
    return page


def _wrap(page: Page, text: str, width: float) -> list[str]:
    lines = [""]
    for word in text.split():
        longer = f"{lines[-1]} {word}".strip()
        if page.width_of(longer, 10) > width:
            lines.append(word)
        else:
            lines[-1] = longer
    return lines


def _handover() -> Page:
    page = Page(number=2, fonts=PHOTOGRAPHED)
    page.text(page.size[0] / 2, 92, "HANDOVER RECORD", Letters(19, "sans-bold", align="centre"))
    page.text(page.size[0] / 2, 112, "to hire agreement HM-0093", Letters(11, align="centre"))
    rows = (
        ("Serial number", "LO-77310-B", "/serial_number"), ("Handover date", "3 November 2026", "/handover_date"),
        ("Counter reading", "48216", "/counter_reading"), ("Received by", "Perpetua Gullwing", "/received_by"),
    )  # fmt: skip
    y = _rows(page, 160, rows, 12) + 20
    page.text(LEFT, y, "Condition at handover", Letters(12, "sans-bold"))
    for line in ("Rollers clean, bed without scratches.", "One side panel shows a small dent near the crank.",
    "Crank, key and two ink trays were handed over with the machine."):  # fmt: skip
        y += 18
        page.text(LEFT, y, line, Letters(11))
    page.line(LEFT, y + 90, LEFT + 210, y + 90, width=0.8)
    page.text(LEFT + 10, y + 84, "P. Gullwing", Letters(18, "sans-italic", colour=(0.1, 0.15, 0.5)))
    page.text(LEFT, y + 104, "Signature", Letters(9, colour=GREY))
    page.text(LEFT, 806, "Sample document: all firms, people and figures are invented.", Letters(8, colour=GREY))
    page.text(RIGHT, 806, "Page 2 of 2", Letters(9, align="right", colour=GREY))
    return page


def _schema() -> dict[str, object]:
    def text(description: str, **more: str) -> dict[str, str]:
        return {"type": "string", "description": description, **more}

    return {
        "type": "object",
        "x-checks": ["start_date <= end_date", "start_date <= handover_date"],
        "properties": {
            "agreement_number": text("Number of the hire agreement"),
            "owner": text("Who lets the machine"),
            "hirer": text("Who hires the machine"),
            "machine": text("What is hired, with its model"),
            "start_date": text("First day of the hire", format="date"),
            "end_date": text("Last day of the hire", format="date"),
            "monthly_rent": {"type": "number", "description": "Rent for one month"},
            "deposit": {"type": "number", "description": "Sum left with the owner as security"},
            "serial_number": text("Serial number of the machine, from the handover record"),
            "handover_date": text("Day on which the machine changed hands", format="date"),
            "counter_reading": {"type": "integer", "description": "Reading of the machine's counter at handover"},
            "received_by": text("Name of the person who received the machine"),
        },
    }
