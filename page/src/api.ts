// What the server says: the JSON twin, and events.

export type Place = [number, number] | null;
export type Counts = Record<string, number | [number, string]>;
export interface Batch {
  batch: number;
  time: number;
  seconds: number;
  quarantined: number;
  /** Rows of streams that nobody needed, if any. */
  skipped?: Record<string, number>;
  operators: Record<string, Counts>;
}
export interface State {
  operator: string;
  input: string;
  verdict: string;
  witness: string[];
  sentence: string;
  place: Place;
}
export interface PlanNode {
  id: string;
  kind: "stream" | "operator" | "gather" | "sink";
  label: string;
  detail: string;
  reads?: string;
  stage?: number;
  verdict?: string;
  states?: State[];
  /** The counts of rows that it would keep without punctuations, beside what it keeps; null where that is not known. */
  spared?: string[] | null;
  schemes?: string[];
  columns?: { name: string; type: string }[];
  place?: Place;
}
export interface PlanEdge {
  from: string;
  to: string;
  counts: [string, string] | null;
  exchange: { by: string; steps: string[] } | null;
}
export interface Picture {
  name: string;
  sql: string;
  verdict: string;
  nodes: PlanNode[];
  edges: PlanEdge[];
  states: State[];
  merges: string[][];
  feedback?: Record<string, string[]>;
}
export interface Summary {
  name: string;
  control: boolean;
  status: string;
  failure: string;
  last: Batch | null;
}
export interface Problem {
  what: string;
  detail: string;
  hint: string;
  place: Place;
}
/** A punctuation graph with a place for everything in it; the middles of shapes and labels. */
export interface GraphPicture {
  size: [number, number];
  shapes: { name: string; at: [number, number]; size: [number, number]; bad: boolean }[];
  links: { path: string; label: string; at: [number, number]; tip: boolean }[];
}
export interface Graph {
  streams: string[];
  edges: { known: number[][]; to: number; scheme: string }[];
  parts: number[][];
  unreachable: number[][];
  pictures: { across: GraphPicture; down: GraphPicture };
}
export interface Advice {
  schemes: string[];
  text: string;
  edits: { at: number; insert: string }[];
}
export interface Verdict {
  name: string;
  verdict: string;
  place: Place;
  text: string;
  states: State[];
  graphs: Graph[];
  advice: Advice[];
  rewrites: string[];
  picture: Picture;
}
export interface Checked {
  queries?: Verdict[];
  check?: unknown;
  error?: Problem;
}
export interface Explained {
  queries?: { name: string; costs: string[]; stages: string[]; passes: { name: string; lines: string[] }[] }[];
  error?: Problem;
}
export interface StorySummary {
  name: string;
  title: string;
  slices: number;
}
export interface Story extends StorySummary {
  text: string[];
  sql: string;
  says: string[];
}
export type Row = Record<string, unknown>;
export interface Step {
  sends: Record<string, Row[]>;
  rows: Row[];
  punctuations: Row[];
  operators: Record<string, Counts>;
  tables: { operator: string; name: string; columns: string[]; rows: { row: Row; new: boolean; was?: Row }[]; gone: Row[] }[];
  rejected: { stream: string; reason: string; text: string }[];
}
export interface KeptTable {
  name: string;
  rows: number;
  columns: string[];
  largest: { key: Row; rows: number }[];
  oldest: { since: number; "waits for": string | null }[];
}
export interface Kept {
  large?: number;
  batch?: number | null;
  operators?: { name: string; tables: KeptTable[] }[];
  error?: string;
}
export interface Quarantine {
  rows: number;
  reasons: {
    stream: string;
    reason: string;
    rows: number;
    records: { place: string; text: string; punctuation: string | null }[];
  }[];
}
export interface Feedback {
  way: string;
  file: string;
  says: { $punct?: Row } | null;
}
export interface Waiting {
  streams: { stream: string; files?: number | null; messages?: number | null; since?: number | null }[];
  seconds: { batch: number; streams: Record<string, number> }[];
}

export class Failure extends Error {}

async function answer<T>(response: Response): Promise<T> {
  const text = await response.text();
  if (response.ok) return JSON.parse(text) as T;
  let told = text;
  try {
    const { error, detail, hint } = JSON.parse(text);
    told = [error, detail, hint].filter(Boolean).join(". ");
  } catch {
    // it is plain text
  }
  throw new Failure(told);
}

export const get = async <T>(path: string): Promise<T> => answer(await fetch(`api/${path}`));
export const query = (name: string, what = ""): string => `queries/${encodeURIComponent(name)}${what}`;
export const post = async <T>(path: string, body: string, signal?: AbortSignal): Promise<T> =>
  answer(await fetch(`api/${path}`, { method: "POST", body, signal }));
export const number = (counts: Counts | undefined, name: string): number => {
  const found = counts?.[name];
  return typeof found === "number" ? found : 0;
};
