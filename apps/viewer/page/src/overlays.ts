// What is drawn on top of a result on request: contacts, pins, the picked vertex, and the thread while pulling.
// All of it shows through the bodies: contacts lie between two surfaces and would otherwise never be seen.
import * as THREE from "three";
import type { BodyView } from "./bodies";
import { contactStride, type Contacts } from "./formats";

const kPointColour = 0xe0483e;
const kNormalColour = 0x2d9c8f;
const kForceColour = 0xe8a317;
const kPinColour = 0xd6336c;
const kMarkerColour = 0xff5a1f;

function onTop<T extends THREE.Material>(material: T): T {
  material.depthTest = false;
  material.transparent = true;
  return material;
}

// Lines (or dots) whose number changes from frame to frame: the buffer doubles when it is too small.
class GrowingLines {
  readonly object: THREE.LineSegments | THREE.Points;
  private array = new Float32Array(0);

  constructor(material: THREE.LineBasicMaterial | THREE.PointsMaterial) {
    const geometry = new THREE.BufferGeometry();
    this.object = material instanceof THREE.PointsMaterial ? new THREE.Points(geometry, material) : new THREE.LineSegments(geometry, material);
    this.object.frustumCulled = false;
    this.object.renderOrder = 5;
  }

  start(vertexCount: number): Float32Array {
    if (this.array.length < 3 * vertexCount) {
      this.array = new Float32Array(6 * vertexCount);
      this.object.geometry.dispose();
      this.object.geometry = new THREE.BufferGeometry();
      this.object.geometry.setAttribute("position", new THREE.BufferAttribute(this.array, 3));
    }
    return this.array;
  }

  finish(vertexCount: number): void {
    this.object.geometry.setDrawRange(0, vertexCount);
    const attribute = this.object.geometry.getAttribute("position");
    if (attribute) attribute.needsUpdate = true;
    this.object.visible = vertexCount > 0;
  }
}

export class Overlays {
  readonly group = new THREE.Group();
  private readonly contactPoints = new GrowingLines(onTop(new THREE.PointsMaterial({ color: kPointColour, size: 5, sizeAttenuation: false })));
  private readonly normals = new GrowingLines(onTop(new THREE.LineBasicMaterial({ color: kNormalColour })));
  private readonly forces = new GrowingLines(onTop(new THREE.LineBasicMaterial({ color: kForceColour })));
  private readonly pins = new GrowingLines(onTop(new THREE.PointsMaterial({ color: kPinColour, size: 8, sizeAttenuation: false })));
  private readonly thread = new GrowingLines(onTop(new THREE.LineBasicMaterial({ color: kMarkerColour })));
  private readonly marker = new THREE.Group();
  private largestForce = 0; // over the frames seen, so that arrows of different frames compare
  private picked: { body: number; vertex: number } | null = null;
  pinsOn = false;

  constructor(private readonly bodies: BodyView[]) {
    for (const lines of [this.contactPoints, this.normals, this.forces, this.pins, this.thread]) {
      lines.finish(0);
      this.group.add(lines.object);
    }
    const ball = new THREE.SphereGeometry(1, 20, 14);
    const rim = new THREE.Mesh(ball, onTop(new THREE.MeshBasicMaterial({ color: 0xffffff })));
    const core = new THREE.Mesh(ball, onTop(new THREE.MeshBasicMaterial({ color: kMarkerColour })));
    core.scale.setScalar(0.68);
    rim.renderOrder = 8;
    core.renderOrder = 9;
    this.marker.add(rim, core);
    this.marker.visible = false;
    this.group.add(this.marker);
  }

  pick(picked: { body: number; vertex: number } | null): void {
    this.picked = picked;
    this.update();
  }

  // Moves what hangs on vertices to where they are now.
  update(): void {
    this.marker.visible = this.picked !== null;
    if (this.picked) this.bodies[this.picked.body]?.vertex(this.picked.vertex, this.marker.position);
    let count = 0;
    if (this.pinsOn) {
      const array = this.pins.start(this.bodies.reduce((sum, body) => sum + body.entry.pinned.length, 0));
      for (const body of this.bodies) {
        if (!body.visible) continue;
        for (const vertex of body.entry.pinned) {
          // Pins belong to the first revision; a later one may have fewer vertices.
          if (3 * vertex + 2 >= body.positions.length) continue;
          array.set(body.positions.subarray(3 * vertex, 3 * vertex + 3), 3 * count++);
        }
      }
    }
    this.pins.finish(count);
  }

  // The marker keeps its size on the screen: 0.9 % of the distance to the camera.
  face(camera: THREE.Camera): void {
    this.marker.scale.setScalar(0.009 * camera.position.distanceTo(this.marker.position));
  }

  // Points, normals of a fixed length, forces as arrows; the largest force is 20 % of the scene's diagonal.
  showContacts(contacts: Contacts | null, bounds: THREE.Box3): void {
    const count = contacts?.count ?? 0;
    const diagonal = bounds.getSize(new THREE.Vector3()).length();
    const points = this.contactPoints.start(count);
    const normals = this.normals.start(2 * count);
    const forces = this.forces.start(6 * count);
    const data = contacts?.floats ?? new Float32Array(0);
    for (let c = 0; c < count; ++c) {
      const at = c * contactStride;
      this.largestForce = Math.max(this.largestForce, Math.hypot(data[at + 6]!, data[at + 7]!, data[at + 8]!));
    }
    const forceScale = this.largestForce > 0 ? (0.2 * diagonal) / this.largestForce : 0;
    const [point, normal, force] = [new THREE.Vector3(), new THREE.Vector3(), new THREE.Vector3()];
    for (let c = 0; c < count; ++c) {
      const at = c * contactStride;
      point.fromArray(data, at);
      point.toArray(points, 3 * c);
      point.toArray(normals, 6 * c);
      normal.fromArray(data, at + 3).multiplyScalar(0.03 * diagonal);
      normal.add(point).toArray(normals, 6 * c + 3);
      writeArrow(forces, 18 * c, point, force.fromArray(data, at + 6).multiplyScalar(forceScale));
    }
    this.contactPoints.finish(count);
    this.normals.finish(2 * count);
    this.forces.finish(6 * count);
  }

  // The thread from the pulled vertex to the pointer, or none.
  pull(from: THREE.Vector3 | null, to: THREE.Vector3 | null): void {
    const array = this.thread.start(2);
    from?.toArray(array, 0);
    to?.toArray(array, 3);
    this.thread.finish(from && to ? 2 : 0);
  }
}

// An arrow as three line segments: the shaft and two barbs of a fifth of its length.
function writeArrow(target: Float32Array, at: number, from: THREE.Vector3, along: THREE.Vector3): void {
  const tip = from.clone().add(along);
  const side = new THREE.Vector3(-along.z, along.x, along.y).cross(along).normalize().multiplyScalar(0.09 * along.length());
  const neck = tip.clone().addScaledVector(along, -0.2);
  const ends = [from, tip, tip, neck.clone().add(side), tip, neck.sub(side)];
  ends.forEach((end, i) => end.toArray(target, at + 3 * i));
}
