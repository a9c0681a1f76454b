// What a rule of the schema says when a record breaks it, in plain words.

import { title } from "./words.js";

const SHOULD = { "==": "should be", "!=": "should not be", "<=": "should be at most", ">=": "should be at least", "<": "should be less than", ">": "should be more than" };
const OF_MANY = { sum: "the sum of", count: "the number of", min: "the least of", max: "the greatest of" };
const KEYWORD = { enum: "is none of the values that the schema lists", pattern: "is not written as the schema wants", format: "is no day" };
const PART = /(sum|count|min|max)\(\s*([\w.[\]]+)\s*\)|[A-Za-z_][\w.[\]]*/g;
const MOST_ROWS = 5;
export const SUM = /^\s*sum\((?<array>[\w.]+)\.(?<column>\w+)\)\s*==\s*(?<total>[\w.]+)\s*$/;

/** `lines[].amount` as people write it. */
const named = (path) => path.split(/[./]/).map((part) => part.replace(/\[\]|\*/g, "")).filter(Boolean).map(title).join(" · ");
const inWords = (side) => side.replace(PART, (whole, many, of) => (many ? `${OF_MANY[many]} ${named(of)}` : named(whole))).replaceAll(" * ", " × ").replaceAll(" - ", " − ");
const begun = (text) => text.charAt(0).toUpperCase() + text.slice(1);

/** The rule of each row of one table as what is said of a row alone, with the table; null: it is none. */
function ofRows(rule) {
  const tables = new Set([...rule.matchAll(/([\w.]+)\[\]\./g)].map(([, table]) => table));
  const [table] = tables;
  return tables.size === 1 && !/\w\(/.test(rule) ? { table, said: rule.replaceAll(`${table}[].`, "") } : null;
}

function counted(rows) {
  const more = rows.length > MOST_ROWS ? ` and ${rows.length - MOST_ROWS} more` : "";
  return `${rows.length === 1 ? "row" : "rows"} ${rows.slice(0, MOST_ROWS).join(", ")}${more}`;
}

/** `rows`: numbers, from 1, of the rows that break it. */
export function saidOfRule(rule, rows = []) {
  const each = ofRows(rule);
  if (each && rows.length) return `${named(each.table)}, ${counted(rows)}: ${saidOfRule(each.said)}`;
  const [, keyword, path] = /^(enum|pattern|format):(.*)$/.exec(rule) ?? [];
  if (keyword) return `${named(path)}${rows.length ? `, ${counted(rows)},` : ""} ${KEYWORD[keyword]}.`;
  const [, check, about] = /^\s*(\w+)\(([^()]*)\)\s*$/.exec(rule) ?? [];
  if (check === "unique") return `Another document has the same ${about.split(",").map((part) => named(part.trim())).join(" and ")}.`;
  if (check) return `${named(about.trim())} is no valid ${check.toUpperCase()}: its check digits are wrong.`;
  const [left, sign, right, more] = rule.split(/\s*(==|!=|<=|>=|<|>)\s*/);
  return right && more === undefined ? `${begun(inWords(left))} ${SHOULD[sign]} ${inWords(right)}.` : `Does not hold: ${rule}`;
}
