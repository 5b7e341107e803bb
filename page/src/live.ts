// Live: the plan of a query, and beside it the node that was picked.
import { get, number, query, type Batch, type Kept, type Picture, type PlanNode, type State } from "./api";
import { button, bytes, count, h, renew, span, table, value } from "./dom";
import { flowOf, named, plan, spread, type Plan } from "./plan";
import { series } from "./series";
import { keptSeries, throughput } from "./time";
import { excerpt } from "./sql";

const DONE = ["rows_in", "rows_out", "rows_purged", "rows_covered", "rows_skipped", "puncts_in", "puncts_out"];
const KEPT = ["rows_kept", "bytes_kept", "puncts_kept", "puncts_waiting", "puncts_received"];
const WORDS: Record<string, string> = {
  rows_in: "rows in",
  rows_out: "rows out",
  rows_purged: "rows purged",
  rows_skipped: "rows skipped",
  rows_covered: "rows not kept, as covered",
  puncts_in: "punctuations in",
  puncts_out: "punctuations out",
  rows_kept: "rows kept",
  bytes_kept: "bytes kept",
  puncts_kept: "punctuations kept",
  puncts_waiting: "punctuations waiting",
  puncts_received: "punctuations remembered",
};
const PAUSE = 5000;

export class LiveView {
  readonly root = h("div", { class: "live" });
  private readonly panel = h("aside", { class: "panel", "aria-live": "off" });
  private readonly charts = h("div", { class: "charts" });
  private readonly numbers = h("dl", { class: "numbers" });
  private readonly drawn: Plan;
  private node: PlanNode | null = null;
  private tables = h("div");
  private due = 0;

  constructor(private readonly picture: Picture, private batches: Batch[]) {
    this.drawn = plan(picture, (node) => this.pick(node));
    spread(this.root, this.drawn);
    this.root.append(h("section", { class: "main" }, this.numbers, this.drawn.root, legend(), this.charts), this.panel);
    const first = picture.nodes.find((node) => node.kind === "operator") ?? picture.nodes[0];
    this.show(false);
    if (first) this.drawn.pick(first.id);
  }

  add(batches: Batch[]): void {
    this.batches = batches;
    this.show(true);
    this.describe();
  }

  private show(moves: boolean): void {
    this.drawn.show(flowOf(this.batches), moves);
    const how = { height: 140 };
    this.charts.replaceChildren(throughput(this.picture, this.batches, how), keptSeries(this.picture, this.batches, how));
    const last = this.batches.at(-1);
    const sums = (what: string) => Object.values(last?.operators ?? {}).reduce((sum, counts) => sum + number(counts, what), 0);
    const out = sinkRows(this.picture, last);
    const told: [string, string, string][] = [
      ["last batch", last ? count(last.batch) : "none yet", "batch"],
      ["rows it gave", out === null ? "–" : count(out), "rows_out"],
      ["rows it rejected", last ? count(last.quarantined) : "–", "quarantined"],
      ["it took", last ? span(last.seconds) : "–", "seconds"],
      ["rows kept", count(sums("rows_kept")), "rows_kept"],
      ["bytes kept", bytes(sums("bytes_kept")), "bytes_kept"],
    ];
    this.numbers.replaceChildren(...told.map(([name, text, key]) => h("div", {}, h("dt", {}, name), h("dd", { "data-of": key }, text))));
  }

  private pick(node: PlanNode): void {
    this.node = node;
    this.due = 0;
    this.tables = h("div");
    this.describe();
  }

  private describe(): void {
    const node = this.node;
    if (!node) return;
    const counts = this.batches.at(-1)?.operators[node.id];
    const rows = [...DONE, ...KEPT].filter((name) => counts && name in counts);
    const oldest = counts?.["oldest"];
    const top = this.panel.scrollTop;
    renew(
      this.panel,
      h("h2", {}, node.label),
      h("p", { class: "quiet" }, [named(node.detail), node.reads ? `of ${node.reads}` : ""].filter(Boolean).join(" · ")),
      ...(node.schemes?.length ? [h("p", {}, ...node.schemes.flatMap((scheme) => [h("code", {}, scheme), " "]))] : []),
      ...(node.states ?? []).map(verdict),
      ...(Array.isArray(oldest) ? [h("p", { class: "waits" }, `${oldest[1]}, open for ${span(Date.now() / 1000 - oldest[0])}`)] : []),
      ...(this.picture.sql && node.place ? [h("h3", {}, "In the SQL"), excerpt(this.picture.sql, node.place)] : []),
      ...(node.columns ? [table(["column", "type"], node.columns.map((column) => [column.name, column.type]), "Columns")] : []),
      ...(rows.length ? [table(["in the last batch", ""], rows.map((name) => [WORDS[name] ?? name, number(counts, name)]), "Counts")] : []),
      ...(node.kind === "operator" && node.verdict !== "stateless" ? [this.history(node), this.tables] : []),
    );
    this.panel.scrollTop = top;
    if (node.kind === "operator" && node.verdict !== "stateless" && Date.now() > this.due) void this.read(false);
  }

  private history(node: PlanNode): HTMLElement {
    const times = this.batches.map((batch) => batch.time);
    const kept = this.batches.map((batch) => number(batch.operators[node.id], "rows_kept"));
    return series("State over time", times, [{ name: "rows kept", values: kept, look: "kept" }], { height: 110 });
  }

  /** The largest and oldest keys; what is on the disk is read again now and then. */
  private async read(large: boolean): Promise<void> {
    this.due = Date.now() + PAUSE;
    const node = this.node;
    let kept: Kept;
    try {
      kept = await get<Kept>(query(this.picture.name, `/state?show=5${large ? "&read" : ""}`));
    } catch (error) {
      kept = { error: (error as Error).message };
    }
    if (node !== this.node || !node) return;
    if (kept.error) return this.tables.replaceChildren(h("p", { class: "quiet" }, kept.error));
    if (kept.large) {
      this.due = Infinity;
      const ask = button(`Read ${bytes(kept.large)} of state`, () => void this.read(true));
      return this.tables.replaceChildren(h("h3", {}, "Keys"), ask);
    }
    const known = kept.operators?.find((operator) => operator.name === node.id)?.tables ?? [];
    renew(
      this.tables,
      ...(known.some((each) => each.rows) ? [] : [h("p", { class: "quiet" }, "It keeps no rows now.")]),
      ...known.filter((each) => each.rows).flatMap((each) => [
        h("h3", {}, `${each.name.replace(`${node.id}_`, "")}: ${count(each.rows)} ${each.rows === 1 ? "row" : "rows"} kept`),
        each.largest.length ? table(["largest keys", "rows"], each.largest.map(({ key, rows }) => [told(key), rows]), "Largest keys") : null,
        each.oldest.length
          ? table(["oldest rows wait for", "open for"], each.oldest.map((old) => [old["waits for"] ?? "–", span(Date.now() / 1000 - old.since)]), "Oldest rows")
          : null,
      ]).filter((each): each is HTMLElement => each !== null),
    );
  }
}

const told = (key: Record<string, unknown>): string => Object.entries(key).map(([name, of]) => `${name}=${value(of)}`).join(", ");

export function verdict(state: State): HTMLElement {
  const sentence = state.sentence.replace(/^[^:]*: /, "");
  return h("p", { class: "verdict" }, h("span", { class: `tag ${state.verdict}` }, state.verdict), ` ${state.operator} of ${state.input}: ${sentence}`);
}

export function legend(): HTMLElement {
  const words = [["purgeable", "purged by punctuations"], ["bounded", "bounded, whatever comes"], ["stateless", "keeps nothing"], ["unbounded", "grows without bound"]];
  return h("ul", { class: "legend" }, ...words.map(([look, text]) => h("li", {}, h("i", { class: `dot ${look}` }), text!)), h("li", {}, h("i", { class: "rhomb" }, "◆"), "punctuations"));
}

function sinkRows(picture: Picture, batch: Batch | undefined): number | null {
  const edge = picture.edges.find(({ to }) => to.startsWith("sink ")) ?? picture.edges.at(-1);
  return edge?.counts && batch ? number(batch.operators[edge.counts[0]], edge.counts[1]) : null;
}
