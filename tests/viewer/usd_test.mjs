// `pliant export --format usda` read back by an independent reader, tinyusdz (npm, WebAssembly):
//   PLIANT_PAGE_FOLDER=<folder with node_modules> node usd_test.mjs FILE.usda positions.json
// positions.json: where drawn vertices are at some frames, computed from result.h5 alone (drawn_positions.py).
import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";

const [file, positions] = process.argv.slice(2);
const folder = path.join(process.env.PLIANT_PAGE_FOLDER, "node_modules", "tinyusdz");
const kTolerance = 2e-6; // m: single precision at coordinates of about a metre

// The package is built for browsers: it asks for a window, and fetches its code.
async function open_reader() {
  process.type = "renderer";
  globalThis.window = globalThis;
  const code = fs.readFileSync(path.join(folder, "tinyusdz.wasm"));
  globalThis.fetch = async () => new Response(code, { headers: { "Content-Type": "application/wasm" } });
  const { default: start } = await import(pathToFileURL(path.join(folder, "tinyusdz.js")));
  return start({});
}

// Samples of the points of a mesh, as the reader writes what it has understood: [frame][vertex] = [x, y, z].
function points_of(text, name) {
  const begin = text.indexOf("points.timeSamples", text.indexOf(`def Mesh "${name}"`));
  assert(begin > 0, `mesh ${name} has no samples of points`);
  const samples = text.slice(begin, text.indexOf("}", begin)).matchAll(/(\d+): \[([^\]]*)\]/g);
  return Array.from(samples, ([, , list]) => Array.from(list.matchAll(/\(([^)]*)\)/g), ([, x]) => x.split(",").map(Number)));
}

const usd = await open_reader();
const data = fs.readFileSync(file);
const scene = new usd.TinyUSDZLoaderNative();
assert(scene.loadFromBinary(data, "scene.usda"), scene.error());
const layer = new usd.TinyUSDZLoaderNative();
assert(layer.loadAsLayerFromBinary(data, "layer.usda"), layer.error());
const text = layer.layerToString();
const meshes = Array.from({ length: scene.numMeshes() }, (_, i) => scene.getMesh(i));
assert(meshes.length > 0, "no mesh");

let compared = 0;
for (const { frame, body, vertex, position } of JSON.parse(fs.readFileSync(positions))) {
  const mesh = meshes[body];
  const samples = (mesh.samples ??= points_of(text, mesh.primName));
  assert.equal(samples[frame].length, samples[0].length);
  for (let k = 0; k < 3; ++k) {
    assert(Math.abs(samples[frame][vertex][k] - position[k]) <= kTolerance, `frame ${frame}, vertex ${vertex}: ${samples[frame][vertex]} is not ${position}`);
    if (frame === 0) assert(Math.abs(mesh.points[3 * vertex + k] - position[k]) <= kTolerance, `vertex ${vertex} at the start`);
  }
  ++compared;
}
assert(compared > 0, "nothing was compared");
for (const mesh of meshes) assert(mesh.faceVertexIndices.every((i) => 3 * i + 2 < mesh.points.length), "a face without its vertex");
console.log(`usd: ${meshes.length} meshes, ${compared} positions as in result.h5`);
