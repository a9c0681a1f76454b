"""Who stands on a page: names of organisations, postal address blocks, and which of them issues or receives."""

from __future__ import annotations

import re
from dataclasses import dataclass

from service.embedded.anchors.matching import Labels
from service.embedded.anchors.titles import is_kind_title, is_sentence, is_title, runs
from service.embedded.page.layout import Layout, Segment
from service.embedded.page.overlap import shared_width
from service.embedded.words.normalise import date_pattern, fold, squash

LEGAL_FORM = re.compile(
    r"(?<!\w)(?:gmbh|ag|kg|kgaa|ohg|e\.?\s?k\.?|ug|e\.?\s?v\.?|gbr|se|mbh|ltd|limited|llc|l\.l\.c|inc|s/b|incorporated|corp|corporation|plc|llp|lp|"
    r"co|company|sdn\.?\s?bhd|s?bhd|pte|pty|s\.?a\.?s?|sarl|s\.?a\.?r\.?l|eurl|sasu|s\.?l\.?u?|s\.?r\.?l|s\.?p\.?a|b\.?v|n\.?v|oy|ab|as|aps|"
    r"enterprise|enterprises|trading|restaurant|store|stores|trust|foundation|institute|association|bank|university|"
    r"committee|party|pac|group|holdings?|gebr\.?|ggmbh|partg(?:\s?mbb)?|e\.?\s?g|a\.\s?g|s\.?n\.?c|s\.?c\.?i|"
    r"sp\.?\s?z\s?o\.?\s?o|s\.?r\.?o|d\.?\s?o\.?\s?o|kft|zrt|nyrt|lda|ltda|eireli|v\.?o\.?f|stichting|oyj|a/s|hf|ehf|uab|"
    r"a\.?\s?s|sti|pvt|tbk)(?=[\s,.)]|$)"
    r"|株式会社|有限会社|合同会社|有限公司|股份|㈱|주식회사|유한회사|\(주\)"
)
POSTAL = re.compile(
    r"\b\d{5}[A-ZÄÖÜ][a-zäöüß]{2,}|(?:^|[\s,·|•–-])(?:[A-Z]{1,2}[-\s])?\d{4,5}\s+[A-ZÄÖÜÉÈ][\w.äöüéèß'-]+|\b\d{4}\s?[A-Z]{2}\s+[A-Z]\w+|"
    r"\b[A-Z][\w.]+,?\s+[A-Z]{2},?\s+\d{5}(?:-\d{4})?\b|\b[A-Z]{1,2}\d[A-Z\d]?\s?\d[A-Z]{2}\b|\b\d{5}\b\s*,?\s*[A-Z]{3,}"
    r"|(?<![\d-])(?:\d{2}-\d{3}|\d{4}-\d{3}|\d{3} \d{2})\s+"
    r"(?!(?:EUR|USD|GBP|SEK|NOK|DKK|PLN|CZK|Kč|Kr)\b)[^\W\da-z_][^\W\d_]+"
)
STREET = re.compile(
    r"(?:stra(?:ss|ß)e|str\.|weg|platz|allee|gasse|ring|damm)\s*\d|\b(?:rue|avenue|av\.|boulevard|bd|calle|via|piazza|"
    r"jalan|jln|lorong|lot|no\.?\s?\d+|unit|block|taman|street|st\.?|road|rd\.?|ave\.?|drive|dr\.?|lane|ln\.?|blvd|suite|"
    r"floor|hwy|highway|way|plaza|square|p\.?\s?o\.?\s?box|straat|laan|weg|gracht|rua|avenida|avda|travessa|corso|viale|ulica|"
    r"sokak|caddesi|mahallesi)\b|(?<!\w)(?:ul|al|os|sk|cad)\.\s?\w|(?:gatan|vagen|stigen|gade|vej|veien|kade|plein)\s\d"
)
SALUTATION = re.compile(
    r"^(?:herrn?|frau|firma|fa\.|an|to|mr\.?|mrs\.?|ms\.?|bill to|ship to|sold to|kunde|customer|spett\.?le|gentile|"
    r"egr\.?|att\.?n?|attention|a l.attention de|z\.?\s?hd\.?|c/o|monsieur|madame|senor|senora|sr\.?|sra\.?)\s*[:.]?$"
)
CONTACT = re.compile(
    r"\b(?:tel|fax|phone|telephone|telefon|e-?mail|www|http|mobil|@|gst|site|careline|hotline|iban|bic|ust|vat|siret|hrb)\b|@|\d{3}[\s-]\d{4}"
)
PARTS = re.compile(r"\s[·•|∙●]\s|\s[-–—*]\s|\s{2,}|,\s(?=[A-ZÄÖÜ\d])")


@dataclass(frozen=True, slots=True)
class Party:
    """A postal address with the name above it."""

    name: Segment
    name_words: tuple[int, int]
    """First word and one past the last, within the name's segment."""
    address: tuple[Segment, ...]
    """The lines under the name, or the same segment if all stands on one line."""
    inline: bool

    @property
    def name_text(self) -> str:
        """The name as printed."""
        start, end = self.name_words
        return " ".join(t.text for t in self.name.tokens[start:end]).strip(" ,·•|-–*")


SPACED = 3.6
"""Gap up to which lines that start at one edge are of one block, in their heights."""
RIGHT_EDGE = 0.4
"""How far apart lines may end that are set to the right, in heights."""
WIDE_GAP = 6.0
"""Gap up to which a name may stand over its street, in heights."""
LEAST_SIZE = 0.62
"""Share of the larger font that the smaller one has at least in one block: a sender's line over a window is finer."""
MOST_REGION = 4
"""Words of a region or country at the end of an address."""
_NAMED = 3
"""Lines of an address with its name, at least."""
_TITLE_SIZE = 1.25
"""Times the letters of a name from which a line over it is a title."""
_HOUSE_NUMBER = re.compile(r"[^\W\d]\s\d{1,4}\s?[a-zA-Z]?(?:\s?[-/]\s?\d{1,4})?$")
_HOUSE_FIRST = re.compile(r"\d{1,5}[a-zA-Z]?,?\s+(?:[A-ZÀ-Þ][\w'’.-]*+\s?){1,4}$")
_PLACE_FIRST = re.compile(r"(?:[^\W\d_][\w'’.-]*,?\s){1,3}(?:[-–]\s)?\d{3}\s?\d{2,3}")
_REGISTRATION_LINE = re.compile(
    r"(?:co|company|reg|registration|roc|gst|business|tax|id|no|nr|ssm|brn|abn|vat|ust|hrb|siret|[\W\d])*"
    r"[a-z]{0,4}\d{5,}(?:[-\s]?[a-z0-9]{1,4})?\)?\W*"
)


def is_registration(text: str) -> bool:
    """Whether a line is nothing but a registration number with its label."""
    return _REGISTRATION_LINE.fullmatch(fold(text)) is not None


def looks_postal(text: str) -> bool:
    """Whether a line holds a postal code with its place."""
    return POSTAL.search(text) is not None


def _looks_place_first(layout: Layout, segment: Segment) -> bool:
    """Whether a line is a place with its code behind it, `Jakarta 12190`, right under a street."""
    if not _PLACE_FIRST.fullmatch(segment.text):
        return False
    near = layout.lines[max(0, segment.line - 3) : segment.line]
    over = [s for line in near if line.page == segment.page for s in line.segments if _stacks(s, segment)]
    return any(looks_street(s.text) or _HOUSE_FIRST.match(s.text) or _HOUSE_NUMBER.search(s.text) for s in over)


def looks_street(text: str) -> bool:
    """Whether a line reads like a street, a lot or a building."""
    return STREET.search(fold(text)) is not None


def looks_company(text: str) -> bool:
    """Whether a text carries a legal form or a word of trade."""
    return LEGAL_FORM.search(fold(text)) is not None


def find_parties(layout: Layout, labels: Labels) -> list[Party]:
    """Every address of the document with its name, in reading order."""
    found: list[Party] = []
    used: set[int] = set()
    for segment in layout.segments:
        if segment.index in used or len(segment.tokens) > 16:
            continue
        if not (looks_postal(segment.text) or _looks_place_first(layout, segment)):
            continue
        party = _inline(segment) or _stacked(layout, labels, segment)
        if party is not None:
            used.update(s.index for s in party.address)
            found.append(party)
    return found


def _inline(segment: Segment) -> Party | None:
    """`Name · Street 1 · 12345 City` on one line."""
    pieces = [p for p in PARTS.split(segment.text) if p.strip()]
    if len(pieces) < 3 or looks_postal(pieces[0]) or looks_street(pieces[0]) or CONTACT.search(fold(pieces[0])):
        return None
    words = len(pieces[0].split())
    if not 1 <= words <= 8 or any(c.isdigit() for c in pieces[0]):
        return None
    return Party(segment, (0, words), (segment,), inline=True)


def _stacked(layout: Layout, labels: Labels, postal: Segment) -> Party | None:
    """The lines above a line with a postal code, up to a label or a gap."""
    lines = [postal]
    for line in reversed(layout.lines[max(0, postal.line - 9) : postal.line]):
        if line.page != postal.page or len(lines) > 6:
            break
        top = lines[0]
        above = next((s for s in line.segments if _stacks(s, top)), None)
        if above is None:
            if top.y0 - max(s.y1 for s in line.segments) > SPACED * top.height:
                break
            continue
        if ends_block(above, labels) or is_pair(layout, above) or _is_over(above, lines):
            break
        lines.insert(0, above)
    lines = _from_name(lines)
    if _is_street(lines):
        lines = [*_name_over(layout, labels, lines[0]), *lines]
    if len(lines) < 2:
        return None
    name, address = lines[0], lines[1:]
    while len(address) > 1 and is_registration(address[0].text):
        address = address[1:]
    return Party(name, (0, len(name.tokens)), (*address, *_region_under(layout, labels, postal)), inline=False)


def _is_over(above: Segment, lines: list[Segment]) -> bool:
    """Whether a line stands over a block that begins with its name already: another address, or a title."""
    named = len(lines) >= _NAMED and not any(map(str.isdigit, lines[0].text))
    larger = above.tokens[0].size > _TITLE_SIZE * lines[0].tokens[0].size
    return named and (larger or looks_postal(above.text))


def _region_under(layout: Layout, labels: Labels, postal: Segment) -> list[Segment]:
    """The line under a postal code that only names its region or country."""
    found = next((s for s in layout.below(postal, reach=1.3) if _stacks(postal, s)), None)
    if found is None or len(found.tokens) > MOST_REGION or not all(any(map(str.isalpha, t.text)) for t in found.tokens):
        return []
    under = next((s for s in layout.below(found, reach=1.3) if _stacks(found, s)), None)
    if under is not None and (looks_street(under.text) or _HOUSE_NUMBER.search(under.text)):  # the next one's name
        return []
    region = not (any(map(str.isdigit, found.text)) or looks_company(found.text) or _titles_a_paper(found.text))
    return [found] if region and not ends_block(found, labels) and not is_pair(layout, found) else []


def _stacks(above: Segment, below: Segment) -> bool:
    height = max(above.height, below.height)
    gap = below.y0 - above.y1
    left = abs(above.x0 - below.x0) < 1.0 * height
    near = gap < 1.3 * height or (gap < SPACED * height and abs(above.x0 - below.x0) < 0.3 * height)
    centre = abs(above.x0 + above.x1 - below.x0 - below.x1) < 2.0 * height
    right = abs(above.x1 - below.x1) < RIGHT_EDGE * height
    sizes = above.tokens[0].size, below.tokens[0].size
    return near and (left or centre or right) and min(sizes) > LEAST_SIZE * max(sizes)


def _from_name(lines: list[Segment]) -> list[Segment]:
    """A block without the salutation, or the number of a register, over its name."""
    while len(lines) > 1 and SALUTATION.match(fold(lines[0].text).strip()):
        lines = lines[1:]
    while len(lines) > 2 and _is_number(lines[0]) and not _is_street(lines[1:]):
        lines = lines[1:]
    if len(lines) > 2 and _is_company(lines[1]) and not looks_company(lines[0].text):
        lines = lines[1:]
    return lines


def _is_company(segment: Segment) -> bool:
    """Whether a line names a company clearly: a legal form or a word of trade, and no number."""
    return looks_company(segment.text) and not looks_street(segment.text) and not any(map(str.isdigit, segment.text))


def _is_number(segment: Segment) -> bool:
    """Whether a line is but a number, such as that of a register, and no street."""
    digits, letters = (sum(map(test, segment.text)) for test in (str.isdigit, str.isalpha))
    return digits > max(5, 2 * letters) and not looks_street(segment.text)


def _is_street(lines: list[Segment]) -> bool:
    """Whether a block begins with the street, so that the name stands apart above it or not at all."""
    first = lines[0].text
    if looks_company(first) or not any(c.isdigit() for c in first):
        return False
    return looks_street(first) or (len(lines) == 2 and _HOUSE_NUMBER.search(first) is not None)


def _name_over(layout: Layout, labels: Labels, street: Segment) -> list[Segment]:
    """The line over a street from which blank lines or numbers of registers part it."""
    for line in reversed(layout.lines[max(0, street.line - 5) : street.line]):
        for segment in line.segments:
            over = 0 < street.y0 - segment.y1 < WIDE_GAP * street.height
            if line.page != street.page or not over or not _aligned(segment, street):
                continue
            if is_registration(segment.text) or _is_number(segment):
                continue
            named = not ends_block(segment, labels) and not is_pair(layout, segment)
            return [segment] if named and not any(c.isdigit() for c in segment.text) else []
    return []


def _aligned(above: Segment, below: Segment) -> bool:
    """Whether two lines begin at one edge or have one middle."""
    height = max(above.height, below.height)
    centre = abs(above.x0 + above.x1 - below.x0 - below.x1) < 2.0 * height
    return abs(above.x0 - below.x0) < 0.5 * height or centre


def is_pair(layout: Layout, segment: Segment) -> bool:
    """Whether a line is a label with its value, on one side of a colon or on both."""
    if re.search(r"[^\W\d]\s?:\s?\S", segment.text):
        return True
    line = layout.lines[segment.line].segments
    return any(s.index == segment.index + 1 and s.text[0] == ":" for s in line)


def ends_block(segment: Segment, labels: Labels) -> bool:
    """Whether a line cannot belong to an address block."""
    folded = fold(segment.text)
    if len([p for p in PARTS.split(segment.text) if p.strip()]) > 2:
        return True
    if (
        runs(segment.text)
        or segment.text.rstrip().endswith(":")
        or date_pattern().search(folded)
        or CONTACT.search(folded)
    ):
        return True
    return labels.label_like(segment, strength=0.85) and not looks_company(segment.text)


def company_score(layout: Layout, segment: Segment, labels: Labels) -> float:
    """How much a segment looks like the name of who issued the document, 0–1, without any label."""
    text = re.sub(r"\(.*\d{4}.*\)?$", "", segment.text)
    letters = sum(c.isalpha() for c in text)
    if letters < 3 or len(segment.tokens) > 9 or letters < 0.55 * len(text.replace(" ", "")):
        return 0.0
    folded = fold(text)
    if len(segment.tokens) > 3 and sum(len(t.text) for t in segment.tokens) < 2 * len(segment.tokens):
        return 0.0
    if text.rstrip().endswith(":") or CONTACT.search(folded) or looks_postal(text) or date_pattern().search(folded):
        return 0.0
    if is_pair(layout, segment) or (is_sentence(text) and not looks_company(text.split()[-1])):
        return 0.0
    page = layout.page(segment.page)
    score = 0.25 * (1.0 - min(1.0, segment.y0 / max(1.0, 0.45 * page.height)))
    score += 0.35 * looks_company(text)
    score += 0.12 * min(1.0, max(0.0, segment.height / layout.text_height - 1.05))
    score += 0.05 * text.isupper() + 0.04 * segment.bold
    if segment.page != layout.pages[0].page:
        score *= 0.6
    if looks_street(text) and not looks_company(text):
        score -= 0.25
    if labels.label_like(segment) or _titles_a_paper(text):
        score -= 0.3
    return max(0.0, score + 0.25)


def _titles_a_paper(text: str) -> bool:
    """Whether a line is what a paper is called; `Receipt Bank Ltd` is a company."""
    return is_title(text) and not (looks_company(text) and is_kind_title(text))


def repeats(layout: Layout, text: str) -> int:
    """How often a name stands in the document."""
    key = squash(text)
    return sum(key in squash(s.text) for s in layout.segments) if len(key) > 3 else 1


def address_under(layout: Layout, name: Segment, limit: int = 7) -> tuple[Segment, ...]:
    """The lines under a name that belong to its address, for receipts and letterheads."""
    taken: list[Segment] = []
    for segment in stack_below_loose(layout, name, limit):
        folded = fold(segment.text)
        if date_pattern().search(folded) or CONTACT.search(folded) or re.search(r"\d[.,]\d{2}\b", segment.text):
            break
        if runs(segment.text):
            break
        digits = any(c.isdigit() for c in segment.text)
        if not (digits or looks_street(segment.text) or looks_postal(segment.text) or taken):
            continue
        if (
            _titles_a_paper(segment.text)
            or is_registration(segment.text)
            or re.match(r"\W*(?:co|company|reg|roc|business)\b.{0,12}no", folded)
            or re.match(r"^\W*\(?\d{4,8}-?[a-z]\)?\W*$", folded)
        ):
            if taken:
                break
            continue
        taken.append(segment)
    while taken and not (any(c.isdigit() for c in taken[-1].text) or "," in taken[-1].text or len(taken) > 1):
        taken.pop()
    return tuple(taken)


def stack_below_loose(layout: Layout, first: Segment, limit: int) -> list[Segment]:
    """Segments under a name that overlap its columns, line by line, without a gap over two lines."""
    found: list[Segment] = []
    last = first
    beside = [s.x0 for s in layout.lines[first.line].segments if s.x0 > first.x1]
    for line in layout.lines[first.line + 1 : first.line + 2 + limit]:
        if line.page != first.page:
            break
        alone = len(line.segments) == 1 and not any(abs(line.segments[0].x0 - x) < first.height for x in beside)
        fitting = [s for s in line.segments if alone or shared_width(s, last) > 0]
        if not fitting:
            continue
        if fitting[0].y0 - last.y1 > 2.2 * last.height:
            break
        found.append(fitting[0])
        last = fitting[0]
    return found
