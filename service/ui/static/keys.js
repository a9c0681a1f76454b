// Keys: which command each of them is, and when none is meant.

import { alone, approve, nextDocument, undoDecision } from "./deciding.js";
import { showKeys } from "./dialogs.js";
import { $ } from "./dom.js";
import { absent, accept, acceptAlike, addRow, change, copyAbove, down, next, removeRow, step, undo } from "./editing.js";
import { hand } from "./hand.js";

const COMMANDS = {
  KeyA: absent, KeyC: otherCandidate, KeyZ: undoHere, KeyY: alone(approve), KeyN: alone(nextDocument), KeyV: copyAbove, KeyH: showKeys,
  KeyI: () => { if (hand.leaf.table) addRow(hand.leaf.table, hand.leaf.table.ids[hand.leaf.row]); },
  KeyD: () => { if (hand.leaf.table) removeRow(hand.leaf.table, hand.leaf.row); },
  Enter: acceptAlike, ArrowDown: () => down(1), ArrowUp: () => down(-1),
};

function otherCandidate() {
  const [first] = hand.card.candidates();
  if (first) change({ value: first.value, location: first.location }).then(next);
}

/** Take the last change back, or with none left here the decision about the document before. */
export function undoHere() {
  return undo() || alone(undoDecision)();
}

/** Do what a key means, unless it is typed or belongs to an input method. */
export function onKey(event) {
  if (!hand.doc?.model || !$("#more-menu").hidden || event.isComposing || event.keyCode === 229 || $("#dialog").open) return undefined;
  if (event.repeat && event.altKey && !event.key.startsWith("Arrow")) return event.preventDefault();
  const typing = event.target === hand.card.input;
  const act = command(event, typing);
  if (!act) return undefined;
  event.preventDefault();
  return act();
}

function command(event, typing) {
  if (event.altKey && !event.ctrlKey && !event.metaKey) return COMMANDS[event.code];
  if (event.ctrlKey || event.metaKey) return null;
  if (typing && event.key === "Enter" && !event.shiftKey) return accept;
  if (typing && event.key === "Tab") return () => step(event.shiftKey ? -1 : 1);
  if (typing && event.key === "Escape") return () => hand.card.revert();
  if (event.key === "PageDown" || event.key === "PageUp") return () => turn(event.key === "PageDown" ? 1 : -1);
  if (!typing && event.key === "?") return showKeys;
  return null;
}

function turn(by) {
  const page = hand.view.page + by;
  if (page >= 1 && page <= hand.doc.file.pages.length) hand.view.show(page);
}
