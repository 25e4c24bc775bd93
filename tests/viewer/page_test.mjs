// The viewer's page in a real browser, from its first frame to the phone.
//
//   node tests/viewer/page_test.mjs <url> [<url of two results>] [--html file] [--live url] [--positions json] [--shots folder]
//
// <url>        a server (`pliant view`, or apps/viewer/page/dev/mock_server.mjs) with one result of three frames or more
// --html       an exported page, opened from the file; it must show the same without a server
// --live       a server whose simulation runs and may be pulled
// --positions  a file [{"frame": f, "body": b, "vertex": v, "position": [x, y, z]}, …]: where drawn vertices must be,
//              by somebody other than the server
// --shots      folder for pictures of every state
//
// Needs the page's devDependencies (npm install in apps/viewer/page; PLIANT_PAGE_FOLDER names another place) and a Chromium; CHROMIUM names another than /usr/bin/chromium.
// Any error on the console, any uncaught exception and any blank picture fails the test.
import assert from "node:assert/strict";
import { mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const require = createRequire(process.env.PLIANT_PAGE_FOLDER ? join(process.env.PLIANT_PAGE_FOLDER, "package.json") : new URL("../../apps/viewer/page/package.json", import.meta.url));
const { chromium } = require("playwright-core");

const options = {};
const urls = [];
for (let i = 2; i < process.argv.length; ++i) {
  const word = process.argv[i];
  if (word.startsWith("--")) options[word.slice(2)] = process.argv[++i];
  else urls.push(word);
}
if (urls.length === 0) {
  console.error("usage: node page_test.mjs <url> [<url of two results>] [--html file] [--live url] [--positions json] [--shots folder]");
  process.exit(2);
}
if (options.shots) mkdirSync(options.shots, { recursive: true });

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"],
});

// ---- asking the page -----------------------------------------------------------------------------------------------

// A page whose complaints are collected; wide and light unless told otherwise.
async function open(url, settings = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, colorScheme: "light", ...settings });
  const page = await context.newPage();
  page.complaints = [];
  page.on("console", (message) => {
    // A result may have no summary; the browser reports the 404 that the page then explains.
    if (message.type() === "error" && !message.location().url.endsWith("/summary")) page.complaints.push(`${message.text()} (${message.location().url})`);
  });
  page.on("pageerror", (error) => page.complaints.push(String(error)));
  await page.goto(url);
  await page.waitForFunction(() => window.pliantTest !== undefined);
  await page.evaluate(() => window.pliantTest.ready);
  return page;
}

async function close(page) {
  assert.deepEqual(page.complaints, [], "the page complained");
  await page.context().close();
}

// Takes a picture and counts its colours, by the browser's own decoder. A blank page has one or two.
async function picture(page, name) {
  await page.waitForTimeout(250);
  const path = options.shots ? join(options.shots, `${name}.png`) : undefined;
  const png = (await page.screenshot({ path })).toString("base64");
  const colours = await page.evaluate(async (data) => {
    const image = new Image();
    image.src = `data:image/png;base64,${data}`;
    await image.decode();
    const canvas = document.createElement("canvas");
    canvas.width = image.width;
    canvas.height = image.height;
    const context = canvas.getContext("2d");
    context.drawImage(image, 0, 0);
    const pixels = new Uint32Array(context.getImageData(0, 0, image.width, image.height).data.buffer);
    return new Set(pixels).size;
  }, png);
  assert.ok(colours > 200, `${name}: the picture has only ${colours} colours`);
  return colours;
}

const shownFrame = (page) => page.evaluate(() => window.pliantTest.frame());
const drawn = (page, r, b, v) => page.evaluate((at) => window.pliantTest.position(...at), [r, b, v]);
const named = (page, name) => page.getByLabel(name, { exact: true });
const waitForFrame = (page, frame) => page.waitForFunction((wanted) => window.pliantTest.frame() === wanted, frame);

async function seek(page, frame) {
  await named(page, "Frame").evaluate((slider, value) => {
    slider.value = String(value);
    slider.dispatchEvent(new Event("input"));
  }, frame);
  await waitForFrame(page, frame);
}

function assertNear(found, wanted, tolerance, what) {
  wanted.forEach((value, axis) => {
    assert.ok(Math.abs(found[axis] - value) <= tolerance, `${what}: ${found} is not ${wanted} within ${tolerance}`);
  });
}

// Size of a result [m], and its farthest coordinate, for tolerances: floats carry 24 bits, compact frames 16.
function sizeOf(manifest) {
  const { low, high } = manifest.bounds;
  return Math.hypot(...low.map((value, axis) => high[axis] - value));
}
const reachOf = (manifest) => Math.max(sizeOf(manifest), ...manifest.bounds.low.map(Math.abs), ...manifest.bounds.high.map(Math.abs));

const ask = async (url, path) => (await fetch(new URL(path, url))).json();

// ---- what is tested ------------------------------------------------------------------------------------------------

async function playAndScrub(page, manifest) {
  const last = manifest.times.length - 1;
  assert.equal(await shownFrame(page), 0, "a finished result opens at its first frame");
  await page.keyboard.press("Space");
  await page.waitForFunction(() => window.pliantTest.frame() > 0, null, { timeout: 20000 });
  await named(page, "Pause").click();
  const resting = await shownFrame(page);
  await page.waitForTimeout(400);
  assert.equal(await shownFrame(page), resting, "a paused result stays where it is");
  await seek(page, last);
  await page.keyboard.press("ArrowLeft");
  await waitForFrame(page, last - 1);
  await page.keyboard.press("Home");
  await waitForFrame(page, 0);
  await page.keyboard.press("End");
  await waitForFrame(page, last);
}

// Positions on the screen against the server's double-precision answer, for every body and several frames.
async function comparePositions(page, url, manifest) {
  const last = manifest.times.length - 1;
  const compact = manifest.bodies.reduce((sum, body) => sum + body.revisions.at(-1).vertex_count, 0) > 50000;
  const tolerance = reachOf(manifest) * (compact ? 2e-5 : 1e-6);
  let compared = 0;
  for (const frame of new Set([0, Math.floor(last / 2), last])) {
    await seek(page, frame);
    for (let b = 0; b < manifest.bodies.length; ++b) {
      const revision = manifest.bodies[b].revisions.filter((candidate) => candidate.first_frame <= frame).at(-1);
      for (const v of new Set([0, Math.floor(revision.vertex_count / 2), revision.vertex_count - 1])) {
        const report = await ask(url, `/api/results/0/frames/${frame}/vertex/${b}/${v}`);
        assertNear(await drawn(page, 0, b, v), report.position, tolerance, `frame ${frame}, body ${b}, vertex ${v}`);
        ++compared;
      }
    }
  }
  return compared;
}

async function compareGiven(page, manifest) {
  const given = JSON.parse(readFileSync(options.positions, "utf8"));
  for (const { frame, body, vertex, position } of given) {
    await seek(page, frame);
    assertNear(await drawn(page, 0, body, vertex), position, 2e-5 * reachOf(manifest), `given frame ${frame}, body ${body}, vertex ${vertex}`);
  }
  return given.length;
}

// Clicks on vertices until one is picked that can be seen, and compares its card with the server.
async function pick(page, url, manifest) {
  const frame = await shownFrame(page);
  const readout = page.locator(".readout");
  const places = await page.evaluate((bodies) => {
    const found = [];
    for (let b = 0; b < bodies.length; ++b) {
      for (let i = 0; i < 8; ++i) {
        const [x, y] = window.pliantTest.project(0, b, Math.floor(((i + 0.5) * (bodies[b].revisions.at(-1).vertex_count - 1)) / 8));
        if (document.elementFromPoint(x, y) instanceof HTMLCanvasElement) found.push([x, y]);
      }
    }
    return found;
  }, manifest.bodies);
  assert.ok(places.length > 0, "no vertex lies inside the view");
  // A vertex on an outline may be missed by a hair: the next one is tried.
  for (const place of places) {
    await page.mouse.click(...place);
    if (await readout.isVisible()) break;
  }
  assert.ok(await readout.isVisible(), "no click on a vertex picked one");
  await page.waitForFunction(() => document.querySelector(".readout").dataset.exact === "true");
  const name = await readout.locator("strong").textContent();
  const source = await readout.locator(".value-vertex").textContent();
  const shown = JSON.parse(await readout.getAttribute("data-position"));
  const body = manifest.bodies.findIndex((entry) => entry.name === name);
  assert.ok(body >= 0, `the card names a body that does not exist: ${name}`);
  // The drawn vertex whose position on the page is the one on the card: the server must say the same of it.
  const vertex = await page.evaluate(
    ([b, count, position]) => {
      let [best, least] = [-1, Infinity];
      for (let v = 0; v < count; ++v) {
        const at = window.pliantTest.position(0, b, v);
        const distance = Math.hypot(at[0] - position[0], at[1] - position[1], at[2] - position[2]);
        if (distance < least) [best, least] = [v, distance];
      }
      return best;
    },
    [body, manifest.bodies[body].revisions.at(-1).vertex_count, shown],
  );
  const report = await ask(url, `/api/results/0/frames/${frame}/vertex/${body}/${vertex}`);
  assertNear(shown, report.position, 1e-12, "the card");
  assert.equal(source, report.source_vertex < 0 ? "inside an element" : String(report.source_vertex));
  return `${name} ${source}`;
}

async function hideAndColour(page, manifest) {
  const { name } = manifest.bodies[0];
  await named(page, `Hide ${name}`).first().click();
  assert.equal(await page.evaluate(() => window.pliantTest.visible(0, 0)), false);
  await picture(page, "hidden");
  await named(page, `Show ${name}`).first().click();
  assert.equal(await page.evaluate(() => window.pliantTest.visible(0, 0)), true);
  for (const mode of ["wireframe", "points", "solid"]) {
    await named(page, `Drawing of ${name}`).first().selectOption(mode);
    if (mode !== "solid") await picture(page, mode);
  }
  for (const quantity of manifest.quantities) {
    await named(page, "Colour by").selectOption(quantity.name);
    await page.locator(".legend").waitFor({ state: "visible" });
    await page.waitForFunction((wanted) => document.querySelector(".legend-name").textContent.startsWith(wanted), quantity.name.replace(/_/g, " "));
  }
  if (manifest.quantities.length > 0) {
    await named(page, "Colour by").selectOption(manifest.quantities[0].name);
    await picture(page, "coloured");
    await named(page, "Colour by").selectOption("");
  }
}

async function openTabs(page) {
  for (const tab of ["Curves", "Scene", "Summary", "Bodies"]) {
    await page.getByRole("tab", { name: tab, exact: true }).click();
    await page.waitForFunction(() => !/^Loading/.test(document.querySelector(".panel-body").textContent));
    assert.ok((await page.locator(".panel-body").textContent()).trim().length > 0, `the tab ${tab} is empty`);
    await picture(page, `tab_${tab.toLowerCase()}`);
  }
}

async function seekByCurve(page, manifest) {
  await page.getByRole("tab", { name: "Curves", exact: true }).click();
  await page.waitForTimeout(300);
  if ((await page.locator(".curves .check").count()) < 2) return; // no probes
  const box = await page.locator(".plot").boundingBox();
  await page.keyboard.press("Home");
  await waitForFrame(page, 0);
  await page.mouse.click(box.x + box.width - 20, box.y + box.height / 2);
  await page.waitForFunction((half) => window.pliantTest.frame() > half, manifest.times.length / 2);
  await named(page, "logarithmic").check();
  await picture(page, "curves_log");
  await page.getByRole("tab", { name: "Bodies", exact: true }).click();
}

async function cameraAndTools(page, manifest) {
  const distance = () => page.evaluate(() => window.pliantTest.cameraDistance());
  const before = await distance();
  const box = await page.locator(".stage canvas").boundingBox();
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  await page.mouse.wheel(0, -400);
  await page.waitForTimeout(300);
  assert.ok((await distance()) < before, "the wheel does not zoom");
  await page.keyboard.press("f");
  await page.waitForTimeout(300);
  const framed = await distance();
  assert.ok(framed > 0.3 * sizeOf(manifest) && framed < 10 * sizeOf(manifest), `framing all gave a distance of ${framed} m`);
  if (manifest.has_contacts) await named(page, "Contacts: points, normals, forces").click();
  if (manifest.bodies.some((body) => body.pinned.length > 0)) await named(page, "Pinned vertices").click();
  await named(page, "Settings").click();
  await picture(page, "contacts_settings");
  await named(page, "compact frames (16 bit)").check();
  await page.waitForTimeout(300);
  await named(page, "Settings").click();
  await page.keyboard.press("?");
  await page.getByRole("dialog").waitFor({ state: "visible" });
  await picture(page, "help");
  await page.keyboard.press("Escape");
}

async function testOne(url) {
  const manifest = await ask(url, "/api/results/0");
  const page = await open(url);
  await picture(page, "light");
  await playAndScrub(page, manifest);
  const compared = await comparePositions(page, url, manifest);
  const given = options.positions ? await compareGiven(page, manifest) : 0;
  const picked = await pick(page, url, manifest);
  await picture(page, "picked");
  await hideAndColour(page, manifest);
  await openTabs(page);
  await seekByCurve(page, manifest);
  await cameraAndTools(page, manifest);
  await close(page);
  console.log(`one result: ${compared} positions compared with the server, ${given} with the file; picked ${picked}`);
}

async function testLooks(url) {
  const dark = await open(url, { colorScheme: "dark" });
  assert.equal(await dark.evaluate(() => document.documentElement.dataset.theme), "dark");
  await picture(dark, "dark");
  await named(dark, "Light or dark").click();
  assert.equal(await dark.evaluate(() => document.documentElement.dataset.theme), "light");
  await close(dark);
  const phone = await open(url, { viewport: { width: 390, height: 780 }, hasTouch: true, isMobile: true });
  await picture(phone, "phone");
  await phone.getByRole("tab", { name: "Bodies", exact: true }).tap();
  const [panel, stage] = [await phone.locator(".panel").boundingBox(), await phone.locator(".stage").boundingBox()];
  assert.ok(panel.y >= stage.y + stage.height, "on a phone the panel lies below the stage");
  assert.ok((await phone.evaluate(() => document.documentElement.scrollWidth)) <= 390, "the phone page is wider than the phone");
  await picture(phone, "phone_sheet");
  await close(phone);
  console.log("looks: dark, light, phone");
}

async function testTwo(url) {
  const page = await open(url);
  const [first, second] = [await ask(url, "/api/results/0"), await ask(url, "/api/results/1")];
  await page.keyboard.press("End");
  await waitForFrame(page, first.times.length - 1);
  const end = Math.max(first.times.at(-1), second.times.at(-1));
  const nearest = second.times.reduce((best, time, i) => (Math.abs(time - end) < Math.abs(second.times[best] - end) ? i : best), 0);
  const report = await ask(url, `/api/results/1/frames/${nearest}/vertex/0/0`);
  await page.waitForFunction(
    ([position, tolerance]) => window.pliantTest.position(1, 0, 0).every((value, axis) => Math.abs(value - position[axis]) <= tolerance),
    [report.position, 2e-5 * sizeOf(second)],
  );
  const labels = await page.locator(".label h1").allTextContents();
  assert.deepEqual(labels, [first.name, second.name]);
  await picture(page, "two");
  await close(page);
  const phone = await open(url, { viewport: { width: 390, height: 780 } });
  await picture(phone, "two_phone");
  await close(phone);
  console.log("two results: linked in time, labelled");
}

async function testLive(url) {
  const page = await open(url);
  const before = await shownFrame(page);
  await page.waitForFunction((frame) => window.pliantTest.frame() > frame, before, { timeout: 15000 });
  await named(page, "Frame").evaluate((slider) => {
    slider.value = "1";
    slider.dispatchEvent(new Event("input"));
  });
  await waitForFrame(page, 1);
  await page.waitForTimeout(1200);
  assert.equal(await shownFrame(page), 1, "who scrubbed away stays there");
  await named(page, "Follow the newest frame").click();
  await page.waitForFunction((frame) => window.pliantTest.frame() > frame, before);
  const posts = [];
  page.on("request", (request) => request.method() === "POST" && posts.push(request.postDataJSON()));
  const [x, y] = await page.evaluate(() => window.pliantTest.project(0, 0, 0));
  const distance = await page.evaluate(() => window.pliantTest.cameraDistance());
  await page.keyboard.down("Shift");
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.mouse.move(x + 60, y - 60, { steps: 6 });
  await page.waitForTimeout(300);
  await picture(page, "pull");
  await page.mouse.up();
  await page.keyboard.up("Shift");
  await page.waitForTimeout(300);
  assert.equal(posts[0]?.action, "grab");
  assert.equal(posts.at(-1)?.action, "release");
  assert.ok(posts.some((post) => post.action === "move"));
  assert.ok(Math.abs((await page.evaluate(() => window.pliantTest.cameraDistance())) - distance) < 1e-9, "pulling moved the camera");
  await close(page);
  console.log(`live: follows, stays, pulls (${posts.length} messages)`);
}

async function testExport(file) {
  const page = await open(pathToFileURL(resolve(file)).href);
  await picture(page, "export");
  await page.keyboard.press("End");
  await page.waitForFunction(() => window.pliantTest.frame() > 0);
  assert.equal(await named(page, "Pull vertices by dragging").isVisible(), false);
  await close(page);
  console.log("exported page: opens from a file and moves");
}

// A server that answers with an error: its sentence is on the page.
async function testRefusal(url) {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.route("**/api/results", (route) => route.fulfill({ status: 500, contentType: "application/json", body: '{"error":"The file out.h5 ends too early."}' }));
  await page.goto(url);
  await page.getByText("The file out.h5 ends too early.").waitFor({ state: "visible" });
  await context.close();
  console.log("refusal: the server's sentence is shown");
}

try {
  // The live server first: its simulation ends by itself.
  if (options.live) await testLive(options.live);
  await testOne(urls[0]);
  await testLooks(urls[0]);
  await testRefusal(urls[0]);
  if (urls[1]) await testTwo(urls[1]);
  if (options.html) await testExport(options.html);
  console.log("passed");
} finally {
  await browser.close();
}
