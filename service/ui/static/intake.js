// Adding documents: dropped or chosen, with the schema that says what to extract.

import { ApiError, get } from "./api.js";
import { $, foreign, h } from "./dom.js";

const OWN = "own";
const AUTO = "auto";
const AT_ONCE = 3;
let chosen = [];
let known = [];
let added = () => {};

/** Offer schemas that were used before: pairs of a name and a job that has it. */
export function setSchemas(pairs) {
  known = pairs;
}

/** Ask what to extract from these files. */
export function offerUpload(files) {
  if (!files.length) return;
  chosen = files;
  $("#chosen").replaceChildren(...files.map((file) => h("li", {}, foreign(file.name))));
  const select = $("#intake-schema");
  select.replaceChildren(...known.map(([name, job]) => h("option", { value: job }, name)), h("option", { value: AUTO }, "Each document the schema it fits"), h("option", { value: OWN }, "Another JSON Schema…"));
  select.value = known.length ? known[0][1] : OWN;
  showOwn();
  say("");
  if (!$("#intake").open) $("#intake").showModal();
}

function showOwn() {
  $("#schema-text-label").hidden = $("#intake-schema").value !== OWN;
}

function say(message) {
  $("#intake-error").textContent = message;
}

/** What to extract, as the form's field and what it holds. */
async function wanted() {
  const from = $("#intake-schema").value;
  if (from === AUTO) return ["schemas", AUTO];
  if (from === OWN) return ["schema", $("#schema-text").value];
  const [name] = known.find(([, job]) => job === from);
  return ["schema", JSON.stringify({ name, schema: await get(`/jobs/${from}/schema`) })];
}

async function send(file, [field, value]) {
  const form = new FormData();
  form.append(field, value);
  if ($("#split").checked) form.append("split_documents", "true");
  form.append("file", file, file.name);
  const answer = await fetch("/api/v1/jobs", { method: "POST", body: form });
  const said = await answer.json();
  if (!answer.ok) throw new ApiError(answer.status, said.error);
  added(said.id);
}

async function go() {
  const button = $("#intake-go");
  button.disabled = true;
  try {
    const asked = await wanted();
    while (chosen.length) {
      const some = chosen.slice(0, AT_ONCE);
      await Promise.all(some.map((file) => send(file, asked)));
      chosen = chosen.slice(some.length);
    }
    $("#intake").close();
  } catch (error) {
    say(error instanceof ApiError ? error.message : "The service does not answer; try again.");
  } finally {
    button.disabled = false;
  }
}

/** Make the page take files; `onAdded` is told the id of each new job. */
export function wireUpload(onAdded) {
  added = onAdded;
  let depth = 0;
  const over = (shown) => { $("#drop").hidden = !shown; };
  addEventListener("dragenter", (event) => { event.preventDefault(); depth += 1; over(true); });
  addEventListener("dragleave", () => { depth -= 1; if (depth <= 0) over(false); });
  addEventListener("dragover", (event) => event.preventDefault());
  addEventListener("drop", async (event) => {
    event.preventDefault();
    depth = 0;
    over(false);
    const files = [...event.dataTransfer.files];
    if ($("#intake").open && files.length === 1 && files[0].name.endsWith(".json")) $("#schema-text").value = await files[0].text();
    else offerUpload(files);
  });
  $("#intake-schema").addEventListener("change", showOwn);
  $("#intake-cancel").addEventListener("click", () => $("#intake").close());
  $("#intake-go").addEventListener("click", go);
}
