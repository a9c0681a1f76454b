// Adding documents: dropped or chosen, with the schema that says what to extract.

import { ApiError, get, post } from "./api.js";
import { $, foreign, h } from "./dom.js";

const OWN = "own";
const AUTO = "auto";
/** Before what an option means: the name of a kept or ready schema, or a job that came with a schema of its own. */
const KEPT = "kept:";
const USED = "used:";
const AT_ONCE = 3;
let chosen = [];
let used = [];
let added = () => {};

/** Offer schemas that came with jobs: pairs of a name and a job that has it. */
export function setUsed(pairs) {
  used = pairs;
}

const group = (label, pairs, mark) => (pairs.length ? h("optgroup", { label }, ...pairs.map(([name, value]) => h("option", { value: mark + value }, name))) : "");

/** Ask what to extract from these files. */
export async function offerUpload(files) {
  if (!files.length) return;
  chosen = files;
  $("#chosen").replaceChildren(...files.map((file) => h("li", {}, foreign(file.name))));
  say("");
  const { schemas } = await get("/schemas").catch(() => ({ schemas: [] }));
  const named = (ready) => schemas.filter((entry) => entry.ready === ready).map(({ name }) => [name, name]);
  const select = $("#intake-schema");
  select.replaceChildren(
    h("option", { value: AUTO }, "Each document the schema it fits"),
    group("Kept", named(false), KEPT),
    group("Used before", used, USED),
    group("Comes with Fieldmark", named(true), KEPT),
    h("option", { value: OWN }, "Another JSON Schema…"),
  );
  showOwn();
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
  if (from.startsWith(KEPT)) return ["schema_ref", from.slice(KEPT.length)];
  const [name, job] = used.find(([, id]) => USED + id === from);
  return ["schema", JSON.stringify({ name, schema: await get(`/jobs/${job}/schema`) })];
}

async function send(file, [field, value]) {
  const form = new FormData();
  form.append(field, value);
  if ($("#split").checked) form.append("split_documents", "true");
  form.append("file", file, file.name);
  added((await post("/jobs", form)).id);
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
    if (!(error instanceof ApiError)) throw error;
    say(error.message);
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
