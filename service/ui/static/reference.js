// The API for people: each call of openapi.json with its parameters, a command to try it, and an example of its answer.

import { $, h } from "./dom.js";

const FORM = "multipart/form-data";
const JSON_TYPE = "application/json";

/** Text in which `marked` words are code. */
function prose(text = "") {
  return text.split("`").map((part, index) => (index % 2 ? h("code", {}, part) : part));
}

/** What a value may be, in a few words. */
function kind(schema = {}) {
  if (schema.$ref) return schema.$ref.split("/").at(-1);
  if (schema.const !== undefined) return `"${schema.const}"`;
  if (schema.enum) return schema.enum.map((value) => (value === null ? "null" : `"${value}"`)).join(" | ");
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) return choices.map(kind).filter((said) => said !== "null").join(" | ");
  if (schema.type === "array") return `${kind(schema.items)}[]`;
  return schema.format === "binary" ? "file" : (schema.type ?? "any");
}

function table(heading, rows) {
  if (!rows.length) return null;
  const lines = rows.map(({ name, where, schema, required, description }) => h(
    "tr", {},
    h("th", { scope: "row" }, h("code", {}, name), required ? h("span", { class: "faint" }, " required") : null),
    h("td", { class: "faint" }, where ? `${kind(schema)}, in the ${where}` : kind(schema)),
    h("td", {}, ...prose(description ?? schema?.description)),
  ));
  return h("div", { class: "scrolled" }, h("table", {}, h("caption", {}, heading), h("tbody", {}, ...lines)));
}

const example = (heading, text) => h("figure", {}, h("figcaption", {}, heading), h("pre", { tabIndex: 0 }, text));
const quoted = (text) => `'${text.replaceAll("'", "'\\''")}'`;

/** A command that makes the call; what stands in braces is to be filled in. */
function command(method, path, { parameters = [], requestBody }) {
  const needed = parameters.filter((one) => one.in === "query" && one.required).map((one) => `${one.name}=…`);
  const address = quoted(`${location.origin}${path}${needed.length ? `?${needed.join("&")}` : ""}`);
  const parts = ["curl", ...(method === "get" ? [] : ["-X", method.toUpperCase()]), address];
  const content = requestBody?.content ?? {};
  if (content[FORM]) {
    const { properties, required = [] } = content[FORM].schema;
    const shown = Object.keys(properties).filter((name) => required.includes(name) || name === "file" || name === "schema_ref");
    parts.push(...shown.map((name) => `-F ${name}=${kind(properties[name]).startsWith("file") ? "@document.pdf" : name === "schema_ref" ? "invoice" : "…"}`));
  } else if (content[JSON_TYPE]) {
    parts.push("-H 'Content-Type: application/json'", `-d ${quoted(JSON.stringify(content[JSON_TYPE].example ?? {}))}`);
  }
  return parts.join(" ");
}

function bodyRows(requestBody) {
  const { schema } = requestBody?.content?.[FORM] ?? requestBody?.content?.[JSON_TYPE] ?? {};
  return Object.entries(schema?.properties ?? {}).map(([name, of]) => ({ name, schema: of, required: schema.required?.includes(name) }));
}

function answers(responses) {
  const good = Object.entries(responses).filter(([status]) => status < "400");
  const bad = Object.entries(responses).filter(([status]) => status >= "400");
  const shown = good.map(([status, { description, content = {} }]) => {
    const [type, first] = Object.entries(content)[0] ?? [];
    const text = typeof first?.example === "string" ? first.example : first?.example === undefined ? "" : JSON.stringify(first.example, null, 2);
    return [h("p", {}, h("strong", {}, status), " ", ...prose(description)), text ? example(`An answer, ${type}`, text) : null];
  });
  return [...shown.flat(), table("Errors", bad.map(([status, { description }]) => ({ name: status, schema: { type: "" }, description })))];
}

function call(path, method, operation) {
  const { operationId: id, summary, description, parameters = [], requestBody, responses } = operation;
  const head = h("summary", {}, h("span", { class: `verb ${method}` }, method.toUpperCase()), h("code", {}, path), h("span", { class: "faint" }, summary));
  const details = h("details", { class: "memory call", id, data: { words: `${method} ${path} ${summary} ${description ?? ""}`.toLowerCase() } }, head);
  const fill = () => details.childElementCount === 1 && details.append(
    h("p", {}, ...prose(description)),
    example("Try it", command(method, path, operation)),
    ...[table("Parameters", parameters.map((one) => ({ ...one, where: one.in }))), table(requestBody?.content?.[FORM] ? "Fields of the form" : "Body", bodyRows(requestBody)), ...answers(responses)].filter(Boolean),
  );
  details.addEventListener("toggle", () => { if (details.open) fill(); });
  return details;
}

function search() {
  const words = $("#search").value.toLowerCase().split(/\s+/).filter(Boolean);
  for (const one of document.querySelectorAll(".call")) one.hidden = !words.every((word) => one.dataset.words.includes(word));
  for (const group of document.querySelectorAll("#calls > section")) group.hidden = !group.querySelector(".call:not([hidden])");
}

async function draw() {
  const answer = await fetch("/openapi.json");
  if (!answer.ok) throw new Error(`The service answered ${answer.status}.`);
  const { info, paths } = await answer.json();
  const groups = new Map();
  for (const [path, methods] of Object.entries(paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      const [tag = "other"] = operation.tags ?? [];
      groups.set(tag, [...(groups.get(tag) ?? []), call(path, method, operation)]);
    }
  }
  $("#calls").replaceChildren(...[...groups].map(([tag, calls]) => h("section", { class: "sheet", aria: { label: tag } }, h("h2", { class: "part" }, tag), ...calls)));
  $("#said").textContent = `${info.title} ${info.version}`;
  const wanted = document.getElementById(location.hash.slice(1));
  if (wanted) {
    wanted.open = true;
    wanted.scrollIntoView();
  }
}

$("#search").addEventListener("input", search);
draw().catch((error) => { $("#said").textContent = error instanceof TypeError ? "The service does not answer." : error.message; });
