// Rods, hair and springs: segments drawn as tubes of their radius, that is a cylinder per segment and a ball per vertex.
//
// The line through the tube's axis is drawn as well. It is hidden inside a tube wider than a pixel, and it is what
// remains of a hair of 50 µm seen from a metre away. Segments without radius (springs) are only this line.
import * as THREE from "three";
import type { Mesh } from "./formats";
import { applyPaint, dotMaterial, dynamicAttribute, litMaterial, type DrawMode, type Shape } from "./shape";

// Above this many segments the tubes are hair: six sides are enough.
const kManySegments = 20000;

export class Tubes implements Shape {
  readonly object = new THREE.Group();
  private readonly position: THREE.BufferAttribute;
  private colour: THREE.BufferAttribute | null = null;
  private readonly geometry = new THREE.BufferGeometry();
  private readonly dotGeometry = new THREE.BufferGeometry();
  private readonly material: THREE.MeshStandardMaterial;
  private readonly lineMaterial: THREE.LineBasicMaterial;
  private readonly dots: THREE.PointsMaterial;
  private readonly cylinders: THREE.InstancedMesh | null = null;
  private readonly balls: THREE.InstancedMesh | null = null;
  private readonly lines: THREE.LineSegments;
  private readonly points: THREE.Points;

  constructor(private readonly mesh: Mesh, private readonly own: THREE.Color) {
    this.position = dynamicAttribute(mesh.vertexCount);
    this.geometry.setIndex(new THREE.BufferAttribute(mesh.cells, 1));
    this.geometry.setAttribute("position", this.position);
    this.dotGeometry.setAttribute("position", this.position);
    this.material = litMaterial(own);
    this.lineMaterial = new THREE.LineBasicMaterial({ color: own });
    this.dots = dotMaterial(own);
    this.lines = new THREE.LineSegments(this.geometry, this.lineMaterial);
    this.points = new THREE.Points(this.dotGeometry, this.dots);
    this.lines.frustumCulled = this.points.frustumCulled = false;
    this.points.visible = false;
    this.object.add(this.lines, this.points);
    if (mesh.radius) {
      const segmentCount = mesh.cells.length / 2;
      const sides = segmentCount > kManySegments ? 6 : 14;
      this.cylinders = this.instances(new THREE.CylinderGeometry(1, 1, 1, sides, 1, true), segmentCount);
      this.balls = this.instances(new THREE.SphereGeometry(1, sides, Math.max(4, sides / 2)), mesh.vertexCount);
    }
  }

  private instances(geometry: THREE.BufferGeometry, count: number): THREE.InstancedMesh {
    const mesh = new THREE.InstancedMesh(geometry, this.material, count);
    mesh.instanceMatrix.setUsage(THREE.DynamicDrawUsage);
    mesh.frustumCulled = false;
    mesh.castShadow = mesh.receiveShadow = true;
    this.object.add(mesh);
    return mesh;
  }

  update(positions: Float32Array): void {
    (this.position.array as Float32Array).set(positions);
    this.position.needsUpdate = true;
    if (this.cylinders) this.placeCylinders(positions, this.cylinders);
    if (this.balls && this.mesh.radius) placeBalls(positions, this.mesh.radius, this.balls);
  }

  // Matrix of a segment: y column along it with its length, x and z columns across it with its radius.
  private placeCylinders(x: Float32Array, target: THREE.InstancedMesh): void {
    const { cells, radius } = this.mesh;
    const m = target.instanceMatrix.array as Float32Array;
    for (let c = 0, at = 0; c < cells.length; c += 2, at += 16) {
      const i = cells[c]!;
      const j = cells[c + 1]!;
      const dx = x[3 * j]! - x[3 * i]!;
      const dy = x[3 * j + 1]! - x[3 * i + 1]!;
      const dz = x[3 * j + 2]! - x[3 * i + 2]!;
      const r = 0.5 * (radius![i]! + radius![j]!);
      // A direction across: the segment turned with the axis it is least along.
      let ux = 0;
      let uy = -dz;
      let uz = dy;
      if (Math.abs(dx) > 0.8 * Math.hypot(dx, dy, dz)) {
        ux = dz;
        uy = 0;
        uz = -dx;
      }
      const across = r / (Math.hypot(ux, uy, uz) || 1);
      ux *= across;
      uy *= across;
      uz *= across;
      const along = 1 / (Math.hypot(dx, dy, dz) || 1);
      m[at] = ux;
      m[at + 1] = uy;
      m[at + 2] = uz;
      m[at + 4] = dx;
      m[at + 5] = dy;
      m[at + 6] = dz;
      m[at + 8] = (uy * dz - uz * dy) * along;
      m[at + 9] = (uz * dx - ux * dz) * along;
      m[at + 10] = (ux * dy - uy * dx) * along;
      m[at + 12] = x[3 * i]! + 0.5 * dx;
      m[at + 13] = x[3 * i + 1]! + 0.5 * dy;
      m[at + 14] = x[3 * i + 2]! + 0.5 * dz;
      m[at + 15] = 1;
    }
    target.instanceMatrix.needsUpdate = true;
  }

  paint(colours: Float32Array | null): void {
    if (colours) {
      if (!this.colour) {
        this.colour = dynamicAttribute(this.mesh.vertexCount);
        this.geometry.setAttribute("color", this.colour);
        this.dotGeometry.setAttribute("color", this.colour);
      }
      (this.colour.array as Float32Array).set(colours);
      this.colour.needsUpdate = true;
    }
    applyPaint(this.lineMaterial, this.own, colours !== null, colours !== null);
    applyPaint(this.dots, this.own, colours !== null, colours !== null);
    applyPaint(this.material, this.own, false, true);
    if (this.balls) paintInstances(this.balls, colours, this.own);
    if (this.cylinders) paintInstances(this.cylinders, colours && this.segmentColours(colours), this.own);
  }

  // A cylinder has one colour: the mean of its ends.
  private segmentColours(colours: Float32Array): Float32Array {
    const { cells } = this.mesh;
    const means = new Float32Array(1.5 * cells.length);
    for (let c = 0, at = 0; c < cells.length; c += 2, at += 3) {
      for (let channel = 0; channel < 3; ++channel) {
        means[at + channel] = 0.5 * (colours[3 * cells[c]! + channel]! + colours[3 * cells[c + 1]! + channel]!);
      }
    }
    return means;
  }

  setMode(mode: DrawMode): void {
    if (this.cylinders) this.cylinders.visible = mode === "solid";
    if (this.balls) this.balls.visible = mode === "solid";
    this.lines.visible = mode !== "points";
    this.points.visible = mode === "points";
  }

  setColour(colour: THREE.Color): void {
    this.own.copy(colour);
    this.paint(null);
  }

  dispose(): void {
    for (const part of [this.cylinders, this.balls]) {
      part?.geometry.dispose();
      part?.dispose();
    }
    for (const part of [this.geometry, this.dotGeometry, this.material, this.lineMaterial, this.dots]) part.dispose();
  }
}

// One ball per vertex, scaled by its radius.
export function placeBalls(x: Float32Array, radius: Float32Array, target: THREE.InstancedMesh): void {
  const m = target.instanceMatrix.array as Float32Array;
  for (let i = 0, at = 0; i < radius.length; ++i, at += 16) {
    m[at] = m[at + 5] = m[at + 10] = radius[i]!;
    m[at + 12] = x[3 * i]!;
    m[at + 13] = x[3 * i + 1]!;
    m[at + 14] = x[3 * i + 2]!;
    m[at + 15] = 1;
  }
  target.instanceMatrix.needsUpdate = true;
}

// Instances carry their colour themselves; the material under them is white.
export function paintInstances(target: THREE.InstancedMesh, colours: Float32Array | null, own: THREE.Color): void {
  if (!target.instanceColor) {
    target.instanceColor = new THREE.InstancedBufferAttribute(new Float32Array(3 * target.count), 3);
    target.instanceColor.setUsage(THREE.DynamicDrawUsage);
    (target.material as THREE.Material).needsUpdate = true;
  }
  const array = target.instanceColor.array as Float32Array;
  if (colours) array.set(colours);
  else for (let i = 0; i < array.length; i += 3) own.toArray(array, i);
  target.instanceColor.needsUpdate = true;
}
