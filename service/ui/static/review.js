// One document under review: the parts of the screen, and what each button does.

import { ApiError } from "./api.js";
import { Card } from "./card.js";
import { alone, approve, handOn, mend, nextDocument, postpone, reject, reopen } from "./deciding.js";
import { showHistory, showKeys } from "./dialogs.js";
import { $ } from "./dom.js";
import { absent, accept, addRow, change, leave, removeRow, send, take } from "./editing.js";
import { pasted, spreadsheet } from "./grid.js";
import { hand } from "./hand.js";
import { onKey, undoHere } from "./keys.js";
import { askBoundaries, askSchema, askToRead, askToTurn } from "./mend.js";
import { wireMenu } from "./menu.js";
import { claim, load } from "./opening.js";
import { PageView } from "./page-view.js";
import { Panel } from "./panel.js";
import { RecordModel } from "./record.js";
import { open, schemaOf, showRecord, turned } from "./showing.js";

const CLAIM_AGAIN_MS = 120_000;

hand.view = new PageView({ picked: take, boxed: (id) => open(hand.doc.model.byAddress.get(id)), turned });
hand.panel = new Panel({ open: (next) => leave().then(() => open(next)), add: addRow, remove: removeRow });
hand.card = new Card({ accept, absent, undo: undoHere, take: (candidate) => change({ value: candidate.value, location: candidate.location }) });
hand.retry = alone(() => mend(() => ({}), "retry"));
hand.choose = alone(() => mend(askSchema));
hand.goTo = (index) => leave().then(() => showRecord(index));

function nameOf(event) {
  const found = hand.doc.result.records.map((record) => new RecordModel(record, schemaOf(record), [])).flatMap((model) => model.leaves).find((item) => item.address === event.path);
  return found?.label ?? event.path ?? "the record";
}

function wire() {
  document.addEventListener("keydown", onKey);
  hand.card.input.addEventListener("paste", (event) => {
    const rows = hand.leaf?.table ? spreadsheet(event.clipboardData.getData("text/plain")) : null;
    if (!rows) return;
    event.preventDefault();
    const operations = pasted(hand.doc.model, hand.leaf, rows);
    if (operations.length) send(operations);
  });
  $("#approve").addEventListener("click", alone(approve));
  $("#history").addEventListener("click", () => showHistory(hand.doc.job.id, nameOf));
  $("#help").addEventListener("click", showKeys);
  wireMenu($("#more"), $("#more-menu"));
  $("#dialog").addEventListener("close", () => { if (hand.doc?.model && document.activeElement?.id !== "approve") hand.card.focus(); });
  for (const [id, act] of [["postpone", postpone], ["ask", handOn], ["reject", reject], ["reopen", reopen], ["to-next", () => nextDocument()], ["boundaries", () => mend(askBoundaries)], ["turn-page", () => mend(askToTurn)], ["read-again", () => mend(askToRead)]]) $(`#${id}`).addEventListener("click", alone(act));
  addEventListener("beforeunload", (event) => { if (hand.doc?.changes.pending || hand.card.changed) event.preventDefault(); });
  addEventListener("popstate", () => location.reload());
  let active = Date.now();
  for (const kind of ["keydown", "pointerdown", "wheel"]) document.addEventListener(kind, () => { active = Date.now(); }, { passive: true });
  setInterval(() => { if (hand.doc?.job.review.state === "in_review" && Date.now() - active < CLAIM_AGAIN_MS) claim(); }, CLAIM_AGAIN_MS);
}

wire();
load(location.pathname.split("/").pop()).catch((error) => {
  $("#loading-text").textContent = error.message;
  if (!(error instanceof ApiError)) throw error;
});
