// Making elements, icons and numbers readable. Text always goes in as text, never as markup:
// names and sentences come from files.

type Child = Node | string | null;

interface Options {
  class?: string;
  label?: string; // accessible name
  title?: string;
  type?: string;
  text?: string;
}

export function make<K extends keyof HTMLElementTagNameMap>(tag: K, options: Options = {}, ...children: Child[]): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  if (options.class) element.className = options.class;
  if (options.label) element.setAttribute("aria-label", options.label);
  if (options.title) element.title = options.title;
  if (options.type) element.setAttribute("type", options.type);
  if (options.text !== undefined) element.textContent = options.text;
  for (const child of children) if (child !== null) element.append(child);
  return element;
}

// Icons are strokes on a 24 × 24 grid.
const iconPaths = {
  play: "M7 4.5v15l12-7.5z",
  pause: "M8 5v14M16 5v14",
  next: "M6 5v14l9-7zM18 5v14",
  previous: "M18 5v14l-9-7zM6 5v14",
  loop: "M4 11a6 6 0 0 1 6-6h8m-3-3 3 3-3 3M20 13a6 6 0 0 1-6 6H6m3 3-3-3 3-3",
  frame: "M4 9V4h5M15 4h5v5M20 15v5h-5M9 20H4v-5M12 12h.01",
  follow: "M12 3v4M12 17v4M3 12h4M17 12h4M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8z",
  wire: "M12 3 3 19h18zM7.5 11h9M12 19l-4.5-8M12 19l4.5-8",
  contacts: "M12 20V8m0-5 4 6H8zM4 20h16",
  pins: "M9 3h6l-1 6 4 4H6l4-4zM12 13v8",
  pull: "M8 12V6a1.5 1.5 0 0 1 3 0v5-7a1.5 1.5 0 0 1 3 0v7-5a1.5 1.5 0 0 1 3 0v8c0 4-2 7-6 7-3 0-4-1-6-4l-2.500-4c1-1.500 2.500-1.500 3.500 0z",
  settings: "M4 7h9M19 7h1M16 4.500v5M4 17h1M11 17h9M8 14.500v5",
  theme: "M12 3a9 9 0 1 0 9 9 7 7 0 0 1-9-9z",
  full: "M9 3H3v6M15 3h6v6M21 15v6h-6M3 15v6h6M3 3l6 6M21 3l-6 6M21 21l-6-6M3 21l6-6",
  help: "M9 9a3 3 0 1 1 4.500 2.600c-1 .6-1.500 1.200-1.500 2.400M12 18h.01",
  panel: "M4 4h16v16H4zM14.500 4v16",
  close: "M6 6l12 12M18 6 6 18",
  eye: "M2 12s4-7 10-7 10 7 10 7-4 7-10 7S2 12 2 12zM12 9a3 3 0 1 0 0 6 3 3 0 0 0 0-6z",
  hidden: "M3 3l18 18M6 7.500C3.500 9.500 2 12 2 12s4 7 10 7c1.700 0 3.200-.5 4.500-1.300M10 5.200C16.500 4.200 22 12 22 12s-.8 1.500-2.400 3.200",
} as const;

export type IconName = keyof typeof iconPaths;

export function icon(name: IconName): SVGElement {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("aria-hidden", "true");
  const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
  path.setAttribute("d", iconPaths[name]);
  svg.append(path);
  return svg;
}

export function iconButton(name: IconName, label: string, act: () => void): HTMLButtonElement {
  const button = make("button", { class: "icon", label, title: label, type: "button" }, icon(name));
  button.addEventListener("click", (event) => {
    // After a click with the pointer the space bar plays again instead of pressing this button once more.
    if (event.detail > 0) button.blur();
    act();
  });
  return button;
}

export function setIcon(button: HTMLButtonElement, name: IconName, label: string): void {
  button.replaceChildren(icon(name));
  button.setAttribute("aria-label", label);
  button.title = label;
}

export function setPressed(button: HTMLElement, pressed: boolean): void {
  button.setAttribute("aria-pressed", String(pressed));
}

// A checkbox with its words; `change` hears the new value.
export function checkbox(words: string, checked: boolean, change: (on: boolean) => void): HTMLLabelElement {
  const input = make("input", { type: "checkbox", label: words });
  input.checked = checked;
  input.addEventListener("change", () => change(input.checked));
  return make("label", { class: "check" }, input, make("span", { text: words }));
}

export function select(label: string, choices: [string, string][], value: string, change: (value: string) => void): HTMLSelectElement {
  const element = make("select", { label });
  for (const [key, words] of choices) {
    const option = make("option", { text: words });
    option.value = key;
    element.append(option);
  }
  element.value = value;
  element.addEventListener("change", () => change(element.value));
  return element;
}

// Four significant digits, a true minus sign, powers of ten where zeros would have to be counted.
export function formatNumber(value: number | null, digits = 4): string {
  if (value === null || !Number.isFinite(value)) return "–";
  if (value === 0) return "0";
  const size = Math.abs(value);
  let text: string;
  if (Number.isInteger(value) && size < 1e7) text = String(value);
  else if (size >= 1e-3 && size < 1e6) text = String(Number(value.toPrecision(digits)));
  else {
    const [mantissa, exponent] = value.toExponential(digits - 1).split("e") as [string, string];
    text = `${Number(mantissa)}e${Number(exponent)}`;
  }
  return text.replace(/-/g, "−");
}

// Quantities without a dimension carry the unit "1", which nobody wants to read.
export const formatUnit = (unit: string): string => (unit === "1" || unit === "" ? "" : ` ${unit}`);
