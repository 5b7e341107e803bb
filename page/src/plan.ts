// The plan of a query as a picture, with what flows along its edges and what its nodes keep.
import { number, type Batch, type Counts, type Picture, type PlanEdge, type PlanNode } from "./api";
import { bytes, count } from "./dom";
import { draw, pass, short, textWidth, type Drawn, type Link, type Shape } from "./graph";

/** What happened since the picture was drawn last: the counts of each operator, over so many seconds, or in one slice. */
export interface Flow {
  operators: Record<string, Counts>;
  seconds: number | null;
}

export interface Plan {
  root: HTMLElement;
  /** How wide it is as small as it may be drawn. */
  wide: number;
  show(flow: Flow, moves: boolean): void;
  pick(id: string): void;
}

/** About the widest of what stands at an edge. */
const ROOM = textWidth("8,888 rows/s");

/** A number of at most four digits; thousands, millions and more are shortened. */
function few(n: number): string {
  return n < 9999.5 ? count(n) : n.toLocaleString("en", { notation: "compact", minimumFractionDigits: 1, maximumFractionDigits: 1 }).replace("K", "k");
}

/** What the panel takes beside a plan, with the space between them. */
const PANEL = 440;

export const named = (detail: string): string => detail.replaceAll("* WEIGHTED 1", "*").replaceAll(/ #\d+/g, "");

export function plan(picture: Picture, picked: (node: PlanNode) => void): Plan {
  const across = matchMedia("(min-width: 720px)").matches;
  const pick = (id: string): void => {
    for (const [other, group] of drawn.shapes) group.classList.toggle("picked", other === id);
    const node = picture.nodes.find((each) => each.id === id);
    if (node) picked(node);
  };
  const shapes = picture.nodes.map((node) => shape(node, () => pick(node.id)));
  const links = picture.edges.map(link);
  const drawn: Drawn = draw(shapes, links, `Plan of ${picture.name}`, across);
  return {
    root: drawn.root,
    wide: drawn.wide,
    pick,
    show(flow, moves) {
      for (const node of picture.nodes) {
        const text = drawn.shapes.get(node.id)?.querySelector(".live");
        if (text) text.textContent = kept(flow.operators[node.id]);
      }
      picture.edges.forEach((edge, i) => {
        const { text, path, group } = drawn.links[i]!;
        const [first, second] = text.querySelectorAll("tspan");
        if (first) first.textContent = rate(edge, flow);
        const many = punctuations(edge, flow.operators);
        if (second) second.textContent = many ? `◆ ${few(many)}` : "";
        if (moves && many) pass(group, path, many);
      });
    },
  };
}

/** Give a plan the whole width of the page where there is not enough of it beside the panel. */
export function spread(root: HTMLElement, drawn: Plan): void {
  new ResizeObserver(() => root.classList.toggle("wide", drawn.wide > root.clientWidth - PANEL)).observe(root);
}

function shape(node: PlanNode, pick: () => void): Shape {
  const detail = named(node.detail);
  const lines: Shape["lines"] = [{ text: short(node.label, 28), kind: "title" }];
  if (node.kind === "operator") {
    if (detail) lines.push({ text: short(detail, 25), kind: "detail" });
    if (node.verdict !== "stateless") lines.push({ text: node.verdict ?? "", kind: "live" });
  } else {
    lines.push({ text: detail, kind: "detail" });
  }
  const words = [node.kind, node.label, detail, node.verdict ?? ""].filter(Boolean).join(", ");
  const group = node.stage === undefined ? undefined : `stage ${node.stage}`;
  return { id: node.id, lines, look: `${node.kind} ${node.verdict ?? ""}`, told: words, group, pick };
}

function link(edge: PlanEdge): Link {
  return { from: edge.from, to: edge.to, label: edge.counts ? [" ", " "] : [], look: edge.exchange ? "exchange" : "plain", room: ROOM };
}

function rate(edge: PlanEdge, flow: Flow): string {
  if (!edge.counts) return "";
  const rows = number(flow.operators[edge.counts[0]], edge.counts[1]);
  if (flow.seconds === null) return rows === 1 ? "1 row" : `${count(rows)} rows`;
  return `${few(rows / Math.max(flow.seconds, 0.001))} rows/s`;
}

function punctuations(edge: PlanEdge, operators: Record<string, Counts>): number {
  if (!edge.counts) return 0;
  const [operator, what] = edge.counts;
  return number(operators[operator], what === "rows_out" ? "puncts_out" : what.replace(/^rows_from /, "puncts_from "));
}

function kept(counts: Counts | undefined): string {
  const rows = number(counts, "rows_kept");
  return rows ? `keeps ${count(rows)} · ${bytes(number(counts, "bytes_kept"))}` : "keeps nothing";
}

/** The counts of a batch, and how long it has been since the one before. */
export function flowOf(batches: Batch[]): Flow {
  const last = batches.at(-1);
  const before = batches.at(-2);
  if (!last) return { operators: {}, seconds: 1 };
  return { operators: last.operators, seconds: before ? last.time - before.time : last.seconds };
}
