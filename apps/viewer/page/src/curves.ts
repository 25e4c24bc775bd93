// The Curves tab: probe columns over time, a cursor at the moment shown, a click to go there.
// With two results the second is drawn dashed, in the same colours.
import { getJson, mayHold, resultPath, type Probes } from "./data";
import { checkbox, formatNumber, make } from "./dom";
import { niceStep } from "./ground";
import type { ResultView } from "./result_view";

// Eight hues of similar weight that stay apart on light and dark ground.
const palette = ["#3b82c4", "#d9822b", "#3a9d6e", "#c94f6d", "#8a63c9", "#8f8428", "#2aa3ad", "#8b7355"];
const margin = { left: 54, right: 22, top: 10, bottom: 26 };

interface Axis { low: number; high: number; log: boolean }

export class Curves {
  readonly element: HTMLElement;
  private readonly canvas = make("canvas", { class: "plot", label: "Curves over time; click to go to a moment" });
  private readonly choices = make("div", { class: "choices" });
  private readonly note = make("p", { class: "quiet" });
  private probes: (Probes | null)[] = [];
  private columns: string[] = [];
  private readonly chosen = new Map<string, string>(); // column to colour
  private log = false;
  private asked = false;

  constructor(private readonly views: ResultView[], private readonly timeNow: () => number, private readonly seek: (time: number) => void) {
    const scale = checkbox("logarithmic", false, (on) => {
      this.log = on;
      this.draw();
    });
    this.canvas.setAttribute("role", "img");
    this.element = make("div", { class: "curves" }, this.canvas, make("div", { class: "row" }, scale), this.choices, this.note);
    const go = (event: PointerEvent): void => {
      if (event.buttons === 1) this.seek(this.timeAt(event.offsetX));
    };
    this.canvas.addEventListener("pointerdown", (event) => {
      this.canvas.setPointerCapture(event.pointerId);
      go(event);
    });
    this.canvas.addEventListener("pointermove", go);
    new ResizeObserver(() => this.draw()).observe(this.canvas);
  }

  // Reads the probes; again while a simulation runs.
  async load(): Promise<void> {
    this.probes = await Promise.all(
      this.views.map(async (view) => {
        const path = `${resultPath(view.id)}/probes`;
        if (!mayHold(path)) return null;
        return getJson<Probes>(path).catch(() => null);
      }),
    );
    const columns = [...new Set(this.probes.flatMap((probes) => probes?.columns ?? []))];
    if (columns.join("\n") !== this.columns.join("\n")) {
      this.columns = columns;
      if (!this.asked && columns.length > 0) this.chooseDefaults();
      this.list();
    }
    this.note.textContent = columns.length === 0 ? "This result has no probes." : "";
    this.draw();
  }

  // Energies if there are any, else the first column.
  private chooseDefaults(): void {
    this.asked = true;
    const energies = this.columns.filter((name) => name.startsWith("energy."));
    for (const name of energies.length > 0 ? energies : this.columns.slice(0, 1)) this.choose(name);
  }

  // The colour that the fewest chosen columns have, so that up to eight are told apart.
  private choose(name: string): void {
    const used = [...this.chosen.values()];
    const uses = palette.map((colour) => used.filter((other) => other === colour).length);
    this.chosen.set(name, palette[uses.indexOf(Math.min(...uses))]!);
  }

  private list(): void {
    this.choices.replaceChildren(
      ...this.columns.map((name) => {
        const choice = checkbox(name, this.chosen.has(name), (on) => {
          if (on) this.choose(name);
          else this.chosen.delete(name);
          swatch.style.background = this.chosen.get(name) ?? "";
          this.draw();
        });
        const swatch = make("span", { class: "swatch" });
        swatch.style.background = this.chosen.get(name) ?? "";
        const value = make("output", { class: "now", label: `${name} now` });
        value.dataset["column"] = name;
        choice.children[0]!.after(swatch);
        choice.append(value);
        return choice;
      }),
    );
  }

  private get span(): { start: number; end: number } {
    let [start, end] = [Infinity, -Infinity];
    for (const probes of this.probes) {
      for (const time of probes?.time ?? []) {
        if (time === null) continue;
        start = Math.min(start, time);
        end = Math.max(end, time);
      }
    }
    return start < end ? { start, end } : { start: 0, end: 1 };
  }

  private timeAt(pixel: number): number {
    const { start, end } = this.span;
    const width = this.canvas.clientWidth - margin.left - margin.right;
    return start + ((pixel - margin.left) / width) * (end - start);
  }

  private valueAxis(): Axis {
    let [low, high] = [Infinity, -Infinity];
    for (const probes of this.probes) {
      probes?.columns.forEach((name, column) => {
        if (!this.chosen.has(name)) return;
        for (const row of probes.rows) {
          const value = row[column];
          if (value === null || value === undefined || (this.log && value <= 0)) continue;
          low = Math.min(low, value);
          high = Math.max(high, value);
        }
      });
    }
    if (low > high) return { low: this.log ? 0.1 : 0, high: 1, log: this.log };
    if (this.log) return { low: 10 ** Math.floor(Math.log10(low)), high: 10 ** Math.max(Math.ceil(Math.log10(high)), Math.floor(Math.log10(low)) + 1), log: true };
    const room = 0.06 * (high - low) || 0.1 * Math.abs(high) || 1;
    return { low: low - room, high: high + room, log: false };
  }

  draw(): void {
    const { clientWidth: width, clientHeight: height } = this.canvas;
    const context = this.canvas.getContext("2d");
    if (!context || width === 0) return;
    const ratio = window.devicePixelRatio;
    this.canvas.width = width * ratio;
    this.canvas.height = height * ratio;
    context.scale(ratio, ratio);
    const style = getComputedStyle(this.canvas);
    const axis = this.valueAxis();
    const { start, end } = this.span;
    const x = (time: number): number => margin.left + ((time - start) / (end - start)) * (width - margin.left - margin.right);
    const fraction = (value: number): number =>
      axis.log ? Math.log(value / axis.low) / Math.log(axis.high / axis.low) : (value - axis.low) / (axis.high - axis.low);
    const y = (value: number): number => height - margin.bottom - fraction(value) * (height - margin.top - margin.bottom);
    context.font = `11px ${style.fontFamily}`;
    this.drawAxes(context, axis, x, y, style);
    this.probes.forEach((probes, result) => probes && this.drawColumns(context, probes, result, x, y));
    // The cursor.
    const now = x(this.timeNow());
    context.setLineDash([]);
    context.strokeStyle = style.getPropertyValue("--ink");
    context.lineWidth = 1;
    context.beginPath();
    context.moveTo(now, margin.top);
    context.lineTo(now, height - margin.bottom);
    context.stroke();
    this.showValues();
  }

  private drawAxes(context: CanvasRenderingContext2D, axis: Axis, x: (t: number) => number, y: (v: number) => number, style: CSSStyleDeclaration): void {
    const { clientWidth: width, clientHeight: height } = this.canvas;
    const { start, end } = this.span;
    context.strokeStyle = style.getPropertyValue("--line");
    context.fillStyle = style.getPropertyValue("--quiet");
    context.lineWidth = 1;
    context.textAlign = "right";
    context.textBaseline = "middle";
    for (const value of valueTicks(axis)) {
      context.beginPath();
      context.moveTo(margin.left, Math.round(y(value)) + 0.5);
      context.lineTo(width - margin.right, Math.round(y(value)) + 0.5);
      context.stroke();
      context.fillText(formatNumber(value, 3), margin.left - 6, y(value));
    }
    context.textAlign = "center";
    const step = niceStep((end - start) / 4);
    for (let time = Math.ceil(start / step) * step; time <= end + 1e-9; time += step) {
      context.fillText(formatNumber(Number(time.toPrecision(6)), 3), x(time), height - margin.bottom + 12);
    }
    context.textAlign = "right";
    context.fillText("s", width - 2, height - margin.bottom + 12);
  }

  private drawColumns(context: CanvasRenderingContext2D, probes: Probes, result: number, x: (t: number) => number, y: (v: number) => number): void {
    context.lineWidth = 1.6;
    context.lineJoin = "round";
    context.setLineDash(result === 0 ? [] : [5, 4]);
    probes.columns.forEach((name, column) => {
      const colour = this.chosen.get(name);
      if (colour === undefined) return;
      context.strokeStyle = colour;
      context.beginPath();
      let joined = false; // a missing value breaks the line
      probes.rows.forEach((row, i) => {
        const [time, value] = [probes.time[i] ?? null, row[column] ?? null];
        if (time === null || value === null || (this.log && value <= 0)) {
          joined = false;
          return;
        }
        if (joined) context.lineTo(x(time), y(value));
        else context.moveTo(x(time), y(value));
        joined = true;
      });
      context.stroke();
    });
  }

  // Beside each column its value at the cursor.
  private showValues(): void {
    const now = this.timeNow();
    for (const output of this.choices.querySelectorAll("output")) {
      const name = output.dataset["column"]!;
      const values = this.probes.map((probes) => {
        if (!probes) return null;
        const row = lastBefore(probes.time, now);
        return probes.rows[row]?.[probes.columns.indexOf(name)] ?? null;
      });
      output.textContent = values.map((value) => formatNumber(value)).join(" | ");
    }
  }
}

function valueTicks(axis: Axis): number[] {
  const ticks: number[] = [];
  if (axis.log) {
    const decades = Math.round(Math.log10(axis.high / axis.low));
    const every = Math.max(1, Math.ceil(decades / 6));
    for (let d = 0; d <= decades; d += every) ticks.push(axis.low * 10 ** d);
    return ticks;
  }
  const step = niceStep((axis.high - axis.low) / 4);
  for (let i = Math.ceil(axis.low / step); i * step <= axis.high; ++i) ticks.push(Number((i * step).toPrecision(6)));
  return ticks;
}

// Index of the last time not after `now`; times rise.
function lastBefore(times: (number | null)[], now: number): number {
  let [low, high] = [0, times.length - 1];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((times[middle] ?? Infinity) <= now + 1e-9) low = middle;
    else high = middle - 1;
  }
  return low;
}
