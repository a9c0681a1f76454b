// A menu under a button: arrows move in it, Escape and a click elsewhere close it.

/** Let a button open a menu whose items are its buttons and links. */
export function wireMenu(button, menu) {
  const items = () => [...menu.children].filter((item) => item.offsetParent !== null);
  const show = (shown) => {
    menu.hidden = !shown;
    button.setAttribute("aria-expanded", String(shown));
    if (shown) items()[0]?.focus();
  };
  button.addEventListener("click", () => show(menu.hidden));
  document.addEventListener("click", (event) => { if (!button.contains(event.target)) show(false); });
  menu.addEventListener("keydown", (event) => {
    const list = items();
    const to = { ArrowDown: 1, ArrowUp: -1, Home: -list.length, End: list.length }[event.key];
    if (event.key === "Tab") show(false);
    if (event.key === "Escape") {
      show(false);
      button.focus();
    } else if (to) {
      const at = list.indexOf(document.activeElement);
      const next = Math.abs(to) === 1 ? (at + to + list.length) % list.length : Math.max(0, Math.sign(to) * (list.length - 1));
      list[next]?.focus();
      event.preventDefault();
    }
  });
}
