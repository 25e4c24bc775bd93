// The page put together: results on the stage, the player below, tools beside, the panel with its tabs.
import * as THREE from "three";
import { BodyList } from "./body_list";
import { ColourScale } from "./colours";
import { Curves } from "./curves";
import { getJson, resultPath, type Manifest, type ResultName } from "./data";
import { showScene, showSummary } from "./documents";
import { iconButton, make, setPressed } from "./dom";
import { Drag } from "./drag";
import { listen, type Gestures } from "./gestures";
import { Keys, type KeyAction } from "./keys";
import { Legend } from "./legend";
import { keepUp } from "./live";
import { Notices, sentenceOf } from "./notices";
import { Panel } from "./panel";
import { Player } from "./player";
import { Readout } from "./readout";
import { ResultView } from "./result_view";
import { SceneView } from "./scene_view";
import { makeSettings } from "./settings";
import { Theme } from "./theme";

const stateWords: Record<Manifest["state"], string> = {
  running: "running",
  done: "done",
  interrupted: "interrupted",
  could_not_go_on: "could not go on",
  unfinished: "unfinished",
};

export class App {
  readonly views: ResultView[];
  readonly stage: SceneView;
  private readonly scale = new ColourScale();
  private readonly notices = new Notices();
  private readonly player: Player;
  private readonly bodies: BodyList;
  private readonly curves: Curves;
  private readonly legend: Legend;
  private readonly readout: Readout;
  private readonly drag: Drag;
  private readonly panel: Panel;
  private readonly keys: Keys;
  private readonly gestures: Gestures;
  private readonly theme: Theme;
  private readonly host = make("main", { class: "stage" });
  private readonly labels: HTMLElement[] = [];
  private readonly divider = make("div", { class: "divider" }); // between two viewports
  private readonly pullButton = iconButton("pull", "Pull vertices by dragging", () => this.setPull(!this.gestures.pullMode));
  private readonly followButton = iconButton("follow", "Follow a body (C)", () => this.toggleFollow());
  private looked = false;
  private firstShown: () => void = () => undefined;
  readonly ready = new Promise<void>((resolve) => (this.firstShown = resolve));

  constructor(root: HTMLElement, ids: number[], manifests: Manifest[]) {
    const failed = (error: unknown): void => this.fail(error);
    this.views = manifests.map((manifest, i) => new ResultView(ids[i]!, manifest, this.scale, { shown: (view) => this.afterFrame(view), failed }));
    root.replaceChildren(make("div", { class: "layout" }, this.host));
    this.stage = new SceneView(this.host, this.views);
    this.drag = new Drag(this.stage, failed);
    this.readout = new Readout(() => this.stage.invalidate());
    this.player = new Player(this.views, () => this.afterSeek());
    const quantities = new Map(manifests.flatMap((manifest) => manifest.quantities).map((quantity) => [quantity.name, quantity]));
    this.legend = new Legend(this.scale, [...quantities.values()], () => this.reload());
    this.bodies = new BodyList(this.views, this.legend.controls, () => this.redraw());
    this.curves = new Curves(this.views, () => this.player.time, (time) => this.player.seek(time));
    this.panel = new Panel(this.tabs(), () => this.stage.invalidate());
    this.keys = new Keys(this.keyActions(), this.pointerWords());
    this.gestures = listen(this.stage, this.drag, (found) => {
      this.readout.choose(found);
      this.stage.invalidate();
    });
    this.theme = new Theme((dark) => {
      this.stage.setTheme(dark);
      this.curves.draw();
    });
    this.assemble();
    this.begin();
  }

  static async open(root: HTMLElement): Promise<App> {
    const names = await getJson<ResultName[]>("/api/results");
    if (names.length === 0) throw new Error("The server has no result to show.");
    const ids = names.slice(0, 2).map((name) => name.id);
    return new App(root, ids, await Promise.all(ids.map((id) => getJson<Manifest>(resultPath(id)))));
  }

  // ---- putting together --------------------------------------------------------------------------------------------

  private assemble(): void {
    const settings = makeSettings(this.stage, this.views);
    const layout = this.host.parentElement!;
    this.host.append(...this.makeLabels(), this.divider, this.readout.element, this.legend.bar, this.notices.element, this.makeTools(settings), settings);
    layout.append(this.player.element, this.panel.element, this.keys.overlay);
    document.title = `${this.views.map((view) => view.manifest.name).join(" | ")} – Pliant`;
  }

  private makeLabels(): HTMLElement[] {
    this.views.forEach(() => this.labels.push(make("div", { class: "label" })));
    this.updateLabels();
    return this.labels;
  }

  // Name and state of each result, in the corner of its viewport.
  private updateLabels(): void {
    const ports = this.stage.viewports();
    this.views.forEach((view, i) => {
      const { name, title, state, message } = view.manifest;
      const chip = make("span", { class: `chip ${state}`, text: stateWords[state] });
      const heading = make("h1", { text: this.views.length > 1 ? name : title || name });
      this.labels[i]!.replaceChildren(heading, chip, message ? make("p", { text: message }) : "");
      this.labels[i]!.style.left = `${ports[i]!.x}px`;
      this.labels[i]!.style.top = `${ports[i]!.y}px`;
    });
    const second = ports[1];
    this.divider.hidden = second === undefined;
    if (!second) return;
    const beside = second.x > 0;
    Object.assign(this.divider.style, {
      left: `${second.x}px`,
      top: `${second.y}px`,
      width: beside ? "1px" : "100%",
      height: beside ? "100%" : "1px",
    });
  }

  private makeTools(settings: HTMLElement): HTMLElement {
    const contacts = iconButton("contacts", "Contacts: points, normals, forces", () => {
      const on = !this.views[0]!.contactsOn;
      setPressed(contacts, on);
      for (const view of this.views) view.contactsOn = on && view.manifest.has_contacts;
      this.reload();
    });
    const pins = iconButton("pins", "Pinned vertices", () => {
      for (const view of this.views) {
        view.overlays.pinsOn = !view.overlays.pinsOn;
        view.overlays.update();
      }
      setPressed(pins, this.views[0]!.overlays.pinsOn);
      this.stage.invalidate();
    });
    const menu = iconButton("settings", "Settings", () => {
      settings.hidden = !settings.hidden;
      setPressed(menu, !settings.hidden);
    });
    contacts.hidden = !this.views.some((view) => view.manifest.has_contacts);
    pins.hidden = !this.views.some((view) => view.bodies.some((body) => body.entry.pinned.length > 0));
    this.pullButton.hidden = !this.canPull;
    const tools = make("div", { class: "tools card", label: "Tools" });
    tools.setAttribute("role", "toolbar");
    tools.append(
      iconButton("frame", "Frame the selection or all (F)", () => this.frameSelection()),
      this.followButton,
      iconButton("wire", "Wireframe (W)", () => this.bodies.toggleWireframe()),
      contacts,
      pins,
      this.pullButton,
      menu,
      iconButton("theme", "Light or dark", () => this.theme.toggle()),
      iconButton("full", "Full screen", () => this.toggleFullScreen()),
      iconButton("help", "Help (?)", () => this.keys.toggleHelp()),
      iconButton("panel", "Show or hide the panel", () => this.panel.setOpen(!this.panel.isOpen)),
    );
    return tools;
  }

  // Pulling needs a server with a simulation that still runs.
  private get canPull(): boolean {
    return this.views.some((view) => view.manifest.interactive && view.running);
  }

  private setPull(on: boolean): void {
    this.gestures.pullMode = on;
    setPressed(this.pullButton, on);
  }

  private tabs(): { name: string; open(): HTMLElement | Promise<HTMLElement> }[] {
    const each = async (show: (view: ResultView) => Promise<HTMLElement>): Promise<HTMLElement> => {
      const parts = await Promise.all(this.views.map(show));
      return make("div", {}, ...parts.flatMap((part, i) => (parts.length > 1 ? [make("h2", { text: this.views[i]!.manifest.name }), part] : [part])));
    };
    return [
      { name: "Bodies", open: () => this.bodies.element },
      {
        name: "Curves",
        open: () => {
          void this.curves.load();
          return this.curves.element;
        },
      },
      { name: "Scene", open: () => each(showScene) },
      { name: "Summary", open: () => each(showSummary) },
    ];
  }

  private keyActions(): KeyAction[] {
    const { player } = this;
    return [
      { keys: [" "], shown: "space", words: "play or pause", act: () => player.toggle() },
      { keys: ["arrowleft"], shown: "←", words: "previous frame", act: () => player.step(-1) },
      { keys: ["arrowright"], shown: "→", words: "next frame", act: () => player.step(1) },
      { keys: ["home"], shown: "home", words: "first frame", act: () => player.seek(player.start) },
      { keys: ["end"], shown: "end", words: "last frame", act: () => player.seek(player.end) },
      { keys: ["+", "="], shown: "+", words: "faster", act: () => player.changeSpeed(1) },
      { keys: ["-"], shown: "−", words: "slower", act: () => player.changeSpeed(-1) },
      { keys: ["l"], shown: "L", words: "loop", act: () => player.setLoop(!player.loop) },
      { keys: ["f"], shown: "F", words: "frame the selected body, or all", act: () => this.frameSelection() },
      { keys: ["c"], shown: "C", words: "follow the selected body", act: () => this.toggleFollow() },
      { keys: ["w"], shown: "W", words: "wireframe", act: () => this.bodies.toggleWireframe() },
      { keys: ["?"], shown: "?", words: "this help", act: () => this.keys.toggleHelp() },
    ];
  }

  private pointerWords(): [string, string][] {
    const pull: [string, string][] = this.canPull ? [["shift + drag", "pull a vertex"]] : [];
    return [["drag", "turn"], ["right drag", "pan (two fingers on a touch screen)"], ["wheel", "zoom"], ["click", "pick a vertex"], ...pull];
  }

  // ---- running -----------------------------------------------------------------------------------------------------

  private begin(): void {
    if (window.innerWidth <= 640) this.panel.element.classList.add("closed");
    else this.panel.open("Bodies");
    for (const view of this.views) keepUp(view, (grown) => this.afterGrowth(grown), (error) => this.fail(error));
    if (this.views.some((view) => view.running)) this.player.followNewest();
    else this.player.seek(this.player.start);
    if (this.views.every((view) => view.frameCount === 0)) this.firstShown();
    window.addEventListener("resize", () => this.updateLabels());
    new ResizeObserver(() => this.updateLabels()).observe(this.host);
    let before = performance.now();
    const loop = (now: number): void => {
      this.player.tick((now - before) / 1000);
      before = now;
      this.stage.tick();
      window.requestAnimationFrame(loop);
    };
    window.requestAnimationFrame(loop);
  }

  // A result has moved to another frame: colours, camera, card and curves follow.
  private afterFrame(view: ResultView): void {
    const shown = this.views.map((candidate) => candidate.quantityShown()).filter((frame) => frame !== undefined);
    const rangeChanged = this.scale.include(shown);
    for (const candidate of rangeChanged ? this.views : [view]) candidate.paint();
    this.legend.update();
    if (this.readout.picked?.view === view) this.readout.update();
    this.drag.draw();
    this.stage.track();
    if (!this.looked && this.views.every((candidate) => candidate.shown >= 0 || candidate.frameCount === 0)) {
      this.looked = true;
      this.stage.firstLook();
      this.firstShown();
    }
  }

  private afterSeek(): void {
    // The player's first moment comes before the panel exists.
    if (this.panel?.current === "Curves") this.curves.draw();
  }

  private afterGrowth(view: ResultView): void {
    this.player.refresh();
    this.updateLabels();
    this.pullButton.hidden = !this.canPull;
    if (!this.canPull) this.setPull(false);
    if (this.panel.current === "Curves") void this.curves.load();
    if (view.manifest.message && view.manifest.state === "could_not_go_on") this.notices.show(view.manifest.message);
  }

  // Shows the same frames again, with what was just asked for in addition.
  private reload(): void {
    for (const view of this.views) view.request(view.frameAt(this.player.time), true);
  }

  private redraw(): void {
    for (const view of this.views) {
      view.overlays.update();
      view.paint();
    }
    this.stage.invalidate();
  }

  private fail(error: unknown): void {
    this.player.setPlaying(false);
    this.notices.show(sentenceOf(error));
  }

  private frameSelection(): void {
    if (!this.bodies.selected) return this.stage.frameAll();
    const box = new THREE.Box3();
    this.bodies.selected.addToBox(box);
    this.stage.frame(box);
  }

  private toggleFollow(): void {
    const fallback = this.views[0]!.bodies.find((body) => body.entry.kind !== "obstacle") ?? null;
    this.stage.follow(this.stage.followed ? null : (this.bodies.selected ?? fallback));
    setPressed(this.followButton, this.stage.followed !== null);
  }

  private toggleFullScreen(): void {
    const change = document.fullscreenElement ? document.exitFullscreen() : document.documentElement.requestFullscreen();
    change.catch((error: unknown) => this.notices.show(`Full screen is not possible: ${sentenceOf(error)}`));
  }
}
