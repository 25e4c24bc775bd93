// Keys and the overlay that lists them, from one table.
import { iconButton, make } from "./dom";

export interface KeyAction { keys: string[]; shown: string; words: string; act(): void }

export class Keys {
  readonly overlay: HTMLElement;

  constructor(private readonly actions: KeyAction[], pointer: [string, string][]) {
    const rows = [...actions.map((action): [string, string] => [action.shown, action.words]), ...pointer];
    const list = make("dl", {}, ...rows.flatMap(([shown, words]) => [make("dt", {}, make("kbd", { text: shown })), make("dd", { text: words })]));
    const card = make("div", { class: "help card" }, make("header", {}, make("h2", { text: "Keys and gestures" }), iconButton("close", "Close help", () => this.toggleHelp())), list);
    this.overlay = make("div", { class: "overlay", label: "Help" }, card);
    this.overlay.setAttribute("role", "dialog");
    this.overlay.hidden = true;
    this.overlay.addEventListener("click", (event) => {
      if (event.target === this.overlay) this.toggleHelp();
    });
    window.addEventListener("keydown", (event) => this.press(event));
  }

  toggleHelp(): void {
    this.overlay.hidden = !this.overlay.hidden;
  }

  private press(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Escape" && !this.overlay.hidden) return this.toggleHelp();
    // Keys that a focused control uses itself stay with it: the slider would move twice, a list would not open.
    const target = event.target as HTMLElement;
    if (target.closest("select, textarea, input:not([type=range], [type=checkbox])")) return;
    if (target.closest("button, input[type=checkbox], [role=tabpanel]") && (event.key === " " || event.key === "Enter")) return;
    const action = this.actions.find((candidate) => candidate.keys.includes(event.key.toLowerCase()));
    if (!action) return;
    event.preventDefault();
    action.act();
  }
}
