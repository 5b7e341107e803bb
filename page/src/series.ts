// Numbers over time, drawn by uPlot in the page's colours.
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { count, h } from "./dom";

export interface Values {
  name: string;
  values: (number | null)[];
  /** What it is now, where that is not the last of the values. */
  now?: number | undefined;
  look: "first" | "second" | "third" | "fourth" | "kept" | "without" | "bad";
}
export interface How {
  height?: number;
  unit?: string;
  note?: string;
  bars?: boolean;
  /** What is counted is whole, and so are the marks of the axis. */
  whole?: boolean;
}

const WHOLE = [...Array(13).keys()].flatMap((power) => [1, 2, 5].map((n) => n * 10 ** power));

const colour = (name: string): string => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();

export function series(title: string, times: number[], lines: Values[], how: How = {}): HTMLElement {
  const place = h("div", { class: "chart" });
  place.style.minHeight = `${how.height ?? 170}px`; // what is below stays where it is while the chart is drawn
  const last = (each: Values) => each.now ?? each.values.findLast((n) => n !== null);
  const keys = lines.map((each) => {
    const now = last(each);
    return h("span", {}, h("i", { class: `line ${each.look}` }), `${each.name} `, h("b", {}, now === undefined || now === null ? "–" : `${count(now)}${how.unit ?? ""}`));
  });
  const words = lines.map((each) => `${each.name} ${last(each) ?? "none"}${how.unit ?? ""}`).join(", ");
  const figure = h("figure", { "aria-label": `${title}: now ${words}`, role: "group" }, h("figcaption", {}, h("strong", {}, title), h("span", { class: "keys" }, ...keys)), place, how.note ? h("p", { class: "quiet" }, how.note) : null);
  const make = (): void => {
    const wide = place.clientWidth;
    if (!wide) return;
    if (!times.length) return place.replaceChildren(h("p", { class: "quiet" }, "No batch yet."));
    const axis = { stroke: colour("quiet"), grid: { stroke: colour("line"), width: 1 }, ticks: { show: false }, font: "11px system-ui, sans-serif" };
    const options: uPlot.Options = {
      width: wide,
      height: how.height ?? 170,
      legend: { show: false },
      cursor: { show: false },
      padding: [8, 24, 0, 0],
      scales: { x: { range: (_, first, last) => reach(first, last, !!how.bars) }, y: { range: (_, __, most) => [0, Math.max(most * 1.1, 1)] } },
      axes: [{ ...axis, space: 74, size: 28, values: (_, ticks) => ticks.map((at) => new Date(at * 1000).toLocaleTimeString("en-GB")) }, { ...axis, size: 52, ...(how.whole ? { incrs: WHOLE } : {}), values: (_, ticks) => ticks.map((n) => (n === null ? "" : small(n))) }],
      series: [{}, ...lines.map((each) => ({ label: each.name, stroke: colour(each.look), width: 1.8, points: { show: times.length < 2 }, fill: how.bars ? colour(each.look) : each.look === "kept" ? `${colour("kept")}22` : undefined, dash: each.look === "without" ? [5, 4] : undefined, paths: how.bars ? uPlot.paths.bars!({ size: [0.6, 14] }) : undefined }))],
    };
    place.replaceChildren();
    new uPlot(options, [times, ...lines.map((each) => each.values)] as uPlot.AlignedData, place);
  };
  new ResizeObserver(make).observe(place);
  return figure;
}

/** From when to when a chart goes: ten seconds at least, and bars have room on both sides. */
function reach(first: number, last: number, bars: boolean): [number, number] {
  const start = last - first < 10 ? last - 10 : first;
  const room = bars ? 0.03 * (last - start) : 0;
  return [start - room, last + room];
}

function small(n: number): string {
  for (const [unit, size] of [["G", 1e9], ["M", 1e6], ["k", 1e3]] as const) if (Math.abs(n) >= size) return `${+(n / size).toFixed(1)}${unit}`;
  return String(+n.toFixed(2));
}

/** The value below which a share of some numbers lies. */
export function quantile(numbers: number[], share: number): number | null {
  const sorted = [...numbers].sort((a, b) => a - b);
  return sorted.length ? sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))]! : null;
}
