// The stage: one canvas, one camera, and a viewport for each result. Two results share the camera, so they are always
// seen from the same place. Draws only when something changed.
import * as THREE from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import type { BodyView } from "./bodies";
import { Ground } from "./ground";
import type { ResultView } from "./result_view";

export interface Viewport { view: ResultView; x: number; y: number; width: number; height: number } // CSS pixels, y down

interface Stage { view: ResultView; ground: Ground; key: THREE.DirectionalLight; fill: THREE.DirectionalLight }

export class SceneView {
  readonly camera: THREE.PerspectiveCamera;
  readonly controls: OrbitControls;
  readonly canvas: HTMLCanvasElement;
  followed: BodyView | null = null;
  private readonly followedCentre = new THREE.Vector3();
  private readonly renderer: THREE.WebGLRenderer;
  private stages: Stage[] = [];
  private readonly bounds = new THREE.Box3();
  private dirty = true;

  constructor(private readonly host: HTMLElement, private readonly views: ResultView[]) {
    this.renderer = new THREE.WebGLRenderer({ antialias: true, powerPreference: "high-performance" });
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = THREE.PCFSoftShadowMap;
    this.canvas = this.renderer.domElement;
    this.canvas.setAttribute("aria-label", "Simulation view: drag to turn, right drag to pan, wheel to zoom, click a vertex to inspect it");
    this.canvas.tabIndex = 0;
    host.prepend(this.canvas);
    for (const view of views) this.bounds.union(view.bounds);
    const { camera } = views[0]!.manifest;
    const up = new THREE.Vector3(...camera.up).normalize();
    this.camera = new THREE.PerspectiveCamera(camera.degrees, 1, 0.01, 100);
    this.camera.up.copy(up);
    this.controls = new OrbitControls(this.camera, this.canvas);
    this.controls.enableDamping = true;
    this.controls.dampingFactor = 0.18;
    this.controls.addEventListener("change", () => this.invalidate());
    this.resize();
    this.placeCamera();
    this.stages = views.map((view) => this.furnish(view, up));
    new ResizeObserver(() => this.resize()).observe(host);
  }

  // Ground and light: a sky, a key light that casts the shadow, and a weak light from the camera's side.
  private furnish(view: ResultView, up: THREE.Vector3): Stage {
    const ground = new Ground(this.bounds, up);
    const centre = this.bounds.getCenter(new THREE.Vector3());
    const radius = 0.5 * this.bounds.getSize(new THREE.Vector3()).length();
    const sky = new THREE.HemisphereLight(0xffffff, 0xc9c3ba, 1.75);
    sky.position.copy(up);
    const key = new THREE.DirectionalLight(0xfffaf2, 1.7);
    // From the left of the first look, so that two sides of a box differ; it stays there when the camera turns.
    const aside = this.camera.position.clone().sub(this.controls.target).projectOnPlane(up).normalize().applyAxisAngle(up, -0.7);
    key.position.copy(centre).addScaledVector(up, 2.7 * radius).addScaledVector(aside, 2.1 * radius);
    key.target.position.copy(centre);
    key.castShadow = true;
    key.shadow.mapSize.set(2048, 2048);
    key.shadow.radius = 5;
    key.shadow.normalBias = 0.006 * radius;
    key.shadow.bias = -0.0004;
    const frustum = key.shadow.camera;
    frustum.left = frustum.bottom = -1.15 * radius;
    frustum.right = frustum.top = 1.15 * radius;
    frustum.near = 0.5 * radius;
    frustum.far = 6 * radius;
    const fill = new THREE.DirectionalLight(0xffffff, 0.35);
    fill.target.position.copy(centre);
    view.scene.add(ground.group, sky, key, key.target, fill, fill.target);
    return { view, ground, key, fill };
  }

  invalidate(): void {
    this.dirty = true;
  }

  get cameraDistance(): number {
    return this.camera.position.distanceTo(this.controls.target);
  }

  // Where each result is drawn: side by side, or one above the other on a narrow screen.
  viewports(): Viewport[] {
    const { clientWidth: width, clientHeight: height } = this.host;
    const stacked = width <= 640 || height > 1.3 * width;
    const n = this.views.length;
    return this.views.map((view, i) =>
      stacked
        ? { view, x: 0, y: (i * height) / n, width, height: height / n }
        : { view, x: (i * width) / n, y: 0, width: width / n, height },
    );
  }

  private resize(): void {
    const { clientWidth, clientHeight } = this.host;
    if (clientWidth === 0 || clientHeight === 0) return;
    this.renderer.setPixelRatio(Math.min(window.devicePixelRatio, 2));
    this.renderer.setSize(clientWidth, clientHeight);
    const { width, height } = this.viewports()[0]!;
    this.camera.aspect = width / height;
    this.camera.updateProjectionMatrix();
    this.draw(); // at once: a resized canvas is empty until it is drawn
  }

  setTheme(dark: boolean): void {
    for (const { view, ground } of this.stages) {
      view.scene.background = new THREE.Color(dark ? 0x171b21 : 0xf3f4f6);
      ground.setTheme(dark);
    }
    this.invalidate();
  }

  setGround(on: boolean): void {
    for (const { ground } of this.stages) ground.group.visible = on;
    this.invalidate();
  }

  setShadows(on: boolean): void {
    for (const { key } of this.stages) key.castShadow = on;
    this.invalidate();
  }

  // From the scene's own camera if it has one, else from a little above and aside.
  private placeCamera(): void {
    const { from, to } = this.views[0]!.manifest.camera;
    if (from) {
      this.camera.position.set(...from);
      if (to) this.controls.target.set(...to);
      else this.bounds.getCenter(this.controls.target);
      // A narrow viewport sees less to the sides: step back as far as it needs.
      const back = Math.max(1, 1.15 / this.camera.aspect);
      this.camera.position.sub(this.controls.target).multiplyScalar(back).add(this.controls.target);
      this.controls.update();
    } else {
      this.frame(this.bounds);
    }
  }

  // Moves the camera along its own direction until a box fills the view: a corner at (x, y) across and z towards the
  // camera is inside when the distance is at least z + |x| / tan(half width) and z + |y| / tan(half height).
  frame(box: THREE.Box3): void {
    if (box.isEmpty()) return;
    const centre = box.getCenter(new THREE.Vector3());
    const towards = this.camera.position.clone().sub(this.controls.target);
    if (towards.lengthSq() < 1e-12) this.defaultDirection(towards);
    towards.normalize();
    const right = new THREE.Vector3().crossVectors(this.camera.up, towards).normalize();
    const above = new THREE.Vector3().crossVectors(towards, right);
    const height = Math.tan(0.5 * THREE.MathUtils.degToRad(this.camera.fov));
    const half = box.getSize(new THREE.Vector3()).multiplyScalar(0.5);
    let distance = 1e-6;
    for (let i = 0; i < 8; ++i) {
      const corner = new THREE.Vector3(i & 1 ? half.x : -half.x, i & 2 ? half.y : -half.y, i & 4 ? half.z : -half.z);
      const across = Math.max(Math.abs(corner.dot(right)) / (height * this.camera.aspect), Math.abs(corner.dot(above)) / height);
      distance = Math.max(distance, corner.dot(towards) + across);
    }
    this.controls.target.copy(centre);
    this.camera.position.copy(centre).addScaledVector(towards, 1.08 * distance);
    this.controls.update();
    this.invalidate();
  }

  // The first look, when the scene has no camera of its own: all of it, or only the moving bodies and some room around
  // them where a floor is so large that they would be lost on it.
  firstLook(): void {
    if (this.views[0]!.manifest.camera.from) return;
    const moving = new THREE.Box3();
    for (const view of this.views) moving.union(view.movingBox());
    if (moving.isEmpty()) return;
    const size = moving.getSize(new THREE.Vector3());
    const lost = this.bounds.getSize(new THREE.Vector3()).length() > 4 * size.length();
    this.frame(lost ? moving.expandByScalar(0.4 * size.length()) : this.bounds);
  }

  private defaultDirection(direction: THREE.Vector3): void {
    const up = this.camera.up;
    const side = new THREE.Vector3(Math.abs(up.x) > 0.9 ? 0 : 1, Math.abs(up.x) > 0.9 ? 1 : 0, 0).projectOnPlane(up).normalize();
    const front = new THREE.Vector3().crossVectors(side, up);
    direction.copy(front).addScaledVector(side, 0.5).addScaledVector(up, 0.45);
  }

  frameAll(): void {
    this.frame(this.bounds);
  }

  follow(body: BodyView | null): void {
    this.followed = body;
    body?.centre(this.followedCentre);
  }

  // Carries camera and target along with the followed body; called after a frame is shown.
  track(): void {
    if (this.followed) {
      const centre = this.followed.centre(new THREE.Vector3());
      const moved = centre.clone().sub(this.followedCentre);
      this.camera.position.add(moved);
      this.controls.target.add(moved);
      this.followedCentre.copy(centre);
    }
    this.invalidate();
  }

  // The ray through a point of the window, and the result it falls on.
  rayAt(clientX: number, clientY: number): { viewport: Viewport; raycaster: THREE.Raycaster } | null {
    const frame = this.canvas.getBoundingClientRect();
    const [x, y] = [clientX - frame.left, clientY - frame.top];
    const viewport = this.viewports().find((port) => x >= port.x && x < port.x + port.width && y >= port.y && y < port.y + port.height);
    if (!viewport) return null;
    const point = new THREE.Vector2((2 * (x - viewport.x)) / viewport.width - 1, 1 - (2 * (y - viewport.y)) / viewport.height);
    const raycaster = new THREE.Raycaster();
    this.camera.updateMatrixWorld();
    raycaster.setFromCamera(point, this.camera);
    return { viewport, raycaster };
  }

  // Where a point of a result appears in the window.
  project(view: ResultView, point: THREE.Vector3): [number, number] {
    const frame = this.canvas.getBoundingClientRect();
    const port = this.viewports().find((candidate) => candidate.view === view)!;
    this.camera.updateMatrixWorld();
    const p = point.clone().project(this.camera);
    return [frame.left + port.x + 0.5 * (p.x + 1) * port.width, frame.top + port.y + 0.5 * (1 - p.y) * port.height];
  }

  // Size of a pixel at a distance from the camera [m].
  pixelSize(distance: number): number {
    const { height } = this.viewports()[0]!;
    return (2 * distance * Math.tan(0.5 * THREE.MathUtils.degToRad(this.camera.fov))) / height;
  }

  // Called every animation frame: lets the camera glide, and draws if anything changed.
  tick(): void {
    this.controls.update();
    if (this.dirty) this.draw();
  }

  private draw(): void {
    this.dirty = false;
    const size = this.bounds.getSize(new THREE.Vector3()).length();
    this.camera.near = Math.max(0.004 * this.cameraDistance, 1e-5);
    this.camera.far = this.cameraDistance + 12 * size;
    this.camera.updateProjectionMatrix();
    const { clientHeight } = this.host;
    this.renderer.setScissorTest(true);
    for (const { view, x, y, width, height } of this.viewports()) {
      const stage = this.stages.find((candidate) => candidate.view === view);
      stage?.fill.position.copy(this.camera.position);
      view.overlays.face(this.camera);
      this.renderer.setViewport(x, clientHeight - y - height, width, height);
      this.renderer.setScissor(x, clientHeight - y - height, width, height);
      this.renderer.render(view.scene, this.camera);
    }
  }
}
