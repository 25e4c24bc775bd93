// Values to colours, by a map that is even to the eye.
//
// The map runs in Oklab (B. Ottosson, "A perceptual color space for image processing", 2020). Lightness L rises
// linearly from 0.34 to 0.94, so equal steps of a value look equally large, also in grey print and for most
// colour-blind readers; it starts no darker, because shading darkens further. The hue turns from violet (300°) over
// blue and green to yellow (105°); chroma is as large as the screen can show, up to a bound that keeps it quiet.
import type { QuantityFrame } from "./formats";

const tableSize = 256;

// Oklab to linear sRGB; the matrices are those of its definition.
function linearFromOklab(L: number, a: number, b: number): [number, number, number] {
  const l = (L + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (L - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (L - 0.0894841775 * a - 1.291485548 * b) ** 3;
  return [
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
  ];
}

function mapColour(t: number): [number, number, number] {
  const lightness = 0.34 + 0.6 * t;
  const hue = ((300 - 195 * t) * Math.PI) / 180;
  // The largest chroma that the screen shows at this lightness and hue, found by halving.
  let inside = 0;
  let outside = 0.15;
  for (let i = 0; i < 20; ++i) {
    const chroma = 0.5 * (inside + outside);
    const colour = linearFromOklab(lightness, chroma * Math.cos(hue), chroma * Math.sin(hue));
    if (colour.every((channel) => channel >= 0 && channel <= 1)) inside = chroma;
    else outside = chroma;
  }
  return linearFromOklab(lightness, inside * Math.cos(hue), inside * Math.sin(hue));
}

// Linear light, three numbers per entry: what vertex colours want.
const table = new Float32Array(3 * tableSize);
for (let i = 0; i < tableSize; ++i) table.set(mapColour(i / (tableSize - 1)), 3 * i);

const encodeChannel = (x: number): number => Math.round(255 * (x <= 0.0031308 ? 12.92 * x : 1.055 * x ** (1 / 2.4) - 0.055));

// The map as a CSS gradient from low to high, for the legend.
export function gradient(): string {
  const stops: string[] = [];
  for (let i = 0; i < tableSize; i += 15) {
    const [r, g, b] = [table[3 * i]!, table[3 * i + 1]!, table[3 * i + 2]!];
    stops.push(`rgb(${encodeChannel(r)} ${encodeChannel(g)} ${encodeChannel(b)})`);
  }
  return `linear-gradient(to right, ${stops.join(", ")})`;
}

// Colours of one body's values into an array of three numbers per vertex; NaN becomes a neutral grey.
export function writeColours(values: Float32Array, low: number, high: number, target: Float32Array): void {
  const scale = high > low ? (tableSize - 1) / (high - low) : 0;
  for (let i = 0; i < values.length; ++i) {
    const value = values[i]!;
    const at = 3 * i;
    if (Number.isNaN(value)) {
      target[at] = target[at + 1] = target[at + 2] = 0.3;
      continue;
    }
    const entry = 3 * Math.min(tableSize - 1, Math.max(0, Math.round((value - low) * scale)));
    target[at] = table[entry]!;
    target[at + 1] = table[entry + 1]!;
    target[at + 2] = table[entry + 2]!;
  }
}

export type RangeRule = "loaded" | "frame";

// Which quantity is shown and over which range: the range grows over the frames loaded so far, or is that of the frame.
// Two results share one scale, so that equal colours mean equal values.
export class ColourScale {
  quantity: string | null = null;
  unit = "";
  rule: RangeRule = "loaded";
  low = Infinity;
  high = -Infinity;

  choose(quantity: string | null, unit: string): void {
    this.quantity = quantity;
    this.unit = unit;
    this.reset();
  }

  reset(): void {
    this.low = Infinity;
    this.high = -Infinity;
  }

  // Takes the frames now shown (one per result) into the range. True if the range changed.
  include(frames: QuantityFrame[]): boolean {
    const before = [this.low, this.high];
    if (this.rule === "frame") this.reset();
    for (const frame of frames) {
      this.low = Math.min(this.low, frame.low);
      this.high = Math.max(this.high, frame.high);
    }
    return before[0] !== this.low || before[1] !== this.high;
  }

  get known(): boolean {
    return this.low <= this.high;
  }
}
