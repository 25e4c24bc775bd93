// A triangle surface with smooth normals that follow the motion.
//
// Normal of a vertex = sum over its triangles of (x1 − x0) × (x2 − x0), which weights by area; the shader normalises.
// Solids, rigid bodies and obstacles may have edges that must stay sharp: where triangles around a vertex lean apart by
// more than kCreaseAngle, the vertex is drawn once per smooth group. The copies stand behind the drawn vertices in the
// arrays. Only shapes that look made (a box, a beam) are treated so: on a rough grown shape (a scanned animal) every
// small bend would become a facet.
import * as THREE from "three";
import type { Mesh } from "./formats";
import { consistentCells } from "./orientation";
import { applyPaint, dotMaterial, dynamicAttribute, litMaterial, type DrawMode, type Shape } from "./shape";

// 42°: a coarse sphere of 10 segments stays smooth, the edges of a box and of an octagon do not.
const kCreaseAngle = (42 * Math.PI) / 180;

interface Split {
  index: Uint32Array; // cells, naming copies where they are needed
  origin: number[]; // drawn vertex of each copy
}

// Unit normals of all triangles at these positions.
function faceNormals(cells: Uint32Array, positions: Float32Array): Float32Array {
  const normals = new Float32Array(cells.length);
  accumulate(cells, positions, (triangle, x, y, z) => {
    const length = Math.hypot(x, y, z) || 1;
    normals.set([x / length, y / length, z / length], 3 * triangle);
  });
  return normals;
}

function accumulate(cells: Uint32Array, positions: Float32Array, use: (triangle: number, x: number, y: number, z: number) => void): void {
  for (let c = 0; c < cells.length; c += 3) {
    const [i, j, k] = [3 * cells[c]!, 3 * cells[c + 1]!, 3 * cells[c + 2]!];
    const [ax, ay, az] = [positions[j]! - positions[i]!, positions[j + 1]! - positions[i + 1]!, positions[j + 2]! - positions[i + 2]!];
    const [bx, by, bz] = [positions[k]! - positions[i]!, positions[k + 1]! - positions[i + 1]!, positions[k + 2]! - positions[i + 2]!];
    use(c / 3, ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx);
  }
}

// Whether a shape looks made: its bends are sharp or hardly there. Counts edges that bend by 15° to 60°, and by more.
function looksMade(cells: Uint32Array, vertexCount: number, normals: Float32Array): boolean {
  const [hardly, sharply] = [Math.cos((15 * Math.PI) / 180), Math.cos((60 * Math.PI) / 180)];
  const firstTriangle = new Map<number, number>(); // by edge, its two vertices in one number
  let [between, sharp] = [0, 0];
  for (let corner = 0; corner < cells.length; ++corner) {
    const triangle = Math.floor(corner / 3);
    const [i, j] = [cells[corner]!, cells[3 * triangle + ((corner + 1) % 3)]!];
    const edge = Math.min(i, j) * vertexCount + Math.max(i, j);
    const other = firstTriangle.get(edge);
    if (other === undefined) {
      firstTriangle.set(edge, triangle);
      continue;
    }
    const [a, b] = [3 * triangle, 3 * other];
    const cosine = normals[a]! * normals[b]! + normals[a + 1]! * normals[b + 1]! + normals[a + 2]! * normals[b + 2]!;
    if (cosine < sharply) ++sharp;
    else if (cosine < hardly) ++between;
  }
  // A short cylinder has more gently bent edges along its side than sharp ones at its rims: hence the factor.
  return between < 2 * sharp;
}

// Groups the corners at each vertex by the direction of their triangles; every group after the first gets a copy.
function splitCreases(cells: Uint32Array, vertexCount: number, positions: Float32Array): Split {
  const normals = faceNormals(cells, positions);
  if (!looksMade(cells, vertexCount, normals)) return { index: cells, origin: [] };
  const cosine = Math.cos(kCreaseAngle);
  const groups: ({ vertex: number; normal: number }[] | undefined)[] = new Array(vertexCount);
  const origin: number[] = [];
  const index = cells.slice();
  for (let corner = 0; corner < index.length; ++corner) {
    const vertex = index[corner]!;
    const normal = 3 * Math.floor(corner / 3);
    const known = (groups[vertex] ??= []);
    const leans = (other: number): boolean =>
      normals[normal]! * normals[other]! + normals[normal + 1]! * normals[other + 1]! + normals[normal + 2]! * normals[other + 2]! < cosine;
    let group = known.find((candidate) => !leans(candidate.normal));
    if (!group) {
      group = { vertex: known.length === 0 ? vertex : vertexCount + origin.push(vertex) - 1, normal };
      known.push(group);
    }
    index[corner] = group.vertex;
  }
  return { index, origin };
}

export class Surface implements Shape {
  readonly object = new THREE.Group();
  private readonly index: Uint32Array;
  private readonly origin: number[];
  private readonly position: THREE.BufferAttribute;
  private readonly normal: THREE.BufferAttribute;
  private colour: THREE.BufferAttribute | null = null;
  private readonly geometry = new THREE.BufferGeometry();
  private readonly dotGeometry = new THREE.BufferGeometry();
  private readonly material: THREE.MeshStandardMaterial;
  private readonly dots: THREE.PointsMaterial;
  private readonly faces: THREE.Mesh;
  private readonly points: THREE.Points;

  constructor(private readonly mesh: Mesh, private readonly own: THREE.Color, positions: Float32Array, sharp: boolean) {
    const cells = consistentCells(mesh.cells, mesh.vertexCount);
    const split = sharp ? splitCreases(cells, mesh.vertexCount, positions) : { index: cells, origin: [] };
    this.index = split.index;
    this.origin = split.origin;
    this.position = dynamicAttribute(mesh.vertexCount + this.origin.length);
    this.normal = dynamicAttribute(mesh.vertexCount + this.origin.length);
    this.geometry.setIndex(new THREE.BufferAttribute(this.index, 1));
    this.geometry.setAttribute("position", this.position);
    this.geometry.setAttribute("normal", this.normal);
    this.dotGeometry.setAttribute("position", this.position);
    this.dotGeometry.setDrawRange(0, mesh.vertexCount);
    this.material = litMaterial(own);
    this.dots = dotMaterial(own);
    this.faces = new THREE.Mesh(this.geometry, this.material);
    this.points = new THREE.Points(this.dotGeometry, this.dots);
    this.faces.castShadow = this.faces.receiveShadow = true;
    // Bounds would have to be found again each frame to cull; drawing what is outside costs less.
    this.faces.frustumCulled = this.points.frustumCulled = false;
    this.points.visible = false;
    this.object.add(this.faces, this.points);
  }

  update(positions: Float32Array): void {
    const target = this.position.array as Float32Array;
    target.set(positions);
    this.copyToCreases(target);
    this.position.needsUpdate = true;
    if (this.faces.visible) this.updateNormals();
  }

  private copyToCreases(array: Float32Array): void {
    for (let copy = 0, at = 3 * this.mesh.vertexCount; copy < this.origin.length; ++copy, at += 3) {
      const from = 3 * this.origin[copy]!;
      array[at] = array[from]!;
      array[at + 1] = array[from + 1]!;
      array[at + 2] = array[from + 2]!;
    }
  }

  // Written out, without small arrays or closures: this loop runs over every triangle of every frame.
  private updateNormals(): void {
    const x = this.position.array as Float32Array;
    const n = this.normal.array as Float32Array;
    const cells = this.index;
    n.fill(0);
    for (let c = 0; c < cells.length; c += 3) {
      const i = 3 * cells[c]!;
      const j = 3 * cells[c + 1]!;
      const k = 3 * cells[c + 2]!;
      const ax = x[j]! - x[i]!;
      const ay = x[j + 1]! - x[i + 1]!;
      const az = x[j + 2]! - x[i + 2]!;
      const bx = x[k]! - x[i]!;
      const by = x[k + 1]! - x[i + 1]!;
      const bz = x[k + 2]! - x[i + 2]!;
      const nx = ay * bz - az * by;
      const ny = az * bx - ax * bz;
      const nz = ax * by - ay * bx;
      n[i] = n[i]! + nx;
      n[i + 1] = n[i + 1]! + ny;
      n[i + 2] = n[i + 2]! + nz;
      n[j] = n[j]! + nx;
      n[j + 1] = n[j + 1]! + ny;
      n[j + 2] = n[j + 2]! + nz;
      n[k] = n[k]! + nx;
      n[k + 1] = n[k + 1]! + ny;
      n[k + 2] = n[k + 2]! + nz;
    }
    // Areas of millimetre triangles are 1e-6: normalised here, because the shader's float may lose them.
    for (let i = 0; i < n.length; i += 3) {
      const scale = 1 / (Math.sqrt(n[i]! * n[i]! + n[i + 1]! * n[i + 1]! + n[i + 2]! * n[i + 2]!) || 1);
      n[i] = n[i]! * scale;
      n[i + 1] = n[i + 1]! * scale;
      n[i + 2] = n[i + 2]! * scale;
    }
    this.normal.needsUpdate = true;
  }

  paint(colours: Float32Array | null): void {
    if (colours) {
      if (!this.colour) {
        this.colour = dynamicAttribute(this.position.count);
        this.geometry.setAttribute("color", this.colour);
        this.dotGeometry.setAttribute("color", this.colour);
      }
      const target = this.colour.array as Float32Array;
      target.set(colours);
      this.copyToCreases(target);
      this.colour.needsUpdate = true;
    }
    applyPaint(this.material, this.own, colours !== null, colours !== null);
    applyPaint(this.dots, this.own, colours !== null, colours !== null);
  }

  setMode(mode: DrawMode): void {
    this.faces.visible = mode !== "points";
    this.points.visible = mode === "points";
    this.material.wireframe = mode === "wireframe";
    this.faces.castShadow = mode === "solid";
    if (this.faces.visible) this.updateNormals();
  }

  setFlat(flat: boolean): void {
    this.material.flatShading = flat;
    this.material.needsUpdate = true;
  }

  setColour(colour: THREE.Color): void {
    this.own.copy(colour);
    this.material.color.copy(colour);
    this.dots.color.copy(colour);
  }

  dispose(): void {
    this.geometry.dispose();
    this.dotGeometry.dispose();
    this.material.dispose();
    this.dots.dispose();
  }
}
