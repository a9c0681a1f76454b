// What the service says to changes: stored, refused, or that somebody else was there.

import { get } from "./api.js";
import { ask } from "./dialogs.js";
import { send } from "./editing.js";
import { drawHead, drawLeft, notice } from "./frame.js";
import { hand } from "./hand.js";
import { plain, RecordModel } from "./record.js";
import { drawBoxes, fill, open, schemaOf, showEvidence } from "./showing.js";

export async function stored(batch, answer) {
  hand.doc.result.revision = answer.revision;
  hand.doc.job.review = answer.review;
  const structural = batch.some((operation) => !["set", "confirm", "mark_absent"].includes(operation.op));
  if (structural) return reload(batch);
  const mine = new Set(batch.map((operation) => operation.id));
  for (const done of answer.operations) {
    const operation = batch.find((item) => item.id === done.id);
    if (!mine.has(done.id) || done.pointer === null || !done.entry) continue;
    const record = hand.doc.result.records.find((item) => item.id === (operation.record ?? hand.doc.model.id));
    record.fields[done.pointer] = { ...done.entry, reviewed: { as: operation.op, by: "you" } };
    if (record.id === hand.doc.model.id) hand.doc.model.conflicts.delete(done.pointer);
  }
  for (const record of hand.doc.result.records) record.checks = answer.checks[record.id] ?? record.checks;
  hand.doc.model.check(answer.checks[hand.doc.model.id] ?? hand.doc.model.checks);
  hand.doc.model.changed();
  settleView(batch);
  return undefined;
}

function settleView(batch) {
  hand.panel.settle();
  drawBoxes();
  drawLeft(hand.doc);
  drawHead(hand.doc);
  if (hand.leaf && batch.some((operation) => operation.path === hand.leaf.address)) {
    fill();
    showEvidence(hand.doc.model.entry(hand.leaf));
    if (document.activeElement === hand.card.input) hand.card.input.select();
  }
}

/** Rows came, went or moved: the record is asked for anew, and the field in hand is found again. */
async function reload(batch) {
  const address = hand.leaf?.address;
  hand.doc.result = await get(`/jobs/${hand.doc.job.id}/result?view=compact`);
  const record = hand.doc.result.records[hand.doc.recordAt];
  hand.doc.model = new RecordModel(record, schemaOf(record), hand.doc.model.pages);
  hand.panel.open(hand.doc.model, schemaOf(record)["x-checks"] ?? []);
  const touched = batch.at(-1).op === "undo" ? hand.doc.model.byAddress.get(batch.at(-1).path) : null;
  const added = batch.at(-1).op === "insert_row" ? hand.doc.model.tables.find((table) => table.address === batch.at(-1).path) : null;
  const row = added && batch.at(-1).before === null ? added.rows.at(-1)?.[0] : null;
  open(row ?? touched ?? hand.doc.model.byAddress.get(address) ?? hand.doc.model.leaves[0]);
  drawLeft(hand.doc);
  drawHead(hand.doc);
}

export async function refused(batch, error) {
  const [operation] = batch;
  if (error.status === 412) return resolveConflict(batch, error);
  if (operation.op === "confirm") await reload(batch);
  const leaf = operation.record === hand.doc.model.id ? hand.doc.model.byAddress.get(operation.path) : null;
  if (operation.op === "set" && leaf) putBack(leaf, operation.value, error.message);
  else notice(error.message);
  return undefined;
}

/** What was not stored waits in its field, as it was typed; nobody is taken there from something half typed. */
function putBack(leaf, value, message) {
  const entry = hand.doc.model.entry(leaf);
  if (entry.reviewed?.before !== undefined) entry.reviewed = entry.reviewed.before;
  hand.doc.model.changed();
  hand.panel.refresh(leaf);
  if (leaf === hand.leaf && hand.card.changed) return hand.card.complain(message);
  hand.doc.refused.set(leaf.address, { text: plain(value), message });
  return hand.card.changed ? notice(`${leaf.label}: ${message}`) : open(leaf);
}

/** Somebody else changed the same cell: both values, and a choice. */
async function resolveConflict(batch, error) {
  const { theirs, yours, by } = error.details;
  await reload(batch);
  const text = `${by ?? "Somebody"} changed it to “${plain(theirs) || "nothing"}” while you put “${plain(yours) || "nothing"}”.`;
  hand.doc.changes.revision = hand.doc.result.revision;
  const answer = await ask({ heading: "Changed by somebody else", text, yes: "Put mine", no: "Keep theirs" });
  if (answer) send(batch.filter((item) => item.path === error.details.path).map(({ id, ...item }) => ({ ...item, old: theirs })));
}
