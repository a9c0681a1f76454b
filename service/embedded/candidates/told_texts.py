"""Texts that a sentence tells: a code behind the word for it, a quoted title, who is named by a role or a cue."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import accumulate

from service.domain.schema import FieldType
from service.embedded.anchors.parties import looks_company
from service.embedded.asked.fields import BARE, Ask
from service.embedded.candidates.contracts import named_parties
from service.embedded.candidates.proposals import Choice
from service.embedded.candidates.prose import Prose
from service.embedded.page.spans import Kind
from service.embedded.words.labels import canonical, read_text, read_word, split_name
from service.embedded.words.lists import cues, word_list
from service.embedded.words.normalise import date_pattern, fold, parse_number

_TEXTS = frozenset({"text", "org", "person", "code", "place"})
_SCORE = 0.62
"""A label beside a value says more."""
_LINKS = word_list("number_link")
_CODE = re.compile(r"(?=\S*\d)[\w][\w./-]{2,}\w")
_QUOTED = re.compile(r"^(?:\W*+\w++){0,3}?\W*[\"“„«»](?P<text>[^\"“”„«»]{3,90})[\"“”«»]")
_TITLED = word_list("of_a_title")
_PERSON = (
    r"(?P<name>(?:(?:Dr|Prof|Ing|Mag|Dipl)\.[\w.-]*\s+)*[A-ZÀ-Þ][\w'’.-]+"
    r"(?:\s+(?:[A-ZÀ-Þ]\.|[A-ZÀ-Þ][\w'’-]+|(?:de|del|della|di|da|van|von|der|den|zu|af|dos|la|le|ten|ter|bin|"
    r"al)\b)){1,5})"
)
_TITLE = rf"(?:{cues('title_of_person')}\.?\s+)?"
_CERTIFIED = re.compile(
    rf"(?i:(?:{cues('attests')}[^.;:]{{0,45}}?\b{cues('that')}|{cues('awards')}),?)\s+" + _TITLE + _PERSON
)
_DEAR = re.compile(
    rf"{cues('dear')}\s+{_TITLE}(?!Hiring|Sir|Madam|Customer|Team|Colleague|Member|Mitglied|Kund){_PERSON}(?=\s*[,:!])"
)
_MYSELF = re.compile(rf"{cues('myself')}\s+{_TITLE}{_PERSON}")
_FOR_WHOM = re.compile(rf"(?i:{cues('for_whom')})\s+(?:hiermit\s+)?{_TITLE}{_PERSON}")
_CLOSED = re.compile(rf"(?i:{cues('closes')})\W+{_TITLE}{_PERSON}")
_REPORTS = re.compile(rf"(?i:{cues('reports_to')})\s+{_TITLE}{_PERSON}")
_MANAGERS = word_list("manager")
_SUBJECT = re.compile(rf"\b{cues('concerns')}\s?:?\s+{_TITLE}{_PERSON}(?=,?\s*(?:\(?\*|(?i:{cues('aged')})))")
_BIRTHPLACE = re.compile(
    rf"(?i:\b{cues('born_there')})(?:\s+(?:on|am|op|le|il|el|em|den)\s+"
    r"[\d./-]+(?:\s[^\W\d]+\s\d{4})?)?,?\s+(?:in|at|a|à|en|em|te|i|zu)\s+"
    r"(?P<name>[A-ZÀ-Þ][\w'’-]+(?:\s(?:[A-ZÀ-Þ][\w'’-]+|am|an|der|de|di|del|do|da|sur|upon)){0,3})"
)
_BIRTH = word_list("birth")
_GRANTORS = word_list("grantor")
_SUBJECTS = word_list("subject_person")
_OF_PLACES = word_list("of_a_place")
_GRANTEES = word_list("grantee")
_SIGNERS = word_list("signer")
_RUN = re.compile(
    r"^(?:\s+(?:of|is|as|named|called|namens|ist|lautet|est|es|è|van|der|die|das|le|la|el|il))?\s*:?\s+"
    r"(?P<text>[A-ZÀ-Þ][\w&'’/+-]*(?:\.\w+)*(?:\s+(?:[A-ZÀ-Þ0-9][\w&'’/+-]*(?:\.\w+)*|(?:of|and|de|der|und|et|y|"
    r"di|van)\b)){0,5})"
)
_HOLDERS = word_list("holder")
_ADDRESSEES = word_list("addressee")
_CONTACT = re.compile(rf"(?i:{cues('contact')})\s+{_TITLE}{_PERSON}")
_WORKS_AS = re.compile(
    rf"(?i:{cues('works')}\w*+)(?:\s+[^\s.;]++){{0,14}}?\s+"
    rf"(?i:{cues('works_as')})\s+(?!{cues('works_as_follows')})"
    r"(?:(?:an?|the|our|eine?n?|un|una)\s+)?(?:(?:full|part)-time\s+)?(?P<text>[^\W\d][\w/&’' -]{2,50}?)"
    rf"(?=[.,;(]|\s{cues('work_ends')}\s|$)"
)
_JOB = word_list("job")
_EMPLOYS = re.compile(cues("of_employment"))
_EMPLOYER = word_list("employer")
_EMPLOYEE = word_list("employee")
_OF_A_NAME = word_list("of_a_name")


def told_choices(prose: Prose, ask: Ask) -> list[Choice]:
    """Candidates for a text that a sentence may tell; none for a field with a format or members of its own."""
    if ask.kind not in _TEXTS or ask.field.type is not FieldType.STRING or ask.field.format or ask.field.enum:
        return []
    found = (
        [*_coded(prose, ask), *_quoted(prose, ask), *_work(prose, ask), *_run(prose, ask)]
        if ask.kind in ("text", "code")
        else []
    )
    if ask.kind in ("text", "person", "org"):
        found += [*_by_cue(prose, ask), *_employed(prose, ask)]
    return found


def _names_of(ask: Ask) -> list[frozenset[str]]:
    return [phrase for phrase, w in ask.phrases if w >= 0.9 and phrase and not phrase <= BARE]


def _coded(prose: Prose, ask: Ask) -> Iterator[Choice]:
    """`… with licence number AB-123 …`: what has digits right behind the field's own words."""
    names = _names_of(ask)
    for words, start in prose.sentences:
        parts = [{c for part in read_word(word) for c in part} for word in words]
        places = list(accumulate((len(word) + 1 for word in words), initial=0))
        for at, word in enumerate(words):
            if not any(_ends_in(phrase, parts[max(0, at + 1 - len(phrase)) : at + 1]) for phrase in names):
                continue
            place = at + 1
            while place < len(words) and fold(words[place]).strip(".:°º") in _LINKS:
                place += 1
            code = _CODE.match(words[place]) if place < len(words) and place - at <= 3 else None
            if code is None or date_pattern().fullmatch(fold(code[0])) or word.endswith((".", ";")):
                continue
            if ask.kind == "text" and parse_number(code[0]) is not None and len(code[0]) < 5:
                continue
            begin = start + places[place]
            yield Choice(prose.span(begin, begin + len(code[0]), Kind.CODE), code[0], _SCORE, "sentence")


def _ends_in(phrase: frozenset[str], parts: Sequence[set[str]]) -> bool:
    """Whether some words, as many as a phrase has at most, are those of the phrase, the last one included."""
    return not phrase.isdisjoint(parts[-1]) and phrase <= set[str]().union(*parts)


def _quoted(prose: Prose, ask: Ask) -> Iterator[Choice]:
    """`… your project “Clean Water” …`: what is quoted right behind what it is called."""
    own = canonical(split_name(ask.field.name)) - _TITLED
    if ask.kind != "text" or not own:
        return
    for match in re.finditer(r"[^\W\d_]{3,}", prose.text):
        if {c for part in read_text(match.group(0)) for c in part}.isdisjoint(own):
            continue
        quoted = _QUOTED.match(prose.text[match.end() : match.end() + 140])
        if quoted is not None:
            begin = match.end() + quoted.start("text")
            yield _told(prose, begin, quoted["text"])


def _run(prose: Prose, ask: Ask) -> Iterator[Choice]:
    """`… the vehicle Zefir 1.6 with …`: what is capitalised right behind the field's own word in a sentence."""
    names = [phrase for phrase in _names_of(ask) if len(phrase) == 1]
    if ask.kind != "text" or not names:
        return
    for words, start in prose.sentences:
        begin = start
        for word in words:
            begin += len(word) + 1
            said = {c for part in read_word(word) for c in part}
            run = _RUN.match(f" {prose.text[begin : begin + 90]}") if any(phrase <= said for phrase in names) else None
            if run is not None and word[-1] not in ".;,)":
                text = run["text"].rstrip(" .,")
                yield _told(prose, begin + run.start("text") - 1, text)


def _work(prose: Prose, ask: Ask) -> Iterator[Choice]:
    """`… is employed as a warehouse clerk …`."""
    own = frozenset(fold(split_name(ask.field.name)).split()) - _TITLED | canonical(ask.field.name) & _JOB
    if own and own <= _JOB:
        for match in _WORKS_AS.finditer(prose.text):
            yield _told(prose, match.start("text"), match["text"].strip())


def _by_cue(prose: Prose, ask: Ask) -> Iterator[Choice]:
    """Whom a certificate is for, or whom to ask."""
    words = frozenset(fold(split_name(ask.path.replace("/", " "))).split())
    own = frozenset(fold(split_name(ask.field.name)).split())
    own -= _OF_A_NAME if own - _OF_A_NAME else frozenset()
    cues = [
        (_CONTACT, "contact" in words or ask.is_concept("contact_person")),
        (_CERTIFIED, own <= _HOLDERS | _EMPLOYEE),
    ]
    cues += [(_DEAR, own <= _ADDRESSEES), (_MYSELF, own <= _GRANTORS), (_FOR_WHOM, own <= _GRANTEES)]
    cues += [(_SUBJECT, own <= _SUBJECTS), (_BIRTHPLACE, own <= _BIRTH | _OF_PLACES and bool(own & _BIRTH))]
    cues += [(_CLOSED, own <= _SIGNERS), (_REPORTS, own <= _MANAGERS)]
    for pattern, meant in cues:
        for match in pattern.finditer(prose.text) if meant else ():
            yield _told(prose, match.start("name"), match["name"].strip(" ,."))


def _employed(prose: Prose, ask: Ask) -> Iterator[Choice]:
    """Who employs and who is employed: of the parties of such a contract the company and the person."""
    own = frozenset(fold(split_name(ask.path.replace("/", " "))).split()) - _OF_A_NAME
    if not own or not (own <= _EMPLOYER or own <= _EMPLOYEE) or not _EMPLOYS.search(prose.folded):
        return
    for party in named_parties(prose):
        if looks_company(str(party.value)) == (own <= _EMPLOYER):
            yield Choice(party.span, party.value, _SCORE, "sentence")


def _told(prose: Prose, begin: int, text: str) -> Choice:
    return Choice(prose.span(begin, begin + len(text)), text, _SCORE, "sentence")
