// A script to look at, with a place in it underlined.
import type { Place } from "./api";
import { h } from "./dom";

/** The lines around a place; all of it is text. */
export function excerpt(sql: string, place: Place | undefined): HTMLElement {
  if (!place) return h("pre", { class: "sql", tabindex: 0 }, sql.trim());
  const [start, end] = place;
  const from = sql.lastIndexOf("\n", Math.max(start - 1, 0)) + 1;
  const next = sql.indexOf("\n", end);
  const to = next < 0 ? sql.length : next;
  return h("pre", { class: "sql", tabindex: 0 }, sql.slice(from, start), h("mark", {}, sql.slice(start, end)), sql.slice(end, to));
}
