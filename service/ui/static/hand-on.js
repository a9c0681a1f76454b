// A document goes to a colleague with a question, or back to the program that sent the reviewer here.

import { get, post } from "./api.js";
import { ask } from "./dialogs.js";
import { $, foreign } from "./dom.js";

/** Whether a signed link opened this page: then there is one document, and no next one. */
export const LINKED = document.body.classList.contains("linked");

/** Ask whom and what, and give the document away; resolves to whether it was given. */
export async function askColleague(jobId) {
  const { reviewers } = LINKED ? { reviewers: [] } : await get("/reviewers");
  const answer = await ask({ heading: "Ask a colleague", text: "They have the document for a day; it is the next that they are handed.", name: "Who?", names: reviewers, write: "Your question", yes: "Ask" });
  if (!answer) return false;
  await post(`/jobs/${jobId}/ask`, { to: answer.name, question: answer.written });
  return true;
}

/** Show what a colleague asked about this document, as long as it is open. */
export async function showQuestion(job) {
  $("#asked").hidden = true;
  if (job.review.state !== "in_review") return;
  const { events } = await get(`/jobs/${job.id}/history`);
  const at = events.findLastIndex((event) => event.action === "ask");
  if (at < 0 || events.slice(at).some((event) => ["approve", "reject"].includes(event.action))) return;
  const { by, detail } = events[at];
  $("#asked").replaceChildren(foreign(by), " asks ", foreign(detail.to), ": ", foreign(detail.question));
  $("#asked").hidden = false;
}

/** After the decision: back to where the link says, or a word that this is all. */
export function goBack(job) {
  const place = document.body.dataset.return;
  if (!place) return false;
  const url = new URL(place);
  url.searchParams.set("job_id", job.id);
  url.searchParams.set("review", job.review.state);
  location.assign(url.href);
  return true;
}
