// A record as the screen sees it: single fields, tables, and where each leaf is addressed.

import { escapeToken, plainField, title } from "./words.js";

/** What is known of a leaf nobody told about. */
const NOTHING = { value: null, verdict: "absent", confidence: "low", page: null, coordinates: [] };

/** One document of the file. */
export class RecordModel {
  #open = null;
  #placed = null;

  constructor(record, root, pages) {
    this.record = record;
    this.root = root;
    this.id = record.id;
    this.pages = record.pages ?? pages;
    this.conflicts = new Map(record.conflicts.map((conflict) => [conflict.path, conflict]));
    this.check(record.checks);
    this.scalars = [];
    this.tables = [];
    this.#walk(root, record.values, "", "", []);
    this.leaves = [...this.scalars, ...this.tables.flatMap((table) => table.cells)];
    this.byAddress = new Map(this.leaves.map((leaf) => [leaf.address, leaf]));
    this.byPointer = new Map(this.leaves.map((leaf) => [leaf.pointer, leaf]));
  }

  #walk(node, value, pointer, address, names) {
    const field = plainField(this.root, node);
    if (field.type === "object") {
      for (const [name, child] of Object.entries(field.properties ?? {})) {
        const token = escapeToken(name);
        const said = child.title ?? title(name);
        this.#walk(child, value?.[name], `${pointer}/${token}`, `${address}/${token}`, [...names, said]);
      }
    } else if (field.type === "array") {
      this.#array(field, value ?? [], pointer, address, names);
    } else {
      this.scalars.push({ record: this.id, pointer, address, field, label: names.join(" · ") });
    }
  }

  #array(field, values, pointer, address, names) {
    const items = plainField(this.root, field.items);
    if (items.type !== "object") {
      const single = (_, index) => this.#walk(items, null, `${pointer}/${index}`, `${address}/${index}`, [...names, String(index + 1)]);
      values.forEach(single);
      return;
    }
    const columns = this.#columns(items, "", []);
    const ids = this.record.rows[pointer] ?? [];
    const table = { pointer, address, label: names.join(" · "), columns, ids, cells: [], rows: [] };
    ids.forEach((id, row) => {
      const cells = columns.map((column, place) => ({
        record: this.id, pointer: `${pointer}/${row}${column.path}`, address: `${address}/${id}${column.path}`,
        field: column.field, label: `${column.label}, row ${row + 1}`, table, row, column: place,
      }));
      table.rows.push(cells);
      table.cells.push(...cells);
    });
    this.tables.push(table);
    ids.forEach((id, row) => this.#inner(items, values[row], `${pointer}/${row}`, `${address}/${id}`, [...names, `row ${row + 1}`]));
  }

  /** Lists inside rows: tables of their own. */
  #inner(items, value, pointer, address, names) {
    for (const [name, child] of Object.entries(items.properties ?? {})) {
      const field = plainField(this.root, child);
      const token = escapeToken(name);
      const inner = [...names, child.title ?? title(name)];
      if (field.type === "array") this.#array(field, value?.[name] ?? [], `${pointer}/${token}`, `${address}/${token}`, inner);
      else if (field.type === "object") this.#inner(field, value?.[name], `${pointer}/${token}`, `${address}/${token}`, inner);
    }
  }

  #columns(node, path, names) {
    return Object.entries(node.properties ?? {}).flatMap(([name, child]) => {
      const field = plainField(this.root, child);
      const inner = [...names, child.title ?? title(name)];
      const where = `${path}/${escapeToken(name)}`;
      if (field.type === "object") return this.#columns(field, where, inner);
      return field.type === "array" ? [] : [{ name, path: where, field, label: inner.join(" · ") }];
    });
  }

  entry(leaf) {
    return this.record.fields[leaf.pointer] ?? NOTHING;
  }

  /** Whether a person should look at it, and none has. */
  isOpen(leaf) {
    const entry = this.entry(leaf);
    if (entry.reviewed || entry.origin === "corrected") return false;
    if (this.conflicts.has(leaf.pointer)) return true;
    if (entry.value === null) return entry.verdict === "unreadable" || entry.verdict === "ambiguous";
    return entry.confidence === "low" || entry.verdict === "ambiguous";
  }

  /** Which of the four marks it has. */
  mark(leaf) {
    const entry = this.entry(leaf);
    if (entry.reviewed) return entry.reviewed.as === "confirm" ? "confirmed" : "corrected";
    if (entry.origin === "corrected") return "corrected";
    return this.isOpen(leaf) ? "unseen" : "passed";
  }

  /** Leaves that wait for a person, in the order of the panel; not to be changed. */
  open() {
    this.#open ??= this.leaves.filter((leaf) => this.isOpen(leaf));
    return this.#open;
  }

  /** Leaves whose place is on a page; not to be changed. */
  on(page) {
    this.#placed ??= Map.groupBy(this.leaves.filter((leaf) => this.entry(leaf).coordinates?.length), (leaf) => this.entry(leaf).page);
    return this.#placed.get(page) ?? [];
  }

  /** Entries are others now. */
  changed() {
    this.#open = null;
    this.#placed = null;
  }

  /** Why a number does not pass unseen by the schema's limits, in words; nothing where it does. */
  beyond(leaf) {
    const { below, above } = this.root["x-review"]?.limits?.[leaf.pointer.replaceAll(/\/\d+(?=\/)/g, "/*")] ?? {};
    const { value } = this.entry(leaf);
    if (typeof value !== "number") return "";
    if (above !== undefined && value > above) return `A person looks at everything above ${above}.`;
    return below !== undefined && value < below ? `A person looks at everything below ${below}.` : "";
  }

  /** Take over the outcome of the checks. */
  check(checks) {
    this.checks = checks;
    this.broken = new Set(checks.filter((check) => !check.ok).flatMap((check) => check.paths));
  }

  /** The checks that do not hold and are about this leaf, or all of them. */
  failed(leaf) {
    if (leaf && !this.broken.has(leaf.pointer)) return [];
    return this.checks.filter((check) => !check.ok && (!leaf || check.paths.includes(leaf.pointer)));
  }
}

/** A value as text, as it is stored. */
export function plain(value) {
  return value === null || value === undefined ? "" : String(value);
}

/** The location of an entry, or nothing. */
export function place(entry) {
  return entry.page ? { page: entry.page, coordinates: entry.coordinates, word_coordinates: entry.word_coordinates ?? [] } : undefined;
}
