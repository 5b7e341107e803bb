// The page: which view is shown, and which query.
import { get, post, query, type Batch, type Picture, type StorySummary, type Summary } from "./api";
import { button, h, moment, renew } from "./dom";
import { RegisterView } from "./editor";
import { LiveView } from "./live";
import { TimeView } from "./time";
import { TravelView } from "./travel";
import "./page.css";

const VIEWS = [["live", "Plan"], ["time", "Over time"], ["register", "Register"], ["travel", "Time travel"]] as const;
const KEEP = 1000;
/** A window that is being resized is let come to rest. */
const PAUSE = 150;

interface Known {
  summary: Summary;
  picture: Picture;
  batches: Batch[];
}

class Page {
  private readonly main = document.querySelector("main")!;
  private readonly nav = document.querySelector<HTMLElement>("nav")!;
  private readonly bar = document.querySelector<HTMLElement>(".queries")!;
  private readonly known = new Map<string, Known>();
  private stories: StorySummary[] = [];
  private shown: { add(batches: Batch[]): void } | null = null;
  private name = "";
  private readonly editing = { sql: "", story: "" };
  private readonly travelling = new Map<string, number>();

  async start(): Promise<void> {
    this.stories = await get<StorySummary[]>("stories");
    await this.meet();
    addEventListener("hashchange", () => this.show());
    let [wide, timer] = [innerWidth, 0];
    addEventListener("resize", () => {
      clearTimeout(timer);
      timer = window.setTimeout(() => {
        if ((wide < 720) !== (innerWidth < 720)) this.show();
        wide = innerWidth;
      }, PAUSE);
    });
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.show());
    this.show();
    this.listen();
  }

  /** Ask for all queries, and for all batches of those that are new. */
  private async meet(): Promise<void> {
    for (const summary of await get<Summary[]>("queries")) {
      const before = this.known.get(summary.name);
      const [{ picture }, batches] = await Promise.all([get<{ picture: Picture }>(query(summary.name)), get<Batch[]>(query(summary.name, "/batches"))]);
      this.known.set(summary.name, { summary, picture: before && JSON.stringify(before.picture) === JSON.stringify(picture) ? before.picture : picture, batches });
    }
  }

  private listen(): void {
    const events = new EventSource("api/events");
    events.addEventListener("batch", (event) => void this.batch(JSON.parse(event.data)));
    events.addEventListener("status", (event) => void this.status(JSON.parse(event.data)));
    events.addEventListener("error", () => document.body.classList.add("lost"));
    let first = true;
    events.addEventListener("open", async () => {
      document.body.classList.remove("lost");
      if (!first) await this.meet().then(() => this.shown?.add(this.known.get(this.name)?.batches ?? []));
      first = false;
    });
  }

  private async batch({ query: name, batch }: { query: string; batch: Batch }): Promise<void> {
    const known = this.known.get(name);
    if (!known) return void (await this.meet(), this.show());
    if (known.batches.at(-1)?.batch === batch.batch && known.batches.at(-1)?.time === batch.time) return;
    known.batches = [...known.batches.filter((other) => other.batch < batch.batch), batch].slice(-KEEP);
    if (name === this.name) this.shown?.add(known.batches);
  }

  private async status(summary: { query: string; status: string; failure: string }): Promise<void> {
    const known = this.known.get(summary.query);
    if (!known) return void (await this.meet(), this.show());
    Object.assign(known.summary, { status: summary.status, failure: summary.failure });
    this.queries(this.view);
  }

  private get view(): string {
    return location.hash.split("/")[1] ?? "";
  }

  private show(): void {
    const [, asked = "", rest = ""] = location.hash.split("/");
    const view = VIEWS.some(([name]) => name === asked) ? asked : this.known.size ? "live" : "register";
    const wanted = decodeURIComponent(rest);
    const names = [...this.known.keys()];
    if (this.known.has(wanted)) this.name = wanted;
    else if (!this.known.has(this.name)) this.name = names.at(-1) ?? "";
    const places = VIEWS.filter(([name]) => this.known.size || (name !== "live" && name !== "time"));
    renew(this.nav, ...places.map(([name, words]) => h("a", { href: `#/${name}`, "aria-current": name === view ? "page" : null }, words)));
    document.title = `${VIEWS.find(([name]) => name === view)?.[1] ?? ""} – Punctum`;
    this.shown = null;
    this.queries(view);
    this.main.replaceChildren(this.made(view, wanted));
  }

  private made(view: string, wanted: string): HTMLElement {
    const known = this.known.get(this.name);
    if (view === "live" && known) {
      const made = new LiveView(known.picture, known.batches);
      this.shown = made;
      return made.root;
    }
    if (view === "time" && known) {
      const made = new TimeView(known.picture, known.batches);
      this.shown = made;
      return made.root;
    }
    if (view === "travel") {
      const told = this.stories.filter((story) => story.slices);
      return new TravelView(this.stories, told.find((story) => story.name === wanted)?.name ?? told[0]!.name, this.travelling).root;
    }
    const scripts = [...this.known.values()].filter(({ picture }) => picture.sql).map(({ picture }) => ({ name: picture.name, sql: picture.sql }));
    const made = new RegisterView(this.stories, this.editing, scripts);
    Object.assign(window, { register: made });
    return made.root;
  }

  /** Which queries there are, how the one that is shown is, and its controls. */
  private queries(view: string): void {
    const known = this.known.get(this.name);
    if (!known || (view !== "live" && view !== "time" && view !== "")) return this.bar.replaceChildren();
    const { summary } = known;
    const choose = h("select", { "aria-label": "Query", change: () => (location.hash = `#/${view || "live"}/${encodeURIComponent(choose.value)}`) }, ...[...this.known.keys()].map((name) => h("option", { value: name, selected: name === this.name }, name)));
    const last = known.batches.at(-1);
    const elsewhere = summary.status === "elsewhere" ? `last batch ${last ? moment(last.time) : "–"}` : summary.status;
    const words = h("span", { class: `status ${summary.status}` }, elsewhere);
    const failure = summary.failure ? h("span", { class: "problem" }, summary.failure) : null;
    renew(this.bar, choose, words, ...(failure ? [failure] : []), ...(summary.control && summary.status === "running" ? this.controls(known) : []));
  }

  private controls({ summary, picture }: Known): HTMLElement[] {
    const told = h("output", { class: "quiet" });
    const ask = async (body: object, done: string): Promise<void> => {
      told.value = "…";
      told.value = await post(query(summary.name, "/control"), JSON.stringify(body)).then(() => done, (error: Error) => error.message);
    };
    const sure = (words: string) => ((stop.dataset["sure"] = words && "yes"), (stop.textContent = words || "Stop"));
    const stop = button("Stop", () => (stop.dataset["sure"] ? void ask({ do: "stop" }, "it has been stopped") : void sure("Stop it now?")), { blur: () => sure("") });
    const inputs = picture.merges.flat();
    if (!inputs.length) return [stop, told];
    const which = h("select", { "aria-label": "Input of the merge" }, ...inputs.map((name) => h("option", {}, name)));
    const since = h("input", { type: "text", size: 6, "aria-label": "Right since this time" });
    const time = () => (since.value.trim() === "" ? null : Number.isNaN(Number(since.value)) ? since.value.trim() : Number(since.value));
    const attach = button("Attach", () => void ask({ do: "attach", input: which.value, since: time() }, `${which.value} is to be attached`));
    const detach = button("Detach", () => void ask({ do: "detach", input: which.value }, `${which.value} is to be detached`));
    const label = (words: string, of: HTMLElement) => h("label", { class: "quiet" }, `${words} `, of);
    return [label("input", which), label("right since", since), attach, detach, stop, told];
  }
}

new Page().start().catch((error: Error) => {
  document.querySelector("main")!.replaceChildren(h("p", { class: "problem" }, error.message));
});
