// The field in hand, always in the same place: what the page shows, what is stored, and what may be done.

import { post } from "./api.js";
import { $, foreign, h, mark } from "./dom.js";
import { place, plain } from "./record.js";
import { saidOfRule } from "./rules.js";
import { explain } from "./words.js";

const PREVIEW_MS = 140;
const EVIDENCE = { width: 600, height: 76 };
/** The evidence shows so much of a line of the page, unless letters would be lower than this; most of it before the value, where labels are. */
const LINE_SHARE = 0.8;
const LETTERS_PX = 15;
const LABEL_SHARE = 0.85;
const READ_IN = new Set(["number", "integer"]);

/** One card that is filled anew for each field, so that an input method is never cut off by a redraw. */
export class Card {
  #timer = 0;
  #asking = null;

  constructor({ accept, absent, undo, take }) {
    this.take = take;
    this.input = h("textarea", { id: "value", rows: 1, dir: "auto", autocomplete: "off", spellcheck: false, oninput: () => this.#typed() });
    this.canvas = h("canvas", { class: "evidence", ...EVIDENCE, role: "img" });
    this.label = h("label", { for: "value", class: "card-label" });
    this.where = h("span", { class: "where" });
    this.badge = h("span", { class: "badge" });
    this.why = h("p", { class: "why" });
    this.preview = h("p", { class: "preview", id: "preview", aria: { live: "polite" } });
    this.others = h("div", { class: "candidates" });
    this.back = h("button", { class: "quiet small", onclick: undo }, "Undo ", h("kbd", {}, "Alt Z"));
    this.deeds = [
      h("button", { class: "quiet small", onclick: accept }, "Accept ", h("kbd", {}, "Enter")),
      h("button", { class: "quiet small", onclick: absent }, "Not in document ", h("kbd", {}, "Alt A")),
    ];
    const buttons = h("div", { class: "actions" }, ...this.deeds, this.back);
    this.input.setAttribute("aria-describedby", "preview");
    $("#card").replaceChildren(
      h("div", { class: "card-head" }, this.badge, this.label, this.where),
      this.canvas, this.input, this.preview, this.others, this.why, buttons,
    );
  }

  /** Fill it with a leaf; what was typed before is gone. */
  show(model, leaf, { jobId, canUndo, isDecided }) {
    const entry = model.entry(leaf);
    this.hush();
    this.model = model;
    this.leaf = leaf;
    this.jobId = jobId;
    this.badge.replaceChildren(mark(model.mark(leaf)));
    this.label.textContent = leaf.label;
    this.where.textContent = entry.page ? `page ${entry.page}` : "no place";
    this.input.value = plain(entry.value);
    this.input.placeholder = entry.verdict === "absent" ? "not in the document" : "nothing found";
    this.before = this.input.value;
    this.back.disabled = !canUndo || isDecided;
    this.input.readOnly = isDecided;
    for (const deed of this.deeds) deed.disabled = isDecided;
    this.#say("", "");
    this.#tellWhy(entry);
    this.#offer(entry);
  }

  /** Whether something was typed that is not stored. */
  get changed() {
    return this.leaf !== undefined && this.input.value.trim() !== this.before;
  }

  get text() {
    return this.input.value.trim();
  }

  focus() {
    this.input.focus({ preventScroll: true });
    this.input.select();
  }

  revert() {
    this.hush();
    this.input.value = this.before;
    this.#say("", "");
    this.input.select();
  }

  /** Something that was typed earlier and refused. */
  putBack({ text, message }) {
    this.input.value = text;
    this.#say(message, "bad");
  }

  complain(message) {
    this.#say(message, "bad");
  }

  /** Draw the line of the page on which the value stands. */
  evidence(image, coordinates) {
    const context = this.canvas.getContext("2d");
    const { width, height } = EVIDENCE;
    context.clearRect(0, 0, width, height);
    this.canvas.setAttribute("aria-label", image ? "Where the value stands on the page" : "No place on the page");
    this.canvas.classList.toggle("bare", !image);
    if (!image) return;
    const xs = coordinates.map((point) => point.x * image.naturalWidth);
    const ys = coordinates.map((point) => point.y * image.naturalHeight);
    const [x0, x1, y0, y1] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
    const readable = Math.max(LETTERS_PX / Math.max(1, y1 - y0), width / (LINE_SHARE * image.naturalWidth));
    const scale = Math.min(readable, width / ((x1 - x0) * 1.1), height / ((y1 - y0) * 1.3));
    const wide = width / scale;
    const spare = image.naturalWidth - wide;
    const left = spare < 0 ? spare / 2 : Math.min(Math.max(0, x0 - LABEL_SHARE * (wide - (x1 - x0))), spare);
    const top = (y0 + y1) / 2 - height / scale / 2;
    context.fillStyle = "#fff";
    context.fillRect(0, 0, width, height);
    context.drawImage(image, left, top, wide, height / scale, 0, 0, width, height);
    context.strokeStyle = "#2a56c6";
    context.lineWidth = 2;
    context.strokeRect((x0 - left) * scale - 3, (y0 - top) * scale - 3, (x1 - x0) * scale + 6, (y1 - y0) * scale + 6);
  }

  /** Values that may be taken in place of this one. */
  candidates() {
    const entry = this.model.entry(this.leaf);
    const conflict = this.model.conflicts.get(this.leaf.pointer);
    const listed = this.leaf.field.type === "boolean" ? [true, false] : this.leaf.field.enum ?? [];
    const found = conflict ? [{ value: conflict.other.value, location: place(conflict.other), said: "also found" }] : [];
    const members = listed.filter((value) => value !== null && value !== entry.value).slice(0, 8);
    return [...found, ...members.map((value) => ({ value, said: "" }))];
  }

  #offer(entry) {
    const list = this.candidates().filter((candidate) => candidate.value !== null && candidate.value !== entry.value);
    this.others.replaceChildren(...list.map((candidate, index) => h(
      "button",
      { class: "candidate", onclick: () => this.take(candidate) },
      foreign(plain(candidate.value)),
      candidate.said ? h("span", { class: "faint" }, candidate.said) : null,
      index === 0 ? h("kbd", {}, "Alt C") : null,
    )));
  }

  #tellWhy(entry) {
    const broken = this.model.failed(this.leaf).map((check) => saidOfRule(check.rule, this.leaf.table ? [this.leaf.row + 1] : []));
    const conflict = this.model.conflicts.has(this.leaf.pointer) ? "Two different values were found." : "";
    const limit = entry.reviewed ? "" : this.model.beyond(this.leaf);
    const said = [explain(entry), limit, conflict, ...broken].filter(Boolean).join(" ");
    this.why.textContent = said;
    this.why.classList.toggle("bad", broken.length > 0 && !entry.reviewed);
  }

  #say(message, tone) {
    this.preview.textContent = message;
    this.preview.className = `preview ${tone}`;
  }

  /** Ask nothing more about what is typed: it was sent, or given up. */
  hush() {
    clearTimeout(this.#timer);
    this.#asking?.abort();
  }

  #typed() {
    this.hush();
    if (!this.changed || !this.text) return this.#say("", "");
    const field = this.leaf.field;
    if (READ_IN.has(field.type) || field.format) this.#timer = setTimeout(() => this.#ask(), PREVIEW_MS);
    else this.#say("Enter stores it.", "");
    return undefined;
  }

  /** What would be stored for what is typed. */
  async #ask() {
    this.#asking = new AbortController();
    const leaf = this.leaf;
    const operation = { op: "set", id: "preview", record: leaf.record, path: leaf.address, old: this.model.entry(leaf).value, value: this.text };
    try {
      const answer = await post(`/jobs/${this.jobId}/corrections?dry_run=true`, { operations: [operation] }, { signal: this.#asking.signal });
      if (leaf === this.leaf) this.#say(`Will be stored as ${plain(answer.operations[0].entry.value)}`, "good");
    } catch (error) {
      if (error.name !== "AbortError" && leaf === this.leaf) this.#say(error.message, "bad");
    }
  }
}
