// Sentences for the user: what went wrong, over the stage, until it is closed or replaced.
import { iconButton, make } from "./dom";

export const sentenceOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

export class Notices {
  readonly element = make("div", { class: "notice card" });
  private readonly text = make("span");

  constructor() {
    this.element.setAttribute("role", "alert");
    this.element.append(this.text, iconButton("close", "Close this message", () => (this.element.hidden = true)));
    this.element.hidden = true;
  }

  show(sentence: string): void {
    this.text.textContent = sentence;
    this.element.hidden = false;
  }
}

// Instead of a page: there is nothing to show, and this is why.
export function showFatal(host: HTMLElement, error: unknown): void {
  const retry = make("button", { class: "primary", type: "button", text: "Try again", label: "Try again" });
  retry.addEventListener("click", () => window.location.reload());
  const card = make("div", { class: "fatal card" }, make("h1", { text: "Nothing to show" }), make("p", { text: sentenceOf(error) }), retry);
  card.setAttribute("role", "alert");
  host.replaceChildren(card);
}
