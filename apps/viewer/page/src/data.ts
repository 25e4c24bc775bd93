// Where the page's numbers come from: a server, or the page itself.
//
// An exported page carries window.PLIANT_EMBEDDED, a map from request path to content; then nothing is fetched
// and the file opens without a server. The rest of the page asks here and does not know the difference.

export type RunState = "running" | "done" | "interrupted" | "could_not_go_on" | "unfinished";
export type BodyKind = "solid" | "cloth" | "rod" | "springs" | "rigid" | "particles" | "obstacle";
export type Triple = [number, number, number];

export interface ResultName { id: number; name: string }

// A body's mesh may change during a run (tearing, remeshing): each revision holds from its first frame on.
export interface Revision { first_frame: number; vertex_count: number; cell_count: number; shape: "triangle" | "segment" | "point" }

export interface BodyEntry { name: string; kind: BodyKind; colour: string; pinned: number[]; revisions: Revision[] }

export interface Quantity { name: string; unit: string }

export interface Manifest {
  name: string;
  title: string;
  state: RunState;
  message: string | null;
  interactive: boolean;
  times: number[]; // of each frame [s]
  camera: { from: Triple | null; to: Triple | null; up: Triple; degrees: number };
  bounds: { low: Triple; high: Triple };
  bodies: BodyEntry[];
  quantities: Quantity[];
  has_contacts: boolean;
}

export interface StateReport { state: RunState; frames: number; message: string | null }
export interface VertexReport { source_vertex: number; position: Triple; speed: number | null }
export interface Probes { columns: string[]; time: (number | null)[]; rows: (number | null)[][] }

interface EmbeddedEntry { type: "json" | "binary" | "text"; data: unknown }

declare global {
  interface Window { PLIANT_EMBEDDED?: Record<string, EmbeddedEntry> }
}

// A request that gave no answer, with a sentence for the user.
export class RequestError extends Error {
  constructor(message: string, readonly status: number) {
    super(message);
  }
}

const store = window.PLIANT_EMBEDDED;

// True when the page carries its own data: then nothing can be dragged and nothing is live.
export const isEmbedded = store !== undefined;

// Whether an embedded page holds this path. A server is asked instead, so the answer there is yes.
export function mayHold(path: string): boolean {
  return store === undefined || path in store;
}

export const resultPath = (result: number): string => `/api/results/${result}`;

// Exports may hold only one of the two forms of a frame; a server has both.
export function framePath(result: number, frame: number, quantised: boolean): string {
  const plain = `${resultPath(result)}/frames/${frame}`;
  const compact = `${plain}?quantised=1`;
  const wanted = quantised ? compact : plain;
  return mayHold(wanted) ? wanted : quantised ? plain : compact;
}

function embeddedEntry(path: string): EmbeddedEntry {
  const entry = store?.[path];
  if (!entry) throw new RequestError(`This exported page does not hold ${path}.`, 404);
  return entry;
}

// Turns an unsuccessful answer into the server's own sentence, or into one of ours.
async function explain(path: string, response: Response): Promise<RequestError> {
  let sentence = `The server answered ${response.status} to ${path}.`;
  try {
    const body = (await response.json()) as { error?: unknown };
    if (typeof body.error === "string") sentence = body.error;
  } catch {
    // The answer was not JSON: our own sentence stays.
  }
  return new RequestError(sentence, response.status);
}

async function ask(path: string, options?: RequestInit): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(path, options);
  } catch {
    throw new RequestError("The server does not answer. Is `pliant view` still running?", 0);
  }
  if (!response.ok) throw await explain(path, response);
  return response;
}

export async function getJson<T>(path: string): Promise<T> {
  if (store) return embeddedEntry(path).data as T;
  return (await (await ask(path)).json()) as T;
}

export async function getText(path: string): Promise<string> {
  if (store) return String(embeddedEntry(path).data);
  return (await ask(path)).text();
}

export async function getBinary(path: string): Promise<ArrayBuffer> {
  if (!store) return (await ask(path)).arrayBuffer();
  const characters = atob(String(embeddedEntry(path).data));
  const bytes = new Uint8Array(characters.length);
  for (let i = 0; i < bytes.length; ++i) bytes[i] = characters.charCodeAt(i);
  return bytes.buffer;
}

export async function postJson(path: string, body: unknown): Promise<void> {
  await ask(path, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });
}
