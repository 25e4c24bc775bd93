// The Scene and Summary tabs: the scene as it was written, the summary as a table a person can read.
import { getJson, getText, RequestError, resultPath } from "./data";
import { formatNumber, make } from "./dom";
import type { ResultView } from "./result_view";

function sentence(error: unknown, absent: string): HTMLElement {
  const text = error instanceof RequestError && error.status === 404 ? absent : String(error instanceof Error ? error.message : error);
  return make("p", { class: "quiet", text });
}

// Comments and keys of YAML stand out; everything else stays as it is.
function colourYaml(text: string): HTMLElement {
  const page = make("pre", { class: "yaml" });
  for (const line of text.split("\n")) {
    const [, lead, key, rest, comment] = /^(\s*(?:- )?)([\w.-]+:)?((?:[^#"']|"[^"]*"|'[^']*'|#(?<!(?:^|\s)#))*)(#.*)?$/.exec(line) ?? [null, line, "", "", ""];
    page.append(lead ?? "", key ? make("b", { text: key }) : "", rest ?? "", comment ? make("i", { text: comment }) : "", "\n");
  }
  return page;
}

export async function showScene(view: ResultView): Promise<HTMLElement> {
  try {
    return colourYaml(await getText(`${resultPath(view.id)}/scene`));
  } catch (error) {
    return sentence(error, "The scene of this result was not kept.");
  }
}

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null && !Array.isArray(value);
const words = (key: string): string => key.replace(/_/g, " ");

function plain(value: unknown): string {
  if (value === null || value === undefined) return "–";
  if (typeof value === "number") return Number.isInteger(value) && Math.abs(value) < 1e15 ? value.toLocaleString("en") : formatNumber(value, 5);
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (Array.isArray(value)) return value.length === 0 ? "–" : value.map(plain).join(", ");
  if (isRecord(value)) return Object.entries(value).map(([key, item]) => `${words(key)} ${plain(item)}`).join(", ");
  return String(value);
}

// A list of records: one row each, a column per key.
function recordTable(records: Record<string, unknown>[]): HTMLElement {
  const keys = [...new Set(records.flatMap((record) => Object.keys(record)))];
  const head = make("tr", {}, ...keys.map((key) => make("th", { text: words(key) })));
  const rows = records.map((record) => make("tr", {}, ...keys.map((key) => make("td", { text: plain(record[key]) }))));
  return make("div", { class: "wide" }, make("table", { class: "records" }, head, ...rows));
}

// Values first, then what has parts of its own, each under its name.
function describe(record: Record<string, unknown>, depth: number): HTMLElement {
  const table = make("table", { class: "pairs" });
  const parts: HTMLElement[] = [];
  for (const [key, value] of Object.entries(record)) {
    if (Array.isArray(value) && value.some((item) => typeof item === "string" && item.includes(" "))) {
      // Sentences: one below the other, over the whole width.
      parts.push(make("h3", { text: words(key) }), make("ul", { class: "notes" }, ...value.map((item) => make("li", { text: plain(item) }))));
      continue;
    }
    const records = Array.isArray(value) && value.length > 0 && value.every(isRecord);
    if (records || (isRecord(value) && depth < 4)) {
      parts.push(make(depth === 0 ? "h3" : "h4", { text: words(key) }));
      parts.push(records ? recordTable(value as Record<string, unknown>[]) : describe(value as Record<string, unknown>, depth + 1));
    } else {
      table.append(make("tr", {}, make("th", { text: words(key) }), make("td", { text: plain(value) })));
    }
  }
  return make("div", {}, table.childElementCount > 0 ? table : null, ...parts);
}

export async function showSummary(view: ResultView): Promise<HTMLElement> {
  try {
    const summary = await getJson<unknown>(`${resultPath(view.id)}/summary`);
    if (isRecord(summary)) return make("div", { class: "summary" }, describe(summary, 0));
    return make("pre", { text: JSON.stringify(summary, null, 2) });
  } catch (error) {
    return sentence(error, "This result has no summary yet.");
  }
}
