// Small charts as SVG: each has the same figures beside it as text.

const SVG = "http://www.w3.org/2000/svg";

function node(tag, properties, text) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(properties)) element.setAttribute(name, value);
  if (text !== undefined) element.textContent = text;
  return element;
}

function frame(width, height, label) {
  return node("svg", { viewBox: `0 0 ${width} ${height}`, class: "chart", role: "img", "aria-label": label });
}

const percent = (share) => `${Math.round(share * 1000) / 10} %`;

/** How often values of each band of probability were right; on the diagonal a probability is what it says. */
export function reliability(curve) {
  const [width, height, left, bottom] = [420, 240, 40, 26];
  const x = (share) => left + share * (width - left - 10);
  const y = (share) => 26 + (1 - share) * (height - bottom - 26);
  const told = curve.filter((band) => band.looked_at.count);
  const said = told.map((band) => `${percent(band.begins)} to ${percent(band.ends)}: ${percent(band.looked_at.value)} of ${band.looked_at.count}`).join("; ");
  const svg = frame(width, height, told.length ? `Right by stated probability. ${said}` : "No values with a probability were looked at.");
  for (const share of [0, 0.25, 0.5, 0.75, 1]) {
    svg.append(node("line", { x1: x(0), x2: x(1), y1: y(share), y2: y(share), class: "rule" }));
    svg.append(node("text", { x: left - 6, y: y(share) + 4, class: "tick end" }, `${share * 100}`), node("text", { x: x(share), y: height - 8, class: "tick middle" }, `${share * 100}`));
  }
  svg.append(node("line", { x1: x(0), y1: y(0), x2: x(1), y2: y(1), class: "diagonal" }));
  const most = Math.max(...told.map((band) => band.looked_at.count), 1);
  for (const band of told) {
    const middle = (band.begins + band.ends) / 2;
    svg.append(node("circle", { cx: x(middle), cy: y(band.looked_at.value), r: 3 + 7 * Math.sqrt(band.looked_at.count / most), class: "dot" }));
    svg.append(node("text", { x: x(middle), y: y(band.looked_at.value) - 13, class: "tick middle" }, String(band.looked_at.count)));
  }
  return svg;
}

/** Shares over time as a line from the first week to the last. */
export function line(weeks, { width = 420, height = 240, bare = false } = {}) {
  const told = weeks.filter((week) => week.looked_at.count);
  const said = told.map((week) => `${week.begins.slice(0, 10)}: ${percent(week.looked_at.value)} of ${week.looked_at.count}`).join("; ");
  const svg = frame(width, height, told.length ? `Right by week. ${said}` : "Nothing was looked at.");
  const [left, bottom] = bare ? [4, 4] : [40, 26];
  const least = Math.min(0.8, ...told.map((week) => week.looked_at.value));
  const times = told.map((week) => Date.parse(week.begins));
  const span = Math.max(1, times.at(-1) - times[0]);
  const x = (at) => (told.length < 2 ? width / 2 : left + ((at - times[0]) / span) * (width - left - 10));
  const y = (share) => 6 + (1 - (share - least) / (1 - least)) * (height - bottom - 12);
  if (!bare) {
    for (const share of [least, (1 + least) / 2, 1]) {
      svg.append(node("line", { x1: left, x2: width - 10, y1: y(share), y2: y(share), class: "rule" }), node("text", { x: left - 6, y: y(share) + 4, class: "tick end" }, String(Math.round(share * 100))));
    }
    for (const week of new Set([told[0], told.at(-1)])) if (week) svg.append(node("text", { x: Math.min(width - 34, Math.max(left + 26, x(Date.parse(week.begins)))), y: height - 8, class: "tick middle" }, week.begins.slice(0, 10)));
  }
  svg.append(node("polyline", { points: told.map((week) => `${x(Date.parse(week.begins))},${y(week.looked_at.value)}`).join(" "), class: "path" }));
  for (const week of told) svg.append(node("circle", { cx: x(Date.parse(week.begins)), cy: y(week.looked_at.value), r: bare ? 2 : 4, class: "dot" }));
  return svg;
}
