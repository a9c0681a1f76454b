// What is in hand, drawn: the record, the field with its evidence, the boxes on the page.

import { $, afterPaint, h } from "./dom.js";
import { DECIDED, drawLeft } from "./frame.js";
import { hand } from "./hand.js";
import { RecordModel } from "./record.js";

/** The schema of a record: of several each has its own. */
export const schemaOf = (record) => hand.doc.schemas.get(record.index);

/** Take another record of the file in hand, from its first doubt on. */
export function showRecord(index) {
  hand.doc.recordAt = index;
  const record = hand.doc.result.records[index];
  hand.doc.model = new RecordModel(record, schemaOf(record), hand.doc.result.file.pages.map((page) => page.page));
  drawRecords();
  hand.panel.open(hand.doc.model, schemaOf(record)["x-checks"] ?? []);
  const first = hand.doc.model.open()[0] ?? hand.doc.model.leaves[0];
  hand.leaf = null;
  if (first) open(first);
  else hand.view.show(hand.doc.model.pages[0] ?? 1);
  drawLeft(hand.doc);
}

function drawRecords() {
  const box = $("#records");
  box.hidden = hand.doc.result.records.length < 2;
  box.replaceChildren(...hand.doc.result.records.map((record, index) => h(
    "button",
    { aria: { pressed: String(index === hand.doc.recordAt) }, onclick: () => hand.goTo(index) },
    hand.doc.result.schema === null ? `${index + 1} · ${record.schema.name}` : `Document ${index + 1}`,
  )));
}

/** Another page is in view. */
export function turned(page) {
  for (const button of $("#thumbs").children) {
    const here = button.dataset.page === String(page);
    button.classList.toggle("active", here);
    if (here) afterPaint(() => button.scrollIntoView({ block: "nearest" }));
  }
  drawBoxes();
}

export function drawBoxes() {
  hand.view.boxes(hand.doc.model.on(hand.view.page).map((item) => ({ id: item.address, coordinates: hand.doc.model.entry(item).coordinates, mark: hand.doc.model.mark(item) })));
  hand.view.strengthen(hand.leaf?.address);
}

/** The card as the field in hand is now. */
export function fill() {
  hand.card.show(hand.doc.model, hand.leaf, { jobId: hand.doc.job.id, canUndo: hand.doc.changes.canTakeBack, isDecided: DECIDED.has(hand.doc.job.review.state) });
  const typed = hand.doc.refused.get(hand.leaf.address);
  if (typed) hand.card.putBack(typed);
  hand.doc.refused.delete(hand.leaf.address);
}

/** Take a field in hand. */
export function open(next) {
  if (!next) return;
  hand.leaf = next;
  const entry = hand.doc.model.entry(hand.leaf);
  fill();
  hand.panel.activate(hand.leaf);
  const page = entry.page ?? hand.view.page ?? 0;
  if (page && page !== hand.view.page) hand.view.show(page);
  else if (!hand.view.page) hand.view.show(hand.doc.model.pages[0] ?? 1);
  hand.view.strengthen(hand.leaf.address);
  hand.card.focus();
  afterPaint(() => {
    if (hand.leaf !== next) return;
    hand.panel.reveal(hand.leaf);
    hand.view.reveal();
    showEvidence(entry);
    const soon = hand.doc.model.open().find((item) => hand.doc.model.entry(item).page > hand.view.page);
    hand.view.prepare(soon ? hand.doc.model.entry(soon).page : 0);
  });
}

/** The line of the page, from the picture that is there and then from the finer one. */
export function showEvidence(entry) {
  const hasPlace = entry.page && entry.coordinates?.length;
  hand.card.evidence(hasPlace ? hand.view.atHand(entry.page) : null, entry.coordinates);
  if (!hasPlace) return;
  const at = hand.leaf;
  hand.view.sharp(entry.page).then((image) => { if (hand.leaf === at) hand.card.evidence(image, entry.coordinates); }, () => {});
}
