// Pulling a vertex of a running simulation with the pointer.
//
// The target lies in the plane through the vertex parallel to the screen, so the hand moves it sideways and a turn of the
// camera chooses the plane. At most one message is on its way; between answers only the newest target is kept.
import * as THREE from "three";
import { postJson, resultPath, type Triple } from "./data";
import type { Picked } from "./picking";
import type { SceneView } from "./scene_view";

type Message = { action: "grab"; body: number; vertex: number; target: Triple } | { action: "move"; target: Triple } | { action: "release" };

export class Drag {
  private held: Picked | null = null;
  private readonly plane = new THREE.Plane();
  private readonly target = new THREE.Vector3();
  private readonly queue: Message[] = [];
  private sending = false;
  private result = 0; // receives what is queued, also after the hand let go

  constructor(private readonly stage: SceneView, private readonly failed: (error: unknown) => void) {}

  get active(): boolean {
    return this.held !== null;
  }

  start(picked: Picked): void {
    this.held = picked;
    this.result = picked.view.id;
    picked.view.bodies[picked.body]!.vertex(picked.vertex, this.target);
    this.plane.setFromNormalAndCoplanarPoint(this.stage.camera.getWorldDirection(new THREE.Vector3()), this.target);
    this.send({ action: "grab", body: picked.body, vertex: picked.vertex, target: this.target.toArray() });
    this.draw();
  }

  move(clientX: number, clientY: number): void {
    const ray = this.held && this.stage.rayAt(clientX, clientY)?.raycaster.ray;
    if (!ray || !ray.intersectPlane(this.plane, this.target)) return;
    this.send({ action: "move", target: this.target.toArray() });
    this.draw();
  }

  end(): void {
    if (!this.held) return;
    this.held.view.overlays.pull(null, null);
    this.send({ action: "release" });
    this.held = null;
    this.stage.invalidate();
  }

  // The thread from where the vertex is to where the hand is; also called when a new frame has come.
  draw(): void {
    if (!this.held) return;
    const at = this.held.view.bodies[this.held.body]!.vertex(this.held.vertex, new THREE.Vector3());
    this.held.view.overlays.pull(at, this.target);
    this.stage.invalidate();
  }

  private send(message: Message): void {
    const last = this.queue.at(-1);
    if (message.action === "move" && last?.action === "move") this.queue.pop();
    this.queue.push(message);
    if (!this.sending) void this.drain();
  }

  private async drain(): Promise<void> {
    this.sending = true;
    try {
      for (let message = this.queue.shift(); message; message = this.queue.shift()) {
        await postJson(`${resultPath(this.result)}/drag`, message);
      }
    } catch (error) {
      this.queue.length = 0;
      this.failed(error);
    } finally {
      this.sending = false;
    }
  }
}
