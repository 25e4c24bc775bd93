// One body of a result: its mesh of the current revision, where its vertices are now, and how it is drawn.
import * as THREE from "three";
import { writeColours, type ColourScale } from "./colours";
import { getBinary, resultPath, type BodyEntry } from "./data";
import { decodeMesh, writePositions, type BodyFrame, type Mesh } from "./formats";
import type { DrawMode, Shape } from "./shape";
import { Spheres } from "./spheres";
import { Surface } from "./surface";
import { Tubes } from "./tubes";

// Cloth is smooth wherever it folds; these have edges.
const kindsWithEdges = new Set(["solid", "rigid", "obstacle"]);

export class BodyView {
  readonly group = new THREE.Group();
  readonly colour: THREE.Color;
  mode: DrawMode = "solid";
  mesh: Mesh | null = null;
  positions = new Float32Array(0); // x y z per drawn vertex, as shown now [m]
  private readonly meshes = new Map<number, Mesh>();
  private revision = -1;
  private shape: Shape | null = null;
  private colours: Float32Array | null = null;
  private flat = false;

  constructor(readonly entry: BodyEntry, private readonly result: number, private readonly index: number) {
    this.colour = new THREE.Color(entry.colour);
  }

  get visible(): boolean {
    return this.group.visible;
  }

  set visible(on: boolean) {
    this.group.visible = on;
  }

  hasMesh(revision: number): boolean {
    return this.meshes.has(revision);
  }

  async loadMesh(revision: number): Promise<void> {
    if (this.meshes.has(revision)) return;
    const path = `${resultPath(this.result)}/bodies/${this.index}/revisions/${revision}/mesh`;
    this.meshes.set(revision, decodeMesh(await getBinary(path)));
  }

  // Moves the vertices to this frame; the mesh of its revision must be loaded.
  show(frame: BodyFrame): void {
    const mesh = this.meshes.get(frame.revision);
    if (!mesh) return;
    if (mesh.vertexCount !== frame.vertexCount) {
      throw new Error(`Body ${this.entry.name}: the frame has ${frame.vertexCount} vertices, its mesh has ${mesh.vertexCount}.`);
    }
    if (this.positions.length !== 3 * mesh.vertexCount) this.positions = new Float32Array(3 * mesh.vertexCount);
    writePositions(frame, this.positions);
    if (frame.revision !== this.revision) this.build(mesh, frame.revision);
    this.shape?.update(this.positions);
  }

  private build(mesh: Mesh, revision: number): void {
    this.shape?.dispose();
    this.group.clear();
    this.mesh = mesh;
    this.revision = revision;
    this.colours = null;
    const own = this.colour.clone();
    if (mesh.corners === 3) this.shape = new Surface(mesh, own, this.positions, kindsWithEdges.has(this.entry.kind));
    else if (mesh.corners === 2) this.shape = new Tubes(mesh, own);
    else this.shape = new Spheres(mesh, own);
    this.shape.paint(null);
    this.shape.setMode(this.mode);
    this.setFlat(this.flat);
    this.group.add(this.shape.object);
  }

  setMode(mode: DrawMode): void {
    this.mode = mode;
    this.shape?.setMode(mode);
  }

  setColour(colour: string): void {
    this.colour.set(colour);
    this.shape?.setColour(this.colour);
  }

  setFlat(flat: boolean): void {
    this.flat = flat;
    if (this.shape instanceof Surface) this.shape.setFlat(flat);
  }

  // Colours by a quantity of the frame now shown; a body without values keeps its own colour.
  paint(values: Float32Array | null, scale: ColourScale): void {
    const usable = values !== null && this.mesh !== null && values.length === this.mesh.vertexCount && scale.known;
    if (!usable || values.every(Number.isNaN)) {
      this.shape?.paint(null);
      return;
    }
    this.colours ??= new Float32Array(3 * values.length);
    writeColours(values, scale.low, scale.high, this.colours);
    this.shape?.paint(this.colours);
  }

  vertex(index: number, target: THREE.Vector3): THREE.Vector3 {
    return target.fromArray(this.positions, 3 * index);
  }

  addToBox(box: THREE.Box3): void {
    const point = new THREE.Vector3();
    for (let i = 0; i < this.positions.length; i += 3) box.expandByPoint(point.fromArray(this.positions, i));
  }

  // Mean of the vertices: what the camera follows.
  centre(target: THREE.Vector3): THREE.Vector3 {
    let [x, y, z] = [0, 0, 0];
    const count = this.positions.length / 3;
    for (let i = 0; i < this.positions.length; i += 3) {
      x += this.positions[i]!;
      y += this.positions[i + 1]!;
      z += this.positions[i + 2]!;
    }
    return count > 0 ? target.set(x / count, y / count, z / count) : target.set(0, 0, 0);
  }
}
