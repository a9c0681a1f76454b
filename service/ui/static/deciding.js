// Decisions, another run, and the way to the next document.

import { ApiError, post } from "./api.js";
import { ask } from "./dialogs.js";
import { $ } from "./dom.js";
import { allStored } from "./editing.js";
import { drawHead, notice } from "./frame.js";
import { hand } from "./hand.js";
import { askColleague, goBack, LINKED } from "./hand-on.js";
import { load } from "./opening.js";
import { fill } from "./showing.js";
import { countOne } from "./tally.js";
import { countDoubts } from "./words.js";

let busy = false;

/** One decision at a time: a key that is pressed twice never decides the document behind this one. What was refused is said. */
export function alone(work) {
  return async () => {
    if (busy) return;
    busy = true;
    try {
      await work();
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      notice(error.message);
    } finally {
      busy = false;
    }
  };
}

export async function approve() {
  if (performance.now() < hand.doc.quietUntil) return; // a second press that was meant for the document before
  if (!(await allStored())) return;
  const left = countDoubts(hand.doc.job.review.reasons.filter((reason) => /^(low|conflict|check):/.test(reason)));
  if (left) {
    const text = left === 1 ? "One doubt was not settled. The history will say so." : `${left.toLocaleString("en")} doubts were not settled. The history will say so.`;
    if (!(await ask({ heading: "Approve with open doubts?", text, yes: "Approve all the same" }))) return;
  }
  await decide("approve", { accept_unseen: left > 0 });
}

export async function reject() {
  if (!(await allStored())) return;
  const answer = await ask({ heading: "Reject this document", write: "Why?", yes: "Reject" });
  if (answer) await decide("reject", { reason: answer.written });
}

/** Decide, and ask for the next document at the same time; if the decision is refused, that one is given back. */
async function decide(what, body) {
  const { id } = hand.doc.job;
  const following = LINKED ? null : askNext([id]);
  following?.catch(() => {}); // whoever goes on is told
  try {
    hand.doc.job = await post(`/jobs/${id}/${what}`, body);
  } catch (error) {
    following?.then((job) => job && post(`/jobs/${job.id}/release`)).catch(() => {});
    throw error;
  }
  sessionStorage.setItem("decided", id);
  countOne();
  return goOn(following);
}

/** Give it back undecided, and take another one. */
export async function postpone() {
  if (!(await allStored())) return;
  const { id, review } = hand.doc.job;
  const following = LINKED ? null : askNext([id]);
  if (review.claimed_by) hand.doc.job = await post(`/jobs/${id}/release`).catch(() => hand.doc.job);
  await goOn(following);
}

/** Give it to a colleague with a question, and take another one. */
export async function handOn() {
  if (!(await allStored())) return;
  if (await askColleague(hand.doc.job.id)) await nextDocument();
}

export async function nextDocument() {
  if (await allStored()) await goOn(LINKED ? null : askNext([hand.doc.job.id]));
}

const askNext = (skip) => post("/review/next", { skip }).then(({ job }) => job);

/** To the document that was handed out, or where one goes when there is none. */
async function goOn(following) {
  if (LINKED) return goBack(hand.doc.job) || drawHead(hand.doc);
  const job = await following;
  if (!job) return location.assign("/");
  history.pushState(null, "", `/review/${job.id}`);
  return load(job.id, job);
}

/** Another run with other boundaries, or a page turned or read anew; corrections stay where their place is still there. */
export async function mend(question, call = "rerun") {
  if (!(await allStored())) return;
  const wanted = await question(hand.doc, hand.view.page);
  if (!wanted) return;
  await post(`/jobs/${hand.doc.job.id}/${call}`, wanted);
  $("#work").hidden = true;
  $("#nothing").hidden = true;
  $("#loading").hidden = false;
  await load(hand.doc.job.id);
}

export async function reopen() {
  hand.doc.job = await post(`/jobs/${hand.doc.job.id}/reopen`);
  drawHead(hand.doc);
  notice("");
  fill();
  hand.card.focus();
}

/** With nothing left to take back here: the decision about the document before. */
export async function undoDecision() {
  const before = sessionStorage.getItem("decided");
  if (!before || before === hand.doc.job.id) return;
  if (!(await ask({ heading: "Go back to the document before?", text: "Its decision is taken back; the history keeps both.", yes: "Reopen it" }))) return;
  if (!(await allStored())) return;
  await post(`/jobs/${before}/reopen`);
  sessionStorage.removeItem("decided");
  history.pushState(null, "", `/review/${before}`);
  await load(before);
}
