// What stands around the document: its name and state, its pages, and whether all is stored.

import { API, picture } from "./api.js";
import { saidOfUnrouted } from "./documents.js";
import { $, foreign, h, visible } from "./dom.js";
import { LINKED } from "./hand-on.js";
import { REVIEW, STATUS } from "./words.js";

const SAVED = { stored: "All changes are stored", storing: "Storing…", waiting: "Not stored yet: the service does not answer" };
/** Of a document that gave no record, as many are shown. */
const MOST_PAGES = 4;
export const DECIDED = new Set(["approved", "rejected"]);

/** The name, the state, and which decisions are open. */
export function drawHead(doc) {
  const isLost = ["failed", "cancelled"].includes(doc.job.status);
  const [said, tone] = isLost ? [STATUS[doc.job.status], "bad"] : REVIEW[doc.job.review.state];
  document.body.classList.add("told");
  document.body.classList.toggle("lost", !doc.result.records.length);
  $("#name").replaceChildren(foreign(doc.file?.name ?? "Document"));
  $("#state").hidden = false;
  $("#state").className = `chip ${tone}`;
  $("#state").textContent = said;
  const decided = DECIDED.has(doc.job.review.state);
  $("#approve").disabled = decided || !doc.result.records.length;
  $("#reopen").hidden = !decided;
  $("#reject").hidden = decided;
  $("#postpone").hidden = decided;
  $("#ask").hidden = decided;
  const result = `${API}/jobs/${doc.job.id}/result?version=${doc.job.review.state === "approved" ? "approved" : "current"}`;
  $("#export").href = result;
  $("#export").download = `${doc.file?.name ?? doc.job.id}.json`;
  $("#export-xlsx").href = `${result}&format=xlsx`;
  $("#proof").href = `${API}/jobs/${doc.job.id}/proof`;
  document.title = `${visible(doc.file?.name ?? "Review")} · Fieldmark`;
}

/** How much is left to check. */
export function drawLeft(doc) {
  const count = doc.model.open().length;
  const broken = doc.model.failed().length;
  const nothing = broken === 0 ? "Nothing left to check" : broken === 1 ? "1 check does not hold" : `${broken} checks do not hold`;
  $("#left").textContent = count === 0 ? nothing : `${count.toLocaleString("en")} to check`;
  drawBadges(doc);
}

/** Small pictures of all pages. */
export function drawThumbs(doc, show) {
  const nav = $("#thumbs");
  nav.hidden = doc.file.pages.length < 2;
  nav.replaceChildren(...doc.file.pages.map((shape) => h(
    "button",
    { data: { page: String(shape.page) }, aria: { label: `Page ${shape.page}` }, onclick: () => show(shape.page) },
    h("img", { src: picture(doc.file, shape, 72), alt: "", loading: "lazy", decoding: "async" }),
    h("span", { class: "thumb-number" }, String(shape.page), h("span", { class: "thumb-open", hidden: true })),
  )));
}

function drawBadges(doc) {
  if (doc.file.pages.length < 2) return;
  const counts = new Map();
  for (const open of doc.model.open()) {
    const page = doc.model.entry(open).page;
    counts.set(page, (counts.get(page) ?? 0) + 1);
  }
  for (const button of $("#thumbs").children) {
    const badge = button.querySelector(".thumb-open");
    const count = counts.get(Number(button.dataset.page)) ?? 0;
    badge.hidden = count === 0;
    badge.textContent = String(count);
  }
}

/** In place of a document that gave no record: why, what can be done, and its first pages. */
export function showNothing(doc, { again, choose }) {
  const unrouted = saidOfUnrouted(doc.result);
  const why = doc.job.error?.message ?? (unrouted || "Nothing in it fits its schema.");
  const [does, said] = unrouted ? [choose, "Choose its schema…"] : [again, "Try again"];
  const retry = LINKED || (doc.job.status === "succeeded" && !unrouted) ? null : h("button", { class: "primary", onclick: does }, said);
  const back = LINKED ? null : h("a", { class: "quiet", href: "/" }, "All documents");
  $("#nothing").replaceChildren(h("strong", {}, "This document gave no record"), h("p", {}, why), h("div", { class: "row" }, back, retry), h("div", { class: "row pages" }, ...firstPages(doc)));
  $("#nothing").hidden = false;
}

function firstPages({ file }) {
  return (file?.pages ?? []).slice(0, MOST_PAGES).map((shape) => h(
    "a",
    { href: picture(file, shape, 150), target: "_blank", rel: "noopener" },
    h("img", { src: picture(file, shape, 72), alt: `Page ${shape.page}` }),
  ));
}

/** Something the reviewer should know; empty: nothing. */
export function notice(message) {
  $("#notice").textContent = message;
  $("#notice").hidden = !message;
}

/** Whether every change is stored. */
export function told(state) {
  $("#saved").textContent = SAVED[state];
  $("#saved").dataset.state = state;
}
