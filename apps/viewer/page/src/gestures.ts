// What the pointer does on the stage besides turning the camera: a click picks a vertex, shift and drag pull it.
import { pickVertex, type Picked } from "./picking";
import type { Drag } from "./drag";
import type { SceneView } from "./scene_view";

// A click may shake this much [pixels]; more is a turn of the camera.
const kShake = 4;

export interface Gestures { pullMode: boolean }

export function listen(stage: SceneView, drag: Drag, picked: (found: Picked | null) => void): Gestures {
  const gestures: Gestures = { pullMode: false };
  const { canvas } = stage;
  let pressed: { x: number; y: number } | null = null;

  // Heard before the camera's own listener, which must not see a pull.
  const options = { capture: true };
  const host = canvas.parentElement!;
  host.addEventListener("pointerdown", (event) => {
    if (event.target !== canvas || event.button !== 0) return;
    pressed = event.isPrimary ? { x: event.clientX, y: event.clientY } : null;
    if (!(event.shiftKey || gestures.pullMode)) return;
    const found = pickVertex(stage, event.clientX, event.clientY);
    if (!found || !found.view.manifest.interactive || !found.view.running) return;
    event.stopPropagation();
    canvas.setPointerCapture(event.pointerId);
    picked(found);
    drag.start(found);
    pressed = null;
  }, options);
  host.addEventListener("pointermove", (event) => {
    if (!drag.active) return;
    event.stopPropagation();
    drag.move(event.clientX, event.clientY);
  }, options);
  const release = (event: PointerEvent): void => {
    if (drag.active) {
      event.stopPropagation();
      drag.end();
    } else if (pressed && event.type === "pointerup" && Math.hypot(event.clientX - pressed.x, event.clientY - pressed.y) <= kShake) {
      // A click beside everything leaves the picked vertex: the cross on its card clears it.
      const found = pickVertex(stage, event.clientX, event.clientY);
      if (found) picked(found);
    }
    pressed = null;
  };
  host.addEventListener("pointerup", release, options);
  host.addEventListener("pointercancel", release, options);
  return gestures;
}
