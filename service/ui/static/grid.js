// A table of the record: only the rows in view are in the page, so that two thousand of them are as quick as ten.

import { h, mark, visible } from "./dom.js";
import { place, plain } from "./record.js";
import { SUM } from "./rules.js";

const ROW_PX = 28;
const MOST_SHOWN = 9;
const SPARE = 6;
const NUMBERS = new Set(["number", "integer"]);

/** How wide a column is, by what it holds. */
function width(column) {
  if (NUMBERS.has(column.field.type)) return "minmax(80px, 0.8fr)";
  return column.field.format || column.field.enum ? "minmax(104px, 0.8fr)" : "minmax(110px, 1.8fr)";
}

export class Grid {
  /** `on` has `open(leaf)`, `add(table, before)`, `remove(table, row)`. */
  constructor(model, table, rules, on) {
    this.model = model;
    this.table = table;
    this.rules = rules;
    this.on = on;
    this.active = null;
    this.top = 0;
    /** Rows that are in the page, by their number: the element and what it shows. */
    this.rows = new Map();
    this.body = h("div", { class: "grid-body", role: "rowgroup" });
    this.window = h("div", { class: "grid-window", tabIndex: 0, role: "grid", aria: { label: table.label, rowcount: String(table.ids.length + 1) }, onscroll: () => { this.top = this.window.scrollTop; this.draw(); } }, this.#head(), this.body);
    this.foot = h("div", { class: "grid-foot" });
    this.element = h("section", { class: "grid" }, this.#title(), this.window, this.foot);
    const columns = `26px ${table.columns.map(width).join(" ")} 26px`;
    this.element.style.setProperty("--columns", columns);
    this.window.style.height = `${(Math.min(table.ids.length, MOST_SHOWN) + 1) * ROW_PX + 2}px`;
    this.body.style.height = `${table.ids.length * ROW_PX}px`;
    this.sums();
    this.draw();
  }

  #title() {
    const count = this.table.ids.length;
    const add = h("button", { class: "quiet small", onclick: () => this.on.add(this.table, null) }, "Add row");
    return h("div", { class: "grid-title" }, h("h2", {}, this.table.label), h("span", { class: "faint" }, count === 1 ? "1 row" : `${count} rows`), h("span", { class: "grow" }), add);
  }

  #head() {
    const names = this.table.columns.map((column) => h("div", { role: "columnheader", class: NUMBERS.has(column.field.type) ? "number" : "", title: column.label }, column.label));
    return h("div", { class: "grid-row grid-head", role: "row" }, h("div", { role: "columnheader" }, h("span", { class: "hidden" }, "Row")), ...names, h("div", { role: "columnheader" }, h("span", { class: "hidden" }, "Delete")));
  }

  /** Bring a cell into view and mark it as the one in hand. */
  activate(leaf) {
    this.active = leaf?.table === this.table ? leaf : null;
    if (this.active) {
      const top = this.active.row * ROW_PX;
      this.view ??= this.window.clientHeight - 2 * ROW_PX; // its height is fixed, and asking makes the page lay out
      if (top < this.top) this.#scroll(top);
      else if (top > this.top + this.view) this.#scroll(top - this.view);
    }
    this.draw();
  }

  #scroll(top) {
    this.window.scrollTop = top;
    this.top = top;
  }

  /** Draw the rows in view; one that shows what it showed before stays. */
  draw() {
    const first = Math.max(0, Math.floor(this.top / ROW_PX) - SPARE);
    const last = Math.min(this.table.rows.length, first + MOST_SHOWN + 2 * SPARE + 2);
    const before = this.rows;
    this.rows = new Map();
    for (let index = first; index < last; index += 1) {
      const cells = this.table.rows[index];
      const shows = cells.map((leaf) => `${this.#states(leaf)}\u0000${plain(this.model.entry(leaf).value)}`).join("\u0000");
      const known = before.get(index);
      this.rows.set(index, known?.shows === shows ? known : { shows, element: this.#row(cells, index) });
    }
    for (const [index, { element }] of before) if (this.rows.get(index)?.element !== element) element.remove();
    let at = this.body.firstChild;
    for (const { element } of this.rows.values()) {
      if (element === at) at = at.nextSibling;
      else this.body.insertBefore(element, at);
    }
  }

  #states(leaf) {
    return `${NUMBERS.has(leaf.field.type) ? "number " : ""}${this.model.mark(leaf)}${leaf === this.active ? " active" : ""}${this.model.broken.has(leaf.pointer) ? " broken" : ""}`;
  }

  #row(cells, index) {
    const remove = h("button", { class: "row-button", tabIndex: -1, aria: { label: `Delete row ${index + 1}` }, onclick: () => this.on.remove(this.table, index) }, "×");
    const row = h(
      "div",
      { class: "grid-row", role: "row", aria: { rowindex: String(index + 2) } },
      h("div", { class: "row-number", role: "rowheader" }, String(index + 1)),
      ...cells.map((leaf) => this.#cell(leaf)),
      h("div", { role: "gridcell" }, remove),
    );
    row.style.transform = `translateY(${index * ROW_PX}px)`;
    return row;
  }

  #cell(leaf) {
    const kind = this.model.mark(leaf);
    const value = plain(this.model.entry(leaf).value);
    const button = h(
      "button",
      { class: "cell-button", tabIndex: -1, title: visible(value), onclick: () => this.on.open(leaf) },
      kind === "passed" ? null : mark(kind),
      h("bdi", { dir: "auto" }, visible(value) || "–"),
    );
    return h("div", { class: `cell ${this.#states(leaf)}`, role: "gridcell" }, button);
  }

  /** The sum of each column of numbers, with what is missing to the total that a check names. */
  sums() {
    const parts = this.table.columns.filter((column) => column.field.type === "number").map((column) => this.#sum(column)).filter(Boolean);
    this.foot.replaceChildren(...parts);
    this.foot.hidden = parts.length === 0;
  }

  #sum(column) {
    const rule = this.rules.map((text) => SUM.exec(text)?.groups).find((found) => found && `/${found.array.replaceAll(".", "/")}` === this.table.pointer && found.column === column.name);
    if (!rule) return null;
    const place = this.table.columns.indexOf(column);
    const cents = this.table.rows.reduce((sum, cells) => sum + Math.round(Number(this.model.entry(cells[place]).value ?? 0) * 1e6), 0);
    const total = this.model.record.fields[`/${rule.total.replaceAll(".", "/")}`]?.value;
    const sum = cents / 1e6;
    const said = `Sum of ${column.label}: ${sum.toLocaleString("en", { maximumFractionDigits: 4 })}`;
    if (typeof total !== "number") return h("span", {}, said);
    const off = Math.round((sum - total) * 1e6) / 1e6;
    const fine = Math.abs(off) <= 0.01 * Math.max(1, this.table.rows.length);
    const verdict = fine ? `matches ${total}` : `${off > 0 ? "+" : ""}${off.toLocaleString("en", { maximumFractionDigits: 4 })} against ${total}`;
    return h("span", { class: fine ? "good" : "bad" }, `${said} · ${verdict}`);
  }
}

/** The cells of a text copied from a spreadsheet, or nothing when it is a single value. */
export function spreadsheet(text) {
  const body = text.replace(/\r\n?/g, "\n").replace(/\n$/, "");
  if (!/[\t\n]/.test(body)) return null;
  return body.split("\n").map((line) => line.split("\t").map((cell) => cell.trim()));
}

/** The operations that put cells from the leaf in hand on; rows that are missing are added. */
export function pasted(model, leaf, rows) {
  const { table } = leaf;
  return rows.flatMap((texts, down) => {
    const cells = table.rows[leaf.row + down];
    const named = texts.slice(0, table.columns.length - leaf.column).map((text, right) => [leaf.column + right, text]).filter(([, text]) => text);
    if (!cells) {
      const value = Object.fromEntries(named.map(([column, text]) => [table.columns[column].name, text]));
      return [{ op: "insert_row", record: model.id, path: table.address, before: null, value }];
    }
    return named.map(([column, text]) => {
      const entry = model.entry(cells[column]);
      return { op: "set", record: model.id, path: cells[column].address, old: entry.value, value: text, location: place(entry) };
    });
  });
}
