// What the API's terms are called on the screen, and how a schema is read.

export const REVIEW = {
  not_needed: ["Nothing to check", ""],
  needed: ["To review", "doubt"],
  in_review: ["In review", "busy"],
  approved: ["Approved", "good"],
  rejected: ["Rejected", "bad"],
};
export const STATUS = {
  queued: "Waiting",
  reading: "Reading pages",
  extracting: "Extracting",
  merging: "Putting together",
  succeeded: "Done",
  partially_succeeded: "Done in part",
  failed: "Failed",
  cancelled: "Cancelled",
};
/** How many values and checks are in doubt; of many values one reason tells how many more there are. */
export const countDoubts = (reasons) => reasons.reduce((sum, reason) => sum + (Number(reason.match(/^low:(?:\d+:)?\+(\d+)$/)?.[1]) || 1), 0);
const FINAL = new Set(["succeeded", "partially_succeeded", "failed", "cancelled"]);
export const isOver = (job) => FINAL.has(job.status);

const VERDICT = {
  found: "Found on the page.",
  absent: "Not in the document.",
  unreadable: "Its place was found, but it could not be read.",
  ambiguous: "Several values fit; none is clearly right.",
  not_reached: "Its pages were not reached.",
};

/** Why a field looks as it does, in one plain sentence. */
export function explain(entry) {
  if (entry.reviewed) {
    const done = { set: "Corrected", confirm: "Confirmed", mark_absent: "Marked as not in the document" };
    return `${done[entry.reviewed.as] ?? "Seen"} by ${entry.reviewed.by}.`;
  }
  if (entry.origin === "corrected") return "Put in by a reviewer.";
  const said = VERDICT[entry.verdict] ?? "";
  if (entry.verdict !== "found") return said;
  if (entry.box_check === "none" || entry.page === null) return "This value was not found on the page.";
  if (entry.confidence === "low") return "Found, but not sure enough to pass.";
  return said;
}

const ABBREVIATIONS = /\b(iban|bic|vat|id|sku|ean|gtin|swift|url|po)\b/gi;

/** `invoice_number` as people write it. */
export function title(name) {
  const plain = name.replace(/[_-]+/g, " ").replace(/([a-z])([A-Z])/g, "$1 $2").trim().replace(ABBREVIATIONS, (word) => word.toUpperCase());
  return plain.charAt(0).toUpperCase() + plain.slice(1);
}

/** A time ago, short. */
export function age(iso) {
  const minutes = Math.floor((Date.now() - Date.parse(iso)) / 60_000);
  if (minutes < 1) return "now";
  if (minutes < 60) return `${minutes} min`;
  if (minutes < 48 * 60) return `${Math.floor(minutes / 60)} h`;
  return `${Math.floor(minutes / 1440)} d`;
}

/** The JSON Schema itself, out of the forms in which it may be handed in. */
export function bareSchema(source) {
  if (source.type === "json_schema" && source.json_schema) return bareSchema(source.json_schema);
  return !source.properties && source.schema ? source.schema : source;
}

/** A field's schema with references and null branches resolved. */
export function plainField(root, node, depth = 0) {
  if (!node || depth > 20) return {};
  if (node.$ref) {
    const parts = node.$ref.slice(2).split("/").map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));
    const target = parts.reduce((found, part) => found?.[part], root);
    const { $ref, ...rest } = node;
    return plainField(root, { ...target, ...rest }, depth + 1);
  }
  for (const keyword of ["anyOf", "oneOf", "allOf"]) {
    if (!Array.isArray(node[keyword])) continue;
    const solid = node[keyword].map((branch) => plainField(root, branch, depth + 1)).filter((b) => b.type !== "null");
    const { [keyword]: _, ...rest } = node;
    return plainField(root, { ...solid[0], ...rest }, depth + 1);
  }
  const type = Array.isArray(node.type) ? node.type.find((kind) => kind !== "null") : node.type;
  return { ...node, type: type ?? (node.properties ? "object" : node.items ? "array" : "string") };
}

export const escapeToken = (name) => name.replaceAll("~", "~0").replaceAll("/", "~1");
