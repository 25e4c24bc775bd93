// What a body's mesh looks like on the screen: the interface that surfaces, tubes and spheres share.
import * as THREE from "three";

export type DrawMode = "solid" | "wireframe" | "points";

export interface Shape {
  readonly object: THREE.Object3D;
  update(positions: Float32Array): void; // x y z per drawn vertex [m]
  paint(colours: Float32Array | null): void; // linear r g b per drawn vertex, or the body's own colour
  setMode(mode: DrawMode): void;
  setColour(colour: THREE.Color): void;
  dispose(): void;
}

export function dynamicAttribute(count: number): THREE.BufferAttribute {
  const attribute = new THREE.BufferAttribute(new Float32Array(3 * count), 3);
  attribute.setUsage(THREE.DynamicDrawUsage);
  return attribute;
}

export function litMaterial(colour: THREE.Color): THREE.MeshStandardMaterial {
  return new THREE.MeshStandardMaterial({ color: colour, roughness: 0.72, metalness: 0, side: THREE.DoubleSide });
}

// Own colour or painted: painted vertices are multiplied by white.
export function applyPaint(
  material: THREE.MeshStandardMaterial | THREE.LineBasicMaterial | THREE.PointsMaterial,
  own: THREE.Color,
  vertexColours: boolean,
  painted: boolean,
): void {
  material.color.copy(painted ? whiteLight : own);
  if (material.vertexColors !== vertexColours) {
    material.vertexColors = vertexColours;
    material.needsUpdate = true;
  }
}

const whiteLight = new THREE.Color(1, 1, 1);

// Dots of a fixed number of pixels: vertices of any shape, shown as points.
export function dotMaterial(colour: THREE.Color): THREE.PointsMaterial {
  return new THREE.PointsMaterial({ color: colour, size: 3, sizeAttenuation: false });
}
