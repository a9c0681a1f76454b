// What a reviewer does to fields and rows: each change goes out at once.

import { $ } from "./dom.js";
import { DECIDED, drawLeft, notice } from "./frame.js";
import { hand } from "./hand.js";
import { place, plain, RecordModel } from "./record.js";
import { fill, open, schemaOf, showRecord } from "./showing.js";

/** Store what was typed before the field is left. */
export async function leave() {
  if (hand.leaf && hand.card.changed) await change({ value: hand.card.text });
}

/** Store what was typed, and tell whether all is stored: who goes on from what was refused is taken back to it. */
export async function allStored() {
  await leave();
  const isStored = await hand.doc.changes.settled();
  const refused = [...hand.doc.refused.keys()].map((address) => hand.doc.model.byAddress.get(address)).find(Boolean);
  if (refused) open(refused);
  return isStored && !refused;
}

export function send(operations) {
  if (DECIDED.has(hand.doc.job.review.state)) {
    notice("This document is decided. Reopen it to change it.");
    return;
  }
  hand.doc.changes.push(operations);
}

/** Ask for a new value; an empty one means that the document does not have it. */
export function change({ value, location }) {
  hand.card.hush(); // a question that comes after the answer would be about a cell that holds another value by then
  const old = hand.doc.model.entry(hand.leaf).value;
  const cell = { record: hand.leaf.record, path: hand.leaf.address, old };
  const absent = value === null || value === "";
  send([absent ? { op: "mark_absent", ...cell } : { op: "set", ...cell, value, location: location ?? kept(value) }]);
  return Promise.resolve();
}

/** The place stays when only the reading of it changed. */
function kept(value) {
  const entry = hand.doc.model.entry(hand.leaf);
  return entry.value !== null && plain(value).length > 0 ? place(entry) : undefined;
}

/** Enter: store or confirm, then the next doubtful field at once: who types on must not wait for the service. */
export async function accept() {
  if (hand.card.changed) {
    await change({ value: hand.card.text });
    presume(hand.leaf, "set");
  } else if (hand.doc.model.isOpen(hand.leaf) || hand.doc.model.mark(hand.leaf) === "passed") {
    confirm();
  }
  next();
}

/** What is on its way counts as looked at; if the service refuses it, what it was before comes back. */
function presume(leaf, as) {
  const entry = hand.doc.model.entry(leaf);
  hand.doc.model.record.fields[leaf.pointer] = { ...entry, reviewed: { as, by: "you", before: entry.reviewed ?? null } };
  hand.doc.model.changed();
  hand.panel.refresh(leaf);
}

function confirm() {
  send([{ op: "confirm", record: hand.leaf.record, path: hand.leaf.address, old: hand.doc.model.entry(hand.leaf).value }]);
  presume(hand.leaf, "confirm");
}

/** The document does not have the field in hand. */
export function absent() {
  change({ value: null }).then(next);
}

/** The next doubtful field behind this one, from the top again; when none is left the approval is at hand. */
export function next() {
  const all = hand.doc.model.leaves;
  const at = all.indexOf(hand.leaf);
  const waiting = [...all.slice(at + 1), ...all.slice(0, at)].find((item) => hand.doc.model.isOpen(item));
  if (waiting) return open(waiting);
  const other = hand.doc.result.records.findIndex((record, index) => index !== hand.doc.recordAt && new RecordModel(record, schemaOf(record), []).open().length > 0);
  if (other >= 0) return showRecord(other);
  drawLeft(hand.doc);
  fill();
  $("#approve").focus();
  return undefined;
}

export function step(by) {
  const all = hand.doc.model.leaves;
  const at = Math.min(all.length - 1, Math.max(0, all.indexOf(hand.leaf) + by));
  leave().then(() => open(all[at]));
}

/** The cell in the row below or above. */
export function down(by) {
  const cells = hand.leaf.table?.rows[hand.leaf.row + by];
  if (cells) leave().then(() => open(cells[hand.leaf.column]));
}

/** Take the last change back; false if there is none. */
export function undo() {
  const last = hand.doc.changes.takeBack();
  if (last) send([{ op: "undo", of: last.id, path: last.path, record: last.record }]);
  return Boolean(last);
}

/** Words of the page for the field in hand. */
export function take(text, location) {
  if (hand.leaf) change({ value: text, location });
}

export function addRow(table, before) {
  send([{ op: "insert_row", record: hand.doc.model.id, path: table.address, before, value: {} }]);
}

export function removeRow(table, row) {
  send([{ op: "delete_row", record: hand.doc.model.id, path: `${table.address}/${table.ids[row]}` }]);
}

export function copyAbove() {
  const above = hand.leaf.table?.rows[hand.leaf.row - 1]?.[hand.leaf.column];
  if (above) change({ value: hand.doc.model.entry(above).value });
}

/** Everything doubtful of this column, or of the single fields, is accepted as it is. */
export function acceptAlike() {
  const alike = hand.doc.model.open().filter((item) => item.table === hand.leaf.table && (!hand.leaf.table || item.column === hand.leaf.column));
  if (alike.length) send(alike.map((item) => ({ op: "confirm", record: item.record, path: item.address, old: hand.doc.model.entry(item).value })));
  for (const item of alike) presume(item, "confirm");
  next();
}
