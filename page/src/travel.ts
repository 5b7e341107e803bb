// Time travel: an example's slices, one by one, through the operators that run on Spark.
import { get, type PlanNode, type Row, type Step, type Story, type StorySummary, type Verdict, post, type Checked } from "./api";
import { button, count, h, table, value } from "./dom";
import { named, plan, spread, type Plan } from "./plan";
import { verdict } from "./live";
import { excerpt } from "./sql";

export class TravelView {
  readonly root = h("div", { class: "travel" });
  private readonly stage = h("div");
  private steps: Step[] = [];
  private story: Story | null = null;
  private query: Verdict | null = null;
  private at = 0;
  private plan: Plan | null = null;
  private readonly slider = h("input", { type: "range", min: 0, max: 0, value: 0, "aria-label": "Slice", input: () => this.go(Number(this.slider.value)) });
  private readonly where = h("output", {});
  private readonly back = button("← Back", () => this.go(this.at - 1));
  private readonly next = button("Next slice →", () => this.go(this.at + 1), { class: "primary" });
  private readonly says = h("p", { class: "says", "aria-live": "polite" });
  private readonly tables = h("div", { class: "slices" });
  private readonly side = h("aside", { class: "panel" });

  /** Which slice of which story was looked at last is known where the view is made again. */
  constructor(known: StorySummary[], name: string, private readonly places: Map<string, number>) {
    const chips = known.filter((story) => story.slices).map((story) => h("a", { class: "chip", href: `#/travel/${story.name}`, "aria-current": story.name === name ? "page" : null }, story.title));
    this.root.append(h("div", { class: "stories" }, ...chips), this.stage);
    this.root.addEventListener("keydown", (event) => {
      if ((event.target as Element).matches("input, pre, .scroll, .picture")) return;
      if (event.key === "ArrowRight") this.go(this.at + 1);
      if (event.key === "ArrowLeft") this.go(this.at - 1);
    });
    void this.open(name);
  }

  private async open(name: string): Promise<void> {
    const [story, steps] = await Promise.all([get<Story>(`stories/${name}`), get<Step[]>(`stories/${name}/steps`)]);
    const checked = await post<Checked>("check", story.sql);
    [this.story, this.steps, this.query] = [story, steps, checked.queries?.[0] ?? null];
    if (!this.query) return;
    this.plan = plan(this.query.picture, (node) => this.pick(node));
    this.slider.max = String(steps.length - 1);
    const controls = h("div", { class: "controls" }, this.back, this.slider, this.next, this.where);
    const beside = h("div", { class: "live" }, h("section", { class: "main" }, this.plan.root), this.side);
    spread(beside, this.plan);
    this.stage.replaceChildren(h("h2", {}, story.title), controls, this.says, beside, this.tables, h("p", { class: "quiet" }, "Kept rows: + is new, ± has changed, − has gone."));
    const first = this.query.picture.nodes.find((node) => node.kind === "operator");
    if (first) this.plan.pick(first.id);
    this.go(Math.min(this.places.get(name) ?? 0, steps.length - 1));
  }

  private pick(node: PlanNode): void {
    const sql = this.query?.picture.sql ?? "";
    this.side.replaceChildren(h("h2", {}, node.label), h("p", { class: "quiet" }, named(node.detail)), ...(node.states ?? []).map(verdict), ...(node.place ? [h("h3", {}, "In the SQL"), excerpt(sql, node.place)] : []));
  }

  private go(to: number): void {
    if (to < 0 || to >= this.steps.length || !this.plan) return;
    const forth = to >= this.at;
    this.at = to;
    this.places.set(this.story!.name, to);
    const step = this.steps[to]!;
    this.slider.value = String(to);
    this.where.value = `slice ${to + 1} of ${this.steps.length}`;
    this.back.disabled = to === 0;
    this.next.disabled = to === this.steps.length - 1;
    this.says.textContent = this.story?.says[to] ?? "";
    this.plan.show({ operators: step.operators, seconds: null }, forth);
    this.tables.replaceChildren(
      h("section", {}, h("h3", {}, "Comes in"), ...Object.entries(step.sends).map(([name, sent]) => elements(name, sent))),
      h("section", {}, h("h3", {}, "Is kept"), ...step.tables.filter((each) => each.rows.length || each.gone.length).map((each) => this.kept(each)), step.tables.every((each) => !each.rows.length && !each.gone.length) ? h("p", { class: "quiet" }, "No rows.") : null),
      h("section", {}, h("h3", {}, "Comes out"), step.rows.length || step.punctuations.length ? elements("", [...step.rows, ...step.punctuations]) : h("p", { class: "quiet" }, "Nothing."), ...step.rejected.map((record) => h("p", { class: "problem" }, h("span", { class: "tag unbounded" }, "quarantine"), ` ${record.stream}: ${record.reason}: `, h("code", {}, record.text)))),
    );
  }

  private kept(each: Step["tables"][number]): HTMLElement {
    const node = this.query?.picture.nodes.find((other) => other.id === each.operator);
    const { columns } = each;
    const signs: Record<string, [string, string]> = { new: ["+", "new"], gone: ["−", "gone"], changed: ["±", "changed"] };
    const cell = (now: unknown, before: unknown) => [before !== undefined && value(before) !== value(now) ? h("span", { class: "was" }, `${value(before)} → `) : null, value(now)];
    const row = (of: Row, look: string, was?: Row) => {
      const [sign, word] = signs[look] ?? ["", ""];
      const how = h("td", { class: "how" }, h("span", { "aria-hidden": true }, sign), h("span", { class: "sr" }, word));
      return h("tr", { class: look || null }, how, ...columns.map((name) => h("td", { class: typeof of[name] === "number" ? "number" : null }, ...cell(of[name] ?? null, was && (was[name] ?? null)))));
    };
    const head = h("tr", {}, h("th", {}, h("span", { class: "sr" }, "new, changed or gone")), ...columns.map((name) => h("th", { scope: "col", class: [...each.rows.map(({ row: of }) => of), ...each.gone].every((of) => typeof of[name] === "number") ? "number" : null }, name)));
    const body = [...each.rows.map(({ row: of, new: fresh, was }) => row(of, fresh ? "new" : was ? "changed" : "", was)), ...each.gone.map((of) => row(of, "gone"))];
    const title = `${node?.label ?? each.operator} of ${node?.reads ?? ""}: ${each.name}, ${count(each.rows.length)} ${each.rows.length === 1 ? "row" : "rows"}`;
    return h("div", { class: "scroll", tabindex: 0, role: "group", "aria-label": title }, h("table", { class: "kept" }, h("caption", {}, title), h("thead", {}, head), h("tbody", {}, ...body)));
  }
}

/** Rows and punctuations in their order: rows as tables, each punctuation in a line of its own. */
function elements(name: string, given: Row[]): HTMLElement {
  const rows = given.filter((element) => !("$punct" in element));
  const puncts = given.filter((element) => "$punct" in element).map((element) => h("p", { class: "punct" }, "◆ ", pattern(element["$punct"] as Row)));
  const columns = Object.keys(rows[0] ?? {});
  const found = rows.length ? [table(columns, rows.map((row) => columns.map((column) => exact(row[column]))), name || "Rows", !!name)] : [];
  return h("div", { class: "elements" }, ...(found.length || !name ? found : [h("p", { class: "quiet" }, `${name}: no rows`)]), ...puncts);
}

/** A value as it is, on the right when it is a number. */
function exact(given: unknown): HTMLElement {
  return h("span", { class: typeof given === "number" ? "n" : null }, value(given));
}

/** A punctuation in words. */
export function pattern(of: Row): string {
  const parts = Object.entries(of).map(([name, given]) => {
    if (given === null || typeof given !== "object") return `${name} = ${value(given)}`;
    const words: Record<string, string> = { lt: "<", le: "≤", gt: ">", ge: "≥", in: "in" };
    return Object.entries(given as Row).map(([word, end]) => `${name} ${words[word] ?? word} ${value(end)}`).join(" and ");
  });
  return parts.length ? `no more ${parts.join(" and ")}` : "the end of the stream";
}
