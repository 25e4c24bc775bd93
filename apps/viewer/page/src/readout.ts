// The card of the picked vertex: which one it is, where it is, how fast it moves.
//
// While playing it shows the position as drawn; when the frame rests it asks the server for the double-precision values.
// An exported page has no such answers: there the speed comes from the quantity of that name, if it was exported.
import * as THREE from "three";
import { getJson, mayHold, resultPath, type VertexReport } from "./data";
import { formatNumber, iconButton, make } from "./dom";
import type { Picked } from "./picking";

// Frames that rest this long [ms] are worth a question to the server.
const kRest = 120;

export class Readout {
  readonly element: HTMLElement;
  picked: Picked | null = null;
  private readonly title = make("strong");
  private readonly list = make("dl");
  private timer = 0;

  constructor(cleared: () => void) {
    const close = iconButton("close", "Clear the picked vertex", () => {
      this.choose(null);
      cleared();
    });
    this.element = make("section", { class: "readout card", label: "Picked vertex" }, make("header", {}, this.title, close), this.list);
    this.element.hidden = true;
  }

  choose(picked: Picked | null): void {
    this.picked?.view.overlays.pick(null);
    this.picked = picked;
    picked?.view.overlays.pick({ body: picked.body, vertex: picked.vertex });
    this.element.hidden = picked === null;
    this.update();
  }

  // Called when a frame is shown.
  update(): void {
    window.clearTimeout(this.timer);
    const picked = this.picked;
    const body = picked?.view.bodies[picked.body];
    if (!picked || !body) return;
    const source = body.mesh?.sourceVertex[picked.vertex];
    if (source === undefined) {
      this.choose(null); // the mesh was replaced by one with fewer vertices
      return;
    }
    this.title.textContent = body.entry.name;
    const at = body.vertex(picked.vertex, new THREE.Vector3());
    this.fill(source, at.toArray(), undefined);
    this.timer = window.setTimeout(() => void this.ask(picked, source), kRest);
  }

  private async ask(picked: Picked, source: number): Promise<void> {
    const frame = picked.view.shown;
    const path = `${resultPath(picked.view.id)}/frames/${frame}/vertex/${picked.body}/${picked.vertex}`;
    const still = (): boolean => this.picked === picked && picked.view.shown === frame;
    try {
      if (mayHold(path)) {
        const report = await getJson<VertexReport>(path);
        if (still()) this.fill(source, report.position, report.speed);
      } else {
        const speeds = await picked.view.source.quantity(frame, "speed");
        const at = picked.view.bodies[picked.body]!.vertex(picked.vertex, new THREE.Vector3());
        if (still()) this.fill(source, at.toArray(), speeds.values[picked.body]?.[picked.vertex] ?? null);
      }
    } catch {
      // What is drawn stays on the card; the server's silence is reported by the next frame that fails.
    }
  }

  private fill(source: number, position: number[], speed: number | null | undefined): void {
    const rows: [string, string][] = [
      ["vertex", source < 0 ? "inside an element" : String(source)],
      ...position.map((value, axis): [string, string] => ["xyz"[axis]!, `${formatNumber(value, 6)} m`]),
      ["speed", speed === undefined ? "…" : speed === null ? "–" : `${formatNumber(speed)} m/s`],
    ];
    this.list.replaceChildren(...rows.flatMap(([name, value]) => [make("dt", { text: name }), make("dd", { text: value, class: `value-${name}` })]));
    // The exact numbers, for copying and for tests.
    this.element.dataset["position"] = JSON.stringify(position);
    this.element.dataset["exact"] = String(speed !== undefined);
  }
}
