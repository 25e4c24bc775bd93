// The settings menu: what the page draws and how much it keeps. Nothing here changes the simulation.
import { isEmbedded } from "./data";
import { checkbox, make, select } from "./dom";
import { frameMemory } from "./frames";
import type { ResultView } from "./result_view";
import type { SceneView } from "./scene_view";

export function makeSettings(stage: SceneView, views: ResultView[]): HTMLElement {
  const compact = checkbox("compact frames (16 bit)", views.every((view) => view.source.quantised), (on) => {
    for (const view of views) {
      view.source.quantised = on;
      view.request(view.shown, true);
    }
  });
  compact.title = "Half the bytes; positions are rounded to 1/65535 of each body's size";
  compact.hidden = isEmbedded; // an export holds one form only
  const shadows = checkbox("shadows", true, (on) => stage.setShadows(on));
  const ground = checkbox("ground", true, (on) => stage.setGround(on));
  const flat = checkbox("flat shading", false, (on) => {
    for (const view of views) for (const body of view.bodies) body.setFlat(on);
    stage.invalidate();
  });
  const sizes: [string, string][] = [128, 256, 512, 1024, 2048].map((size) => [String(size), `${size} MB`]);
  const memory = select("Memory for frames", sizes, String(frameMemory.megabytes), (value) => (frameMemory.megabytes = Number(value)));
  const menu = make("div", { class: "settings card", label: "Settings menu" }, shadows, ground, flat, compact, make("label", { class: "row" }, make("span", { text: "memory for frames" }), memory));
  menu.setAttribute("role", "group");
  menu.hidden = true;
  return menu;
}
