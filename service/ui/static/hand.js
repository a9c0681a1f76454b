// What is in hand. The parts of the screen are put here once, as the page begins.

export const hand = {
  /** Everything about the document on the screen. */
  doc: null,
  /** The field that the card shows. */
  leaf: null,
  view: null,
  panel: null,
  card: null,
  /** What modules above this one do for those below: try a document again that gave no record, or give it a schema, go to another record. */
  retry: null,
  choose: null,
  goTo: null,
};
