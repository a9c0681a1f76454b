// The list of documents: what waits, what runs, what is done.

import { ApiError, get, picture, post } from "./api.js";
import { ask } from "./dialogs.js";
import { $, foreign, h, mark } from "./dom.js";
import { offerUpload, setUsed, wireUpload } from "./intake.js";
import { mineToday } from "./tally.js";
import { age, countDoubts, isOver, REVIEW, STATUS } from "./words.js";

const POLL_MS = 1000;
const WITH_RESULT = new Set(["succeeded", "partially_succeeded"]);
const IDLE_MS = 4000;
/** How the service answers for a document that was deleted. */
const GONE = new Set([404, 410]);
const MOST = 200;
const APPROVED_AT_ONCE = 4;
const GROUPS = {
  review: ["To review", (job) => isOver(job) && ["needed", "in_review"].includes(job.review.state)],
  clear: ["Nothing to check", (job) => isClear(job)],
  running: ["Running", (job) => !isOver(job)],
  done: ["Done", (job) => isOver(job) && !["needed", "in_review"].includes(job.review.state)],
  all: ["All", () => true],
};

const NOTHING = {
  review: "Every document was looked at.",
  clear: "Each waiting document has something to look at.",
  running: "Nothing is being read at the moment.",
  done: "Nothing is done yet.",
  all: "",
};

/** Whether a document waits for a person though nothing about it is in doubt; one of the blind sample is looked at. */
function isClear(job) {
  return isOver(job) && ["needed", "in_review"].includes(job.review.state) && job.review.reasons.every((reason) => reason === "always");
}

const jobs = new Map();
const progress = new Map();
/** The order in which documents are shown: by risk when the page opened, then frozen; new ones wait behind a button. */
let order = [];
let group = sessionStorage.getItem("group") ?? "all";
let here = 0;
/** Where the documents before those that are known begin; "": there are none, null: it was not asked yet. */
let older = null;

function risk(job) {
  return countDoubts(job.review.reasons) + (job.status === "failed" ? 1000 : 0);
}

function freeze() {
  order = [...jobs.values()].sort((a, b) => risk(b) - risk(a) || Date.parse(b.timing.queued_at) - Date.parse(a.timing.queued_at)).map((job) => job.id);
}

function shown() {
  const schema = $("#schema").value;
  const search = $("#search").value.trim().toLowerCase();
  return order
    .map((id) => jobs.get(id))
    .filter((job) => job && GROUPS[group][1](job) && (!schema || job.schema_names.includes(schema)))
    .filter((job) => !search || `${job.file_name} ${job.external_id ?? ""}`.toLowerCase().includes(search));
}

function stateCell(job) {
  if (!isOver(job)) {
    const step = progress.get(job.id);
    const total = step?.pages_total ?? 0;
    const done = step ? step.pages_read + step.splits_done * Math.max(1, total / Math.max(1, step.splits_total)) : 0;
    const bar = h("progress", { max: Math.max(1, total * 2), aria: { label: "Progress" } });
    if (total) bar.value = done;
    return h("td", {}, h("span", { class: "chip busy" }, STATUS[job.status]), bar);
  }
  if (job.status === "failed" || job.status === "cancelled") {
    return h("td", { title: job.error?.message ?? "" }, h("span", { class: "chip bad" }, STATUS[job.status]));
  }
  const [said, tone] = REVIEW[job.review.state];
  const who = job.review.state === "in_review" ? job.review.claimed_by : null;
  return h("td", {}, h("span", { class: `chip ${tone}` }, said, who ? h("bdi", {}, `· ${who}`) : null));
}

function toCheck(job) {
  if (!isOver(job)) return h("td", { class: "faint" }, "–");
  const count = job.review.state === "approved" ? 0 : countDoubts(job.review.reasons);
  if (!count) return h("td", { class: "faint" }, "–");
  const said = count === 1 ? "1 thing" : `${count} things`;
  return h("td", {}, h("span", { class: "check-count" }, mark("unseen"), said));
}

/** The schemas that its documents have; as long as that is not known, of how many they may have one. */
function schemaOf(job) {
  const names = job.schema_names;
  const isKnown = names.length === 1 || WITH_RESULT.has(job.status);
  if (isKnown && names.length) return foreign(names.join(", "));
  return h("span", { class: "faint", title: names.join(", ") }, isKnown ? "none fits" : `one of ${names.length}`);
}

function row(job, index) {
  const name = job.file_name;
  const link = isOver(job) ? h("a", { href: `/review/${job.id}` }, foreign(name)) : h("span", {}, foreign(name));
  const why = job.status === "failed" ? job.error?.message : job.external_id;
  return h(
    "tr",
    { class: index === here ? "here" : "", data: { job: job.id } },
    h("td", {}, link, why ? foreign(why, { className: "sub" }) : null),
    h("td", {}, schemaOf(job)),
    h("td", { class: "number" }, job.page_count === null ? "–" : String(job.page_count)),
    toCheck(job),
    stateCell(job),
    h("td", { class: "number faint" }, age(job.timing.queued_at)),
  );
}

function draw() {
  for (const button of $("#states").children) button.setAttribute("aria-pressed", String(button.dataset.group === group));
  const list = shown();
  here = Math.min(here, Math.max(0, list.length - 1));
  $("#jobs tbody").replaceChildren(...list.map(row));
  $("#jobs").hidden = list.length === 0;
  $("#empty").hidden = list.length > 0;
  if (!list.length) $("#empty").replaceChildren(...emptyText());
  const all = [...jobs.values()];
  const waiting = all.filter(GROUPS.review[1]).length;
  const running = all.filter(GROUPS.running[1]).length;
  const more = older ? "+" : "";
  $("#older").hidden = !older;
  const parts = [`${waiting}${more} to review`, running ? `${running} running` : "", `${all.length}${more} in all`, mineToday() ? `${mineToday()} decided by you today` : ""];
  $("#counts").textContent = all.length ? parts.filter(Boolean).join(" · ") : "";
  const hidden = all.filter((job) => !order.includes(job.id)).length;
  $("#fresh").hidden = hidden === 0;
  $("#fresh").textContent = `${hidden} new`;
  $("#approve-all").hidden = group !== "clear" || list.length === 0;
  $("#approve-all").textContent = list.length === 1 ? "Approve this one" : `Approve all ${list.length}`;
}

function emptyText() {
  if (jobs.size === 0) return [h("strong", {}, "No documents yet"), "Drop files anywhere on this page, or choose Add documents."];
  const isFiltered = $("#schema").value || $("#search").value.trim();
  return [h("strong", {}, "Nothing here"), isFiltered ? "No document fits the schema and the search." : NOTHING[group]];
}

async function learnProgress() {
  const running = [...jobs.values()].filter((job) => !isOver(job)).slice(0, 12);
  await Promise.all(running.map(async (job) => {
    try {
      const fresh = await get(`/jobs/${job.id}`);
      jobs.set(job.id, fresh);
      progress.set(job.id, fresh.progress);
    } catch (error) {
      if (!(error instanceof ApiError && GONE.has(error.status))) throw error;
      jobs.delete(job.id);
    }
  }));
}

async function refresh() {
  const first = jobs.size === 0;
  const { jobs: list, next_cursor: cursor } = await get(`/jobs?limit=${MOST}`);
  const oldest = list.at(-1)?.timing.queued_at ?? "";
  const gone = new Set([...jobs.values()].filter((job) => !cursor || job.timing.queued_at > oldest).map((job) => job.id));
  for (const job of list) {
    jobs.set(job.id, job);
    gone.delete(job.id);
  }
  for (const id of gone) jobs.delete(id);
  older ??= cursor;
  await learnProgress();
  if (first || window.scrollY < 40) {
    const known = new Set(order);
    const fresh = [...jobs.keys()].filter((id) => !known.has(id));
    if (first) freeze();
    else if (fresh.some((id) => mine.has(id))) order = [...fresh, ...order];
  }
  offerSchemas();
  draw();
  warmNext();
}

/** Documents that came before those that are known; they are not asked about again, but for what runs. */
async function showOlder() {
  const { jobs: list, next_cursor: cursor } = await get(`/jobs?limit=${MOST}&cursor=${encodeURIComponent(older)}`);
  const fresh = list.filter((job) => !jobs.has(job.id));
  for (const job of fresh) jobs.set(job.id, job);
  order = [...order, ...fresh.map((job) => job.id)];
  older = cursor ?? "";
  draw();
}

/** Documents that were added on this page: they are shown at once. */
const mine = new Set();

function offerSchemas() {
  const names = [...new Set([...jobs.values()].flatMap((job) => job.schema_names))].sort();
  const select = $("#schema");
  if (select.options.length !== names.length + 1) {
    const chosen = select.value;
    select.replaceChildren(h("option", { value: "" }, "Every schema"), ...names.map((name) => h("option", { value: name }, name)));
    select.value = chosen;
  }
  setUsed([...new Map([...jobs.values()].filter((job) => job.schema?.version === null).map((job) => [job.schema.name, job.id]))].sort());
}

async function poll() {
  for (;;) {
    const running = [...jobs.values()].some((job) => !isOver(job));
    await new Promise((wake) => setTimeout(wake, running ? POLL_MS : IDLE_MS));
    if (document.hidden) continue;
    try {
      await refresh();
    } catch {
      $("#counts").textContent = "The service does not answer; trying again.";
    }
  }
}

/** Approve what is shown, each by its own call; what others hold or changed meanwhile stays. */
async function approveShown() {
  const list = shown().filter(isClear);
  const text = list.length === 1 ? "One document is approved as it is." : `${list.length} documents are approved as they are.`;
  if (!(await ask({ heading: "Approve together?", text, yes: "Approve" }))) return;
  let left = 0;
  while (list.length) {
    const some = list.splice(0, APPROVED_AT_ONCE);
    const done = await Promise.allSettled(some.map((job) => post(`/jobs/${job.id}/approve`, {})));
    left += done.filter((one) => one.status === "rejected").length;
  }
  await refresh();
  if (left) $("#counts").textContent = left === 1 ? "One was not approved: somebody has it, or changed it." : `${left} were not approved: somebody has them, or changed them.`;
}

/** Pictures that were asked for ahead of time: what is opened next stands there at once. */
const warmed = new Set();

async function warm(job) {
  if (!job || !isOver(job) || warmed.has(job.file_id)) return;
  warmed.add(job.file_id);
  const file = await get(`/files/${job.file_id}`).catch(() => null); // whoever opens it is told
  if (file?.pages?.length) new Image().src = picture(file, file.pages[0], 100);
}

/** The oldest waiting document is what Review next gives; the marked one is what Enter opens. */
function warmNext() {
  const waiting = [...jobs.values()].filter((job) => GROUPS.review[1](job) && !job.review.claimed_by);
  warm(waiting.reduce((oldest, job) => (oldest && oldest.timing.queued_at <= job.timing.queued_at ? oldest : job), null));
  warm(shown()[here]);
}

const tell = (error) => { $("#counts").textContent = error.message; };

async function reviewNext() {
  const { job } = await post("/review/next", {});
  if (job) location.assign(`/review/${job.id}`);
  else $("#counts").textContent = "Nothing waits for review.";
}

function onKey(event) {
  if (event.isComposing || event.ctrlKey || event.metaKey || event.altKey || $("#intake").open || $("#dialog").open) return;
  if (event.target.matches("input, select, textarea")) return;
  const list = shown();
  if (event.key === "n") reviewNext().catch(tell);
  else if (event.key === "ArrowDown" || event.key === "j") here = Math.min(here + 1, list.length - 1);
  else if (event.key === "ArrowUp" || event.key === "k") here = Math.max(here - 1, 0);
  else if (event.key === "Enter" && event.target === document.body && list[here] && isOver(list[here])) location.assign(`/review/${list[here].id}`);
  else if (event.key === "/") $("#search").focus();
  else return;
  event.preventDefault();
  draw();
}

function wire() {
  $("#states").append(...Object.entries(GROUPS).map(([name, [said]]) => h("button", { data: { group: name }, onclick: () => { group = name; sessionStorage.setItem("group", name); draw(); } }, said)));
  $("#schema").addEventListener("change", draw);
  $("#search").addEventListener("input", draw);
  $("#next").addEventListener("click", () => reviewNext().catch(tell));
  $("#approve-all").addEventListener("click", approveShown);
  $("#jobs tbody").addEventListener("pointerover", (event) => warm(jobs.get(event.target.closest("tr")?.dataset.job)));
  $("#older").addEventListener("click", (event) => {
    const button = event.currentTarget;
    button.disabled = true;
    showOlder().catch(tell).finally(() => { button.disabled = false; });
  });
  $("#upload").addEventListener("click", () => $("#files").click());
  $("#fresh").addEventListener("click", () => { freeze(); draw(); });
  document.addEventListener("keydown", onKey);
  wireUpload((jobId) => { mine.add(jobId); refresh(); });
  $("#files").addEventListener("change", (event) => { offerUpload([...event.target.files]); event.target.value = ""; });
}

wire();
await refresh();
poll();
