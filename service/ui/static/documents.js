// The documents inside a file: which schema each has, and how a person says what they are.

import { get } from "./api.js";
import { bareSchema } from "./words.js";

const WHY = {
  no_text: "nothing could be read there",
  no_fit: "no schema fits",
  several_fit: "several schemas fit about as well",
};
const LINE = /^(not\s+)?(\d+)(?:\s*[-–]\s*(\d+))?(?:\s+(\S+))?$/;

/** The schemas of all records by the index of their document; each is asked for once. `only`: the one of all, on its way. */
export async function fetchSchemas(jobId, result, only) {
  if (only) {
    const schema = bareSchema(await only);
    return new Map(result.records.map(({ index }) => [index, schema]));
  }
  const asked = new Map();
  const found = new Map();
  for (const { index, schema } of result.records) {
    const key = reference(schema);
    if (!asked.has(key)) asked.set(key, get(`/jobs/${jobId}/schema?document=${index}`));
    found.set(index, bareSchema(await asked.get(key)));
  }
  return found;
}

export const reference = (schema) => (schema.version === null ? schema.name : `${schema.name}@${schema.version}`);
const range = (pages) => (pages.length > 1 ? `${pages[0]}-${pages.at(-1)}` : String(pages[0]));

/** Which pages have no record and why; empty where every document has one. */
export function saidOfUnrouted(result) {
  return result.documents
    .filter((document) => document.schema === null && document.reason !== "ignored")
    .map((document) => {
      const [best] = document.candidates;
      const closest = best ? ` (closest: ${best.schema.name})` : "";
      return `${document.pages.length === 1 ? "Page" : "Pages"} ${range(document.pages)}: ${WHY[document.reason] ?? WHY.no_fit}${closest}. More › Documents in this file gives them one.`;
    })
    .join(" ");
}

/** The documents as they are now, in the form in which they can be changed. */
export function written(result) {
  const named = result.schema === null;
  return result.documents.map(({ pages, schema, reason }) => `${reason === "ignored" ? "not " : ""}${range(pages)}${named && schema ? ` ${schema.name}` : ""}`).join(", ");
}

/** What was written, for a rerun; a document that stays as it was keeps the version of its schema. */
export function readWritten(text, result) {
  return text.split(/[,;\n]/).map((part) => part.trim()).filter(Boolean).map((part) => {
    const [, no, first, last, name] = LINE.exec(part) ?? [null, null, "0", "0"];
    const span = { first: Number(first), last: Number(last ?? first) };
    if (no) return { ...span, ignore: true };
    const before = result.documents.find(({ pages }) => pages[0] === span.first && pages.at(-1) === span.last)?.schema;
    const kept = before && before.version !== null && (!name || name === before.name) ? reference(before) : null;
    const wanted = name ?? (result.schema === null ? kept : null);
    return wanted ? { ...span, schema_ref: kept ?? wanted } : span;
  });
}
