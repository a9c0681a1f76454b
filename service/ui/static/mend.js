// Mending what a run took for granted: where documents begin and end, which pages count, how a page is read.

import { ask } from "./dialogs.js";
import { readWritten, reference, written } from "./documents.js";
import { plain } from "./record.js";
import { title } from "./words.js";

/** Which pages are one document; what a new run is asked for, or nothing. */
export async function askBoundaries(doc) {
  const text = `The file has ${doc.file.pages.length} pages. Now: ${written(doc.result)}. Write the pages of each document, and its schema where it should have another: 1-2 invoice, 3. What is to be left out: not 4.`;
  const answer = await ask({ heading: "Documents in this file", text, write: "Pages", written: written(doc.result), yes: "Run again" });
  return answer && { documents: readWritten(answer.written, doc.result) };
}

/** Which schema a document has that was given none; in a file of several each is written. */
export async function askSchema(doc) {
  const [one, ...others] = doc.result.documents;
  if (others.length) return askBoundaries(doc);
  const best = one.candidates[0]?.schema.name;
  const names = doc.job.schemas.toSorted((a, b) => Number(b.name === best) - Number(a.name === best));
  const choices = names.map((schema) => [reference(schema), schema.name]);
  const answer = await ask({ heading: "Choose its schema", text: "The document is read again with it.", choices, yes: "Run again" });
  return answer && { documents: [{ first: one.pages[0], last: one.pages.at(-1), schema_ref: answer.chosen }] };
}

/** Whether the page in view is to be read from its picture. */
export async function askToRead(doc, page) {
  const text = `Page ${page} is read from its picture, whatever text it holds: for pages whose text is wrong, or cannot be chosen. Your corrections stay where their place is still there.`;
  const answer = await ask({ heading: "Read this page again?", text, yes: "Read again" });
  return answer && { read_again: [page] };
}

const TURNS = [["90", "A quarter to the right ↻"], ["270", "A quarter to the left ↺"], ["180", "Upside down"]];

/** How the page in view is to be turned. */
export async function askToTurn(doc, page) {
  const text = `Page ${page} is turned, read again and its values found anew. Your corrections stay where their place is still there.`;
  const answer = await ask({ heading: `Turn page ${page}`, text, choices: TURNS, yes: "Turn and read" });
  return answer && { turn: [{ page, degrees: Number(answer.chosen) }] };
}

/** Corrections of an earlier run that fit no more: they are not lost, and a person should see them. */
export function saidOfUnplaced(result) {
  const lost = result.unplaced_corrections.filter((one) => one.op === "set").map(({ path, new: value }) => `${title(path.split("/").pop())} “${plain(value)}”`);
  return lost.length ? `Put in before this run, and not taken over since something else stands there now: ${lost.slice(0, 3).join(", ")}${lost.length > 3 ? `, and ${lost.length - 3} more` : ""}.` : "";
}
