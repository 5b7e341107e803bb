// The register as an editor: type SQL, and see what becomes of each state, and why.
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { HighlightStyle, bracketMatching, syntaxHighlighting } from "@codemirror/language";
import { SQLDialect, sql } from "@codemirror/lang-sql";
import { EditorState, StateEffect, StateField } from "@codemirror/state";
import { Decoration, EditorView, drawSelection, highlightSpecialChars, hoverTooltip, keymap, lineNumbers, type DecorationSet } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { get, post, type Advice, type Checked, type Explained, type Graph, type Place, type Problem, type Story, type StorySummary, type Verdict } from "./api";
import { button, h, renew } from "./dom";
import { draw, textWidth, type Link, type Placed, type Shape } from "./graph";
import { legend, verdict } from "./live";
import { plan } from "./plan";

const PAUSE = 25;
/** Plans of large joins take a while: they are asked for when nobody types any more. */
const DEEPER = 250;
const WORDS = `create stream temporal sink table using options punctuated punctuate on asc desc unique domain between in delay when all expect within lifespan violation fail quarantine key ordered strictly insert only deterministic ties open close into select distinct from where group by having order limit join left right full outer inner semi anti cross union intersect except exists not and or as lmerge cleanse allow unbounded null is like case then else end with over partition rows range interval count sum min max avg median`;
const TYPES = "bigint double string boolean date timestamp timestamp_ntz decimal int float array struct";
const dialect = SQLDialect.define({ keywords: WORDS, types: TYPES, backslashEscapes: true, identifierQuotes: "`" });
const colours = HighlightStyle.define([
  { tag: tags.keyword, class: "t-word" },
  { tag: [tags.typeName, tags.standard(tags.name)], class: "t-type" },
  { tag: [tags.string, tags.special(tags.string)], class: "t-text" },
  { tag: tags.number, class: "t-number" },
  { tag: tags.comment, class: "t-note" },
]);

interface Mark {
  from: number;
  to: number;
  look: string;
  told: string;
}
const setMarks = StateEffect.define<Mark[]>();
const setFocus = StateEffect.define<Place>();
const marks = StateField.define<{ all: Mark[]; shown: DecorationSet; focus: DecorationSet }>({
  create: () => ({ all: [], shown: Decoration.none, focus: Decoration.none }),
  update(value, transaction) {
    let { all, shown, focus } = value;
    shown = shown.map(transaction.changes);
    focus = focus.map(transaction.changes);
    for (const effect of transaction.effects) {
      if (effect.is(setMarks)) {
        all = effect.value;
        shown = Decoration.set(all.map((mark) => Decoration.mark({ class: `mark ${mark.look}` }).range(mark.from, mark.to)), true);
      }
      if (effect.is(setFocus)) focus = effect.value ? Decoration.set([Decoration.mark({ class: "mark focus" }).range(...effect.value)]) : Decoration.none;
    }
    return { all, shown, focus };
  },
  provide: (field) => [EditorView.decorations.from(field, (of) => of.shown), EditorView.decorations.from(field, (of) => of.focus)],
});
const told = hoverTooltip((view, at) => {
  const here = view.state.field(marks).all.filter((mark) => mark.from <= at && at <= mark.to).sort((a, b) => a.to - a.from - (b.to - b.from));
  const [first] = here;
  if (!first) return null;
  return { pos: first.from, end: first.to, above: true, create: () => ({ dom: h("div", { class: "tip-text" }, ...here.slice(0, 3).map((mark) => h("p", {}, mark.told))) }) };
});

export class RegisterView {
  readonly root = h("div", { class: "editor" });
  private readonly view: EditorView;
  private readonly verdicts = h("section", { class: "verdicts", "aria-live": "polite", "aria-label": "Verdicts" });
  private readonly about = h("div", { class: "about" });
  private readonly stories = h("div", { class: "stories", role: "group", "aria-label": "Examples" });
  private readonly more = h("section", { class: "deeper", "aria-label": "Plans, stages and passes" });
  private asked: AbortController | null = null;
  private timer = 0;
  /** What was checked last, and how long it took to know; for tests, and for whoever is curious. */
  checked: { sql: string; answer: Checked; milliseconds: number } | null = null;

  constructor(known: StorySummary[], private readonly kept: { sql: string; story: string }, scripts: { name: string; sql: string }[] = []) {
    const nonce = document.querySelector<HTMLMetaElement>('meta[name="nonce"]')?.content ?? "";
    const place = h("div", { class: "code" });
    this.view = new EditorView({
      parent: place,
      state: EditorState.create({
        doc: kept.sql,
        extensions: [
          EditorView.cspNonce.of(nonce),
          lineNumbers(),
          history(),
          drawSelection(),
          highlightSpecialChars(),
          bracketMatching(),
          sql({ dialect, upperCaseKeywords: true }),
          syntaxHighlighting(colours),
          EditorView.lineWrapping,
          EditorView.contentAttributes.of({ "aria-label": "Script in SQL", spellcheck: "false" }),
          keymap.of([...defaultKeymap, ...historyKeymap, { key: "Escape", run: (view) => (view.contentDOM.blur(), true) }, indentWithTab]),
          marks,
          told,
          EditorView.updateListener.of((update) => {
            if (update.docChanged) {
              this.kept.sql = update.state.doc.toString();
              this.later();
            }
          }),
        ],
      }),
    });
    const shown = (name: string) => (event?: Event) => (event?.preventDefault(), void this.open(name));
    this.stories.append(
      ...scripts.map(({ name, sql: text }) => button(`this run: ${name}`, () => this.put(text), { class: "chip" })),
      ...known.map((story) => button(story.title, shown(story.name), { class: "chip", "data-story": story.name })),
    );
    const keys = h("p", { class: "quiet hint" }, "Esc leaves the editor, so that Tab goes on.");
    this.root.append(this.stories, this.about, h("div", { class: "columns" }, h("div", { class: "left" }, place, keys), h("div", { class: "right" }, this.verdicts)), this.more);
    if (kept.sql) this.now();
    else if (known[0]) void this.open(kept.story || known[0].name);
    if (kept.story) void this.tell(kept.story);
  }

  private async open(name: string): Promise<void> {
    const story = await this.tell(name);
    this.put(story.sql);
  }

  private async tell(name: string): Promise<Story> {
    this.kept.story = name;
    const story = await get<Story>(`stories/${name}`);
    for (const chip of this.stories.querySelectorAll<HTMLElement>("[data-story]")) chip.toggleAttribute("data-on", chip.dataset["story"] === name);
    const travel = story.slices ? h("a", { href: `#/travel/${name}` }, "Travel through its slices →") : null;
    this.about.replaceChildren(h("h2", {}, story.title), ...story.text.map((text) => h("p", {}, text)), ...(travel ? [h("p", {}, travel)] : []));
    return story;
  }

  put(text: string): void {
    this.view.dispatch({ changes: { from: 0, to: this.view.state.doc.length, insert: text } });
  }

  private later(): void {
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => void this.now(), PAUSE);
  }

  private async now(): Promise<void> {
    const text = this.view.state.doc.toString();
    this.asked?.abort();
    const asked = (this.asked = new AbortController());
    const begun = performance.now();
    try {
      const answer = await post<Checked>("check", text, asked.signal);
      if (text !== this.view.state.doc.toString()) return;
      this.checked = { sql: text, answer, milliseconds: performance.now() - begun };
      this.show(text, answer);
      await new Promise((done) => setTimeout(done, DEEPER));
      if (text !== this.view.state.doc.toString()) return;
      const deeper = answer.error ? { queries: [] } : await post<Explained>("explain", text, asked.signal);
      if (text === this.view.state.doc.toString()) this.deepen(deeper);
    } catch (error) {
      if (!asked.signal.aborted) this.verdicts.replaceChildren(h("p", { class: "problem" }, (error as Error).message));
    }
  }

  private show(text: string, answer: Checked): void {
    const found: Mark[] = [];
    const mark = (place: Place, look: string, words: string) => {
      if (place && place[0] < place[1] && place[1] <= text.length) found.push({ from: place[0], to: place[1], look, told: words });
    };
    if (answer.error) {
      const { place, what } = answer.error;
      mark(place && place[0] === place[1] ? [Math.max(place[0] - 1, 0), place[0]] : place, "wrong", what);
    }
    for (const query of answer.queries ?? [])
      for (const state of query.states) if (state.verdict !== "stateless") mark(state.place, state.verdict, `${state.verdict}: ${state.sentence}`);
    this.view.dispatch({ effects: setMarks.of(found) });
    this.verdicts.dataset["checked"] = String(text.length);
    this.verdicts.replaceChildren(...(answer.error ? [this.problem(answer.error)] : (answer.queries ?? []).map((query) => this.query(query))));
    if (!answer.error && !answer.queries?.length) this.verdicts.append(h("p", { class: "quiet" }, "The script has no queries."));
  }

  private problem(error: Problem): HTMLElement {
    return h("div", { class: "problem" }, h("p", {}, h("span", { class: "tag unbounded" }, "error"), ` ${error.what}`), error.detail ? h("p", {}, error.detail) : null, error.hint ? h("p", {}, error.hint) : null, error.place ? button("Show it", () => this.go(error.place), { class: "quiet small" }) : null);
  }

  private query(query: Verdict): HTMLElement {
    const words: Record<string, [string, string]> = { safe: ["purgeable", "admitted"], allowed: ["unbounded", "admitted with unbounded state"], refused: ["unbounded", "refused"] };
    const [look, word] = words[query.verdict] ?? ["stateless", query.verdict];
    const states = query.states.filter((state) => state.verdict !== "stateless");
    const items = states.map((state) => {
      const item = h("li", { class: "state" }, verdict(state));
      if (state.place) {
        item.append(button("show", () => this.go(state.place), { class: "quiet small", "aria-label": `Show ${state.operator} of ${state.input} in the SQL` }));
        item.addEventListener("mouseenter", () => this.view.dispatch({ effects: setFocus.of(state.place) }));
        item.addEventListener("mouseleave", () => this.view.dispatch({ effects: setFocus.of(null) }));
      }
      return item;
    });
    const memory = query.text.split("\n").find((line) => line.trim().startsWith("without punctuations"));
    return h(
      "article",
      { class: "query", "data-query": query.name },
      h("h2", {}, `${query.name} `, h("span", { class: `tag ${look}` }, word)),
      items.length ? h("ul", { class: "states" }, ...items) : h("p", { class: "quiet" }, "It keeps no state."),
      memory ? h("p", { class: "quiet" }, memory.trim()) : null,
      ...this.advice(query),
      ...query.graphs.map(graph),
    );
  }

  private advice(query: Verdict): HTMLElement[] {
    if (!query.advice.length && !query.rewrites.length) return [];
    const click = (advice: Advice) =>
      h("li", {}, advice.edits.length ? button(advice.text, () => this.apply(advice), { class: "advice" }) : advice.text);
    return [h("h3", {}, "What would make it safe"), h("ul", { class: "plain" }, ...query.advice.map(click), ...query.rewrites.map((change) => h("li", {}, change)))];
  }

  private apply(advice: Advice): void {
    this.view.dispatch({ changes: advice.edits.map(({ at, insert }) => ({ from: at, insert })) });
    this.view.focus();
  }

  private go(place: Place): void {
    if (!place) return;
    this.view.dispatch({ selection: { anchor: place[0], head: place[1] }, effects: [EditorView.scrollIntoView(place[0], { y: "center" })] });
    this.view.focus();
  }

  private deepen({ queries }: Explained): void {
    const part = (name: string, ...inside: HTMLElement[]) => h("details", {}, h("summary", {}, name), ...inside);
    renew(
      this.more,
      ...(queries ?? []).flatMap((query) => {
        const picture = this.checked?.answer.queries?.find((each) => each.name === query.name)?.picture;
        const passes = query.passes.map(({ name, lines }) => h("div", { class: "pass" }, h("h4", {}, name), lines.length ? h("pre", { tabindex: 0 }, lines.join("\n")) : h("p", { class: "quiet" }, "no change")));
        return [
          picture ? part(`Plan of ${query.name}`, plan(picture, (node) => node.place && this.go(node.place)).root, legend()) : null,
          query.costs.length ? part(`Best plans of ${query.name}, with their costs`, h("pre", { tabindex: 0 }, query.costs.join("\n"))) : null,
          part(`Stages of ${query.name}`, h("pre", { tabindex: 0 }, query.stages.join("\n"))),
          part(`Passes of the compiler over ${query.name}`, ...passes),
        ].filter((each): each is HTMLDetailsElement => each !== null);
      }),
    );
  }
}

/** The punctuation graph of a join, as punctum explain --graph draws it: an arrow goes from who asks to whose punctuations answer. */
export function graph(known: Graph): HTMLElement {
  const across = matchMedia("(min-width: 720px)").matches;
  const picture = known.pictures[across ? "across" : "down"];
  const shapes: Shape[] = picture.shapes.map(({ name, bad }, i) => ({ id: `${i}`, lines: name ? [{ text: name, kind: "title" }] : [], look: name ? `stream${bad ? " bad" : ""}` : "point", told: bad ? `${name}, not reached by all` : name || "known together" }));
  const links: Link[] = picture.links.map(({ label, tip }) => ({ from: "", to: "", label: label ? [label] : [], look: "plain", tip }));
  const box = ([x, y]: [number, number], [width, height]: [number, number]) => ({ x, y, width, height });
  const placed: Placed = {
    left: 0,
    top: 0,
    width: picture.size[0],
    height: picture.size[1],
    nodes: new Map(picture.shapes.map(({ at, size }, i) => [`${i}`, box(at, size)])),
    edges: picture.links.map(({ path, at, label }) => ({ path, ...box(at, [textWidth(label), 0]) })),
    groups: [],
  };
  const names = (streams: number[]) => streams.map((i) => known.streams[i]).join(", ");
  const stuck = known.streams.flatMap((name, i) => (known.unreachable[i]!.length ? [`Rows of ${name} cannot be purged: nothing leads from it to ${names(known.unreachable[i]!)}.`] : []));
  const whole = known.parts.length === 1 ? "Every stream reaches every other one, so the join is safe." : "";
  return h("section", { class: "punctuation-graph" }, h("h3", {}, "Punctuation graph"), draw(shapes, links, `Punctuation graph of ${known.streams.join(", ")}`, across, placed).root, h("p", { class: "quiet" }, [...stuck, whole].filter(Boolean).join(" ")));
}
