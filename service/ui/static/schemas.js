// Schemas: those that are kept, and a new one that is proposed from documents, edited and kept.

import { ApiError, get, post, put } from "./api.js";
import { $, foreign, h } from "./dom.js";
import { addProperty, drawProperties } from "./schema-edit.js";
import { bareSchema } from "./words.js";

const MOST_FILES = 3;
let files = [];
let schema = null;

const say = (message) => { $("#fault").textContent = message; };

/** Do something that asks the service; what it refuses is said. */
async function attempt(button, work) {
  say("");
  button.disabled = true;
  try {
    await work();
  } catch (error) {
    if (!(error instanceof ApiError || error instanceof SyntaxError)) throw error;
    say(error instanceof ApiError ? error.message : "This is not JSON.");
  } finally {
    button.disabled = false;
  }
}

async function drawKept() {
  const { schemas } = await get("/schemas");
  $("#kept").replaceChildren(...schemas.map((entry) => h("li", {}, h("button", { class: "kept", type: "button", onclick: (event) => attempt(event.currentTarget, () => open(entry)) }, foreign(entry.name), h("span", { class: "faint" }, entry.ready ? "comes with Fieldmark" : `version ${entry.version}`)))));
}

async function open(entry) {
  const found = await get(`/schemas/${encodeURIComponent(`${entry.name}@${entry.version}`)}`);
  edit(entry.name, bareSchema(found.schema));
}

function choose(chosen) {
  if (!chosen.length) return;
  files = chosen.slice(0, MOST_FILES);
  $("#chosen").replaceChildren(...files.flatMap((file, index) => [index ? ", " : "", foreign(file.name)]));
  if (chosen.length > MOST_FILES) say(`The first ${MOST_FILES} are taken.`);
  $("#propose").disabled = false;
}

async function propose() {
  $("#said").textContent = "Reading the documents…";
  const form = new FormData();
  for (const file of files) form.append("file", file, file.name);
  if ($("#instruction").value.trim()) form.append("instruction", $("#instruction").value.trim());
  try {
    const found = await post("/schemas/generate", form);
    edit(found.name, bareSchema(found.schema));
    $("#said").textContent = `${Object.keys(schema.properties).length} fields proposed. Nothing is kept yet.`;
  } catch (error) {
    $("#said").textContent = "";
    throw error;
  }
}

function edit(name, source) {
  schema = structuredClone(source);
  $("#edit-title").textContent = `Schema ${name}`;
  $("#name").value = name;
  $("#editor").hidden = false;
  redraw();
}

function redraw() {
  drawProperties($("#properties"), schema, schema, writeJson);
  writeJson();
}

function writeJson() {
  $("#json").value = JSON.stringify(schema, null, 2);
}

async function keep() {
  if (!$("#json-label").hidden) schema = bareSchema(JSON.parse($("#json").value));
  const name = $("#name").value.trim();
  const kept = await put(`/schemas/${encodeURIComponent(name)}`, schema);
  $("#said").textContent = `Kept as ${kept.name}, version ${kept.version}.`;
  redraw();
  await drawKept();
}

function toggleJson() {
  const shown = $("#json-label").hidden;
  if (!shown) {
    schema = bareSchema(JSON.parse($("#json").value));
    redraw();
  }
  $("#json-label").hidden = !shown;
  $("#properties").hidden = shown;
  $("#add").hidden = shown;
  $("#as-json").textContent = shown ? "As fields" : "As JSON";
  $("#as-json").setAttribute("aria-expanded", String(shown));
}

function wire() {
  $("#choose").addEventListener("click", () => $("#files").click());
  $("#files").addEventListener("change", (event) => choose([...event.target.files]));
  $("#propose").addEventListener("click", (event) => attempt(event.currentTarget, propose));
  $("#keep").addEventListener("click", (event) => attempt(event.currentTarget, keep));
  $("#as-json").addEventListener("click", (event) => attempt(event.currentTarget, toggleJson));
  $("#add").addEventListener("click", () => { addProperty(schema); redraw(); });
  let depth = 0;
  addEventListener("dragenter", (event) => { event.preventDefault(); depth += 1; $("#drop").hidden = false; });
  addEventListener("dragleave", () => { depth -= 1; if (depth <= 0) $("#drop").hidden = true; });
  addEventListener("dragover", (event) => event.preventDefault());
  addEventListener("drop", (event) => { event.preventDefault(); depth = 0; $("#drop").hidden = true; choose([...event.dataTransfer.files]); });
}

wire();
await drawKept();
