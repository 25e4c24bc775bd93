// The panel at the side with its tabs; a sheet at the bottom on a phone. Tabs fill themselves when first opened.
import { iconButton, make } from "./dom";

export interface Tab {
  name: string;
  open(): HTMLElement | Promise<HTMLElement>; // the content, asked for each time the tab opens
}

export class Panel {
  readonly element: HTMLElement;
  current = "";
  private readonly body = make("div", { class: "panel-body" });
  private readonly buttons = new Map<string, HTMLButtonElement>();

  constructor(private readonly tabs: Tab[], private readonly resized: () => void) {
    const strip = make("div", { class: "tabs", label: "Panel" });
    strip.setAttribute("role", "tablist");
    for (const tab of tabs) {
      const button = make("button", { type: "button", text: tab.name, label: tab.name });
      button.setAttribute("role", "tab");
      button.addEventListener("click", () => this.open(tab.name));
      this.buttons.set(tab.name, button);
      strip.append(button);
    }
    const fold = iconButton("close", "Close the panel", () => this.setOpen(false));
    this.body.setAttribute("role", "tabpanel");
    this.body.tabIndex = 0;
    this.element = make("aside", { class: "panel", label: "Details" }, make("div", { class: "panel-head" }, strip, fold), this.body);
  }

  get isOpen(): boolean {
    return !this.element.classList.contains("closed");
  }

  setOpen(on: boolean): void {
    this.element.classList.toggle("closed", !on);
    this.resized();
  }

  open(name: string): void {
    const tab = this.tabs.find((candidate) => candidate.name === name);
    if (!tab) return;
    this.current = name;
    for (const [key, button] of this.buttons) button.setAttribute("aria-selected", String(key === name));
    this.body.setAttribute("aria-label", name);
    if (!this.isOpen) this.setOpen(true);
    const content = tab.open();
    if (content instanceof HTMLElement) {
      this.body.replaceChildren(content);
      return;
    }
    this.body.replaceChildren(make("p", { class: "quiet", text: "Loading…" }));
    void content.then((element) => {
      // Another tab may have been opened meanwhile.
      if (this.current === name) this.body.replaceChildren(element);
    });
  }
}
