// One result on the screen: its bodies, the frame they show, and the loading of what that frame needs.
import * as THREE from "three";
import { BodyView } from "./bodies";
import type { ColourScale } from "./colours";
import { isEmbedded, type Manifest } from "./data";
import type { Frame, QuantityFrame } from "./formats";
import { FrameSource } from "./frames";
import { Overlays } from "./overlays";

// Above this many vertices frames come as 16-bit steps: half the bytes, an error below 1/65535 of the body's size.
const kCompactAbove = 50000;

export interface ResultEvents {
  shown(view: ResultView): void;
  failed(error: unknown): void;
}

export class ResultView {
  readonly scene = new THREE.Scene();
  readonly bodies: BodyView[];
  readonly source: FrameSource;
  readonly overlays: Overlays;
  readonly bounds = new THREE.Box3();
  shown = -1;
  contactsOn = false;
  private wanted = -1;
  private busy = false;
  private readonly refused = new Set<number>(); // frames that could not be had in advance, not asked for again and again

  constructor(readonly id: number, public manifest: Manifest, private readonly scale: ColourScale, private readonly events: ResultEvents) {
    this.source = new FrameSource(id);
    this.bodies = manifest.bodies.map((entry, index) => new BodyView(entry, id, index));
    this.overlays = new Overlays(this.bodies);
    this.source.quantised = this.vertexCount > kCompactAbove;
    for (const body of this.bodies) this.scene.add(body.group);
    this.scene.add(this.overlays.group);
    this.setBounds();
  }

  get vertexCount(): number {
    return this.manifest.bodies.reduce((sum, body) => sum + (body.revisions.at(-1)?.vertex_count ?? 0), 0);
  }

  // New frames may still come: never in an exported page, even if it was exported during the run.
  get running(): boolean {
    return !isEmbedded && this.manifest.state === "running";
  }

  get frameCount(): number {
    return this.manifest.times.length;
  }

  // A running simulation has new frames; bodies stay the same.
  refresh(manifest: Manifest): void {
    this.manifest = manifest;
    this.setBounds();
  }

  private setBounds(): void {
    const { low, high } = this.manifest.bounds;
    this.bounds.set(new THREE.Vector3(...low), new THREE.Vector3(...high));
    if (this.bounds.isEmpty()) this.bounds.set(new THREE.Vector3(-0.5, -0.5, -0.5), new THREE.Vector3(0.5, 0.5, 0.5));
  }

  // Where the bodies that can move are now; empty before the first frame.
  movingBox(): THREE.Box3 {
    const box = new THREE.Box3();
    for (const body of this.bodies) if (body.entry.kind !== "obstacle") body.addToBox(box);
    return box;
  }

  // The frame nearest to a time [s], or −1 when there is none yet.
  frameAt(time: number): number {
    const { times } = this.manifest;
    let low = 0;
    let high = times.length - 1;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (times[middle]! <= time) low = middle;
      else high = middle;
    }
    return high > low && times[high]! - time < time - times[low]! ? high : high < 0 ? -1 : low;
  }

  // Everything frame needs: positions, the meshes of its revisions, the quantity in use, contacts if wanted.
  private complete(index: number): Frame | null {
    const frame = this.source.frameNow(index);
    if (!frame) return null;
    if (!frame.bodies.every((body, b) => this.bodies[b]?.hasMesh(body.revision) ?? true)) return null;
    if (this.quantityName && !this.source.quantityNow(index, this.quantityName)) return null;
    if (this.contactsOn && !this.source.contactsNow(index)) return null;
    return frame;
  }

  isReady(index: number): boolean {
    return index === this.shown || this.complete(index) !== null;
  }

  private async load(index: number): Promise<void> {
    const extras: Promise<unknown>[] = [];
    if (this.quantityName) extras.push(this.source.quantity(index, this.quantityName));
    if (this.contactsOn) extras.push(this.source.contacts(index));
    const frame = await this.source.frame(index);
    await Promise.all([...extras, ...frame.bodies.map((body, b) => this.bodies[b]?.loadMesh(body.revision))]);
  }

  // Only quantities that this result has.
  get quantityName(): string | null {
    const name = this.scale.quantity;
    return name !== null && this.manifest.quantities.some((quantity) => quantity.name === name) ? name : null;
  }

  quantityShown(): QuantityFrame | undefined {
    return this.quantityName && this.shown >= 0 ? this.source.quantityNow(this.shown, this.quantityName) : undefined;
  }

  // Shows a frame, at once when it is loaded, else as soon as it is. While one frame is on its way only the newest wish
  // is remembered: a slider dragged across a thousand frames does not ask for a thousand.
  request(index: number, again = false): void {
    if (index < 0 || index >= this.frameCount || (index === this.wanted && !again)) return;
    this.wanted = index;
    if (this.complete(index)) this.show(index);
    else if (!this.busy) void this.fetchWanted();
  }

  private async fetchWanted(): Promise<void> {
    this.busy = true;
    try {
      for (;;) {
        const index = this.wanted;
        await this.load(index);
        this.show(index);
        if (this.wanted === index) break;
      }
    } catch (error) {
      this.wanted = -1;
      this.events.failed(error);
    } finally {
      this.busy = false;
    }
  }

  private show(index: number): void {
    const frame = this.complete(index);
    if (!frame) return;
    frame.bodies.forEach((body, b) => this.bodies[b]?.show(body));
    this.shown = index;
    this.overlays.showContacts(this.contactsOn ? this.source.contactsNow(index)! : null, this.bounds);
    this.overlays.update();
    this.events.shown(this);
  }

  // Asks for a frame that will be needed soon; a failure shows when it is needed.
  prefetch(index: number): void {
    if (index >= this.frameCount || this.refused.has(index) || this.isReady(index)) return;
    this.load(index).catch(() => this.refused.add(index));
  }

  paint(): void {
    const quantity = this.quantityShown();
    this.bodies.forEach((body, b) => body.paint(quantity?.values[b] ?? null, this.scale));
  }
}
