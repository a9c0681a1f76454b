"""Fields that hold the last of several values: totals and closing balances, as their names and descriptions say."""

from __future__ import annotations

import re

from service.domain.schema import FieldType, SchemaField

_CLOSING = re.compile(
    r"total|grand|gross|payable|amount.?due|balance.?due|closing|ending|end.?balance|final.?balance|new.?balance"
    r"|gesamt|summe|endbetrag|endsaldo|schluss|brutto|zahlbetrag|montant.?(ttc|du|dû)|ttc|solde|clôture|cloture|totale"
    r"|saldo|importe|netto.?a.?pagar|totaal|eindsaldo|suma|razem|celkem|łącznie|yhteensä|összesen|итог|сумма|к.?оплате"
    r"|toplam|합계|총액|잔액|합산|合計|總計|总计|合计|残高|余额|สุทธิ|المجموع|الإجمالي|סה.?כ",
    re.IGNORECASE,
)
_OPENING = re.compile(
    r"opening|beginning|brought.?forward|previous|anfang|übertrag|vortrag|ouverture|inicial|iniziale|기초|期初|前期",
    re.I,
)
_AMOUNT_NAME = re.compile(r"\b(grand |sub)?total( amount)?$|\b(closing|ending) balance$|\bamount due$", re.IGNORECASE)
"""Names of amounts that a caller typed as text."""


def takes_last(field: SchemaField) -> bool:
    """Whether the last of several values is the right one: `x-merge`, else by the name or description of a number."""
    if field.merge is not None:
        return field.merge == "last"
    name = re.sub(r"[_\W]+", " ", re.sub(r"(?<=[a-z])(?=[A-Z])", " ", f"{field.name} {field.title}")).strip()
    if field.type in (FieldType.NUMBER, FieldType.INTEGER):
        text = f"{name} {field.description}"
        return bool(_CLOSING.search(text)) and not _OPENING.search(text)
    return field.type is FieldType.STRING and field.format is None and bool(_AMOUNT_NAME.search(name))
