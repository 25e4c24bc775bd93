// Keeps up with a simulation that still runs: asks for its state twice a second, and for the list of frames when it grew.
import { getJson, resultPath, type Manifest, type StateReport } from "./data";
import type { ResultView } from "./result_view";

const kInterval = 500; // [ms]

export function keepUp(view: ResultView, changed: (view: ResultView) => void, failed: (error: unknown) => void): void {
  if (!view.running) return;
  let silent = false; // a server that stopped answering is reported once, and asked on
  const ask = async (): Promise<void> => {
    try {
      const report = await getJson<StateReport>(`${resultPath(view.id)}/state`);
      silent = false;
      if (report.frames !== view.frameCount || report.state !== view.manifest.state) {
        view.refresh(await getJson<Manifest>(resultPath(view.id)));
        changed(view);
      }
    } catch (error) {
      if (!silent) failed(error);
      silent = true;
    }
    if (view.running) window.setTimeout(() => void ask(), kInterval);
  };
  window.setTimeout(() => void ask(), kInterval);
}
