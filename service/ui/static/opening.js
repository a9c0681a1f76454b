// Opening a document: fetched ahead where it can be, taken in hand, the next one asked for before it is wanted.

import { refused, stored } from "./answering.js";
import { ApiError, get, post } from "./api.js";
import { Changes } from "./changes.js";
import { saidOfUnrouted } from "./documents.js";
import { $, afterPaint } from "./dom.js";
import { fetchBegun, fetchDocument } from "./fetching.js";
import { DECIDED, drawHead, drawThumbs, notice, showNothing, told } from "./frame.js";
import { hand } from "./hand.js";
import { LINKED, showQuestion } from "./hand-on.js";
import { saidOfUnplaced } from "./mend.js";
import { showRecord } from "./showing.js";
import { showSoFar } from "./so-far.js";
import { isOver } from "./words.js";

const TOO_SOON_MS = 400;
const AGAIN_MS = 1000;
/** Waiting documents among which the next one is looked for: others may have some in hand. */
const LOOKED_AT = 10;

/** The document that will probably come next, asked for ahead of time. */
let ahead = null;

/** What was fetched ahead, if nothing was done to the document since but to hand it out. */
async function fetchedAhead(job) {
  const found = ahead?.id === job.id ? await ahead.fetched : null;
  if (found?.result?.run !== job.run || found.result.revision + 1 !== job.revision) return null;
  return { ...found, job, result: { ...found.result, revision: job.revision } };
}

/** Open a document; `known`: its job, if it was just handed out. */
export async function load(jobId, known) {
  const found = (known && (await fetchedAhead(known))) ?? (await fetchBegun(jobId, known));
  ahead = null;
  if (!found.result) {
    await showSoFar(found.job);
    setTimeout(() => again(jobId), AGAIN_MS);
    return;
  }
  hand.doc = { ...found, recordAt: 0, quietUntil: hand.doc ? performance.now() + TOO_SOON_MS : 0, refused: new Map(), changes: new Changes(found.job, { stored, refused, told }) };
  hand.doc.changes.revision = found.result.revision;
  $("#loading").hidden = true;
  $("#work").hidden = false;
  notice("");
  drawHead(hand.doc);
  if (!hand.doc.file?.pages.length || !hand.doc.result.records.length) {
    $("#work").hidden = true;
    showNothing(hand.doc, { again: hand.retry, choose: hand.choose });
    return;
  }
  notice([saidOfUnrouted(hand.doc.result), saidOfUnplaced(hand.doc.result)].filter(Boolean).join(" "));
  hand.view.open(hand.doc.file);
  drawThumbs(hand.doc, (page) => hand.view.show(page));
  showRecord(0);
  told("stored");
  afterPaint(() => { claim(known); lookAhead().catch(() => {}); }); // else it is asked for when it is wanted
}

/** Look whether the record has come; who does not answer now may later. */
function again(jobId) {
  load(jobId).catch((error) => {
    $("#loading-text").textContent = error.message;
    if (error.status === 0) setTimeout(() => again(jobId), AGAIN_MS);
  });
}

/** Take it in hand, so that no colleague decides it meanwhile; a document that is decided is only looked at. */
export async function claim(handedOut) {
  const at = hand.doc;
  if (DECIDED.has(hand.doc.job.review.state) || hand.doc.job.review.state === "not_needed") return;
  try {
    const job = handedOut ?? (await post(`/jobs/${at.job.id}/claim`));
    if (hand.doc !== at) return;
    at.job = job;
    drawHead(hand.doc);
    await showQuestion(job);
  } catch (error) {
    if (error instanceof ApiError) notice(error.message);
  }
}

/** Ask for the oldest waiting document and its first picture before it is wanted. */
async function lookAhead() {
  if (LINKED) return;
  const at = hand.doc;
  const { jobs } = await get(`/jobs?review=needed&order=oldest&limit=${LOOKED_AT}`);
  const next = jobs.find((job) => job.id !== at.job.id && isOver(job) && !job.review.claimed_by);
  if (next && hand.doc === at) ahead = { id: next.id, fetched: fetchDocument(next.id, next).catch(() => null) };
}
