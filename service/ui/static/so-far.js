// Values while the job runs: any of them may still change, and the page says so.

import { ApiError, get } from "./api.js";
import { $, foreign, h } from "./dom.js";
import { STATUS, title } from "./words.js";

/** The values of an object as pairs; tables as their number of rows. */
function pairs(values, names = []) {
  return Object.entries(values).flatMap(([name, value]) => {
    const label = [...names, title(name)];
    if (value === null) return [];
    if (Array.isArray(value)) return value.length ? [[label.join(" · "), value.length === 1 ? "1 row so far" : `${value.length} rows so far`]] : [];
    if (typeof value === "object") return pairs(value, label);
    return [[label.join(" · "), String(value)]];
  });
}

/** Say how far a job is, with what it gave already. */
export async function showSoFar(job) {
  const { pages_total: total, pages_read: read, splits_total: splits, splits_done: done } = job.progress ?? {};
  const pages = total ? ` · ${read} of ${total} pages read` : "";
  const parts = splits > 1 ? ` · ${done} of ${splits} parts extracted` : "";
  $("#loading-text").textContent = `${STATUS[job.status]}… the record opens when it is done.${pages}${parts}`;
  if (!done) return;
  try {
    const { records } = await get(`/jobs/${job.id}/provisional`);
    const lists = records.map((record) => h("dl", {}, ...pairs(record.values).map(([label, value]) => h("div", {}, h("dt", {}, label), h("dd", {}, foreign(value))))));
    $("#so-far").replaceChildren(...lists);
    $("#so-far-head").hidden = !$("#so-far").querySelector("div");
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
  }
}
