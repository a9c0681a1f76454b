// What reviews say about the model, and what it learned from them.

import { del, get } from "./api.js";
import { line, reliability } from "./charts.js";
import { ask } from "./dialogs.js";
import { $, foreign, h } from "./dom.js";
import { age, title } from "./words.js";

const percent = (share) => (share.value === null ? "–" : `${(share.value * 100).toFixed(share.count < 100 ? 0 : 1)} %`);
const of = (share) => (share.count ? `${share.right} of ${share.count}` : "none yet");
const spell = (seconds) => (seconds === null ? "–" : seconds < 90 ? `${Math.round(seconds)} s` : `${(seconds / 60).toFixed(1)} min`);
const fieldName = (pointer) => pointer.split("/").slice(1).filter((token) => token !== "*").map((token) => title(token.replaceAll("~1", "/").replaceAll("~0", "~"))).join(" · ");

function figure(label, value, note) {
  return h("div", { class: "sheet figure" }, h("p", { class: "figure-label" }, label), h("p", { class: "figure-value" }, value), h("p", { class: "faint" }, note));
}

function drawFigures(found) {
  const { high, low, straight_through: straight, sample, seconds } = found;
  $("#figures").replaceChildren(
    figure("Called high and right", percent(high), high.count ? `${of(high)}; at least ${(high.least * 100).toFixed(1)} % (95 % sure)` : of(high)),
    figure("Called low and right", percent(low), of(low)),
    figure("Straight through", percent(straight), straight.count ? `${of(straight)} documents needed nobody` : of(straight)),
    figure("Right in the blind sample", percent(sample), sample.count ? `${of(sample)} passed documents that a person saw all the same` : "no passed document was sampled yet"),
    figure("Time for a document", spell(seconds.median), seconds.documents ? `half of ${seconds.documents}; nine in ten within ${spell(seconds.nine_in_ten)}` : "none yet"),
  );
}

/** What the probabilities of one model mean on one schema, and how many reviews say so. */
function meaningRow({ schema, model, meanings }) {
  const told = meanings.filter((one) => one.told !== null);
  const untold = meanings.filter((one) => one.told === null);
  const parts = [
    ...(told.length ? [`${told.map((one) => `${Math.round(one.told * 100)} → ${Math.round(one.meant * 100)} %`).join(", ")} (${told[0].reviewed} values)`] : []),
    ...untold.map((one) => `${one.called} without a probability → ${Math.round(one.meant * 100)} % (${one.reviewed} values)`),
  ];
  return h("li", {}, foreign(schema), ", ", foreign(model), `: ${parts.join("; ")}`);
}

function fieldRow(field) {
  const mark = field.demoted ? h("span", { class: "chip doubt", title: "Values called high were wrong too often in review, so that they are low until that is better." }, "low for now") : null;
  return h(
    "tr",
    {},
    h("td", {}, foreign(fieldName(field.field)), mark),
    h("td", {}, foreign(field.schema)),
    h("td", { class: "number" }, percent(field.looked_at), h("span", { class: "sub" }, of(field.looked_at))),
    h("td", { class: "number" }, percent(field.high), h("span", { class: "sub" }, of(field.high))),
    h("td", {}, line(field.weeks, { width: 140, height: 34, bare: true })),
  );
}

function lessonText(lesson) {
  if (lesson.kind === "absent") return `not on this layout; ${lesson.where} stands something else`;
  return lesson.kind === "constant" ? `always “${lesson.value}”` : `stands ${lesson.where}`;
}

/** What the documents of one layout taught: the newest first, each of which can be forgotten. */
function layoutPart(memories) {
  const [newest] = memories;
  const lessons = newest.lessons.map((lesson) => h("li", {}, h("strong", {}, foreign(fieldName(lesson.path))), " ", foreign(lessonText(lesson))));
  const tables = newest.tables.map((table) => h("li", {}, h("strong", {}, foreign(fieldName(table.path))), " under ", foreign(Object.values(table.columns).filter(Boolean).map((words) => `“${words}”`).join(", "))));
  const documents = memories.map((memory) => h(
    "li",
    {},
    h("a", { href: `/review/${memory.job_id}` }, "Document"),
    h("span", { class: "faint" }, "by ", foreign(memory.created_by), `, ${age(memory.created_at)}`),
    h("span", { class: "grow" }),
    h("button", { class: "quiet small", onclick: () => forgetOne(memory) }, "Forget"),
  ));
  return h(
    "details",
    { class: "memory" },
    h("summary", {}, foreign(newest.title || "A layout without words at its top"), h("span", { class: "faint" }, `${newest.schema} · ${memories.length === 1 ? "1 document" : `${memories.length} documents`}`)),
    h("ul", {}, ...lessons, ...tables),
    h("ul", { class: "documents" }, ...documents),
  );
}

async function forgetOne(memory) {
  const text = "The next document of this layout is read without it.";
  if (!(await ask({ heading: "Forget what this document taught?", text, yes: "Forget" }))) return;
  await del(`/memory/${memory.id}`);
  await drawMemories();
}

async function drawMemories() {
  const schema = $("#schema").value;
  const { memories } = await get(`/memory${schema ? `?schema=${encodeURIComponent(schema)}` : ""}`);
  const none = h("div", { class: "empty" }, h("strong", {}, "Nothing learned yet"), "Approve a document in which you corrected something.");
  const layouts = new Map();
  for (const memory of memories) layouts.set(memory.layout, [...(layouts.get(memory.layout) ?? []), memory]);
  $("#memories").replaceChildren(...(memories.length ? [...layouts.values()].map(layoutPart) : [none]));
}

async function draw() {
  const schema = $("#schema").value;
  const found = await get(`/quality?days=${$("#days").value}${schema ? `&schema=${encodeURIComponent(schema)}` : ""}`);
  $("#counts").textContent = found.documents === 1 ? "1 approved document" : `${found.documents} approved documents`;
  drawFigures(found);
  $("#curve").replaceChildren(reliability(found.curve));
  $("#meanings").replaceChildren(...found.calibration.map(meaningRow));
  $("#weeks").replaceChildren(line(found.weeks));
  $("#fields tbody").replaceChildren(...found.fields.map(fieldRow));
  $("#fields").hidden = found.fields.length === 0;
  $("#no-fields").hidden = found.fields.length > 0;
  const names = [...new Set([...[...$("#schema").options].map((option) => option.value).filter(Boolean), ...found.fields.map((field) => field.schema)])].sort();
  $("#schema").replaceChildren(h("option", { value: "" }, "Every schema"), ...names.map((name) => h("option", { value: name }, name)));
  $("#schema").value = schema;
  await drawMemories();
}

for (const id of ["schema", "days"]) $(`#${id}`).addEventListener("change", draw);
await draw();
