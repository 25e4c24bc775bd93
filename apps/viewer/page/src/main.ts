// Opens the page, and lets a test ask what is on it.
import { Vector3 } from "three";
import { App } from "./app";
import { showFatal } from "./notices";
import "./style.css";

// What the end-to-end test asks: r result, b body, v drawn vertex.
interface PageTest {
  ready: Promise<void>;
  frame(): number; // shown by the first result
  position(r: number, b: number, v: number): [number, number, number]; // [m]
  project(r: number, b: number, v: number): [number, number]; // in the window [pixels]
  visible(r: number, b: number): boolean;
  cameraDistance(): number; // [m]
}

declare global {
  interface Window { pliantTest?: PageTest }
}

const root = document.getElementById("app")!;

function offerTest(opening: Promise<App>): void {
  let app: App | null = null;
  const opened = (): App => {
    if (!app) throw new Error("the page is not ready");
    return app;
  };
  const at = (r: number, b: number, v: number): Vector3 => opened().views[r]!.bodies[b]!.vertex(v, new Vector3());
  window.pliantTest = {
    ready: opening.then((done) => {
      app = done;
      return done.ready;
    }),
    frame: () => opened().views[0]!.shown,
    position: (r, b, v) => at(r, b, v).toArray(),
    project: (r, b, v) => opened().stage.project(opened().views[r]!, at(r, b, v)),
    visible: (r, b) => opened().views[r]!.bodies[b]!.visible,
    cameraDistance: () => opened().stage.cameraDistance,
  };
  // A failure is shown on the page; a test that waits hears of it as well.
  window.pliantTest.ready.catch(() => undefined);
}

const opening = App.open(root);
offerTest(opening);
opening.catch((error: unknown) => {
  const noWebGl = error instanceof Error && /WebGL/i.test(error.message);
  showFatal(root, noWebGl ? new Error("This browser gives no WebGL, which the page draws with. Is graphics acceleration switched off?") : error);
});
