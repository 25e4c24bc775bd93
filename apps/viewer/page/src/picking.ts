// Which vertex is under the pointer.
//
// The ray is tested against the typed arrays of each visible body, cell by cell: 400 000 triangles take about ten
// milliseconds, so no search tree has to be kept up to date while bodies deform.
//   triangle  intersection after Möller and Trumbore, then the nearest of its three corners
//   segment   nearest points of ray and segment, within its radius or a few pixels; then the nearer end
//   point     distance from the ray, within its radius or a few pixels
import * as THREE from "three";
import type { BodyView } from "./bodies";
import type { ResultView } from "./result_view";
import type { SceneView } from "./scene_view";

export interface Picked { view: ResultView; body: number; vertex: number }

// How far beside a thin thing a click may fall.
const kTolerancePixels = 6;

interface Hit { distance: number; vertex: number }

interface Aim { origin: THREE.Vector3; direction: THREE.Vector3; pixel: (distance: number) => number }

function nearestOf(body: BodyView, corners: number[], point: THREE.Vector3): number {
  const at = new THREE.Vector3();
  let best = corners[0]!;
  let least = Infinity;
  for (const corner of corners) {
    const distance = body.vertex(corner, at).distanceToSquared(point);
    if (distance < least) [best, least] = [corner, distance];
  }
  return best;
}

function hitTriangles(body: BodyView, cells: Uint32Array, aim: Aim): Hit | null {
  const x = body.positions;
  const { x: ox, y: oy, z: oz } = aim.origin;
  const { x: dx, y: dy, z: dz } = aim.direction;
  let nearest = Infinity;
  let cell = -1;
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
    const px = dy * bz - dz * by;
    const py = dz * bx - dx * bz;
    const pz = dx * by - dy * bx;
    const determinant = ax * px + ay * py + az * pz;
    if (determinant === 0) continue;
    const sx = ox - x[i]!;
    const sy = oy - x[i + 1]!;
    const sz = oz - x[i + 2]!;
    const u = (sx * px + sy * py + sz * pz) / determinant;
    if (u < 0 || u > 1) continue;
    const qx = sy * az - sz * ay;
    const qy = sz * ax - sx * az;
    const qz = sx * ay - sy * ax;
    const v = (dx * qx + dy * qy + dz * qz) / determinant;
    if (v < 0 || u + v > 1) continue;
    const distance = (bx * qx + by * qy + bz * qz) / determinant;
    if (distance > 0 && distance < nearest) {
      nearest = distance;
      cell = c;
    }
  }
  if (cell < 0) return null;
  const point = aim.origin.clone().addScaledVector(aim.direction, nearest);
  return { distance: nearest, vertex: nearestOf(body, [cells[cell]!, cells[cell + 1]!, cells[cell + 2]!], point) };
}

function hitSegments(body: BodyView, cells: Uint32Array, radius: Float32Array | null, aim: Aim): Hit | null {
  const ray = new THREE.Ray(aim.origin, aim.direction);
  const [from, to, onRay, onSegment] = [new THREE.Vector3(), new THREE.Vector3(), new THREE.Vector3(), new THREE.Vector3()];
  let best: Hit | null = null;
  for (let c = 0; c < cells.length; c += 2) {
    const [i, j] = [cells[c]!, cells[c + 1]!];
    const beside = Math.sqrt(ray.distanceSqToSegment(body.vertex(i, from), body.vertex(j, to), onRay, onSegment));
    const distance = onRay.distanceTo(aim.origin);
    if (beside > Math.max(radius?.[i] ?? 0, kTolerancePixels * aim.pixel(distance))) continue;
    if (!best || distance < best.distance) best = { distance, vertex: nearestOf(body, [i, j], onSegment) };
  }
  return best;
}

function hitPoints(body: BodyView, vertexCount: number, radius: Float32Array | null, aim: Aim): Hit | null {
  const ray = new THREE.Ray(aim.origin, aim.direction);
  const at = new THREE.Vector3();
  let best: Hit | null = null;
  for (let vertex = 0; vertex < vertexCount; ++vertex) {
    const beside = Math.sqrt(ray.distanceSqToPoint(body.vertex(vertex, at)));
    const distance = at.sub(aim.origin).dot(aim.direction);
    if (distance <= 0 || beside > Math.max(radius?.[vertex] ?? 0, kTolerancePixels * aim.pixel(distance))) continue;
    if (!best || distance < best.distance) best = { distance, vertex };
  }
  return best;
}

function hitBody(body: BodyView, aim: Aim): Hit | null {
  const { mesh } = body;
  if (!mesh || !body.visible) return null;
  if (mesh.corners === 2) return hitSegments(body, mesh.cells, mesh.radius, aim);
  if (mesh.corners === 1) return hitPoints(body, mesh.vertexCount, mesh.radius, aim);
  // A surface drawn as points is picked by its points, also those behind.
  return body.mode === "points" ? hitPoints(body, mesh.vertexCount, null, aim) : hitTriangles(body, mesh.cells, aim);
}

// The nearest vertex under a point of the window, over all visible bodies of the result shown there.
export function pickVertex(stage: SceneView, clientX: number, clientY: number): Picked | null {
  const target = stage.rayAt(clientX, clientY);
  if (!target) return null;
  const { origin, direction } = target.raycaster.ray;
  const aim: Aim = { origin, direction, pixel: (distance) => stage.pixelSize(distance) };
  let best: (Hit & { body: number }) | null = null;
  target.viewport.view.bodies.forEach((body, index) => {
    const hit = hitBody(body, aim);
    if (hit && (!best || hit.distance < best.distance)) best = { ...hit, body: index };
  });
  const found = best as (Hit & { body: number }) | null;
  return found && { view: target.viewport.view, body: found.body, vertex: found.vertex };
}
