"""Invented receipts of shops and restaurants, mostly photographed or scanned."""

from __future__ import annotations

from dataclasses import dataclass, replace
from decimal import Decimal
from random import Random

from service.domain.records import Json
from training.paper import Column, Paper, new_paper
from training.sheet import Look
from training.values import Told, in_the_net, money_text, some_code, some_company, some_item
from training.vocabulary import pick

_EDGE = 12.0
_CENT = Decimal("0.01")
_PAID = (
    "VISA",
    "Total Paid",
    "Approved",
    "Master Card",
    "Balance Due",
    "TOTAL",
    "Amount",
    "Payment",
    "Debit Card Sale",
)


@dataclass
class _Roll:
    """Where the next line of a receipt goes."""

    paper: Paper
    y: float = 14.0

    @property
    def middle(self) -> float:
        return self.paper.sheet.width / 2

    @property
    def right(self) -> float:
        return self.paper.sheet.width - _EDGE

    def line(self, text: str, align: str = "centre", look: Look | None = None) -> None:
        """One line across the roll."""
        look = look or self.paper.look
        x = {"centre": self.middle, "left": _EDGE, "right": self.right}[align]
        self.paper.sheet.write(x, self.y, text, look, align)
        self.y += 1.4 * look.size

    def pair(self, label: str, value: str, gap: str = "right") -> None:
        """A label at the left and its value at the right edge, beside it, or under it."""
        self.paper.sheet.write(_EDGE, self.y, label, self.paper.look)
        if gap == "right":
            self.paper.sheet.write(self.right, self.y, value, self.paper.look, "right")
        else:
            self.paper.sheet.write(_EDGE + self.paper.look.width_of(label + "  "), self.y, value, self.paper.look)
        self.y += self.paper.step

    def skip(self, lines: float = 0.6) -> None:
        """Some empty space, or a stroke of hyphens."""
        if self.paper.chance(0.3):
            self.line("-" * 30)
        self.y += lines * self.paper.step


def make_receipt(rng: Random) -> Paper:
    """A receipt, as long as it needs to be."""
    paper = new_paper(rng, "receipt", scanned=0.93, english=0.8)
    paper.look = replace(paper.look, stretch=rng.choice((0.9, 1.0, 1.15)))
    paper.new_sheet(rng.choice((210.0, 240.0, 280.0, 330.0)), 1600.0)
    roll = _Roll(paper)
    _head(roll)
    _when(roll)
    total = _items(roll)
    _sums(roll, total)
    _end(roll)
    return _cut(paper, roll.y + 30.0)


def _cut(paper: Paper, height: float) -> Paper:
    """The roll cut off under what is written."""
    old = paper.sheets.pop()
    sheet = paper.new_sheet(old.width, height)
    share = old.height / height
    sheet.pieces = [
        [replace(w, box=replace(w.box, y0=w.box.y0 * share, y1=w.box.y1 * share)) for w in piece]
        for piece in old.pieces
    ]
    return paper


def _head(roll: _Roll) -> None:
    paper, rng = roll.paper, roll.paper.rng
    name = some_company(rng, paper.language, shop=rng.random() < 0.6)
    name = name.upper() if rng.random() < 0.55 else name
    paper.facts["seller_name"] = Told(name, (name,))
    paper.shown.add("seller_name")
    if rng.random() < 0.5:
        paper.facts |= in_the_net(name)
    big = replace(paper.look, size=paper.look.size * rng.choice((1.0, 1.0, 1.4, 1.9)), bold=True)
    align = "left" if rng.random() < 0.15 else "centre"
    if rng.random() < 0.06:
        roll.line(pick(rng, "thanks"), align)
    _name(roll, name, align, big)
    number = f"({rng.randrange(100000, 999999)}-{rng.choice('ABDHKMPTUVWX')})"
    if rng.random() < 0.35:
        roll.line(rng.choice((number, f"Co. Reg. No: {number.strip('()')}", f"ROC NO: {number.strip('()')}")), align)
    if rng.random() < 0.12:
        roll.line(
            rng.choice(("Branch " + pick(rng, f"city_{paper.language}"), pick(rng, "thanks"), "SINCE 1987")), align
        )
    if rng.random() < 0.9:
        for part in paper.show("seller_address").lines:
            roll.line(part.upper() if paper.habit.capitals else part, align)
        if paper.habit.capitals:
            told = paper.facts["seller_address"]
            paper.facts["seller_address"] = Told(str(told.value).upper(), told.lines)
    if rng.random() < 0.12 and "seller_address" in paper.shown:
        _more_address(roll, align)
    _contact(roll, align)


def _contact(roll: _Roll, align: str) -> None:
    """Numbers and addresses in the net under the postal address, then what the paper is."""
    paper, rng = roll.paper, roll.paper.rng
    keys = [
        k
        for k, share in (("phone", 0.7), ("fax", 0.2), ("tax_id", 0.45), ("email", 0.12), ("web", 0.12))
        if rng.random() < share
    ]
    for key in keys:
        label = paper.label(key)
        roll.line(f"{label}{rng.choice((': ', ' ', ':')) if label else ''}{paper.show(key).text}", align)
    roll.skip()
    if rng.random() < 0.4:
        roll.line(rng.choice(("TAX INVOICE", "RECEIPT", "CASH BILL", "Simplified tax invoice", "INVOICE")))


def _name(roll: _Roll, name: str, align: str, look: Look) -> None:
    """The shop's name; a brand over it, a branch behind it, a scribbled name before it may or may not be part of it."""
    paper, rng = roll.paper, roll.paper.rng
    told, words = name, name.split()
    if rng.random() < 0.05:
        roll.line(f"{pick(rng, 'given').lower()} {pick(rng, 'family').lower()}", align)
    elif rng.random() < 0.04:
        words = [pick(rng, "given").lower(), pick(rng, "family").lower(), *words]
    if rng.random() < 0.1:
        brand = pick(rng, "first").upper()
        roll.line(brand, align, look)
        told = f"{brand} {name}" if rng.random() < 0.4 else name
    if rng.random() < 0.1:
        branch = f"({pick(rng, f'city_{paper.language}')})" if rng.random() < 0.5 else f"({rng.randrange(1000, 99999)})"
        words.append(branch)
        told = f"{told} {branch}" if rng.random() < 0.5 else told
    wide = look.width_of(" ".join(words)) > paper.sheet.width - 20
    if (wide and len(words) > 2) or (len(words) > 3 and rng.random() < 0.08):
        roll.line(" ".join(words[: len(words) // 2]), align, look)
        roll.line(" ".join(words[len(words) // 2 :]), align, look)
    else:
        roll.line(" ".join(words), align, look)
    paper.facts["seller_name"] = Told(told, (told,))


def _more_address(roll: _Roll, align: str) -> None:
    """Lines around an address that do or do not belong to it."""
    paper, rng = roll.paper, roll.paper.rng
    line = rng.choice(
        (
            f"{pick(rng, f'city_{paper.language}')} Branch",
            "HQ: see our website",
            f"Lot {rng.randrange(1, 90)}, Level {rng.randrange(1, 5)}",
            f"Opening hours {rng.randrange(7, 11)}-22",
            pick(rng, "region").upper(),
        )
    )
    roll.line(line, align)
    if rng.random() < 0.5:
        told = paper.facts["seller_address"]
        paper.facts["seller_address"] = Told(f"{told.value}, {line}", (*told.lines, line))


def _when(roll: _Roll) -> None:
    """Numbers, day and time, in any order, beside each other or not."""
    paper, rng = roll.paper, roll.paper.rng
    keys = [
        k
        for k, share in (
            ("invoice_number", 0.6),
            ("cashier", 0.5),
            ("table", 0.25),
            ("order_number", 0.1),
            ("customer_number", 0.05),
            ("payment_method", 0.1),
        )
        if rng.random() < share
    ]
    rng.shuffle(keys)
    for key in keys:
        roll.pair(f"{paper.label(key)}:", paper.show(key).text, "beside")
    if rng.random() < 0.96:
        day = paper.show("invoice_date").text
        label = paper.label("invoice_date") or rng.choice(("", "Date"))
        timed = rng.random() < 0.7
        time = paper.show("time").text if timed else ""
        style = rng.randrange(4)
        if style == 0 and timed:
            roll.pair(f"{label}: {day}" if label else day, time)
        elif style == 1 and timed:
            roll.line(f"{day} {time}", rng.choice(("left", "centre")))
        else:
            roll.pair(f"{label}:" if label else "", day, "beside")
            if timed:
                roll.pair(f"{paper.label('time')}:", time, "beside")
    roll.skip()


def _items(roll: _Roll) -> Decimal:
    paper, rng = roll.paper, roll.paper.rng
    paper.table.columns = [
        Column(k, kind, "") for k, kind in (("description", "text"), ("quantity", "number"), ("amount", "money"))
    ]
    style = rng.choice(("plain", "plain", "leading", "under", "coded", "header"))
    if style == "header":
        paper.sheet.write(_EDGE, roll.y, rng.choice(("Item", "Description", "Qty Item")), paper.look)
        paper.sheet.write(
            roll.right, roll.y, rng.choice(("Amount", "Price", "Total", "RM", "AMT")), paper.look, "right"
        )
        roll.y += paper.step
    total = Decimal(0)
    flag = rng.choice(("", "", "", " T", " SR", " F"))
    dress = rng.choice(("", "", "", "", "flag", "number", "count", "remark", "each")) if rng.random() < 0.7 else ""
    for _ in range(rng.choice((1, 2, 2, 3, 4, 5, 7, 10))):
        count = rng.choice((1, 1, 1, 2, 3, 5))
        price = Decimal(rng.randrange(50, 4000)) / 100
        amount = price * count
        text = some_item(rng, paper.language)
        text = text.upper() if paper.habit.capitals else text
        told = _item(roll, style, _dressed(rng, dress, text), (count, price, amount), flag)
        row: dict[str, Json] = {"description": told, "amount": float(amount)}
        paper.table.rows.append({**row, "quantity": count} if style in ("leading", "under", "header") else row)
        total += amount
        if rng.random() < 0.03:
            _no_item(roll, total)
    roll.skip(0.3)
    return total


def _no_item(roll: _Roll, so_far: Decimal) -> None:
    """A priced line among the items that is none."""
    rng, habit = roll.paper.rng, roll.paper.habit
    label, amount = rng.choice(
        (
            ("MDSE ST", so_far),
            ("Balance", so_far),
            ("Svc Chr", so_far / 10),
            ("Voucher", -so_far / 5),
            ("You saved", so_far / 8),
        )
    )
    roll.pair(label, money_text(amount.quantize(_CENT), habit, marked=False))


def _dressed(rng: Random, dress: str, text: str) -> tuple[str, str]:
    """What is printed for an item and what its name is said to be: readers differ on what belongs to it."""
    with_it = {
        "flag": f"{rng.choice('TNRFX')} {text}",
        "number": f"{rng.randrange(2, 99999)} {text}",
        "count": f"{rng.choice((1, 1, 2, 3))} {text}",
        "remark": f"{text} ({rng.randrange(1, 5)}@{rng.randrange(1, 20)}.00)",
        "each": f"{text} {rng.choice(('EA', 'PC', '1.95', 'x1', '(L)', '500G'))}",
    }.get(dress if rng.random() < 0.85 else "", text)
    return with_it, with_it if rng.random() < (0.25 if dress == "count" else 0.5) else text


def _item(roll: _Roll, style: str, names: tuple[str, str], row: tuple[int, Decimal, Decimal], flag: str) -> str:
    """Print an item; what its name is said to be."""
    paper, (text, told), (count, price, amount) = roll.paper, names, row
    shown = money_text(amount, paper.habit, marked=paper.look.size > 10) + flag
    if style in ("leading", "header"):
        roll.pair(f"{count}{paper.rng.choice((' ', ' x ', '  '))}{text}", shown)
    elif style == "under":
        roll.line(text, "left")
        roll.pair(f"  {count} x {money_text(price, paper.habit, marked=False)}", shown)
    elif style == "coded":
        roll.line(some_code(paper.rng), "left")
        roll.pair(text, shown)
    else:
        roll.pair(text, shown)
    if paper.chance(0.03):
        roll.line(f"  {pick(paper.rng, 'value_text')}", "left")
        return f"{told} {pick(paper.rng, 'value_text')}" if paper.chance(0.3) else told
    return told


def _tell(roll: _Roll, key: str, amount: Decimal, *, label: str = "") -> None:
    paper = roll.paper
    paper.facts[key] = Told(float(amount), (money_text(amount, paper.habit),))
    paper.shown.add(key)
    roll.pair((label or paper.label(key)) + paper.rng.choice(("", ":", "")), paper.facts[key].text)


def _sums(roll: _Roll, goods: Decimal) -> None:
    """Subtotal, tax, service, rounding, total, cash and change, as far as there are such."""
    paper, rng = roll.paper, roll.paper.rng
    taxed = rng.random() < 0.6
    on_top = taxed and rng.random() < 0.7
    rate = Decimal(rng.choice((6, 7, 8, 10, 19, 20)))
    tax = (goods * rate / 100).quantize(_CENT) if on_top else (goods - goods / (1 + rate / 100)).quantize(_CENT)
    whole = goods + (tax if on_top else 0)
    if rng.random() < (0.85 if on_top else 0.35):
        _tell(roll, "total_net", goods if on_top or not taxed else goods - tax)
    if rng.random() < 0.12:
        _tell(roll, "tip", tip := (goods / 10).quantize(_CENT))
        whole += tip
    if taxed and on_top:
        _tell(roll, "total_tax", tax)
    if rng.random() < 0.15:
        rounded = (whole * 20).quantize(Decimal(1)) / 20
        _tell(roll, "rounding", (rounded - whole).quantize(_CENT))
        whole = rounded.quantize(_CENT)
    paper.look = replace(paper.look, bold=rng.random() < 0.4)
    if rng.random() < 0.2:
        paper.look = replace(paper.look, size=paper.look.size * 1.3)
    _tell(roll, "total_gross", whole)
    if rng.random() < 0.6:
        given = whole if rng.random() < 0.4 else (whole / 10 + 1).quantize(Decimal(1)) * 10
        _tell(roll, "cash", Decimal(given).quantize(_CENT))
        if rng.random() < 0.8:
            _tell(roll, "change", (Decimal(given) - whole).quantize(_CENT))
    _after(roll, (whole, tax, rate), taxed=taxed, on_top=on_top)


def _after(roll: _Roll, sums: tuple[Decimal, Decimal, Decimal], *, taxed: bool, on_top: bool) -> None:
    """What is printed under the total: the tax it holds, a summary, how many items there were."""
    paper, rng = roll.paper, roll.paper.rng
    whole, tax, rate = sums
    if taxed and not on_top and rng.random() < 0.8:
        _tell(roll, "total_tax", tax)
    if taxed and rng.random() < 0.3:
        roll.skip()
        roll.line("GST Summary   Amount   Tax", "left")
        net = money_text(whole - tax, paper.habit, marked=False)
        roll.pair(f"SR @ {rate}%   {net}", money_text(tax, paper.habit, marked=False))
    if rng.random() < 0.5:
        _again(roll, whole)
    if rng.random() < 0.2:
        roll.pair(rng.choice(("Total Qty", "Item count", "No. of items")) + ":", str(len(paper.table.rows)))


def _again(roll: _Roll, whole: Decimal) -> None:
    """The total once more, or several times, as what a card paid."""
    rng = roll.paper.rng
    for label in rng.sample(_PAID, k=rng.choice((1, 1, 2, 3))):
        roll.pair(label + rng.choice(("", ":")), money_text(whole, roll.paper.habit))


def _end(roll: _Roll) -> None:
    roll.skip()
    paper, rng = roll.paper, roll.paper.rng
    if rng.random() < 0.2 and "invoice_date" in paper.shown:
        roll.line(f"{paper.facts['invoice_date'].text} {paper.facts['time'].text if 'time' in paper.shown else ''}")
    if rng.random() < 0.2:
        roll.line(f"{rng.choice(('Thank you for shopping at ', 'Welcome to ', ''))}{paper.facts['seller_name'].text}")
    for _ in range(roll.paper.rng.randrange(4)):
        roll.line(pick(roll.paper.rng, "thanks"))
    if roll.paper.chance(0.15):
        roll.line(f"{roll.paper.label('print_date')}: {roll.paper.show('print_date').text}")
