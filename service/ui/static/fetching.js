// Documents and pictures on their way. A page begins with this module, before the others that draw are there.

import { get, picture } from "./api.js";
import { fetchSchemas } from "./documents.js";
import { h } from "./dom.js";
import { isOver } from "./words.js";

export const SCREEN_DPI = 100;
const MOST_PICTURES = 16;

/** Pictures by their address, the newest last: each is asked for and decoded once. */
const pictures = new Map();

/** Ask for the picture of a page, maybe ahead of time: the image, whether it can be shown at once, and when it can. */
export function fetchPicture(file, shape, dpi = SCREEN_DPI) {
  const address = picture(file, shape, dpi);
  const known = pictures.get(address);
  if (known) return known;
  const image = h("img", { id: "picture", decoding: "sync", alt: `Page ${shape.page}`, src: address });
  const asked = { image, isReady: false };
  asked.ready = image.decode().then(() => { asked.isReady = true; return image; });
  asked.ready.catch(() => pictures.delete(address));
  pictures.set(address, asked);
  if (pictures.size > MOST_PICTURES) pictures.delete(pictures.keys().next().value);
  return asked;
}

/** A document with all that is drawn of it first; `known`: its job, if it was just told. */
export async function fetchDocument(jobId, known) {
  const job = known ?? (await get(`/jobs/${jobId}`));
  if (!isOver(job)) return { job };
  const only = job.schema ? get(`/jobs/${jobId}/schema`) : null;
  const fetched = get(`/jobs/${jobId}/result?view=compact`).then((result) => {
    const first = result.file?.pages[(firstOpen(result) ?? result.records[0]?.pages?.[0] ?? 1) - 1];
    if (first) fetchPicture(result.file, first);
    return result;
  });
  const [result] = await Promise.all([fetched, only]);
  return { job, result, schemas: await fetchSchemas(jobId, result, only), file: result.file };
}

/** The page of the first value that a person should look at. */
function firstOpen(result) {
  const [record] = result.records;
  const waits = (entry) => entry.page && !entry.reviewed && (entry.confidence === "low" || entry.verdict === "ambiguous");
  return Object.values(record?.fields ?? {}).find(waits)?.page;
}

/** The document of this address, which was begun with when the page came. */
let begun = null;

/** A document that was begun with already, or that is asked for now. */
export function fetchBegun(jobId, known) {
  const fetched = !known && begun?.id === jobId ? begun.fetched : fetchDocument(jobId, known);
  begun = null;
  return fetched;
}

const [, id] = /^\/review\/([^/]+)$/.exec(location.pathname) ?? [];
if (id) {
  begun = { id, fetched: fetchDocument(id) };
  begun.fetched.catch(() => {}); // whoever takes it is told
}
