"""Printed text → typed values; what is ambiguous (decimal sign, order of day and month) is voted per document."""

from __future__ import annotations

import datetime as dt
import re
import unicodedata
from collections.abc import Iterable
from decimal import Decimal
from functools import lru_cache

from babel import Locale

from service.embedded.words.lists import word_list

LANGUAGES = ("en", "de", "fr", "es", "it", "nl", "pt", "sv", "da", "nb", "pl", "cs", "tr")
DASHES = str.maketrans({"–": "-", "—": "-", "−": "-", "‐": "-", "‑": "-"})
NUMBER_BODY = r"\d{1,3}(?:[ .,'’\u00a0]\d{3})+(?!\d)(?:[.,]\d{1,4})?|\d+(?:[.,]\d+)?|[.,]\d{2}"
MONTHS = 12
_DAY = re.compile(r"(?=.*(?:[/-]|\.$))(\d{1,2})[./-](\d{1,2})\.?")
_LAKHS = re.compile(r"(?<![\d.,])\d{1,2}(?:,\d{2})+,\d{3}(?![\d,])")
"""Thousands as India parts them: `1,22,500`."""
MOST_DIGITS = 100
"""Characters beyond which digits are no number: products of two still fit a float."""


def word_set(text: str) -> frozenset[str]:
    """The words of a text."""
    return frozenset(text.split())


def fold(text: str) -> str:
    """Lower case without accents and width variants; punctuation stays."""
    plain = unicodedata.normalize("NFKD", text.casefold().replace("ß", "ss"))
    return unicodedata.normalize("NFC", "".join(c for c in plain if not unicodedata.combining(c)))


@lru_cache(maxsize=20000)
def squash(text: str) -> str:
    """Folded letters and digits alone."""
    return "".join(c for c in fold(text) if c.isalnum())


def unmixed(text: str) -> str:
    """A text that was read optically, without digits that can only be letters, and with the unit after a number."""
    text = re.sub(r"([^\W\d_])(0+)(?=[^\W\d_])", lambda m: m[1] + "Oo"[m[1].islower()] * len(m[2]), text)
    return re.sub(r"(?<=\d)0Z(?!\w)", "OZ", text)


def vote_decimal(texts: Iterable[str]) -> str:
    """The document's decimal sign, `.` or `,`."""
    comma = dot = 0
    for text in texts:
        comma += 3 * bool(re.search(r"\d\.\d{3},\d{2}(?!\d)", text)) + bool(re.search(r"\d,\d{2}(?!\d)", text))
        dot += 3 * bool(re.search(r"\d,\d{3}\.\d{2}(?!\d)", text)) + bool(re.search(r"\d\.\d{2}(?![\d.])", text))
        dot -= bool(re.search(r"\d\.\d{2}\.\d", text))
    return "," if comma > dot else "."


def parse_number(text: str, decimal: str = ".") -> Decimal | None:
    """The number a text prints, with its sign; None if it prints none or several."""
    clean = text.translate(DASHES).replace("\u00a0", " ").strip()
    clean = _LAKHS.sub(lambda m: m[0].replace(",", ""), clean)
    found = re.findall(NUMBER_BODY, clean)
    if len(found) != 1 or len(found[0]) > MOST_DIGITS:
        return None
    body = found[0]
    value = Decimal(_plain_digits(body, decimal))
    before, _, after = clean.partition(body)
    negative = (
        before.rstrip(" $€£¥").endswith("-")
        or before.lstrip().startswith("-")
        or after.lstrip().startswith("-")
        or ("(" in before and ")" in after)
    )
    return -value if negative else value


def _plain_digits(body: str, decimal: str) -> str:
    digits = re.sub(r"[ '’\u00a0]", "", body)
    last = max(digits.rfind("."), digits.rfind(","))
    if last < 0:
        return digits
    sign, tail = digits[last], digits[last + 1 :]
    other = "," if sign == "." else "."
    if other in digits:
        is_decimal = True
    elif digits.count(sign) > 1:
        is_decimal = False
    elif len(tail) == 3 and last > 0:
        is_decimal = sign == decimal and (len(digits[:last]) > 3 or digits[:last] == "0" or decimal == ",")
        is_decimal = is_decimal and sign == decimal
    else:
        is_decimal = True
    whole = re.sub(r"[.,]", "", digits[:last]) or "0"
    return f"{whole}.{tail}" if is_decimal and tail else whole + ("" if is_decimal else tail)


@lru_cache(maxsize=1)
def month_names() -> dict[str, int]:
    """Folded month names and abbreviations of all languages → 1–12."""
    names: dict[str, int] = {}
    for language in LANGUAGES:
        locale = Locale(language)
        for context in ("format", "stand-alone"):
            for width in ("wide", "abbreviated"):
                for number, name in locale.months[context][width].items():
                    key = squash(name)
                    if len(key) >= 3 and not key.isdigit():
                        names.setdefault(key, int(number))
                        if width == "wide" and key.isascii():
                            names.setdefault(key[:3], int(number))
    names.update({"sept": 9, "marz": 3, "maerz": 3, "mrz": 3, "mrt": 3, "fev": 2, "aout": 8, "dec": 12, "dez": 12})
    return names


@lru_cache(maxsize=1)
def _month_pattern() -> str:
    return "|".join(sorted((re.escape(n) for n in month_names()), key=len, reverse=True))


@lru_cache(maxsize=1)
def date_pattern() -> re.Pattern[str]:
    """Dates in folded text, in the forms that can be told by shape."""
    month = rf"(?:{_month_pattern()})"
    year = r"(?:\d{4}|['’]?\d{2})(?!\d)"
    forms = (
        r"(?P<iso>(?<!\d)(?:19|20)\d{2}\s?[-/.]\s?\d{1,2}\s?[-/.]\s?\d{1,2}(?!\d))",
        r"(?P<cjk>(?<!\d)(?:19|20)\d{2}\s?[년年]\s?\d{1,2}\s?[월月]\s?\d{1,2}\s?[일日])",
        # a time may follow without a blank, and a letter before it makes it part of a code
        r"(?P<num>(?<![\w.,/-])\d{1,2}\s?(?P<sep>[-/.])\s?\d{1,2}\s?(?P=sep)\s?"
        r"(?:(?:19|20)\d{2}(?=[012]\d:[0-5]\d)|(?:(?:19|20)\d{2}|\d{2})(?![\d]|[.,/-]\d)))",
        r"(?P<dmy>(?<!\d)\d{1,2}(?:st|nd|rd|th|er|\.|º|°)?[\s\-/.]*+(?:(?:day of |de |di |of )[\s\-/.]*+)?"
        rf"{month}\b\.?[\s\-/.,]*(?:de |del )?{year})",
        rf"(?P<mdy>\b{month}\.?[\s\-]*(?:[12]\d|3[01]|0?[1-9])(?:st|nd|rd|th)?[\s,./\-]+{year})",
        rf"(?P<ymd>(?<!\d)(?:19|20)\d{{2}}[\s\-/.]*{month}[\s\-/.]*\d{{1,2}}(?!\d))",
    )
    return re.compile("|".join(forms))


def vote_day_first(texts: Iterable[str], *, default: bool) -> bool:
    """Whether the document prints the day before the month in its numeric dates."""
    day = month = 0
    for text in texts:
        for match in re.finditer(r"(?<![\d.,/-])(\d{1,2})([-/.])(\d{1,2})\2(?:\d{4}|\d{2})(?!\d)", text):
            a, b = int(match[1]), int(match[3])
            day += (a > 12 >= b) * 2 + (match[2] == "." and a <= 31)
            month += (b > 12 >= a) * 2
    return day > month if day != month else default


def parse_date(text: str, *, day_first: bool) -> dt.date | None:
    """The date of a text that `date_pattern` matched, or that is close to one."""
    folded = fold(text)
    match = date_pattern().search(folded)
    if match is None:
        return _compact_date(folded)
    body = match.group(0)
    kind = match.lastgroup if match.lastgroup != "sep" else "num"
    numbers = [int(n) for n in re.findall(r"\d+", body)]
    if kind in ("iso", "cjk"):
        return _date(numbers[0], numbers[1], numbers[2])
    if kind == "num":
        first, second = (numbers[0], numbers[1]) if day_first else (numbers[1], numbers[0])
        return _date(numbers[2], second, first) or _date(numbers[2], first, second)
    month = next((m for w in re.findall(r"[^\W\d]+", body) if (m := month_names().get(squash(w)))), None)
    if month is None or len(numbers) < 2:
        return None
    return _date(numbers[0], month, numbers[1]) if kind == "ymd" else _date(numbers[1], month, numbers[0])


def is_day(text: str) -> bool:
    """Whether a text is a day and a month without a year: `07/28`, `04.03.`, where it can be no price."""
    match = _DAY.fullmatch(text)
    return match is not None and min(int(match[1]), int(match[2])) <= MONTHS and max(int(match[1]), int(match[2])) < 32


def _compact_date(text: str) -> dt.date | None:
    match = re.fullmatch(r"\D*((?:19|20)\d{2})(\d{2})(\d{2})\D*", text)
    return _date(int(match[1]), int(match[2]), int(match[3])) if match else None


def _date(year: int, month: int, day: int) -> dt.date | None:
    if year < 100:
        year += 2000 if year < 70 else 1900
    try:
        return dt.date(year, month, day)
    except ValueError:
        return None


SYMBOLS = {"€": "EUR", "$": "USD", "£": "GBP", "¥": "JPY", "₩": "KRW", "₹": "INR", "₽": "RUB", "₺": "TRY", "₫": "VND"}
PREFIXES = {"us$": "USD", "rm": "MYR", "rs": "INR", "s$": "SGD", "hk$": "HKD", "a$": "AUD", "c$": "CAD", "fr": "CHF",
            "sfr": "CHF", "kr": "SEK", "dm": "DEM", "nt$": "TWD", "r$": "BRL", "zl": "PLN", "zł": "PLN", "eu": "EUR",
            "원": "KRW", "元": "CNY", "円": "JPY", "kc": "CZK", "ft": "HUF"}  # fmt: skip


@lru_cache(maxsize=1)
def currency_names() -> dict[str, str]:
    """Folded currency names and codes of all languages → ISO 4217 code; ambiguous bare names are left out."""
    names: dict[str, str] = {}
    for language in LANGUAGES:
        for code, name in Locale(language).currencies.items():
            if len(code) == 3 and "(" not in name:
                names.setdefault(squash(name), code)
    names.update({"euro": "EUR", "euros": "EUR", "dollar": "USD", "dollars": "USD", "ringgit": "MYR", "won": "KRW"})
    return names


@lru_cache(maxsize=1)
def currency_codes() -> frozenset[str]:
    """ISO 4217 codes, old ones included."""
    return frozenset(str(c) for c in Locale("en").currencies if len(str(c)) == 3)


def parse_currency(text: str) -> str | None:
    """The ISO 4217 code a symbol, code or name stands for."""
    bare = text.strip(" .,:;()[]")
    if bare.upper() in currency_codes() and (bare.isupper() or len(bare) != len(text)):
        return bare.upper()
    folded = fold(bare)
    if folded in PREFIXES:
        return PREFIXES[folded]
    for symbol, code in SYMBOLS.items():
        if symbol in bare:
            return code
    return currency_names().get(squash(bare))


YES = word_list("yes")
NO = word_list("no")


def parse_boolean(text: str) -> bool | None:
    """What a yes/no word or a tick says; None for other words."""
    word = fold(text).strip(" .,:;()[]")
    return True if word in YES else False if word in NO else None


_SMALL_NUMBERS = {w: n for n, names in enumerate(
    ("zero", "one a an ein eine einem un une uno una een", "two zwei deux dos due twee",
     "three drei trois tres tre drie",
     "four vier quatre cuatro quattro", "five funf cinq cinco cinque vijf", "six sechs seis sei zes",
     "seven sieben sept siete sette zeven", "eight acht huit ocho otto", "nine neun neuf nueve nove negen",
     "ten zehn dix diez dieci tien", "eleven elf onze once undici", "twelve zwolf douze doce dodici twaalf"))
    for w in names.split()}  # fmt: skip
_MORE_NUMBERS = {"fifteen": 15, "eighteen": 18, "twenty": 20, "thirty": 30, "sixty": 60, "ninety": 90,
                 "twenty-four": 24,
                 "thirty-six": 36, "forty-five": 45, "twenty four": 24, "thirty six": 36}  # fmt: skip
WORD_NUMBERS = {**_SMALL_NUMBERS, **_MORE_NUMBERS}
UNITS = {
    "year": "year years jahr jahre jahren ans annee annees ano anos anno anni jaar jaren rok roku lata lat "
    "roky let yıl yil ar",
    "month": "month months monat monate monaten mois mes meses mese mesi maand maanden manad manader miesiac miesiace "
    "miesiecy mesic mesice mesicu ay "
    "maned maneder",
    "week": "week weeks woche wochen semaine semaines semana semanas settimana settimane weken vecka veckor tydzien "
    "tygodnie tygodni tyden tydny tydnu hafta "
    "uge uger uke uker",
    "day": "day days tag tage tagen jour jours dia dias giorno giorni dag dagen dagar dage dager dzien dni den dny gun",
}
UNIT_WORDS = {w: unit for unit, words in UNITS.items() for w in words.split()}
PERIOD = re.compile(
    r"(?<![\w$€£.,])(?:(?P<word>" + "|".join(sorted(WORD_NUMBERS, key=len, reverse=True)) + r")(?!\w)\s*-?\s*)?"
    r"(?:\(?\s*(?P<digits>\d{1,3})\s*\)?\s*-?\s*)?(?:\w+\s)?(?P<unit>"
    + "|".join(sorted(UNIT_WORDS, key=len, reverse=True))
    + r")\b"
)


def parse_period(text: str) -> str | None:
    """A duration as a number and an English unit, `2 years`."""
    match = PERIOD.search(fold(text))
    if match is None or not (match["word"] or match["digits"]):
        return None
    count = int(match["digits"]) if match["digits"] else WORD_NUMBERS[match["word"]]
    unit = UNIT_WORDS[match["unit"]]
    return f"{count} {unit}{'' if count == 1 else 's'}"


_PAY_TERM = re.compile(r"(?:net|netto|due|c\.?o\.?d|cash|prepaid|upon receipt)\b(?:\W\w+){0,3}$")


def pay_term(text: str) -> str | None:
    """Terms that are no period but tell when to pay, as they stand: `Net 30`; None for other texts."""
    return text if _PAY_TERM.match(fold(text)) else None


_IBAN_LENGTHS = {"AT": 20, "BE": 16, "CH": 21, "CZ": 24, "DE": 22, "DK": 18, "ES": 24, "FI": 18, "FR": 27, "GB": 22,
                 "IE": 22, "IT": 27, "LU": 20, "NL": 18, "NO": 15, "PL": 28, "PT": 25, "SE": 24}  # fmt: skip
"""Letters and digits of an IBAN by country. Source: ISO 13616 registry."""


def iban_shaped(text: str) -> bool:
    """Whether a text has the country and length of an IBAN, be its check digits right or not."""
    compact = re.sub(r"\s", "", text).upper()
    return len(compact) == _IBAN_LENGTHS.get(compact[:2])


def iban_valid(text: str) -> bool:
    """Whether the check digits of an IBAN hold (ISO 13616)."""
    compact = re.sub(r"\s", "", text).upper()
    if not re.fullmatch(r"[A-Z]{2}\d{2}[A-Z0-9]{10,30}", compact):
        return False
    moved = compact[4:] + compact[:4]
    return int("".join(str(int(c, 36)) for c in moved)) % 97 == 1
