// Building pages: text always goes in as text, never as markup.

/** An element. `props` are properties, `on…` listeners, `data` and `aria` records; children are nodes or text. */
export function h(tag, props = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(props)) {
    if (value === undefined || value === null) continue;
    if (name === "class") element.className = value;
    else if (name === "data") Object.assign(element.dataset, value);
    else if (name === "aria") for (const [key, said] of Object.entries(value)) element.setAttribute(`aria-${key}`, said);
    else if (name === "role" || name === "for" || name === "scope") element.setAttribute(name, value);
    else if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element[name] = value;
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

export const $ = (selector) => document.querySelector(selector);

/** What may follow once the eye has what it waits for. */
export function afterPaint(work) {
  requestAnimationFrame(() => setTimeout(work));
}

const SVG = "http://www.w3.org/2000/svg";
/** Four marks: each has its own shape, so that colour is not needed to tell them apart. */
const SHAPES = {
  unseen: { path: "M8 1.8 14.2 8 8 14.2 1.8 8Z", fill: false, said: "not seen yet" },
  passed: { path: "M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2Z M5.4 8.2l1.8 1.8 3.4-3.8", fill: false, said: "passed by rule" },
  confirmed: { path: "M8 1.5a6.5 6.5 0 1 1 0 13a6.5 6.5 0 0 1 0-13Z", fill: true, said: "confirmed", tick: "M5 8.2l2.1 2.1L11 6" },
  corrected: { path: "M3 2.5h10v11H3Z", fill: true, said: "corrected", tick: "M5.5 10.5l.4-2 4-4 1.6 1.6-4 4Z" },
};

/** The mark of a field, with its meaning for those who do not see it. */
export function mark(kind) {
  const shape = SHAPES[kind];
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", "0 0 16 16");
  svg.setAttribute("class", `mark ${kind}`);
  svg.setAttribute("role", "img");
  svg.setAttribute("aria-label", shape.said);
  const draw = (d, fill, stroke) => {
    const path = document.createElementNS(SVG, "path");
    path.setAttribute("d", d);
    path.setAttribute("fill", fill);
    path.setAttribute("stroke", stroke);
    path.setAttribute("stroke-width", "1.6");
    path.setAttribute("stroke-linecap", "round");
    path.setAttribute("stroke-linejoin", "round");
    svg.append(path);
  };
  draw(shape.path, shape.fill ? "currentColor" : "none", "currentColor");
  if (shape.tick) draw(shape.tick, "none", "var(--sheet)");
  return svg;
}

const HIDDEN_MARKS = /[\u202a-\u202e\u2066-\u2069\u200e\u200f\u061c\u0000-\u0008\u000b-\u001f\u007f]/g;

/** A text with its invisible marks made visible, so that none turns the order of what stands around it. */
export function visible(text) {
  return String(text).replace(HIDDEN_MARKS, (char) => `\u2039${char.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}\u203a`);
}

/** A text of a document: apart from its surroundings in its direction. */
export function foreign(text, props = {}) {
  return h("bdi", { dir: "auto", ...props }, visible(text));
}
