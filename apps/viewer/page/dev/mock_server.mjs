// A server of made-up results that speaks the viewer's protocol, for work on the page and for its test.
//
//   node dev/mock_server.mjs [--port 8123] [--results 1|2] [--page dist/index.html] [--cells 14] [--live] [--export file]
//
// A box that twists and breathes, a hanging cloth, a rod, particles, an obstacle; contacts and probes to go with them.
// With --live the first result starts with ten frames, grows by ten a second, and the box follows the pointer when it
// is pulled. With --export it writes a page that carries the answers itself, and ends. Positions are formulas of time, so a test can compare what is drawn with what is asked.
import { readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";

const option = (name, fallback) => {
  const at = process.argv.indexOf(name);
  return at < 0 ? fallback : process.argv[at + 1];
};
const port = Number(option("--port", "8123"));
const resultCount = Number(option("--results", "1"));
const pageFile = option("--page", new URL("../dist/index.html", import.meta.url).pathname);
const live = process.argv.includes("--live");
const frameCount = live ? 400 : 90; // the live one runs for 40 s

const frameRate = 30;
const started = Date.now();
const drag = { vertex: -1, target: [0, 0, 0], posts: 0 };

// ---- meshes: rest positions and cells ------------------------------------------------------------------------------

// Surface of a box of n × n × 2n cells, vertices shared between its sides.
function box(n, width, height) {
  const points = [];
  const cells = [];
  const ids = new Map();
  const vertex = (i, j, k) => {
    const key = `${i},${j},${k}`;
    if (!ids.has(key)) {
      ids.set(key, points.length);
      points.push([(i / n - 0.5) * width, (j / n - 0.5) * width, (k / (2 * n)) * height]);
    }
    return ids.get(key);
  };
  const quad = (a, b, c, d) => cells.push(a, b, c, a, c, d);
  for (let i = 0; i < n; ++i) {
    for (let j = 0; j < n; ++j) {
      quad(vertex(i, j, 0), vertex(i, j + 1, 0), vertex(i + 1, j + 1, 0), vertex(i + 1, j, 0));
      quad(vertex(i, j, 2 * n), vertex(i + 1, j, 2 * n), vertex(i + 1, j + 1, 2 * n), vertex(i, j + 1, 2 * n));
    }
    for (let k = 0; k < 2 * n; ++k) {
      quad(vertex(i, 0, k), vertex(i + 1, 0, k), vertex(i + 1, 0, k + 1), vertex(i, 0, k + 1));
      quad(vertex(i, n, k), vertex(i, n, k + 1), vertex(i + 1, n, k + 1), vertex(i + 1, n, k));
      quad(vertex(0, i, k), vertex(0, i, k + 1), vertex(0, i + 1, k + 1), vertex(0, i + 1, k));
      quad(vertex(n, i, k), vertex(n, i + 1, k), vertex(n, i + 1, k + 1), vertex(n, i, k + 1));
    }
  }
  return { points, cells, corners: 3, radius: null };
}

function sheet(n, width) {
  const points = [];
  const cells = [];
  for (let j = 0; j <= n; ++j) for (let i = 0; i <= n; ++i) points.push([(i / n - 0.5) * width, 0, (j / n) * width]);
  for (let j = 0; j < n; ++j) {
    for (let i = 0; i < n; ++i) {
      const a = j * (n + 1) + i;
      cells.push(a, a + 1, a + n + 2, a, a + n + 2, a + n + 1);
    }
  }
  return { points, cells, corners: 3, radius: null };
}

function rod(n) {
  const points = Array.from({ length: n + 1 }, (_, i) => [0, 0, i / n]);
  const cells = Array.from({ length: n }, (_, i) => [i, i + 1]).flat();
  return { points, cells, corners: 2, radius: points.map((_, i) => 0.022 - (0.012 * i) / n) };
}

function particles(n) {
  const points = [];
  for (let i = 0; i < n; ++i) {
    const angle = i * 2.399963; // the golden angle spreads them evenly over a disc
    const distance = 0.35 * Math.sqrt(i / n);
    points.push([distance * Math.cos(angle), distance * Math.sin(angle), (i % 7) / 7]);
  }
  return { points, cells: points.map((_, i) => i), corners: 1, radius: points.map((_, i) => 0.014 + 0.01 * ((i % 5) / 5)) };
}

// ---- motion --------------------------------------------------------------------------------------------------------

// A slit from the lower edge to the middle: its right side gets vertices of its own, as tearing does.
function torn(whole, n) {
  const points = whole.points.map((point) => [...point]);
  const cells = [...whole.cells];
  const copies = new Map();
  for (let j = 0; j < n / 2; ++j) copies.set(j * (n + 1) + n / 2, points.push([0.06 * (0.5 - j / n), 0, j / n]) - 1);
  for (let c = 0; c < cells.length; c += 3) {
    const onRight = cells.slice(c, c + 3).some((vertex) => whole.points[vertex][0] > 1e-9);
    for (let k = c; k < c + 3; ++k) if (onRight && copies.has(whole.cells[k])) cells[k] = copies.get(whole.cells[k]);
  }
  return { ...whole, points, cells };
}

// One list of revisions per body; the curtain tears in the middle of the run. Ten times the square of --cells is the
// number of vertices of the box: 141 for 200 000.
const curtain = sheet(40, 1.0);
const boxCells = Number(option("--cells", "14"));
const revisions = [[box(boxCells, 0.5, 1.1)], [curtain, torn(curtain, 40)], [rod(60)], [particles(240)], [box(2, 0.6, 0.12)]];
const remeshFrame = 60;
const revisionAt = (body, frame) => (frame >= remeshFrame ? revisions[body].length - 1 : 0);
const meshesAt = (frame) => revisions.map((list, body) => list[revisionAt(body, frame)]);
const frameAt = (t) => Math.round(t * frameRate);

// z up, seconds and metres; `phase` tells the two results apart.
const motions = [
  ([x, y, z], t, phase) => {
    const turn = (0.9 + 0.5 * phase) * Math.sin(2 * t) * (z / 1.1) ** 1.5;
    const breadth = 1 + 0.12 * Math.sin(3 * t) * Math.sin((Math.PI * z) / 1.1);
    return [breadth * (x * Math.cos(turn) - y * Math.sin(turn)), breadth * (x * Math.sin(turn) + y * Math.cos(turn)), z];
  },
  ([x, , z], t, phase) => {
    const loose = 1 - z;
    return [x + 1.2, 0.3 + loose * (0.22 * Math.sin(4 * x + 2.5 * t + phase) + 0.1 * Math.sin(9 * x - 3 * t)), 0.25 + z - 0.1 * loose * x * x];
  },
  ([, , s], t, phase) => {
    const bend = 1.4 * s * (1 + 0.5 * Math.sin(2.2 * t + phase));
    return [-1.0 + 0.75 * s * Math.sin(bend) * Math.cos(t), 0.75 * s * Math.sin(bend) * Math.sin(t), 1.15 * s * Math.cos(0.6 * bend)];
  },
  ([x, y, level], t, phase) => {
    const fall = Math.max(0.02, 0.9 + 0.5 * level - 0.5 * 9.81 * 0.12 * t * t - 0.1 * phase);
    return [x * (1 + 0.25 * t) - 0.5, y * (1 + 0.25 * t) - 0.9, fall];
  },
  ([x, y, z]) => [x, y, z - 0.12],
];

function position(body, vertex, t, phase) {
  const mesh = revisions[body][revisionAt(body, frameAt(t))];
  const [x, y, z] = motions[body](mesh.points[vertex], t, phase);
  if (body === 0 && drag.vertex >= 0 && live) {
    // The pulled vertex follows the pointer, its neighbourhood with it.
    const rest = mesh.points[vertex];
    const held = mesh.points[drag.vertex];
    const near = Math.exp(-20 * ((rest[0] - held[0]) ** 2 + (rest[1] - held[1]) ** 2 + (rest[2] - held[2]) ** 2));
    const base = motions[0](held, t, phase);
    return [x, y, z].map((value, axis) => value + near * (drag.target[axis] - base[axis]));
  }
  return [x, y, z];
}

function speed(body, vertex, t, phase) {
  const step = 1e-4;
  const [a, b] = [position(body, vertex, t + step, phase), position(body, vertex, t - step, phase)];
  return Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]) / (2 * step);
}

const framesNow = () => (live ? Math.min(frameCount, 10 + Math.floor((Date.now() - started) / 100)) : frameCount);
const stateNow = (r) => (live && r === 0 && framesNow() < frameCount ? "running" : "done");
const timeOf = (frame) => frame / frameRate;

// ---- answers -------------------------------------------------------------------------------------------------------

const names = ["box", "curtain", "rod", "beads", "table"];
const kinds = ["solid", "cloth", "rod", "particles", "obstacle"];
const colours = ["#4f7fd9", "#d98a4f", "#3f9c78", "#b65fa8", "#9aa3ad"];
const shapes = ["point", "segment", "triangle"];

function manifest(r) {
  const frames = r === 0 ? framesNow() : frameCount;
  return {
    name: r === 0 ? "twist" : "twist-stiff",
    title: r === 0 ? "A twisting box, a curtain, a rod and beads" : "The same with more twist",
    state: stateNow(r),
    message: null,
    interactive: live && r === 0,
    times: Array.from({ length: frames }, (_, frame) => timeOf(frame)),
    camera: { from: [2.1, -4.1, 2.2], to: [0.12, -0.1, 0.52], up: [0, 0, 1], degrees: 35 },
    bounds: { low: [-1.4, -1.5, -0.12], high: [1.7, 0.8, 1.4] },
    bodies: revisions.map((list, body) => ({
      name: names[body],
      kind: kinds[body],
      colour: colours[body],
      pinned: body === 1 ? [40 * 41, 40 * 41 + 20, 40 * 41 + 40] : body === 2 ? [0] : [],
      revisions: list.map((mesh, k) => ({
        first_frame: k * remeshFrame, vertex_count: mesh.points.length, cell_count: mesh.cells.length / mesh.corners, shape: shapes[mesh.corners - 1],
      })),
    })),
    quantities: [{ name: "speed", unit: "m/s" }, { name: "stretch", unit: "1" }],
    has_contacts: true,
  };
}

// Collects little-endian numbers.
class Writer {
  parts = [];
  integers(...values) { return this.integerArray(values); }
  integerArray(values) { this.parts.push(Buffer.from(Uint32Array.from(values).buffer)); return this; }
  signed(values) { this.parts.push(Buffer.from(Int32Array.from(values).buffer)); return this; }
  floats(values) { this.parts.push(Buffer.from(Float32Array.from(values).buffer)); return this; }
  halves(values) { this.parts.push(Buffer.from(Uint16Array.from(values.length % 2 ? [...values, 0] : values).buffer)); return this; }
  double(value) { this.parts.push(Buffer.from(Float64Array.of(value).buffer)); return this; }
  done() { return Buffer.concat(this.parts); }
}

function meshAnswer(body, revision) {
  const mesh = revisions[body]?.[revision];
  if (!mesh) return null;
  const writer = new Writer().integers(0x314d4c50, mesh.points.length, mesh.cells.length / mesh.corners, mesh.corners, mesh.radius ? 1 : 0);
  writer.integerArray(mesh.cells).signed(mesh.points.map((_, i) => i));
  return (mesh.radius ? writer.floats(mesh.radius) : writer).done();
}

function frameAnswer(r, frame, quantised) {
  const t = timeOf(frame);
  const writer = new Writer().integers(0x31464c50, frame).double(t).integers(revisions.length, quantised ? 1 : 0);
  meshesAt(frame).forEach((mesh, body) => {
    const x = mesh.points.flatMap((_, vertex) => position(body, vertex, t, r));
    writer.integers(revisionAt(body, frame), mesh.points.length);
    if (!quantised) return writer.floats(x);
    const [low, high] = [[Infinity, Infinity, Infinity], [-Infinity, -Infinity, -Infinity]];
    x.forEach((value, i) => {
      low[i % 3] = Math.min(low[i % 3], value);
      high[i % 3] = Math.max(high[i % 3], value);
    });
    const step = low.map((value, axis) => (high[axis] - value) / 65535 || 1);
    return writer.floats(low).floats(step).halves(x.map((value, i) => Math.round((value - low[i % 3]) / step[i % 3])));
  });
  return writer.done();
}

function quantityAnswer(r, frame, name) {
  const t = timeOf(frame);
  const writer = new Writer().integers(0x31514c50, frame, revisions.length);
  meshesAt(frame).forEach((mesh, body) => {
    writer.integers(mesh.points.length);
    const value = (vertex) => (name === "speed" ? speed(body, vertex, t, r) : body > 1 ? NaN : 1 + 0.2 * Math.sin(3 * t) * mesh.points[vertex][2]);
    writer.floats(mesh.points.map((_, vertex) => (body === 4 ? NaN : value(vertex))));
  });
  return writer.done();
}

function contactsAnswer(frame) {
  const t = timeOf(frame);
  const writer = new Writer();
  let count = 0;
  revisions[0][0].points.forEach((point, vertex) => {
    if (point[2] > 0 || vertex % 4) return;
    const [x, y, z] = position(0, vertex, t, 0);
    writer.floats([x, y, z, 0, 0, 1, 2 * Math.sin(t), 0, 6 + 4 * Math.sin(5 * x + 2 * t)]).signed([0, 4]);
    ++count;
  });
  return Buffer.concat([new Writer().integers(0x31434c50, count).done(), writer.done()]);
}

function probes(r) {
  const time = Array.from({ length: framesNow() * 4 }, (_, i) => i / (4 * frameRate));
  const rows = time.map((t) => {
    const kinetic = 0.4 + 0.35 * Math.cos(4 * t + r);
    const elastic = 0.75 * Math.exp(-0.3 * t) - 0.3 * Math.cos(4 * t + r) + 0.2;
    return [kinetic, elastic, kinetic + elastic, ...position(0, 20, t, r), t < 0.2 ? null : 1e-6 * Math.exp(2 * t)];
  });
  return { columns: ["energy.kinetic", "energy.elastic", "energy.total", "corner.x", "corner.y", "corner.z", "solve.residual"], time, rows };
}

const scene = `# A made-up scene, to look at the page with.
title: A twisting box, a curtain, a rod and beads
time: {end: 3.0 s, step: 1/120 s, frames: 30}
bodies:
  - name: box
    kind: solid
    mesh: {shape: box, size: [0.5, 0.5, 1.1], cells: [14, 14, 28]}
    material: {young: 2e5 Pa, poisson: 0.4, density: 1000 kg/m^3}
  - name: curtain
    kind: cloth
    pinned: [top]   # held at three places
`;

const summary = (r) => ({
  name: manifest(r).name, state: "done", frames: frameCount, simulated_time: 3.0, wall_time: 12.84,
  solver: { name: "newton", steps: 360, iterations: { mean: 3.2, most: 9 }, converged: true },
  expect: [{ what: "energy.total", found: 1.1482, allowed: "1.1 … 1.2", met: true }, { what: "corner.z", found: 1.1, allowed: "> 1", met: true }],
});

function answer(path, query) {
  const parts = path.split("/").slice(3); // after /api/results
  if (parts.length === 0) return Array.from({ length: resultCount }, (_, id) => ({ id, name: manifest(id).name }));
  const r = Number(parts[0]);
  if (!(r < resultCount)) return null;
  const frame = Number(parts[2]);
  if (parts[1] === "frames" && !(frame < manifest(r).times.length)) return null;
  switch (parts.length > 3 && parts[1] === "frames" ? parts[3] : parts[1]) {
    case undefined: return manifest(r);
    case "bodies": return meshAnswer(Number(parts[2]), Number(parts[4]));
    case "frames": return frameAnswer(r, frame, query.get("quantised") === "1");
    case "quantity": return quantityAnswer(r, frame, decodeURIComponent(parts[4]));
    case "contacts": return contactsAnswer(frame);
    case "vertex": {
      const [body, vertex] = [Number(parts[4]), Number(parts[5])];
      return { source_vertex: vertex, position: position(body, vertex, timeOf(frame), r), speed: speed(body, vertex, timeOf(frame), r) };
    }
    case "probes": return probes(r);
    case "scene": return scene;
    case "summary": return summary(r);
    case "state": return { state: stateNow(r), frames: r === 0 ? framesNow() : frameCount, message: null };
    case "drags": return drag; // only here: lets the test see what arrived
    default: return null;
  }
}

function receiveDrag(request, response) {
  let text = "";
  request.on("data", (chunk) => (text += chunk));
  request.on("end", () => {
    const body = JSON.parse(text);
    drag.posts += 1;
    drag.last = body.action;
    if (body.action === "grab") drag.vertex = body.vertex;
    if (body.action === "release") drag.vertex = -1;
    if (body.target) drag.target = body.target;
    response.writeHead(204).end();
  });
}

// The page with the answers to all it may ask, as the exporter writes it.
function exportPage(file) {
  const held = {};
  const hold = (path) => {
    const url = new URL(path, "http://localhost");
    const content = answer(url.pathname, url.searchParams);
    if (Buffer.isBuffer(content)) held[path] = { type: "binary", data: content.toString("base64") };
    else held[path] = { type: typeof content === "string" ? "text" : "json", data: content };
  };
  hold("/api/results");
  for (let r = 0; r < resultCount; ++r) {
    for (const part of ["", "/probes", "/scene", "/summary"]) hold(`/api/results/${r}${part}`);
    revisions.forEach((list, body) => list.forEach((_, k) => hold(`/api/results/${r}/bodies/${body}/revisions/${k}/mesh`)));
    for (let frame = 0; frame < frameCount; ++frame) {
      for (const part of ["?quantised=1", "/quantity/speed", "/contacts"]) hold(`/api/results/${r}/frames/${frame}${part}`);
    }
  }
  // A closing tag inside the data would end its script.
  const data = JSON.stringify(held).replace(/</g, "\\u003c");
  const page = readFileSync(pageFile, "utf8").replace("<!--PLIANT_DATA-->", () => `<script>window.PLIANT_EMBEDDED=${data}</script>`);
  writeFileSync(file, page);
}

const serve = () => createServer((request, response) => {
  const url = new URL(request.url, "http://localhost");
  const send = (status, type, body) => response.writeHead(status, { "Content-Type": type, "Cache-Control": "no-store" }).end(body);
  if (request.method === "POST") return receiveDrag(request, response);
  if (url.pathname === "/") return send(200, "text/html; charset=utf-8", readFileSync(pageFile));
  const content = url.pathname.startsWith("/api/results") ? answer(url.pathname, url.searchParams) : null;
  if (content === null) return send(404, "application/json", JSON.stringify({ error: `There is no ${url.pathname} here.` }));
  if (Buffer.isBuffer(content)) return send(200, "application/octet-stream", content);
  if (typeof content === "string") return send(200, "text/plain; charset=utf-8", content);
  return send(200, "application/json", JSON.stringify(content));
}).listen(port, "127.0.0.1", () => console.log(`http://127.0.0.1:${port}`));

const exportFile = option("--export", null);
if (exportFile) exportPage(exportFile);
else serve();
