// Over time: throughput, what is kept, how long things take, what was rejected, and how far behind sources and inputs are.
import { get, number, query, type Batch, type Feedback, type Picture, type PlanNode, type Quarantine, type Waiting } from "./api";
import { count, h, renew, span, table } from "./dom";
import { pattern } from "./travel";
import { quantile, series, type How, type Values } from "./series";

const PAUSE = 2000;
const STABLE = "stable_of ";

export class TimeView {
  readonly root = h("div", { class: "time" });
  private readonly charts = h("section", { class: "charts" });
  private readonly more = h("section", { class: "more" });
  private due = 0;
  private waiting: Waiting = { streams: [], seconds: [] };
  private feedback: Feedback[] = [];
  private rejected: Quarantine = { rows: 0, reasons: [] };

  constructor(private readonly picture: Picture, private batches: Batch[]) {
    this.root.append(this.charts, this.more);
    this.show();
  }

  add(batches: Batch[]): void {
    this.batches = batches;
    this.show();
  }

  private show(): void {
    this.draw();
    if (Date.now() > this.due) void this.read();
  }

  private async read(): Promise<void> {
    this.due = Date.now() + PAUSE;
    const name = this.picture.name;
    try {
      [this.waiting, this.rejected] = await Promise.all([get<Waiting>(query(name, "/waiting")), get<Quarantine>(query(name, "/quarantine"))]);
      if (Object.values(this.picture.feedback ?? {}).some((files) => files.length)) this.feedback = await get<Feedback[]>(query(name, "/feedback"));
    } catch {
      return; // the server is gone, which the page says, or busy: it is asked again with the next batch
    }
    this.draw();
  }

  private draw(): void {
    const { batches, picture } = this;
    const times = batches.map((batch) => batch.time);
    const took = batches.map((batch) => batch.seconds);
    const through = sincePunctuations(batches, this.waiting);
    const spread = (values: (number | null)[]) => {
      const known = values.filter((n): n is number => n !== null);
      return known.length ? `p50 ${span(quantile(known, 0.5)!)}, p99 ${span(quantile(known, 0.99)!)}, of ${some(known.length, "batch", "batches")}.` : "";
    };
    const told = "From the last change of the files that bring punctuations, the first one of a batch, to the commit of the batch, which has the results that they release.";
    this.charts.replaceChildren(
      throughput(picture, batches),
      keptSeries(picture, batches, { note: sparedNote(picture, batches) }),
      series("Latency of a batch", times, [{ name: "took", values: took, look: "first" }], { unit: " s", note: spread(took) }),
      series("Latency from a punctuation to its result", times, [{ name: "at most", values: through, look: "second" }], { unit: " s", note: `${spread(through)} ${told}`.trim() }),
      series("Rejected rows in a batch", times, [{ name: "rejected", values: batches.map((batch) => batch.quarantined || null), now: batches.at(-1)?.quarantined, look: "bad" }], { bars: true, whole: true }),
      ...this.skipped(times),
      ...this.merges(times),
    );
    renew(this.more, this.sources(), this.quarantine(), ...this.told());
  }

  /** Rows that nobody needed any more: those that were skipped where streams are read, and those that operators did not take. */
  private skipped(times: number[]): HTMLElement[] {
    const read = this.batches.map((batch) => Object.values(batch.skipped ?? {}).reduce((sum, n) => sum + n, 0));
    const inside = this.batches.map((batch) => Object.values(batch.operators).reduce((sum, counts) => sum + number(counts, "rows_skipped"), 0));
    if (![...read, ...inside].some((n) => n)) return [];
    const streams = new Map<string, number>();
    for (const batch of this.batches) for (const [name, n] of Object.entries(batch.skipped ?? {})) streams.set(name, (streams.get(name) ?? 0) + n);
    const all = [...streams].map(([name, n]) => `${count(n)} of ${name}`).join(", ");
    const lines = [{ name: "where they are read", values: read, look: "first" as const }, { name: "by operators", values: inside, look: "second" as const }];
    return [series("Rows skipped by feedback", times, lines, { whole: true, note: all ? `In these batches, where streams are read: ${all}.` : "" })];
  }

  /** Of merges: how far each input is behind the one that leads. */
  private merges(times: number[]): HTMLElement[] {
    const merges = this.picture.nodes.filter((node) => this.batches.some((batch) => "stable" in (batch.operators[node.id] ?? {})));
    return merges.map((node) => {
      const inputs = [...new Set(this.batches.flatMap((batch) => Object.keys(batch.operators[node.id] ?? {})))].filter((name) => name.startsWith(STABLE));
      const looks = ["first", "third", "fourth", "bad"] as const;
      const finite = (n: unknown) => (typeof n !== "number" || Math.abs(n) > 2 ** 60 ? null : n);
      const of = (batch: Batch | undefined, name: string) => finite(batch?.operators[node.id]?.[name]);
      const most = (batch: Batch | undefined) => Math.max(...inputs.map((name) => of(batch, name) ?? -Infinity));
      const behind = (batch: Batch | undefined, name: string) => (of(batch, name) === null ? null : most(batch) - of(batch, name)!);
      const stamps = this.picture.nodes.some((other) => other.columns?.some(({ name, type }) => name === "_vs" && type.startsWith("TIMESTAMP")));
      const far = (n: number) => (stamps ? span(n / 1e6) : count(n));
      const last = this.batches.at(-1);
      const lines = inputs.map((name, i) => ({ name: name.slice(STABLE.length), values: this.batches.map((batch) => (behind(batch, name) ?? 0) / (stamps ? 1e6 : 1)), look: looks[i % looks.length]! }));
      const now = inputs.map((name) => [name.slice(STABLE.length), behind(last, name)] as const);
      const leads = now.filter(([, n]) => n === 0).map(([name]) => name);
      const rest = now.filter(([, n]) => n).map(([name, n]) => `${name} by ${far(n!)}`);
      const final = of(last, "stable");
      const told = [leads.length ? `${leads.join(", ")} ${leads.length > 1 ? "lead" : "leads"}` : "", rest.length ? `behind: ${rest.join(", ")}` : "", final === null ? "" : `the output is final up to ${stamps ? new Date(final / 1000).toISOString().replace("T", " ").slice(0, 19) : count(final)}`];
      return series(`How far inputs of the merge of ${node.reads} are behind${stamps ? ", seconds" : ""}`, times, lines, { note: `${told.filter(Boolean).join("; ")}.` });
    });
  }

  private sources(): HTMLElement {
    const waits = ({ files, messages }: Waiting["streams"][number]) => (messages !== undefined ? (messages === null ? "not known now" : some(messages, "message")) : files === undefined ? "not known here" : files === null ? "not counted" : some(files, "file"));
    const others = this.picture.nodes.filter((node) => node.kind === "stream" && !this.waiting.streams.some(({ stream }) => stream === node.label)).map((node) => ({ stream: node.label }));
    const rows = [...this.waiting.streams, ...others].map((each: Waiting["streams"][number]) => [each.stream, waits(each), each.since ? span(Date.now() / 1000 - each.since) : "–"]);
    return h("section", {}, h("h2", {}, "Sources"), rows.length ? table(["stream", "what waits", "the oldest since"], rows, "Lag of each source") : h("p", { class: "quiet" }, "No stream is read."));
  }

  /** What nobody needs any more, as this query has said and heard. */
  private told(): HTMLElement[] {
    if (!this.feedback.length) return [];
    const says = ({ says }: Feedback) => (says?.$punct ? pattern(says.$punct).replace("no more", "nobody needs") : "nothing yet");
    return [h("section", {}, h("h2", {}, "Feedback"), table(["", "file", "says"], this.feedback.map((each) => [each.way, each.file, says(each)]), "Feedback"))];
  }

  private quarantine(): HTMLElement {
    const { rows, reasons } = this.rejected;
    const told = reasons.map(({ stream, reason, rows: many, records }) =>
      h("details", {}, h("summary", { "data-key": `${stream}: ${reason}` }, h("b", {}, count(many)), ` ${stream}: ${reason}`), table(["where", "what"], records.map((record) => [record.place, h("code", {}, record.text)]), `The last of them`)));
    return h("section", {}, h("h2", {}, `Quarantine: ${count(rows)}`), ...(told.length ? told : [h("p", { class: "quiet" }, "Nothing was rejected.")]));
  }
}

/** Rows a second that come in and go out. */
export function throughput(picture: Picture, batches: Batch[], how: How = {}): HTMLElement {
  const ins = picture.edges.filter((edge) => edge.from.startsWith("stream ") && edge.counts);
  const out = picture.edges.find((edge) => edge.to.startsWith("sink "))?.counts ?? picture.edges.at(-1)?.counts;
  const of = (batch: Batch, counts: [string, string] | null | undefined) => (counts ? number(batch.operators[counts[0]], counts[1]) : 0);
  const whole = batches.length < 2 || batches[0]!.batch === 0;
  const rate = (rows: number, i: number) => (i || whole ? rows / Math.max(i ? batches[i]!.time - batches[i - 1]!.time : batches[i]!.seconds, 0.001) : null);
  const arrived = batches.map((batch, i) => rate(ins.reduce((sum, edge) => sum + of(batch, edge.counts), 0), i));
  const given = batches.map((batch, i) => rate(of(batch, out), i));
  return series("Throughput, rows/s", batches.map((batch) => batch.time), [{ name: "in", values: arrived, look: "first" }, { name: "out", values: given, look: "second" }], how);
}

/** Rows that are kept, and what would be kept at least without punctuations, where that is known of an operator. */
export function keptSeries(picture: Picture, batches: Batch[], how: How = {}): HTMLElement {
  const kept = batches.map((batch) => Object.values(batch.operators).reduce((total, counts) => total + number(counts, "rows_kept"), 0));
  const known = picture.nodes.filter((node) => node.spared);
  let gone = 0;
  const without = batches.map((batch, i) => {
    const sum = (names: (node: PlanNode) => string[]) => known.reduce((all, node) => names(node).reduce((total, name) => total + number(batch.operators[node.id], name), all), 0);
    gone += sum((node) => node.spared!);
    return Math.max(kept[i]!, gone + sum(() => ["rows_kept"]));
  });
  const lines: Values[] = [{ name: "kept", values: kept, look: "kept" }];
  if (known.length) lines.push({ name: "without punctuations, at least", values: without, look: "without" });
  return series("Rows kept", batches.map((batch) => batch.time), lines, { whole: true, ...how });
}

/** What is counted as kept without punctuations. */
function sparedNote(picture: Picture, batches: Batch[]): string {
  const known = picture.nodes.filter((node) => node.spared);
  if (!known.length) return "";
  const first = batches[0]?.batch ?? 0;
  const from = first ? `, from batch ${count(first)} on` : "";
  return `Without punctuations, ${[...new Set(known.map((node) => `each ${node.label}`))].join(" and ")} would still keep what it has let go${from}, this much at least.`;
}

/** For each batch how long it is since the first of its files was changed last, of the streams whose punctuations it has taken. */
function sincePunctuations(batches: Batch[], waiting: Waiting): (number | null)[] {
  const known = new Map(waiting.seconds.map((each) => [each.batch, each.streams]));
  return batches.map((batch) => {
    const brought = Object.entries(known.get(batch.batch) ?? {}).filter(([stream]) => Object.values(batch.operators).some((counts) => number(counts, `puncts_from ${stream}`)));
    return brought.length ? Math.max(...brought.map(([, seconds]) => seconds)) : null;
  });
}

const some = (n: number, one: string, many = `${one}s`): string => `${count(n)} ${n === 1 ? one : many}`;
