"""Names of months in thirty languages and signs of currencies, taken out of Babel's data into a small file.

    python -m training.printed_names

Babel keeps 40 MB of a process for them, and half a second of its first date.
"""

from __future__ import annotations

import json
from importlib import resources

from babel.dates import get_month_names
from babel.numbers import get_currency_symbol, list_currencies

from service.extraction.text.printed import NAMES_FILE, month_key

_LOCALES = (
    "en",
    "de",
    "fr",
    "es",
    "it",
    "nl",
    "pt",
    "pl",
    "cs",
    "sk",
    "sv",
    "da",
    "nb",
    "fi",
    "hu",
    "ro",
    "tr",
    "ru",
    "uk",
    "bg",
    "hr",
    "sl",
    "lt",
    "lv",
    "et",
    "el",
    "ca",
    "ar",
    "he",
    "vi",
    "id",
    "hi",
    "th",
)  # fmt: skip - a list of codes reads better in rows


def collect_names() -> dict[str, dict[str, str]]:
    """`months`: name → numbers, for a name may differ between languages (`listopad`); `currencies`: code → sign."""
    months: dict[str, set[int]] = {"sept": {9}}
    for locale in _LOCALES:
        for width in ("wide", "abbreviated"):
            for context in ("format", "stand-alone"):
                for number, name in get_month_names(width, context, locale).items():
                    months.setdefault(month_key(name), set()).add(number)
    return {
        "months": {name: " ".join(map(str, sorted(months[name]))) for name in sorted(months)},
        "currencies": {code: get_currency_symbol(code, locale="en") for code in sorted(list_currencies())},
    }


def main() -> None:
    """Write the file."""
    path = resources.files("service.extraction.text") / NAMES_FILE
    text = json.dumps(collect_names(), ensure_ascii=False, indent=0)
    with resources.as_file(path) as file:
        file.write_text(f"{text}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
