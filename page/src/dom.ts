// Elements of the page. Text is only ever set as text, so whatever a query's names are, they are shown as they are.

export type Child = Node | string | number | null | undefined | false;
type Props = Record<string, string | number | boolean | EventListener | null | undefined>;

function fill<E extends Element>(element: E, props: Props, children: Child[]): E {
  for (const [name, value] of Object.entries(props)) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === "function") element.addEventListener(name, value);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  for (const child of children) {
    if (child === null || child === undefined || child === false) continue;
    element.append(child instanceof Node ? child : String(child));
  }
  return element;
}

export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  props: Props = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  return fill(document.createElement(tag), props, children);
}

export function s<K extends keyof SVGElementTagNameMap>(
  tag: K,
  props: Props = {},
  ...children: Child[]
): SVGElementTagNameMap[K] {
  return fill(document.createElementNS("http://www.w3.org/2000/svg", tag), props, children);
}

export function button(label: string, does: () => void, props: Props = {}): HTMLButtonElement {
  return h("button", { type: "button", click: does, ...props }, label);
}

/** Put other children into an element; what was open or had the focus is so again, where the same thing is there again. */
export function renew(root: HTMLElement, ...children: Node[]): void {
  const key = (of: Element | null) => of && `${of.tagName} ${of.getAttribute("data-key") ?? of.getAttribute("aria-label") ?? of.textContent}`;
  const open = new Set([...root.querySelectorAll("details[open] > summary")].map(key));
  const focused = root.contains(document.activeElement) ? key(document.activeElement) : null;
  root.replaceChildren(...children);
  for (const summary of root.querySelectorAll("summary")) if (open.has(key(summary))) (summary.parentElement as HTMLDetailsElement).open = true;
  if (!focused) return;
  const all = root.querySelectorAll<HTMLElement>("a, button, summary, select, input, [tabindex]");
  [...all].find((each) => key(each) === focused)?.focus({ preventScroll: true });
}

/** A table: names of columns, and rows of cells; numbers stand on the right. What it is called may be seen. */
export function table(names: string[], rows: (Child | Node)[][], caption = "", seen = false): HTMLElement {
  const numeric = (given: Child | undefined) => typeof given === "number" || (given instanceof Element && given.className === "n");
  const head = h("tr", {}, ...names.map((name, i) => h("th", { scope: "col", class: numeric(rows[0]?.[i]) ? "number" : null }, name)));
  const cell = (value: Child) => h("td", { class: typeof value === "number" ? "number" : null }, shown(value));
  const body = rows.map((row) => h("tr", {}, ...row.map(cell)));
  const made = h("table", {}, caption ? h("caption", { class: seen ? null : "sr" }, caption) : null, h("thead", {}, head), h("tbody", {}, ...body));
  return h("div", { class: "scroll", tabindex: 0, role: "group", "aria-label": caption || names.join(", ") }, made);
}

function shown(value: Child): Child {
  return typeof value === "number" ? count(value) : value;
}

/** A whole number with its thousands apart. */
export function count(n: number): string {
  return n.toLocaleString("en", { maximumFractionDigits: n !== 0 && Math.abs(n) < 10 ? 1 : 0 });
}

export function bytes(n: number): string {
  for (const [unit, size] of [["GB", 2 ** 30], ["MB", 2 ** 20], ["kB", 2 ** 10]] as const)
    if (n >= size) return `${(n / size).toLocaleString("en", { maximumFractionDigits: 1 })} ${unit}`;
  return `${n} B`;
}

/** A time in a few words. */
export function span(seconds: number): string {
  for (const [unit, size] of [["d", 86400], ["h", 3600], ["min", 60]] as const)
    if (seconds >= size) return `${Math.round(seconds / size)} ${unit}`;
  return seconds < 10 ? `${Math.max(seconds, 0).toFixed(1)} s` : `${Math.round(seconds)} s`;
}

/** When something was: the time, and the day unless it is today. */
export function moment(seconds: number): string {
  const at = new Date(seconds * 1000);
  const today = at.toDateString() === new Date().toDateString();
  return `${today ? "" : `${at.toLocaleDateString("en-CA")} `}${at.toLocaleTimeString("en-GB")}`;
}

/** A value of a row, as JSON has it; strings without quotes. */
export function value(given: unknown): string {
  return typeof given === "string" ? given : JSON.stringify(given);
}
