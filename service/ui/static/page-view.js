// The page: its picture with zoom, the boxes of the fields, and taking words from it.

import { get } from "./api.js";
import { $, afterPaint, h } from "./dom.js";
import { fetchPicture, SCREEN_DPI } from "./fetching.js";

const SHARP_DPI = 150;
const STEP = 1.25;
const DRAG_PX = 4;
const MARGIN = 0.004;
const POINTS = 72;

const box = (quad) => {
  const xs = quad.map((point) => point.x);
  const ys = quad.map((point) => point.y);
  return { x0: Math.min(...xs), y0: Math.min(...ys), x1: Math.max(...xs), y1: Math.max(...ys) };
};
const quad = ({ x0, y0, x1, y1 }) => [{ x: x0, y: y0 }, { x: x1, y: y0 }, { x: x1, y: y1 }, { x: x0, y: y1 }];
const union = (boxes) => ({
  x0: Math.min(...boxes.map((b) => b.x0)), y0: Math.min(...boxes.map((b) => b.y0)),
  x1: Math.max(...boxes.map((b) => b.x1)), y1: Math.max(...boxes.map((b) => b.y1)),
});
/** Corners after the page was turned: what another job turned since is read otherwise than this one's places say. */
function turned(corners, degrees) {
  const quarters = ((degrees / 90) % 4 + 4) % 4;
  return quarters === 0 ? corners : turned([3, 0, 1, 2].map((n) => ({ x: 1 - corners[n].y, y: corners[n].x })), degrees - 90);
}
const UNSPACED = /[\u3040-\u30ff\u4e00-\u9fff]$/u;

/** Words in reading order as one text; scripts without spaces get none. */
function joined(words) {
  return words.reduce((text, word) => (!text || (UNSPACED.test(text) && UNSPACED.test(word.text)) ? text + word.text : `${text} ${word.text}`), "");
}

/** Shows one page of a file at a time. */
export class PageView {
  #words = new Map();
  #zoom = Number(sessionStorage.getItem("zoom")) || 0;
  #start = null;
  #boxes = [];

  constructor({ picked, boxed, turned }) {
    this.picked = picked;
    this.boxed = boxed;
    this.turned = turned;
    this.page = 0;
    $("#zoom-in").addEventListener("click", () => this.#zoomBy(STEP));
    $("#zoom-out").addEventListener("click", () => this.#zoomBy(1 / STEP));
    $("#zoom-fit").addEventListener("click", () => this.#zoomTo(0));
    $("#viewport").addEventListener("wheel", (event) => this.#wheel(event), { passive: false });
    new ResizeObserver(([{ contentRect }]) => { this.room = contentRect; this.#size(); }).observe($("#viewport"));
    const page = $("#page");
    page.addEventListener("pointerdown", (event) => this.#down(event));
    page.addEventListener("pointermove", (event) => this.#move(event));
    page.addEventListener("pointerup", (event) => this.#up(event));
    page.addEventListener("pointercancel", () => this.#cancel());
    page.addEventListener("dragstart", (event) => event.preventDefault());
  }

  /** Begin with a file; its pages' pictures are asked for as they are shown. */
  open(file) {
    this.file = file;
    this.page = 0;
    this.#words.clear();
  }

  show(number) {
    if (number === this.page) return;
    this.page = number;
    $("#page-number").textContent = this.file.pages.length > 1 ? `Page ${number} of ${this.file.pages.length}` : "";
    $("#chosen-words").replaceChildren();
    $("#picture").replaceWith(fetchPicture(this.file, this.#shape(number)).image);
    this.#size();
    this.turned(number);
    afterPaint(() => this.#load(number));
  }

  #shape(number) {
    return this.file.pages[number - 1];
  }

  /** Ask for a page that will probably be shown. */
  prepare(number) {
    if (number && this.#shape(number)) fetchPicture(this.file, this.#shape(number));
  }

  /** The picture of a page if it can be drawn from at once. */
  atHand(number) {
    const { image, isReady } = fetchPicture(this.file, this.#shape(number));
    return isReady ? image : null;
  }

  /** The finer picture of a page, for evidence and for zooming in. */
  sharp(number) {
    return fetchPicture(this.file, this.#shape(number), SHARP_DPI).ready;
  }

  /** Words of a page; none where nothing was read. */
  async #load(number) {
    if (this.#words.has(number)) return;
    this.#words.set(number, []);
    try {
      const { words, rotation } = await get(`/files/${this.file.id}/pages/${number}`);
      const turn = this.#shape(number).rotation - rotation;
      this.#words.set(number, words.map((word, index) => {
        const coordinates = turned(word.coordinates, turn);
        return { ...word, coordinates, index, box: box(coordinates) };
      }));
    } catch {
      this.#words.delete(number);
    }
  }

  /** The boxes of this page: `{id, coordinates, mark}`; those that are there already stay. */
  boxes(list) {
    const known = new Map(this.#boxes.map((item) => [item.id, item]));
    this.#boxes = list.map((item) => this.#box(item, known));
    for (const { element } of known.values()) element.remove();
  }

  #box(item, known) {
    const old = known.get(item.id);
    known.delete(item.id);
    if (old?.coordinates === item.coordinates && old.mark === item.mark) return old;
    const made = { ...item, box: box(item.coordinates), element: old?.element ?? h("div", {}) };
    made.element.className = `box ${item.mark}`;
    this.#place(made.element, made.box);
    if (!old) $("#boxes").append(made.element);
    return made;
  }

  /** Make the box of a field the strong one. */
  strengthen(id) {
    this.active = id;
    $("#boxes .active")?.classList.remove("active");
    this.#boxes.find((item) => item.id === id)?.element.classList.add("active");
  }

  #place(element, { x0, y0, x1, y1 }) {
    const percent = (value) => `${(value * 100).toFixed(3)}%`;
    element.style.left = percent(x0 - MARGIN);
    element.style.top = percent(y0 - MARGIN / 2);
    element.style.width = percent(x1 - x0 + 2 * MARGIN);
    element.style.height = percent(y1 - y0 + MARGIN);
  }

  /** Bring the active box into view, and move nothing when it is there already. */
  reveal() {
    const element = $("#boxes .active");
    if (!element) return;
    const inner = element.getBoundingClientRect();
    const outer = $("#viewport").getBoundingClientRect();
    const seen = inner.top >= outer.top && inner.bottom <= outer.bottom && inner.left >= outer.left && inner.right <= outer.right;
    if (!seen) element.scrollIntoView({ block: "center", inline: "nearest", behavior: "smooth" });
  }

  #size() {
    if (!this.file || !this.page) return;
    const { page, file } = this;
    const shape = this.#shape(page);
    const fit = this.room ? Math.min(this.room.width / shape.width, this.room.height / shape.height) : 1;
    const scale = this.#zoom || fit;
    $("#page").style.width = `${Math.max(80, shape.width * scale)}px`;
    $("#page").style.height = `${Math.max(80, shape.height * scale)}px`;
    if (scale * devicePixelRatio <= SCREEN_DPI / POINTS) return;
    this.sharp(page).then((image) => { if (this.page === page && this.file === file) $("#picture").replaceWith(image); }, () => {});
  }

  #zoomTo(zoom) {
    this.#zoom = zoom;
    sessionStorage.setItem("zoom", String(zoom));
    this.#size();
  }

  #zoomBy(factor) {
    const now = $("#page").clientWidth / this.#shape(this.page).width;
    this.#zoomTo(Math.min(6, Math.max(0.2, now * factor)));
    this.reveal();
  }

  #wheel(event) {
    if (!event.ctrlKey) return;
    event.preventDefault();
    this.#zoomBy(event.deltaY < 0 ? 1.1 : 1 / 1.1);
  }

  #point(event) {
    const area = $("#page").getBoundingClientRect();
    const clamp = (value) => Math.min(1, Math.max(0, value));
    return { x: clamp((event.clientX - area.left) / area.width), y: clamp((event.clientY - area.top) / area.height) };
  }

  #down(event) {
    if (event.button !== 0) return;
    event.preventDefault(); // the input keeps the focus
    this.#start = { ...this.#point(event), at: [event.clientX, event.clientY], dragging: false };
    $("#page").setPointerCapture(event.pointerId);
  }

  #move(event) {
    if (!this.#start) return;
    const [x, y] = this.#start.at;
    if (Math.hypot(event.clientX - x, event.clientY - y) > DRAG_PX) this.#start.dragging = true;
    if (this.#start.dragging) this.#paint(this.#inside(this.#point(event)));
  }

  #up(event) {
    if (!this.#start) return;
    const start = this.#start;
    const point = this.#point(event);
    const words = start.dragging ? this.#inside(point) : [];
    this.#cancel();
    if (start.dragging) this.#take(words);
    else this.#click(point, event.altKey);
  }

  #cancel() {
    this.#start = null;
    $("#chosen-words").replaceChildren();
  }

  #click(point, always) {
    const holds = (area) => point.x >= area.x0 - MARGIN && point.x <= area.x1 + MARGIN && point.y >= area.y0 - MARGIN && point.y <= area.y1 + MARGIN;
    const size = (area) => (area.x1 - area.x0) * (area.y1 - area.y0);
    const found = this.#boxes.filter((item) => holds(item.box)).sort((a, b) => size(a.box) - size(b.box))[0];
    if (found && !always && found.id !== this.active) this.boxed(found.id);
    else this.#take((this.#words.get(this.page) ?? []).filter((word) => holds(word.box)).slice(0, 1));
  }

  /** Words that the dragged rectangle touches, in reading order. */
  #inside(point) {
    const area = union([{ x0: this.#start.x, x1: this.#start.x, y0: this.#start.y, y1: this.#start.y }, { x0: point.x, x1: point.x, y0: point.y, y1: point.y }]);
    return (this.#words.get(this.page) ?? []).filter(({ box: b }) => b.x1 > area.x0 && b.x0 < area.x1 && b.y1 > area.y0 && b.y0 < area.y1 && (b.y0 + b.y1) / 2 >= area.y0 - (b.y1 - b.y0) / 2 && (b.y0 + b.y1) / 2 <= area.y1 + (b.y1 - b.y0) / 2);
  }

  #paint(words) {
    $("#chosen-words").replaceChildren(...words.map((word) => {
      const element = h("div", { class: "chosen" });
      this.#place(element, word.box);
      return element;
    }));
  }

  #take(words) {
    if (!words.length) return;
    this.picked(joined(words), {
      page: this.page,
      coordinates: quad(union(words.map((word) => word.box))),
      word_coordinates: words.map((word) => word.coordinates),
    });
  }
}
