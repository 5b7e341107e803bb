// A directed graph as a picture: dagre finds the places, of the labels of edges too, so that none crosses another one.
import { Graph, layout } from "@dagrejs/dagre";
import { button, h, s } from "./dom";

export interface Line {
  text: string;
  kind: "title" | "detail" | "live";
}
export interface Shape {
  id: string;
  lines: Line[];
  look: string;
  told: string;
  group?: string;
  pick?: () => void;
}
export interface Link {
  from: string;
  to: string;
  label: string[];
  look: string;
  /** How wide the label may become while the picture is there. */
  room?: number;
  tip?: boolean;
}
export interface Drawn {
  root: HTMLElement;
  shapes: Map<string, SVGGElement>;
  links: { path: SVGPathElement; text: SVGTextElement; group: SVGGElement }[];
}

const FONT = { title: "600 13px system-ui, sans-serif", detail: "12px system-ui, sans-serif", live: "12px system-ui, sans-serif" };
const HEIGHT = 17;
/** A picture that is too wide is drawn smaller, but not smaller than this. */
const SMALLEST = 0.7;
const pen = document.createElement("canvas").getContext("2d")!;

function width(text: string, font: string): number {
  pen.font = font;
  return pen.measureText(text).width;
}

export function short(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most - 1)}…` : text;
}

type At = { x: number; y: number };

function curve(points: At[]): string {
  const [first, ...rest] = points;
  const xy = ({ x, y }: At) => `${x.toFixed(1)},${y.toFixed(1)}`;
  let path = `M${xy(first!)}`;
  rest.slice(0, -1).forEach((at, i) => {
    const next = rest[i + 1]!;
    const last = i === rest.length - 2;
    path += ` Q${xy(at)} ${xy(last ? next : { x: (at.x + next.x) / 2, y: (at.y + next.y) / 2 })}`;
  });
  return rest.length === 1 ? `${path} L${xy(rest[0]!)}` : path;
}

let drawings = 0;

export function draw(shapes: Shape[], links: Link[], name: string, across: boolean): Drawn {
  const graph = new Graph({ multigraph: true, compound: true });
  graph.setGraph({ rankdir: across ? "LR" : "TB", nodesep: 26, ranksep: across ? 14 : 22, edgesep: 18, marginx: 12, marginy: 12 });
  graph.setDefaultEdgeLabel(() => ({}));
  const groups = [...new Set(shapes.map((shape) => shape.group).filter((group): group is string => !!group))];
  for (const group of groups) graph.setNode(`group ${group}`, {});
  for (const shape of shapes) {
    const wide = Math.max(...shape.lines.map((line) => width(line.text, FONT[line.kind])), 0);
    const point = shape.look === "point";
    const live = shape.lines.some((line) => line.kind === "live") ? 150 : 64;
    graph.setNode(shape.id, {
      width: point ? 9 : Math.max(wide + 28, live),
      height: point ? 9 : shape.lines.length * HEIGHT + 14,
    });
    if (shape.group) graph.setParent(shape.id, `group ${shape.group}`);
  }
  links.forEach((link, i) => {
    const wide = Math.max(...link.label.map((text) => width(text, FONT.detail)), link.room ?? 0);
    const some = link.label.length > 0;
    // Across, the first line stands above the edge and the second one below, so both have room.
    graph.setEdge(link.from, link.to, { width: some ? wide + 14 : 0, height: some ? (across ? 38 : link.label.length * 15 + 26) : 0, labelpos: "c" }, `${i}`);
  });
  layout(graph);
  const size = graph.graph() as { width: number; height: number };
  const marker = `tip-${++drawings}`;
  const svg = s("svg", {
    viewBox: `0 0 ${Math.ceil(size.width)} ${Math.ceil(size.height)}`,
    width: Math.ceil(size.width),
    height: Math.ceil(size.height),
    role: "group",
    "aria-label": name,
    class: "graph",
  });
  for (const look of ["plain", "bad"]) {
    const tip = s("path", { d: "M0,0.8 L8,4 L0,7.2 z", class: `tip ${look}` });
    const place = { viewBox: "0 0 8 8", refX: 7.4, refY: 4, markerWidth: 8, markerHeight: 8, orient: "auto" };
    svg.append(s("marker", { id: `${marker}-${look}`, ...place }, tip));
  }
  for (const group of groups) {
    const at = graph.node(`group ${group}`) as At & { width: number; height: number };
    const left = at.x - at.width / 2;
    const top = at.y - at.height / 2;
    svg.append(
      s("g", { class: "stage", "aria-hidden": true },
        s("rect", { x: left, y: top, width: at.width, height: at.height, rx: 10 }),
        s("text", { x: left + 10, y: top + 15 }, group)),
    );
  }
  const drawnLinks: Drawn["links"] = [];
  links.forEach((link, i) => {
    const edge = graph.edge(link.from, link.to, `${i}`) as { points: At[]; x: number; y: number; width: number; height: number };
    const tip = link.tip === false ? {} : { "marker-end": `url(#${marker}-${link.look === "bad" ? "bad" : "plain"})` };
    const path = s("path", { d: curve(edge.points), class: `link ${link.look}`, ...tip });
    const text = s("text", { class: "label", "text-anchor": "middle" });
    const group = s("g", {}, path);
    if (link.label.length) {
      const high = link.label.length * 15 + 2;
      const box = { x: edge.x - edge.width / 2, y: edge.y - high / 2, width: edge.width, height: high, rx: 4 };
      group.append(...(across ? [] : [s("rect", { class: "behind", ...box })]), text);
      const at = (n: number) => (across ? edge.y + (n ? 16 : -7) : edge.y + 15 * (n - (link.label.length - 1) / 2) + 4);
      link.label.forEach((line, n) => text.append(s("tspan", { x: edge.x, y: at(n), class: `line${n}` }, line)));
    }
    svg.append(group);
    drawnLinks.push({ path, text, group });
  });
  const found = new Map<string, SVGGElement>();
  for (const shape of shapes) {
    const at = graph.node(shape.id) as At & { width: number; height: number };
    const group = s("g", { class: `shape ${shape.look}`, transform: `translate(${at.x - at.width / 2},${at.y - at.height / 2})` });
    if (shape.look === "point") {
      group.append(s("circle", { cx: at.width / 2, cy: at.height / 2, r: 3.5 }));
    } else {
      group.append(s("rect", { width: at.width, height: at.height, rx: shape.look.includes("stream") || shape.look.includes("sink") ? at.height / 2 : 7 }));
      if (shape.look.includes("operator")) group.append(s("rect", { class: "bar", x: 0, y: 8, width: 3.5, height: at.height - 16, rx: 1.7 }));
      const middle = !shape.look.includes("operator");
      shape.lines.forEach((line, n) =>
        group.append(s("text", { x: middle ? at.width / 2 : 14, y: 7 + HEIGHT * (n + 0.75), class: line.kind, "text-anchor": middle ? "middle" : null }, line.text)));
    }
    group.append(s("title", {}, shape.told));
    if (shape.pick) {
      const pick = shape.pick;
      for (const [key, of] of Object.entries({ tabindex: "0", role: "button", "aria-label": shape.told })) group.setAttribute(key, of);
      group.addEventListener("click", pick);
      group.addEventListener("keydown", (event) => {
        if (event.key === "Enter" || event.key === " ") {
          event.preventDefault();
          pick();
        }
      });
    }
    svg.append(group);
    found.set(shape.id, group);
  }
  svg.style.minWidth = `${Math.ceil(SMALLEST * size.width)}px`;
  const frame = h("div", { class: "picture fits", tabindex: 0, role: "group", "aria-label": name }, svg);
  const smaller = button("Full size", () => {
    const fits = frame.classList.toggle("fits");
    svg.style.minWidth = fits ? `${Math.ceil(SMALLEST * size.width)}px` : `${size.width}px`;
    smaller.textContent = fits ? "Full size" : "Fit";
  }, { class: "quiet small" });
  new ResizeObserver(() => (smaller.hidden = frame.clientWidth > size.width + 16)).observe(frame);
  return { root: h("div", { class: "framed" }, frame, smaller), shapes: found, links: drawnLinks };
}

/** Punctuations as they pass along an edge: some diamonds, for a moment. */
export function pass(group: SVGGElement, path: SVGPathElement, many: number): void {
  if (matchMedia("(prefers-reduced-motion: reduce)").matches || document.hidden) return;
  for (let n = 0; n < Math.min(many, 4); n++) {
    const mark = s("path", { d: "M0,-5 L5,0 L0,5 L-5,0 z", class: "diamond" });
    mark.style.offsetPath = `path("${path.getAttribute("d")}")`;
    mark.style.offsetRotate = "0deg";
    group.append(mark);
    const run = mark.animate([{ offsetDistance: "0%", opacity: 0 }, { opacity: 1, offset: 0.15 }, { opacity: 1, offset: 0.85 }, { offsetDistance: "100%", opacity: 0 }], {
      duration: 1400,
      delay: 180 * n,
      fill: "both",
      easing: "ease-in-out",
    });
    run.onfinish = () => mark.remove();
  }
}
