// What is coloured, and the bar that says which colour means which value.
import { gradient, type ColourScale, type RangeRule } from "./colours";
import type { Quantity } from "./data";
import { formatNumber, formatUnit, make, select } from "./dom";

export class Legend {
  readonly controls: HTMLElement; // in the panel
  readonly bar: HTMLElement; // on the stage
  private readonly name = make("div", { class: "legend-name" });
  private readonly low = make("span");
  private readonly middle = make("span");
  private readonly high = make("span");

  constructor(private readonly scale: ColourScale, quantities: Quantity[], changed: () => void) {
    const choices: [string, string][] = [["", "body colour"], ...quantities.map((q): [string, string] => [q.name, q.name.replace(/_/g, " ")])];
    const rule = select("Colour range", [["loaded", "range: all frames seen"], ["frame", "range: this frame"]], scale.rule, (value) => {
      scale.rule = value as RangeRule;
      scale.reset();
      changed();
    });
    rule.hidden = true;
    const quantity = select("Colour by", choices, "", (value) => {
      scale.choose(value || null, quantities.find((q) => q.name === value)?.unit ?? "");
      rule.hidden = !value;
      changed();
    });
    this.controls = make("div", { class: "row colour-by" }, make("span", { class: "caption", text: "Colour by" }), quantity, rule);
    this.controls.hidden = quantities.length === 0;
    const ramp = make("div", { class: "legend-ramp" });
    ramp.style.background = gradient();
    this.bar = make("div", { class: "legend card", label: "Colour legend" }, this.name, ramp, make("div", { class: "legend-ends" }, this.low, this.middle, this.high));
    this.bar.setAttribute("role", "img");
    this.bar.hidden = true;
  }

  update(): void {
    const { quantity, unit, low, high, known } = this.scale;
    this.bar.hidden = quantity === null;
    if (quantity === null) return;
    this.name.textContent = quantity.replace(/_/g, " ") + (formatUnit(unit) ? ` [${unit}]` : "");
    this.low.textContent = known ? formatNumber(low, 3) : "no values";
    this.middle.textContent = known ? formatNumber(0.5 * (low + high), 3) : "";
    this.high.textContent = known ? formatNumber(high, 3) : "";
    this.bar.setAttribute("aria-label", `Colour legend: ${this.name.textContent}, from ${this.low.textContent} to ${this.high.textContent}`);
  }
}
