// All fields of a record at a glance, its checks, and its tables.

import { $, foreign, h, mark } from "./dom.js";
import { Grid } from "./grid.js";
import { plain } from "./record.js";
import { saidOfRule } from "./rules.js";

export class Panel {
  /** `on` has `open(leaf)`, `add(table, before)`, `remove(table, row)`. */
  constructor(on) {
    this.on = on;
    this.grids = [];
    this.items = new Map();
  }

  /** Show a record from the beginning. */
  open(model, rules) {
    this.model = model;
    const keep = new Map(this.grids.map((grid) => [grid.table.pointer, grid.window.scrollTop]));
    this.items = new Map(model.scalars.map((leaf) => [leaf.address, this.#item(leaf)]));
    $("#fields").replaceChildren(...this.items.values());
    this.grids = model.tables.map((table) => new Grid(model, table, rules, this.on));
    $("#tables").replaceChildren(...this.grids.map((grid) => grid.element));
    for (const grid of this.grids) grid.window.scrollTop = keep.get(grid.table.pointer) ?? 0;
    this.active = null;
    this.checks();
  }

  #item(leaf) {
    return this.#fill(h("button", { class: "field", onclick: () => this.on.open(leaf) }), leaf);
  }

  #fill(button, leaf) {
    const entry = this.model.entry(leaf);
    const value = plain(entry.value);
    const broken = this.model.broken.has(leaf.pointer);
    button.classList.toggle("broken", broken);
    button.replaceChildren(
      mark(this.model.mark(leaf)),
      h("span", { class: "field-label" }, leaf.label),
      value ? foreign(value, { className: "field-value" }) : h("span", { class: "field-value none" }, entry.verdict === "absent" ? "not in the document" : "nothing found"),
    );
    return button;
  }

  /** Draw again what a leaf shows. */
  refresh(leaf) {
    const button = this.items.get(leaf.address);
    if (button) this.#fill(button, leaf);
  }

  /** Draw again everything that may have changed with the checks. */
  settle() {
    for (const leaf of this.model.scalars) this.refresh(leaf);
    for (const grid of this.grids) {
      grid.draw();
      grid.sums();
    }
    this.checks();
  }

  activate(leaf) {
    this.active?.classList.remove("active");
    this.active?.removeAttribute("aria-current");
    this.active = this.items.get(leaf.address);
    this.active?.classList.add("active");
    this.active?.setAttribute("aria-current", "true");
    for (const grid of this.grids) grid.activate(leaf);
  }

  /** Bring a leaf into view. */
  reveal(leaf) {
    this.items.get(leaf.address)?.scrollIntoView({ block: "nearest" });
    this.grids.find((grid) => grid.table === leaf.table)?.element.scrollIntoView({ block: "nearest" });
  }

  /** The checks that do not hold, each leading to the first of its fields. */
  checks() {
    const failed = this.model.failed();
    $("#checks").replaceChildren(...failed.map((check) => {
      const leaves = check.paths.map((path) => this.model.byPointer.get(path)).filter(Boolean);
      const [leaf] = leaves;
      const rows = [...new Set(leaves.filter((one) => one.table).map((one) => one.row + 1))];
      return h("button", { class: "check-line", disabled: !leaf, title: check.rule, onclick: () => this.on.open(leaf) }, h("span", { class: "cross" }, "✕"), h("span", {}, saidOfRule(check.rule, rows)));
    }));
  }
}
