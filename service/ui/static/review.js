// One document under review: what is in hand, the keys, and the way to the next one.

import { ApiError, get, post } from "./api.js";
import { Card } from "./card.js";
import { Changes } from "./changes.js";
import { ask, showHistory, showKeys } from "./dialogs.js";
import { saidOfUnrouted } from "./documents.js";
import { $, afterPaint, h } from "./dom.js";
import { fetchBegun, fetchDocument } from "./fetching.js";
import { DECIDED, drawHead, drawLeft, drawThumbs, notice, showNothing, told } from "./frame.js";
import { pasted, spreadsheet } from "./grid.js";
import { askColleague, goBack, LINKED, showQuestion } from "./hand-on.js";
import { askBoundaries, askToRead, askToTurn, saidOfUnplaced } from "./mend.js";
import { PageView } from "./page-view.js";
import { wireMenu } from "./menu.js";
import { Panel } from "./panel.js";
import { place, plain, RecordModel } from "./record.js";
import { showSoFar } from "./so-far.js";
import { countOne } from "./tally.js";
import { isOver } from "./words.js";

const CLAIM_AGAIN_MS = 120_000;
const TOO_SOON_MS = 400;
/** Waiting documents among which the next one is looked for: others may have some in hand. */
const LOOKED_AT = 10;

/** Everything about the document on the screen. */
let doc = null;
/** The document that will probably come next, asked for ahead of time. */
let ahead = null;
let leaf = null;

const view = new PageView({ picked: take, boxed: (id) => open(doc.model.byAddress.get(id)), turned: turned });
const panel = new Panel({ open: (next) => leave().then(() => open(next)), add: addRow, remove: removeRow });
const card = new Card({ accept, absent, undo, take: (candidate) => change({ value: candidate.value, location: candidate.location }) });

// loading

/** What was fetched ahead, if nothing was done to the document since but to hand it out. */
async function fetchedAhead(job) {
  const found = ahead?.id === job.id ? await ahead.fetched : null;
  if (found?.result?.run !== job.run || found.result.revision + 1 !== job.revision) return null;
  return { ...found, job, result: { ...found.result, revision: job.revision } };
}

/** Open a document; `known`: its job, if it was just handed out. */
async function load(jobId, known) {
  const found = (known && (await fetchedAhead(known))) ?? (await fetchBegun(jobId, known));
  ahead = null;
  if (!found.result) {
    await showSoFar(found.job);
    setTimeout(() => load(jobId), 1000);
    return;
  }
  doc = { ...found, recordAt: 0, quietUntil: doc ? performance.now() + TOO_SOON_MS : 0, changes: new Changes(found.job, { stored, refused, told }) };
  doc.changes.revision = found.result.revision;
  $("#loading").hidden = true;
  $("#work").hidden = false;
  notice("");
  drawHead(doc);
  if (!doc.file?.pages.length || !doc.result.records.length) {
    $("#work").hidden = true;
    showNothing(doc, () => mend(() => ({}), "retry"));
    return;
  }
  notice([saidOfUnrouted(doc.result), saidOfUnplaced(doc.result)].filter(Boolean).join(" "));
  view.open(doc.file);
  drawThumbs(doc, (page) => view.show(page));
  showRecord(0);
  told("stored");
  afterPaint(() => { claim(known); lookAhead(); });
}

const schemaOf = (record) => doc.schemas.get(record.index);

function showRecord(index) {
  doc.recordAt = index;
  const record = doc.result.records[index];
  doc.model = new RecordModel(record, schemaOf(record), doc.result.file.pages.map((page) => page.page));
  drawRecords();
  panel.open(doc.model, schemaOf(record)["x-checks"] ?? []);
  const first = doc.model.open()[0] ?? doc.model.leaves[0];
  leaf = null;
  if (first) open(first);
  else view.show(doc.model.pages[0] ?? 1);
  drawLeft(doc);
}

/** Take it in hand, so that no colleague decides it meanwhile; a document that is decided is only looked at. */
async function claim(handedOut) {
  const at = doc;
  if (DECIDED.has(doc.job.review.state) || doc.job.review.state === "not_needed") return;
  try {
    const job = handedOut ?? (await post(`/jobs/${at.job.id}/claim`));
    if (doc !== at) return;
    at.job = job;
    drawHead(doc);
    await showQuestion(job);
  } catch (error) {
    if (error instanceof ApiError) notice(error.message);
  }
}

/** Ask for the oldest waiting document and its first picture before it is wanted. */
async function lookAhead() {
  if (LINKED) return;
  const at = doc;
  const { jobs } = await get(`/jobs?review=needed&order=oldest&limit=${LOOKED_AT}`);
  const next = jobs.find((job) => job.id !== at.job.id && isOver(job) && !job.review.claimed_by);
  if (next && doc === at) ahead = { id: next.id, fetched: fetchDocument(next.id, next).catch(() => null) };
}

// drawing

function drawRecords() {
  const box = $("#records");
  box.hidden = doc.result.records.length < 2;
  box.replaceChildren(...doc.result.records.map((record, index) => h(
    "button",
    { aria: { pressed: String(index === doc.recordAt) }, onclick: () => leave().then(() => showRecord(index)) },
    doc.result.schema === null ? `${index + 1} · ${record.schema.name}` : `Document ${index + 1}`,
  )));
}

function turned(page) {
  for (const button of $("#thumbs").children) {
    const here = button.dataset.page === String(page);
    button.classList.toggle("active", here);
    if (here) afterPaint(() => button.scrollIntoView({ block: "nearest" }));
  }
  drawBoxes();
}

function drawBoxes() {
  view.boxes(doc.model.on(view.page).map((item) => ({ id: item.address, coordinates: doc.model.entry(item).coordinates, mark: doc.model.mark(item) })));
  view.strengthen(leaf?.address);
}

// the field in hand

/** The card as the field in hand is now. */
function fill() {
  card.show(doc.model, leaf, { jobId: doc.job.id, canUndo: doc.changes.canTakeBack, isDecided: DECIDED.has(doc.job.review.state) });
}

function open(next) {
  if (!next) return;
  leaf = next;
  const entry = doc.model.entry(leaf);
  fill();
  panel.activate(leaf);
  const page = entry.page ?? view.page ?? 0;
  if (page && page !== view.page) view.show(page);
  else if (!view.page) view.show(doc.model.pages[0] ?? 1);
  view.strengthen(leaf.address);
  card.focus();
  afterPaint(() => {
    if (leaf !== next) return;
    panel.reveal(leaf);
    view.reveal();
    showEvidence(entry);
    const soon = doc.model.open().find((item) => doc.model.entry(item).page > view.page);
    view.prepare(soon ? doc.model.entry(soon).page : 0);
  });
}

/** The line of the page, from the picture that is there and then from the finer one. */
function showEvidence(entry) {
  const hasPlace = entry.page && entry.coordinates?.length;
  card.evidence(hasPlace ? view.atHand(entry.page) : null, entry.coordinates);
  if (!hasPlace) return;
  const at = leaf;
  view.sharp(entry.page).then((image) => { if (leaf === at) card.evidence(image, entry.coordinates); }, () => {});
}

/** Store what was typed before the field is left. */
async function leave() {
  if (leaf && card.changed) await change({ value: card.text });
}

function send(operations) {
  if (DECIDED.has(doc.job.review.state)) {
    notice("This document is decided. Reopen it to change it.");
    return;
  }
  doc.changes.push(operations);
}

/** Ask for a new value; an empty one means that the document does not have it. */
function change({ value, location }) {
  const old = doc.model.entry(leaf).value;
  const cell = { record: leaf.record, path: leaf.address, old };
  const absent = value === null || value === "";
  send([absent ? { op: "mark_absent", ...cell } : { op: "set", ...cell, value, location: location ?? kept(value) }]);
  return Promise.resolve();
}

/** The place stays when only the reading of it changed. */
function kept(value) {
  const entry = doc.model.entry(leaf);
  return entry.value !== null && plain(value).length > 0 ? place(entry) : undefined;
}

/** Enter: store or confirm, then the next doubtful field. */
async function accept() {
  if (card.changed) {
    const at = leaf;
    await change({ value: card.text });
    await doc.changes.settled();
    if (leaf !== at || card.preview.classList.contains("bad")) return;
  } else if (doc.model.isOpen(leaf) || doc.model.mark(leaf) === "passed") {
    confirm();
  }
  next();
}

function confirm() {
  const entry = doc.model.entry(leaf);
  entry.reviewed = { as: "confirm", by: "you" };
  doc.model.changed();
  send([{ op: "confirm", record: leaf.record, path: leaf.address, old: entry.value }]);
  panel.refresh(leaf);
}

function absent() {
  change({ value: null }).then(next);
}

/** The next doubtful field behind this one, from the top again; when none is left the approval is at hand. */
function next() {
  const all = doc.model.leaves;
  const at = all.indexOf(leaf);
  const waiting = [...all.slice(at + 1), ...all.slice(0, at)].find((item) => doc.model.isOpen(item));
  if (waiting) return open(waiting);
  const other = doc.result.records.findIndex((record, index) => index !== doc.recordAt && new RecordModel(record, schemaOf(record), []).open().length > 0);
  if (other >= 0) return showRecord(other);
  drawLeft(doc);
  fill();
  $("#approve").focus();
  return undefined;
}

function step(by) {
  const all = doc.model.leaves;
  const at = Math.min(all.length - 1, Math.max(0, all.indexOf(leaf) + by));
  leave().then(() => open(all[at]));
}

/** The cell in the row below or above. */
function down(by) {
  const cells = leaf.table?.rows[leaf.row + by];
  if (cells) leave().then(() => open(cells[leaf.column]));
}

function undo() {
  const last = doc.changes.takeBack();
  if (!last) return alone(undoDecision)();
  return send([{ op: "undo", of: last.id, path: last.path, record: last.record }]);
}

/** With nothing left to take back here: the decision about the document before. */
async function undoDecision() {
  const before = sessionStorage.getItem("decided");
  if (!before || before === doc.job.id) return;
  if (!(await ask({ heading: "Go back to the document before?", text: "Its decision is taken back; the history keeps both.", yes: "Reopen it" }))) return;
  await leave();
  await doc.changes.settled();
  await post(`/jobs/${before}/reopen`).catch(() => {});
  sessionStorage.removeItem("decided");
  history.pushState(null, "", `/review/${before}`);
  await load(before);
}

/** Words of the page for the field in hand. */
function take(text, location) {
  if (leaf) change({ value: text, location });
}

// tables

function addRow(table, before) {
  send([{ op: "insert_row", record: doc.model.id, path: table.address, before, value: {} }]);
}

function removeRow(table, row) {
  send([{ op: "delete_row", record: doc.model.id, path: `${table.address}/${table.ids[row]}` }]);
}

function copyAbove() {
  const above = leaf.table?.rows[leaf.row - 1]?.[leaf.column];
  if (above) change({ value: doc.model.entry(above).value });
}

/** Everything doubtful of this column, or of the single fields, is accepted as it is. */
function acceptAlike() {
  const alike = doc.model.open().filter((item) => item.table === leaf.table && (!leaf.table || item.column === leaf.column));
  if (alike.length) send(alike.map((item) => ({ op: "confirm", record: item.record, path: item.address, old: doc.model.entry(item).value })));
  doc.changes.settled().then(next);
}

// what the service says

async function stored(batch, answer) {
  doc.result.revision = answer.revision;
  doc.job.review = answer.review;
  const structural = batch.some((operation) => !["set", "confirm", "mark_absent"].includes(operation.op));
  if (structural) return reload(batch);
  const mine = new Set(batch.map((operation) => operation.id));
  for (const done of answer.operations) {
    const operation = batch.find((item) => item.id === done.id);
    if (!mine.has(done.id) || done.pointer === null || !done.entry) continue;
    const record = doc.result.records.find((item) => item.id === (operation.record ?? doc.model.id));
    record.fields[done.pointer] = { ...done.entry, reviewed: { as: operation.op, by: "you" } };
    if (record.id === doc.model.id) doc.model.conflicts.delete(done.pointer);
  }
  for (const record of doc.result.records) record.checks = answer.checks[record.id] ?? record.checks;
  doc.model.check(answer.checks[doc.model.id] ?? doc.model.checks);
  doc.model.changed();
  settleView(batch);
  return undefined;
}

function settleView(batch) {
  panel.settle();
  drawBoxes();
  drawLeft(doc);
  drawHead(doc);
  if (leaf && batch.some((operation) => operation.path === leaf.address)) {
    fill();
    showEvidence(doc.model.entry(leaf));
    if (document.activeElement === card.input) card.input.select();
  }
}

/** Rows came, went or moved: the record is asked for anew, and the field in hand is found again. */
async function reload(batch) {
  const address = leaf?.address;
  doc.result = await get(`/jobs/${doc.job.id}/result?view=compact`);
  const record = doc.result.records[doc.recordAt];
  doc.model = new RecordModel(record, schemaOf(record), doc.model.pages);
  panel.open(doc.model, schemaOf(record)["x-checks"] ?? []);
  const touched = batch.at(-1).op === "undo" ? doc.model.byAddress.get(batch.at(-1).path) : null;
  const added = batch.at(-1).op === "insert_row" ? doc.model.tables.find((table) => table.address === batch.at(-1).path) : null;
  const row = added && batch.at(-1).before === null ? added.rows.at(-1)?.[0] : null;
  open(row ?? touched ?? doc.model.byAddress.get(address) ?? doc.model.leaves[0]);
  drawLeft(doc);
  drawHead(doc);
}

async function refused(batch, error) {
  const [operation] = batch;
  if (error.status === 412) return resolveConflict(batch, error);
  if (operation.path === leaf?.address) card.complain(error.message);
  else notice(error.message);
  if (operation.op === "confirm") await reload(batch);
  return undefined;
}

/** Somebody else changed the same cell: both values, and a choice. */
async function resolveConflict(batch, error) {
  const { theirs, yours, by } = error.details;
  await reload(batch);
  const text = `${by ?? "Somebody"} changed it to “${plain(theirs) || "nothing"}” while you put “${plain(yours) || "nothing"}”.`;
  doc.changes.revision = doc.result.revision;
  const answer = await ask({ heading: "Changed by somebody else", text, yes: "Put mine", no: "Keep theirs" });
  if (answer) send(batch.filter((item) => item.path === error.details.path).map(({ id, ...item }) => ({ ...item, old: theirs })));
}

// decisions

let busy = false;

/** One decision at a time: a key that is pressed twice never decides the document behind this one. */
function alone(work) {
  return async () => {
    if (busy) return;
    busy = true;
    try {
      await work();
    } finally {
      busy = false;
    }
  };
}

async function approve() {
  if (performance.now() < doc.quietUntil) return; // a second press that was meant for the document before
  await leave();
  await doc.changes.settled();
  const left = doc.job.review.reasons.filter((reason) => /^(low|conflict|check):/.test(reason)).length;
  if (left) {
    const text = left === 1 ? "One doubt was not settled. The history will say so." : `${left} doubts were not settled. The history will say so.`;
    if (!(await ask({ heading: "Approve with open doubts?", text, yes: "Approve all the same" }))) return;
  }
  await decide("approve", { accept_unseen: left > 0 });
}

async function reject() {
  await doc.changes.settled();
  const answer = await ask({ heading: "Reject this document", write: "Why?", yes: "Reject" });
  if (answer) await decide("reject", { reason: answer.written });
}

/** Decide, and ask for the next document at the same time; if the decision is refused, that one is given back. */
async function decide(what, body) {
  const { id } = doc.job;
  const following = LINKED ? null : askNext([id]);
  try {
    doc.job = await post(`/jobs/${id}/${what}`, body);
  } catch (error) {
    following?.then((job) => job && post(`/jobs/${job.id}/release`)).catch(() => {});
    if (error instanceof ApiError) return notice(error.message);
    throw error;
  }
  sessionStorage.setItem("decided", id);
  countOne();
  return goOn(following);
}

/** Give it back undecided, and take another one. */
async function postpone() {
  await leave();
  await doc.changes.settled();
  const { id, review } = doc.job;
  const following = LINKED ? null : askNext([id]);
  if (review.claimed_by) doc.job = await post(`/jobs/${id}/release`).catch(() => doc.job);
  await goOn(following);
}

/** Give it to a colleague with a question, and take another one. */
async function handOn() {
  await leave();
  await doc.changes.settled();
  try {
    if (await askColleague(doc.job.id)) await nextDocument();
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    notice(error.message);
  }
}

async function nextDocument() {
  await leave();
  await doc.changes.settled();
  await goOn(LINKED ? null : askNext([doc.job.id]));
}

const askNext = (skip) => post("/review/next", { skip }).then(({ job }) => job);

/** To the document that was handed out, or where one goes when there is none. */
async function goOn(following) {
  if (LINKED) return goBack(doc.job) || drawHead(doc);
  const job = await following;
  if (!job) return location.assign("/");
  history.pushState(null, "", `/review/${job.id}`);
  return load(job.id, job);
}

/** Another run with other boundaries, or a page turned or read anew; corrections stay where their place is still there. */
async function mend(question, call = "rerun") {
  await leave();
  await doc.changes.settled();
  const wanted = await question(doc, view.page);
  if (!wanted) return;
  try {
    await post(`/jobs/${doc.job.id}/${call}`, wanted);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    notice(error.message);
    return;
  }
  $("#work").hidden = true;
  $("#nothing").hidden = true;
  $("#loading").hidden = false;
  await load(doc.job.id);
}

async function reopen() {
  doc.job = await post(`/jobs/${doc.job.id}/reopen`);
  drawHead(doc);
  notice("");
  fill();
  card.focus();
}

function nameOf(event) {
  const found = doc.result.records.map((record) => new RecordModel(record, schemaOf(record), [])).flatMap((model) => model.leaves).find((item) => item.address === event.path);
  return found?.label ?? event.path ?? "the record";
}

// keys

const COMMANDS = {
  KeyA: absent, KeyC: () => { const [first] = card.candidates(); if (first) change({ value: first.value, location: first.location }).then(next); },
  KeyZ: undo, KeyY: alone(approve), KeyN: alone(() => nextDocument()), KeyV: copyAbove, KeyH: showKeys,
  KeyI: () => { if (leaf.table) addRow(leaf.table, leaf.table.ids[leaf.row]); },
  KeyD: () => { if (leaf.table) removeRow(leaf.table, leaf.row); },
  Enter: acceptAlike, ArrowDown: () => down(1), ArrowUp: () => down(-1),
};

function onKey(event) {
  if (!doc?.model || !$("#more-menu").hidden || event.isComposing || event.keyCode === 229 || $("#dialog").open) return undefined;
  if (event.repeat && event.altKey && !event.key.startsWith("Arrow")) return event.preventDefault();
  const typing = event.target === card.input;
  const act = command(event, typing);
  if (!act) return undefined;
  event.preventDefault();
  return act();
}

function command(event, typing) {
  if (event.altKey && !event.ctrlKey && !event.metaKey) return COMMANDS[event.code];
  if (event.ctrlKey || event.metaKey) return null;
  if (typing && event.key === "Enter" && !event.shiftKey) return accept;
  if (typing && event.key === "Tab") return () => step(event.shiftKey ? -1 : 1);
  if (typing && event.key === "Escape") return () => card.revert();
  if (event.key === "PageDown" || event.key === "PageUp") return () => turn(event.key === "PageDown" ? 1 : -1);
  if (!typing && event.key === "?") return showKeys;
  return null;
}

function turn(by) {
  const page = view.page + by;
  if (page >= 1 && page <= doc.file.pages.length) view.show(page);
}

function wire() {
  document.addEventListener("keydown", onKey);
  card.input.addEventListener("paste", (event) => {
    const rows = leaf?.table ? spreadsheet(event.clipboardData.getData("text/plain")) : null;
    if (!rows) return;
    event.preventDefault();
    const operations = pasted(doc.model, leaf, rows);
    if (operations.length) send(operations);
  });
  $("#approve").addEventListener("click", alone(approve));
  $("#history").addEventListener("click", () => showHistory(doc.job.id, nameOf));
  $("#help").addEventListener("click", showKeys);
  wireMenu($("#more"), $("#more-menu"));
  $("#dialog").addEventListener("close", () => { if (doc?.model && document.activeElement?.id !== "approve") card.focus(); });
  for (const [id, act] of [["postpone", postpone], ["ask", handOn], ["reject", reject], ["reopen", reopen], ["to-next", () => nextDocument()], ["boundaries", () => mend(askBoundaries)], ["turn-page", () => mend(askToTurn)], ["read-again", () => mend(askToRead)]]) $(`#${id}`).addEventListener("click", alone(act));
  addEventListener("beforeunload", (event) => { if (doc?.changes.pending || card.changed) event.preventDefault(); });
  addEventListener("popstate", () => location.reload());
  let active = Date.now();
  for (const kind of ["keydown", "pointerdown", "wheel"]) document.addEventListener(kind, () => { active = Date.now(); }, { passive: true });
  setInterval(() => { if (doc?.job.review.state === "in_review" && Date.now() - active < CLAIM_AGAIN_MS) claim(); }, CLAIM_AGAIN_MS);
}

wire();
load(location.pathname.split("/").pop()).catch((error) => {
  $("#loading-text").textContent = error instanceof ApiError ? error.message : "The service does not answer.";
  if (!(error instanceof ApiError)) throw error;
});
