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
  /** How wide it is as small as it may be drawn. */
  wide: number;
  shapes: Map<string, SVGGElement>;
  links: { path: SVGPathElement; text: SVGTextElement; group: SVGGElement }[];
}

type Box = { x: number; y: number; width: number; height: number };
/** Where everything is: the middles of nodes and of labels, and the paths of edges. */
export interface Placed {
  left: number;
  top: number;
  width: number;
  height: number;
  nodes: Map<string, Box>;
  edges: (Box & { path: string })[];
  groups: (Box & { name: string })[];
}

const FONT = { title: "600 13px system-ui, sans-serif", detail: "12px system-ui, sans-serif", live: "12px system-ui, sans-serif" };
const HEIGHT = 17;
const MARGIN = 12;
/** An edge is straight where its tip is. */
const TIP = 9;
/** Between the ends of edges at a node, at the most. */
const PORTS = 14;
/** A picture that is too wide is drawn smaller, but not smaller than this. */
const SMALLEST = 0.68;
const pen = document.createElement("canvas").getContext("2d")!;

export function textWidth(text: string, font = FONT.detail): number {
  pen.font = font;
  return pen.measureText(text).width;
}

export function short(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most - 1)}…` : text;
}

type At = { x: number; y: number };

/** Straight along each pair of points, and a bend to the next one. */
function bends(points: At[], across: boolean): string {
  const xy = ({ x, y }: At) => `${x.toFixed(1)},${y.toFixed(1)}`;
  return points.reduce((path, at, n) => {
    const before = points[n - 1];
    if (!before) return `M${xy(at)}`;
    if (n % 2 === 0) return `${path} L${xy(at)}`;
    const half = { x: (before.x + at.x) / 2, y: (before.y + at.y) / 2 };
    const [one, other] = across ? [{ x: half.x, y: before.y }, { x: half.x, y: at.y }] : [{ x: before.x, y: half.y }, { x: at.x, y: half.y }];
    return `${path} C${xy(one)} ${xy(other)} ${xy(at)}`;
  }, "");
}

/** Places that dagre finds; edges leave and reach nodes at their sides, one beside the other, and are straight at their labels. */
function arranged(shapes: Shape[], links: Link[], across: boolean): Placed {
  const graph = new Graph({ multigraph: true, compound: true });
  graph.setGraph({ rankdir: across ? "LR" : "TB", nodesep: 26, ranksep: across ? 38 : 36, edgesep: 18 });
  graph.setDefaultEdgeLabel(() => ({}));
  const groups = [...new Set(shapes.map((shape) => shape.group).filter((group): group is string => !!group))];
  for (const group of groups) graph.setNode(`group ${group}`, {});
  for (const shape of shapes) {
    const wide = Math.max(...shape.lines.map((line) => textWidth(line.text, FONT[line.kind])), 0);
    const live = shape.lines.some((line) => line.kind === "live") ? 150 : 64;
    graph.setNode(shape.id, { width: Math.max(wide + 26, live), height: shape.lines.length * HEIGHT + 14 });
    if (shape.group) graph.setParent(shape.id, `group ${shape.group}`);
  }
  links.forEach((link, i) => {
    const wide = Math.max(...link.label.map((text) => textWidth(text)), link.room ?? 0);
    const some = link.label.length > 0;
    // Across, the first line stands above the edge and the second one below, so both have room.
    graph.setEdge(link.from, link.to, { width: some ? wide + 4 : 0, height: some ? (across ? 38 : link.label.length * 15 + 8) : 0, labelpos: "c" }, `${i}`);
  });
  layout(graph);
  const nodes = new Map(shapes.map((shape) => [shape.id, graph.node(shape.id) as Box]));
  const routes = links.map((link, i) => graph.edge(link.from, link.to, `${i}`) as Box & { points: At[] });
  const side = (at: At) => (across ? at.y : at.x);
  const port = (id: string, mine: number, end: "from" | "to"): At => {
    const near = (n: number) => side(routes[n]!.points.at(end === "from" ? 1 : -2)!);
    const all = links.map((_, n) => n).filter((n) => links[n]![end] === id).sort((a, b) => near(a) - near(b) || a - b);
    const node = nodes.get(id)!;
    const step = Math.min(PORTS, (0.7 * (across ? node.height : node.width)) / all.length) * (all.indexOf(mine) - (all.length - 1) / 2);
    const out = end === "from" ? 0.5 : -0.5;
    return across ? { x: node.x + out * node.width, y: node.y + step } : { x: node.x + step, y: node.y + out * node.height };
  };
  const edges = links.map((link, n) => {
    const { points, x, y, width, height } = routes[n]!;
    const labelled = (at: At) => link.label.length && Math.abs(at.x - x) < 1 && Math.abs(at.y - y) < 1;
    const inner = points.slice(1, -1).flatMap((at) => {
      const long = labelled(at) ? (across ? width : height) / 2 : 0;
      return across ? [{ x: at.x - long, y: at.y }, { x: at.x + long, y: at.y }] : [{ x: at.x, y: at.y - long }, { x: at.x, y: at.y + long }];
    });
    const end = port(link.to, n, "to");
    const before = across ? { x: end.x - TIP, y: end.y } : { x: end.x, y: end.y - TIP };
    return { path: bends([port(link.from, n, "from"), ...inner, before, end], across), x, y, width, height };
  });
  const around = (group: string): Box & { name: string } => {
    const inside = new Set(shapes.filter((shape) => shape.group === group).map((shape) => shape.id));
    const all = [...shapes.filter((shape) => inside.has(shape.id)).map((shape) => nodes.get(shape.id)!), ...routes.filter((_, n) => inside.has(links[n]!.from) && inside.has(links[n]!.to))];
    const [left, top] = [Math.min(...all.map((at) => at.x - at.width / 2)) - 11, Math.min(...all.map((at) => at.y - at.height / 2)) - 24];
    const [right, below] = [Math.max(...all.map((at) => at.x + at.width / 2)) + 11, Math.max(...all.map((at) => at.y + at.height / 2)) + 12];
    return { name: group, x: (left + right) / 2, y: (top + below) / 2, width: right - left, height: below - top };
  };
  const stages = groups.map(around);
  const all = [...nodes.values(), ...routes.filter((_, n) => links[n]!.label.length), ...stages];
  const [left, top] = [Math.min(...all.map((at) => at.x - at.width / 2)) - MARGIN, Math.min(...all.map((at) => at.y - at.height / 2)) - MARGIN];
  const [right, below] = [Math.max(...all.map((at) => at.x + at.width / 2)) + MARGIN, Math.max(...all.map((at) => at.y + at.height / 2)) + MARGIN];
  return { left, top, width: right - left, height: below - top, nodes, edges, groups: stages };
}

let drawings = 0;

export function draw(shapes: Shape[], links: Link[], name: string, across: boolean, places?: Placed): Drawn {
  const size = places ?? arranged(shapes, links, across);
  const marker = `tip-${++drawings}`;
  const svg = s("svg", {
    viewBox: `${Math.floor(size.left)} ${Math.floor(size.top)} ${Math.ceil(size.width)} ${Math.ceil(size.height)}`,
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
  const stages: SVGGElement[] = [];
  for (const at of size.groups) {
    const left = at.x - at.width / 2;
    const top = at.y - at.height / 2;
    svg.append(
      s("g", { class: "stage", "aria-hidden": true }, s("rect", { x: left, y: top, width: at.width, height: at.height, rx: 10 })),
    );
    stages.push(s("g", { class: "stage", "aria-hidden": true }, s("text", { x: left + 11, y: top + 16 }, at.name)));
  }
  const drawnLinks: Drawn["links"] = [];
  links.forEach((link, i) => {
    const edge = size.edges[i]!;
    const tip = link.tip === false ? {} : { "marker-end": `url(#${marker}-${link.look === "bad" ? "bad" : "plain"})` };
    const path = s("path", { d: edge.path, class: `link ${link.look}`, ...tip });
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
  svg.append(...stages); // over the edges that cross a stage's border
  const found = new Map<string, SVGGElement>();
  for (const shape of shapes) {
    const at = size.nodes.get(shape.id)!;
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
  return { root: h("div", { class: "framed" }, frame, smaller), wide: SMALLEST * size.width, shapes: found, links: drawnLinks };
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
