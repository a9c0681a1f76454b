// What opens over the page: the keys, the history, a question.

import { get } from "./api.js";
import { $, foreign, h } from "./dom.js";
import { plain } from "./record.js";
import { age } from "./words.js";

const KEYS = [
  ["Enter", "Accept, store what is typed, go to the next doubtful field"],
  ["Alt Enter", "Accept everything doubtful of this column, or of the single fields"],
  ["Tab", "Next field; Shift Tab: the one before"],
  ["Alt ↓  Alt ↑", "The cell below or above"],
  ["Alt A", "Not in the document"],
  ["Alt C", "Take the other candidate"],
  ["Alt Z", "Undo; with nothing left to undo, back to the document before"],
  ["Alt V", "In a table: copy the value of the row above"],
  ["Alt I  Alt D", "In a table: insert a row before this one, delete this one"],
  ["Alt Y", "Approve, and go to the next document"],
  ["Alt N", "Next document, undecided"],
  ["Esc", "What is typed, back to what is stored"],
  ["Page Up  Page Down", "The page before, the next page"],
  ["Drag on the page", "Take these words; click: one word, or the field of a box"],
  ["?  or  Alt H", "These keys"],
];

const DEEDS = { mend: "had the file read again", approve: "approved", reject: "rejected", reopen: "reopened", claim: "took it in hand", release: "postponed", ask: "asked a colleague" };
const OPS = { set: "set", confirm: "confirmed", mark_absent: "marked as absent", insert_row: "inserted a row in", delete_row: "deleted a row of", move_row: "moved a row of", undo: "took back a change of" };

function open(...content) {
  const dialog = $("#dialog");
  dialog.replaceChildren(...content);
  if (!dialog.open) dialog.showModal();
  return dialog;
}

const close = () => $("#dialog").close();

export function showKeys() {
  const rows = KEYS.map(([keys, does]) => h("div", { class: "key-row" }, h("dt", {}, h("kbd", {}, keys)), h("dd", {}, does)));
  open(h("h2", {}, "Keys"), h("dl", { class: "keys" }, ...rows), h("div", { class: "row" }, h("button", { class: "primary", onclick: close }, "Close")));
}

/** Which pages were turned or read from their picture. */
function saidOfPages({ turned, read_again: pictured }) {
  const turns = Object.entries(turned).map(([page, degrees]) => `page ${page} turned by ${degrees}°`);
  return [...turns, ...pictured.map((page) => `page ${page} read by OCR`)].join(", ");
}

/** Everything that people did, newest first. */
export async function showHistory(jobId, nameOf) {
  const { events } = await get(`/jobs/${jobId}/history`);
  const lines = [...events].reverse().map((event) => {
    const what = event.op ? `${OPS[event.op]} ${nameOf(event)}` : DEEDS[event.action];
    const values = event.op === "set" || event.op === "mark_absent" ? h("p", { class: "change" }, foreign(plain(event.old) || "nothing"), " → ", foreign(plain(event.new) || "nothing")) : null;
    const reason = event.detail.reason ? h("p", { class: "change" }, foreign(event.detail.reason)) : null;
    const asked = event.detail.question ? h("p", { class: "change" }, foreign(event.detail.to), ": ", foreign(event.detail.question)) : null;
    const mended = event.action === "mend" ? h("p", { class: "change" }, saidOfPages(event.detail)) : null;
    const unseen = event.detail.unseen ? h("p", { class: "change" }, `${event.detail.unseen} doubts were left.`) : null;
    return h("li", {}, h("p", {}, h("strong", {}, foreign(event.by)), ` ${what} `, h("time", { dateTime: event.at, title: event.at, class: "faint" }, age(event.at))), values, reason, asked, mended, unseen);
  });
  const list = lines.length ? h("ol", { class: "history" }, ...lines) : h("p", { class: "faint" }, "Nobody changed anything yet.");
  open(h("h2", {}, "History"), list, h("div", { class: "row" }, h("button", { class: "primary", onclick: close }, "Close")));
}

/** Ask a question; resolves to what was chosen and written, or to null. `choices` are pairs of a value and its words. */
export function ask({ heading, text, name, names = [], choices = [], write, written = "", yes, no = "Cancel" }) {
  return new Promise((resolve) => {
    const select = choices.length ? h("select", { aria: { label: heading } }, ...choices.map(([value, said]) => h("option", { value }, said))) : null;
    const area = write ? h("textarea", { rows: 3, maxLength: 1000, required: true, value: written }) : null;
    const who = name ? h("input", { maxLength: 100, required: true, autocomplete: "off" }) : null;
    if (who) who.setAttribute("list", "ask-names");
    let answer = null;
    const accept = h("button", { class: "primary", onclick: () => {
      for (const field of [who, area]) if (field && !field.value.trim()) return field.focus();
      answer = { chosen: select?.value, name: who?.value.trim() ?? "", written: area?.value.trim() ?? "" };
      return close();
    } }, yes);
    const dialog = open(h("h2", {}, heading), h("p", {}, text ?? ""), select ?? "", who ? h("label", {}, name, who, h("datalist", { id: "ask-names" }, ...names.map((value) => h("option", { value })))) : "", area ? h("label", {}, write, area) : "", h("div", { class: "row" }, h("button", { class: "quiet", onclick: close }, no), accept));
    dialog.addEventListener("close", () => resolve(answer), { once: true });
    (select ?? who ?? area ?? accept).focus();
  });
}
