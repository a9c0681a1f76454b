"""Sets for evaluation, made on the spot: the samples with their truth, and any set under other names of its fields."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pypdfium2

from tests.fakes.local_service import SAMPLES

Json = Any
SYNONYMS = {
    "accepts_rules": "agrees_to_terms",
    "account_holder": "client",
    "address": "shop_location",
    "agreement_number": "contract_ref",
    "amount": "sum",
    "applicant_name": "candidate",
    "balance": "running_funds",
    "bank_name": "institution",
    "booking_date": "posted_on",
    "buyer_address": "customer_location",
    "buyer_name": "customer",
    "cash_given": "tendered",
    "change": "returned",
    "closing_balance": "final_funds",
    "counter_reading": "hours_run",
    "currency": "money_unit",
    "date": "day",
    "date_of_birth": "birthday",
    "deposit": "security",
    "description": "narrative",
    "due_date": "payable_by",
    "email": "mail_address",
    "emergency_contact": "call_if_urgent",
    "end_date": "ends_on",
    "gardened_before": "has_experience",
    "handover_date": "delivered_on",
    "hirer": "lessee",
    "iban": "account_id",
    "invoice_date": "billed_on",
    "invoice_number": "bill_ref",
    "items": "purchases",
    "lines": "articles",
    "machine": "equipment",
    "membership_number": "member_id",
    "merchant": "store",
    "monthly_rent": "fee_per_month",
    "net": "before_tax",
    "opening_balance": "initial_funds",
    "order_number": "purchase_reference",
    "owner": "lessor",
    "period_end": "covered_until",
    "period_start": "covered_from",
    "phone": "telephone",
    "plot_size": "garden_size",
    "position": "row_no",
    "postcode": "zip",
    "quantity": "units",
    "receipt_number": "slip_no",
    "received_by": "taken_over_by",
    "seller_name": "vendor",
    "seller_vat_id": "vendor_tax_reg",
    "serial_number": "machine_id",
    "shares_plot": "joint_use",
    "signed_on": "signature_day",
    "start_date": "begins_on",
    "statement_number": "extract_no",
    "street": "road",
    "subtotal": "net_sum",
    "tax": "vat",
    "tax_rate": "vat_percent",
    "time": "clock",
    "total": "grand_sum",
    "town": "city",
    "transactions": "movements",
    "unit_price": "price_each",
    "value_date": "effective_on",
    "wants_newsletter": "subscribes",
    "wants_shed": "needs_hut",
}
"""Another name for each field of the samples."""
TRUTH = "truth.jsonl"


def write_samples(folder: Path, *names: str) -> Path:
    """A set of the samples, or of those named; a file with several documents is cut into them."""
    rows: list[Json] = []
    for sample in sorted(p.parent for p in SAMPLES.glob("*/expected.json")):
        if names and sample.name not in names:
            continue
        schema = json.loads((sample / "schema.json").read_text(encoding="utf-8"))
        records = json.loads((sample / "expected.json").read_text(encoding="utf-8"))["records"]
        document = next(sample.glob("document.*"))
        for number, record in enumerate(records):
            file = f"{sample.name}_{number}{document.suffix}"
            if len(records) == 1:
                (folder / file).write_bytes(document.read_bytes())
            else:
                _cut(document, record["pages"], folder / file)
            rows.append(_row(file, schema, record))
    return _write(folder, rows)


def first_cases(source: Path, count: int, folder: Path) -> Path:
    """The first cases of a set; its documents stay where they are."""
    rows = [json.loads(line) for line in (source / TRUTH).read_text(encoding="utf-8").splitlines()[:count]]
    return _write(folder, [{**row, "file": str(source / row["file"])} for row in rows])


def renamed(source: Path, folder: Path, names: Mapping[str, str] | None = None) -> Path:
    """The same set under other names, descriptions kept; `x-checks` go, since they use the names.

    Args:
        source: the set.
        folder: for its new truth; the documents stay where they are.
        names: a new one for each name; None: names that say nothing.
    """
    rows = [json.loads(line) for line in (source / TRUTH).read_text(encoding="utf-8").splitlines()]
    return _write(folder, [_renamed_row(row, source, names) for row in rows])


def _write(folder: Path, rows: list[Json]) -> Path:
    (folder / TRUTH).write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return folder


def _cut(document: Path, pages: list[int], target: Path) -> None:
    with pypdfium2.PdfDocument(document) as whole, pypdfium2.PdfDocument.new() as part:
        part.import_pages(whole, [page - 1 for page in pages])
        part.save(target)


def _row(file: str, schema: Json, record: Json) -> Json:
    values, first = record["values"], record["pages"][0]
    boxes: dict[str, Json] = {n: [{} for _ in v] for n, v in values.items() if isinstance(v, list)}
    for path, place in record["locations"].items():
        where = {"page": place["page"] - first + 1, "bbox": place["box"]}
        match path.split("/")[1:]:
            case [name]:
                boxes[name] = where
            case [name, index, cell]:
                boxes[name][int(index)][cell] = where
            case _:
                raise AssertionError(f"a sample has a place that no set can hold: {path}")
    return {
        "file": file,
        "schema": schema,
        "truth": {name: value for name, value in values.items() if value is not None},
        "absent": [name for name, value in values.items() if value is None],
        "boxes": boxes,
    }


def _renamed_row(row: Json, source: Path, given: Mapping[str, str] | None) -> Json:
    schema, names = _renamed_schema(row["schema"], given)

    def rename(value: Json) -> Json:
        if isinstance(value, list):
            return [rename(v) for v in value]
        return {names.get(k, k): rename(v) for k, v in value.items()} if isinstance(value, dict) else value

    changed = {key: rename(row[key]) for key in ("truth", "boxes") if key in row}
    lists = {
        key: [names[n] for n in row[key] if n in names]
        for key in ("absent", "weak_fields", "not_verbatim")
        if key in row
    }
    return {**row, **changed, **lists, "schema": schema, "file": str(source / row["file"])}


def _renamed_schema(schema: Json, given: Mapping[str, str] | None) -> tuple[Json, dict[str, str]]:
    names: dict[str, str] = {}

    def name_of(name: str) -> str:
        return names.setdefault(name, given[name] if given is not None else f"field_{len(names) + 1}")

    def walk(node: Json) -> Json:
        kept = {key: value for key, value in node.items() if key != "x-checks"}
        if "properties" in node:
            kept["properties"] = {name_of(name): walk(child) for name, child in node["properties"].items()}
        if "items" in node:
            kept["items"] = walk(node["items"])
        return kept

    return walk(schema), names
