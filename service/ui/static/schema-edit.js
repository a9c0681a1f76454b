// The properties of a schema as rows that can be changed: name, kind, description; tables with their columns.

import { h } from "./dom.js";
import { plainField } from "./words.js";

const KINDS = { text: "Text", date: "Date", number: "Number", integer: "Whole number", boolean: "Yes or no", table: "Table", list: "List of texts", object: "Group" };

function kindOf(field) {
  if (field.type === "array") return field.items?.type === "object" || field.items?.properties ? "table" : "list";
  if (field.type === "string") return field.format === "date" ? "date" : "text";
  return field.type;
}

/** A property's schema after another kind was chosen; what else it says stays where it still fits. */
function ofKind(kind, field) {
  const { type: _, format: __, items, properties, enum: ___, ...rest } = field;
  if (kind === "text") return { type: "string", ...rest };
  if (kind === "date") return { type: "string", format: "date", ...rest };
  if (kind === "table") return { type: "array", ...rest, items: items?.properties ? items : { type: "object", properties: properties ?? { description: { type: "string" } } } };
  if (kind === "list") return { type: "array", ...rest, items: { type: "string" } };
  if (kind === "object") return { type: "object", ...rest, properties: properties ?? items?.properties ?? { name: { type: "string" } } };
  return { type: kind, ...rest };
}

const inner = (field) => (field.type === "object" ? field : field.items?.properties ? field.items : null);

/** Draws the properties of an object into a box; `changed` is told after each change. */
export function drawProperties(box, root, holder, changed) {
  const again = () => { drawProperties(box, root, holder, changed); changed(); };
  const rows = Object.entries(holder.properties).map(([name, source], index) => property(root, holder, { name, source, index }, { changed, again }));
  box.replaceChildren(...rows);
}

function property(root, holder, { name, source, index }, { changed, again }) {
  const field = plainField(root, source);
  const label = (what) => `${what} of field ${index + 1}`;
  const rename = (event) => {
    const wanted = event.target.value.trim();
    if (!wanted || (wanted !== name && wanted in holder.properties)) return event.target.setAttribute("aria-invalid", "true");
    holder.properties = Object.fromEntries(Object.entries(holder.properties).map(([old, child]) => [old === name ? wanted : old, child]));
    return again();
  };
  const put = (value) => { holder.properties[name] = value; };
  const kinds = h("select", { aria: { label: label("Kind") }, onchange: (event) => { put(ofKind(event.target.value, field)); again(); } }, ...Object.entries(KINDS).map(([kind, said]) => h("option", { value: kind }, said)));
  kinds.value = kindOf(field);
  const remove = h("button", { class: "quiet small", type: "button", aria: { label: `Remove ${name}` }, onclick: () => { delete holder.properties[name]; again(); } }, "×");
  const line = h(
    "div",
    { class: "property" },
    h("input", { value: name, maxLength: 64, spellcheck: false, aria: { label: label("Name") }, onchange: rename }),
    kinds,
    h("input", { value: field.description ?? "", maxLength: 400, placeholder: "What it is, as one would tell a colleague", aria: { label: label("Description") }, onchange: (event) => { put({ ...field, description: event.target.value }); changed(); } }),
    remove,
  );
  const below = inner(field);
  if (!below) return line;
  put(field);
  const nested = h("div", { class: "nested" });
  drawProperties(nested, root, inner(holder.properties[name]), changed);
  const add = h("button", { class: "quiet small", type: "button", onclick: () => { addProperty(inner(holder.properties[name])); again(); } }, kindOf(field) === "table" ? "Add a column" : "Add a field");
  return h("div", {}, line, nested, h("div", { class: "nested" }, add));
}

/** A further property with a name that is free. */
export function addProperty(holder) {
  let number = Object.keys(holder.properties).length + 1;
  while (`field_${number}` in holder.properties) number += 1;
  holder.properties[`field_${number}`] = { type: "string", description: "" };
}
