// The Bodies tab: each body with its colour, whether it is shown and how; and what is coloured by.
import type { BodyView } from "./bodies";
import { iconButton, make, select, setIcon, setPressed } from "./dom";
import type { ResultView } from "./result_view";
import type { DrawMode } from "./shape";

export class BodyList {
  readonly element: HTMLElement;
  selected: BodyView | null = null;
  private readonly rows = new Map<BodyView, { row: HTMLElement; mode: HTMLSelectElement; eye: HTMLButtonElement }>();

  constructor(views: ResultView[], colourControls: HTMLElement, private readonly changed: () => void) {
    this.element = make("div", { class: "bodies" }, colourControls);
    for (const view of views) {
      if (views.length > 1) this.element.append(make("h3", { text: view.manifest.name }));
      const list = make("ul", { class: "body-list" });
      for (const body of view.bodies) list.append(this.makeRow(body));
      this.element.append(list);
    }
  }

  private makeRow(body: BodyView): HTMLElement {
    const { name, kind, revisions } = body.entry;
    const eye = iconButton("eye", `Hide ${name}`, () => this.setVisible(body, !body.visible));
    const colour = make("input", { type: "color", label: `Colour of ${name}` });
    colour.value = body.entry.colour;
    colour.addEventListener("input", () => {
      body.setColour(colour.value);
      this.changed();
    });
    const choose = make("button", { class: "body-name", type: "button", title: "Select: F frames it, C follows it" });
    const vertices = revisions.at(-1)?.vertex_count ?? 0;
    choose.append(make("span", { text: name }), make("small", { text: `${kind} · ${vertices.toLocaleString("en")} vertices` }));
    choose.setAttribute("aria-label", `Select ${name}`);
    choose.addEventListener("click", () => this.select(this.selected === body ? null : body));
    const modes: [string, string][] = [["solid", "solid"], ["wireframe", "wireframe"], ["points", "points"]];
    const mode = select(`Drawing of ${name}`, modes, body.mode, (value) => this.setMode(body, value as DrawMode));
    const row = make("li", {}, eye, colour, choose, mode);
    this.rows.set(body, { row, mode, eye });
    return row;
  }

  select(body: BodyView | null): void {
    this.selected = body;
    for (const [candidate, { row }] of this.rows) {
      row.classList.toggle("selected", candidate === body);
      setPressed(row.querySelector(".body-name")!, candidate === body);
    }
    this.changed();
  }

  setVisible(body: BodyView, on: boolean): void {
    body.visible = on;
    const entry = this.rows.get(body)!;
    setIcon(entry.eye, on ? "eye" : "hidden", `${on ? "Hide" : "Show"} ${body.entry.name}`);
    entry.row.classList.toggle("off", !on);
    this.changed();
  }

  setMode(body: BodyView, mode: DrawMode): void {
    body.setMode(mode);
    this.rows.get(body)!.mode.value = mode;
    this.changed();
  }

  // The selected body, or all of them, to wireframe and back.
  toggleWireframe(): void {
    const bodies = this.selected ? [this.selected] : [...this.rows.keys()];
    const mode = bodies.every((body) => body.mode === "wireframe") ? "solid" : "wireframe";
    for (const body of bodies) this.setMode(body, mode);
  }
}
