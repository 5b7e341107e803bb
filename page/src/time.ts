// Over time: throughput, what is kept, how long things take, what was rejected, and how far behind sources and inputs are.
import { get, number, query, type Batch, type Feedback, type Picture, type Quarantine, type Waiting } from "./api";
import { count, h, span, table } from "./dom";
import { pattern } from "./travel";
import { quantile, series, type How } from "./series";

const PAUSE = 2000;

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
    [this.waiting, this.rejected] = await Promise.all([get<Waiting>(query(name, "/waiting")), get<Quarantine>(query(name, "/quarantine"))]);
    if (Object.values(this.picture.feedback ?? {}).some((files) => files.length)) this.feedback = await get<Feedback[]>(query(name, "/feedback"));
    this.draw();
  }

  private draw(): void {
    const { batches, picture } = this;
    const times = batches.map((batch) => batch.time);
    const took = batches.map((batch) => batch.seconds);
    const since = new Map(this.waiting.seconds.map((each) => [each.batch, Math.max(...Object.values(each.streams))]));
    const through = batches.map((batch) => since.get(batch.batch) ?? null);
    const spans = [quantile(took, 0.5), quantile(took, 0.99), ...[0.5, 0.99].map((share) => quantile(through.filter((n): n is number => n !== null), share))];
    const [half, most, halfThrough, mostThrough] = spans.map((n) => (n === null ? "–" : span(n)));
    this.charts.replaceChildren(
      throughput(picture, batches),
      keptSeries(batches, { note: "Without punctuations at least what is kept and all that was purged would be kept." }),
      series("Latency, seconds", times, [{ name: "batch", values: took, look: "first" }, { name: "punctuation to result", values: through, look: "second" }], {
        note: `Batch: p50 ${half}, p99 ${most}. From the file that brings a punctuation to the commit of its results: p50 ${halfThrough}, p99 ${mostThrough}.`,
      }),
      series("Rejected rows in a batch", times, [{ name: "rejected", values: batches.map((batch) => batch.quarantined || null), look: "bad" }], { bars: true }),
      ...this.merges(times),
    );
    this.more.replaceChildren(this.sources(), this.quarantine(), ...this.told());
  }

  /** Of merges: up to which time their output is final. */
  private merges(times: number[]): HTMLElement[] {
    const merges = this.picture.nodes.filter((node) => this.batches.some((batch) => "stable" in (batch.operators[node.id] ?? {})));
    return merges.map((node) => {
      const inputs = [...new Set(this.batches.flatMap((batch) => Object.keys(batch.operators[node.id] ?? {})))].filter((name) => name.startsWith("stable_of "));
      const looks = ["first", "kept", "without", "bad"] as const;
      const finite = (n: number | undefined) => (n === undefined || Math.abs(n) > 2 ** 60 ? null : n);
      const of = (name: string) => this.batches.map((batch) => finite(batch.operators[node.id]?.[name] as number | undefined));
      const lines = inputs.map((name, i) => ({ name: name.slice("stable_of ".length), values: of(name), look: looks[i % looks.length]! }));
      return series(`Stables of the merge of ${node.reads}`, times, [{ name: "output", values: of("stable"), look: "second" as const }, ...lines], { note: leader(inputs, this.batches.at(-1)?.operators[node.id]) });
    });
  }

  private sources(): HTMLElement {
    const rows = this.waiting.streams.map((each) => [each.stream, each.files ?? "many", each.since === null ? "–" : span(Date.now() / 1000 - each.since)]);
    return h("section", {}, h("h2", {}, "Sources"), rows.length ? table(["stream", "files that wait", "the oldest since"], rows, "Lag of each source") : h("p", { class: "quiet" }, "No stream of files is read."));
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
      h("details", {}, h("summary", {}, h("b", {}, count(many)), ` ${stream}: ${reason}`), table(["where", "what"], records.map((record) => [record.place, h("code", {}, record.text)]), `The last of them`)));
    return h("section", {}, h("h2", {}, `Quarantine: ${count(rows)}`), ...(told.length ? told : [h("p", { class: "quiet" }, "Nothing was rejected.")]));
  }
}

/** Rows a second that come in and go out. */
export function throughput(picture: Picture, batches: Batch[], how: How = {}): HTMLElement {
  const ins = picture.edges.filter((edge) => edge.from.startsWith("stream ") && edge.counts);
  const out = picture.edges.find((edge) => edge.to.startsWith("sink "))?.counts ?? picture.edges.at(-1)?.counts;
  const of = (batch: Batch, counts: [string, string] | null | undefined) => (counts ? number(batch.operators[counts[0]], counts[1]) : 0);
  const rate = (rows: number, i: number) => rows / Math.max(i ? batches[i]!.time - batches[i - 1]!.time : batches[i]!.seconds, 0.001);
  const arrived = batches.map((batch, i) => rate(ins.reduce((sum, edge) => sum + of(batch, edge.counts), 0), i));
  const given = batches.map((batch, i) => rate(of(batch, out), i));
  return series("Throughput, rows/s", batches.map((batch) => batch.time), [{ name: "in", values: arrived, look: "first" }, { name: "out", values: given, look: "second" }], how);
}

/** Rows that are kept, and what would be kept at least without punctuations. */
export function keptSeries(batches: Batch[], how: How = {}): HTMLElement {
  const sum = (batch: Batch, what: string) => Object.values(batch.operators).reduce((total, counts) => total + number(counts, what), 0);
  const kept = batches.map((batch) => sum(batch, "rows_kept"));
  let purged = 0;
  const without = batches.map((batch, i) => kept[i]! + (purged += sum(batch, "rows_purged")));
  return series("Rows kept", batches.map((batch) => batch.time), [{ name: "kept", values: kept, look: "kept" }, { name: "without punctuations, at least", values: without, look: "without" }], how);
}

function leader(inputs: string[], counts: Batch["operators"][string] | undefined): string {
  const at = inputs.map((name): [string, number] => [name.slice("stable_of ".length), number(counts, name)]).sort((a, b) => b[1] - a[1]);
  if (at.length < 2) return "";
  const [first, ...rest] = at;
  return `${first![0]} leads; behind it: ${rest.map(([name, n]) => `${name} by ${count(first![1] - n)}`).join(", ")}.`;
}
