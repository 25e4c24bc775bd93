// The ground under a scene: a grid that fades with distance, and the shadow that bodies cast on it.
import * as THREE from "three";

// Lines one pixel wide at any distance: the distance to the next line is measured in pixels by its derivative.
const vertexShader = `
  varying vec2 place;
  void main() {
    place = position.xy;
    gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
  }`;
const fragmentShader = `
  varying vec2 place;
  uniform vec3 colour;
  uniform float cell;
  uniform float radius;
  uniform float strength;
  float line(float width) {
    vec2 at = place / width;
    vec2 pixels = abs(fract(at - 0.5) - 0.5) / fwidth(at);
    float crowded = clamp(2.0 * max(fwidth(at).x, fwidth(at).y), 0.0, 1.0);
    return (1.0 - min(min(pixels.x, pixels.y), 1.0)) * (1.0 - crowded);
  }
  void main() {
    float fade = 1.0 - smoothstep(0.15, 1.0, length(place) / radius);
    float ink = max(0.45 * line(cell), line(5.0 * cell));
    gl_FragColor = vec4(colour, strength * ink * fade);
    #include <colorspace_fragment>
  }`;

// The power of ten, or 2 or 5 times it, nearest below a length.
export function niceStep(length: number): number {
  const power = 10 ** Math.floor(Math.log10(length));
  const leading = length / power;
  return power * (leading >= 5 ? 5 : leading >= 2 ? 2 : 1);
}

export class Ground {
  readonly group = new THREE.Group();
  private readonly grid: THREE.ShaderMaterial;
  private readonly shadow = new THREE.ShadowMaterial({ opacity: 0.16, depthWrite: false });

  constructor(bounds: THREE.Box3, up: THREE.Vector3) {
    const size = bounds.getSize(new THREE.Vector3()).length();
    const radius = 4 * size;
    this.grid = new THREE.ShaderMaterial({
      vertexShader,
      fragmentShader,
      transparent: true,
      depthWrite: false,
      side: THREE.DoubleSide,
      uniforms: { colour: { value: new THREE.Color() }, cell: { value: niceStep(size / 8) }, radius: { value: radius }, strength: { value: 0.5 } },
    });
    const plane = new THREE.PlaneGeometry(2 * radius, 2 * radius);
    const lines = new THREE.Mesh(plane, this.grid);
    const dark = new THREE.Mesh(plane, this.shadow);
    dark.receiveShadow = true;
    lines.renderOrder = -2;
    dark.renderOrder = -1;
    this.group.add(lines, dark);
    this.group.quaternion.setFromUnitVectors(new THREE.Vector3(0, 0, 1), up);
    this.place(bounds, up, size);
  }

  // At the lowest point along `up`, a thousandth lower so that a floor lying there wins.
  private place(bounds: THREE.Box3, up: THREE.Vector3, size: number): void {
    const centre = bounds.getCenter(new THREE.Vector3());
    const half = bounds.getSize(new THREE.Vector3()).multiplyScalar(0.5);
    const reach = half.x * Math.abs(up.x) + half.y * Math.abs(up.y) + half.z * Math.abs(up.z);
    this.group.position.copy(centre).addScaledVector(up, -reach - 0.001 * size);
  }

  setTheme(dark: boolean): void {
    (this.grid.uniforms["colour"]!.value as THREE.Color).set(dark ? 0x8b98a8 : 0x5d6b7c);
    this.grid.uniforms["strength"]!.value = dark ? 0.32 : 0.4;
    this.shadow.opacity = dark ? 0.3 : 0.17;
  }
}
