// Particles: one ball per vertex, or dots of a few pixels when they carry no radius.
import * as THREE from "three";
import type { Mesh } from "./formats";
import { applyPaint, dotMaterial, dynamicAttribute, litMaterial, type DrawMode, type Shape } from "./shape";
import { paintInstances, placeBalls } from "./tubes";

// Above this many particles a ball covers few pixels: 80 triangles instead of 320.
const kManyParticles = 5000;

export class Spheres implements Shape {
  readonly object = new THREE.Group();
  private readonly position: THREE.BufferAttribute;
  private colour: THREE.BufferAttribute | null = null;
  private readonly geometry = new THREE.BufferGeometry();
  private readonly material: THREE.MeshStandardMaterial;
  private readonly dots: THREE.PointsMaterial;
  private readonly balls: THREE.InstancedMesh | null = null;
  private readonly points: THREE.Points;

  constructor(private readonly mesh: Mesh, private readonly own: THREE.Color) {
    this.position = dynamicAttribute(mesh.vertexCount);
    this.geometry.setAttribute("position", this.position);
    this.material = litMaterial(own);
    this.dots = dotMaterial(own);
    this.points = new THREE.Points(this.geometry, this.dots);
    this.points.frustumCulled = false;
    this.points.visible = mesh.radius === null;
    this.object.add(this.points);
    if (mesh.radius) {
      const detail = mesh.vertexCount > kManyParticles ? 1 : 2;
      this.balls = new THREE.InstancedMesh(new THREE.IcosahedronGeometry(1, detail), this.material, mesh.vertexCount);
      this.balls.geometry.setAttribute("normal", this.balls.geometry.getAttribute("position").clone());
      this.balls.instanceMatrix.setUsage(THREE.DynamicDrawUsage);
      this.balls.frustumCulled = false;
      this.balls.castShadow = this.balls.receiveShadow = true;
      this.object.add(this.balls);
    }
  }

  update(positions: Float32Array): void {
    (this.position.array as Float32Array).set(positions);
    this.position.needsUpdate = true;
    if (this.balls && this.mesh.radius) placeBalls(positions, this.mesh.radius, this.balls);
  }

  paint(colours: Float32Array | null): void {
    if (colours) {
      if (!this.colour) {
        this.colour = dynamicAttribute(this.mesh.vertexCount);
        this.geometry.setAttribute("color", this.colour);
      }
      (this.colour.array as Float32Array).set(colours);
      this.colour.needsUpdate = true;
    }
    applyPaint(this.dots, this.own, colours !== null, colours !== null);
    applyPaint(this.material, this.own, false, true);
    if (this.balls) paintInstances(this.balls, colours, this.own);
  }

  setMode(mode: DrawMode): void {
    const asBalls = this.balls !== null && mode !== "points";
    if (this.balls) this.balls.visible = asBalls;
    this.points.visible = !asBalls;
    this.material.wireframe = mode === "wireframe";
  }

  setColour(colour: THREE.Color): void {
    this.own.copy(colour);
    this.paint(null);
  }

  dispose(): void {
    this.balls?.geometry.dispose();
    this.balls?.dispose();
    this.geometry.dispose();
    this.material.dispose();
    this.dots.dispose();
  }
}
