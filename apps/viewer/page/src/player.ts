// Time: which moment is shown, and the bar of controls for it.
//
// The clock runs in simulated seconds. Each result shows its frame nearest to the clock; the slider steps through the
// times of all results together, so two results of different frame rates stay in step.
import { iconButton, make, select, setIcon, setPressed } from "./dom";
import { frameMemory } from "./frames";
import type { ResultView } from "./result_view";

const speeds = [0.1, 0.25, 0.5, 1, 2, 4];
// Frames asked for ahead of the clock while playing, and how many answers may be on their way at once.
const kAhead = 12;
const kRequests = 6;

export class Player {
  readonly element: HTMLElement;
  time = 0; // [s]
  playing = false;
  loop = true;
  speed = 1;
  live = false; // keeps to the newest frame of a running simulation
  private timeline: number[] = [];
  private readonly playButton: HTMLButtonElement;
  private readonly loopButton: HTMLButtonElement;
  private readonly liveButton: HTMLButtonElement;
  private readonly slider: HTMLInputElement;
  private readonly clock = make("output", { class: "clock", label: "Time and frame" });
  private readonly speedSelect: HTMLSelectElement;

  constructor(private readonly views: ResultView[], private readonly moved: () => void) {
    this.playButton = iconButton("play", "Play", () => this.toggle());
    this.playButton.classList.add("primary");
    this.loopButton = iconButton("loop", "Loop", () => this.setLoop(!this.loop));
    this.liveButton = make("button", { class: "live", label: "Follow the newest frame", type: "button", text: "Live" });
    this.liveButton.addEventListener("click", () => this.followNewest());
    this.slider = make("input", { type: "range", label: "Frame", class: "slider" });
    this.slider.min = "0";
    this.slider.addEventListener("input", () => this.seek(this.timeline[Number(this.slider.value)] ?? 0));
    this.speedSelect = select("Speed", speeds.map((s) => [String(s), `${s}×`]), "1", (value) => this.setSpeed(Number(value)));
    this.element = make(
      "footer",
      { class: "player", label: "Playback" },
      iconButton("previous", "Previous frame", () => this.step(-1)),
      this.playButton,
      iconButton("next", "Next frame", () => this.step(1)),
      this.slider,
      this.clock,
      this.liveButton,
      this.speedSelect,
      this.loopButton,
    );
    this.element.setAttribute("role", "group");
    this.liveButton.hidden = true;
    this.refresh();
    this.setLoop(true);
  }

  // Takes the frames that exist now into the timeline.
  refresh(): void {
    const all = this.views.flatMap((view) => view.manifest.times).sort((a, b) => a - b);
    // Equal times of two results differ by rounding only.
    this.timeline = all.filter((time, i) => i === 0 || time - all[i - 1]! > 1e-9 * Math.max(1, Math.abs(time)));
    this.slider.max = String(Math.max(0, this.timeline.length - 1));
    this.liveButton.hidden = !this.views.some((view) => view.running);
    if (this.live && this.liveButton.hidden) this.live = false;
    if (this.live) this.time = this.end;
    this.show();
  }

  get start(): number {
    return this.timeline[0] ?? 0;
  }

  get end(): number {
    return this.timeline.at(-1) ?? 0;
  }

  // Index of the moment nearest to the clock.
  private get position(): number {
    let best = 0;
    for (let i = 1; i < this.timeline.length; ++i) {
      if (Math.abs(this.timeline[i]! - this.time) < Math.abs(this.timeline[best]! - this.time)) best = i;
    }
    return best;
  }

  // A jump by the user: leaves the newest frame unless it lands there.
  seek(time: number): void {
    this.time = Math.min(this.end, Math.max(this.start, time));
    this.live = !this.liveButton.hidden && this.time === this.end;
    this.show();
  }

  step(frames: number): void {
    this.setPlaying(false);
    const index = Math.min(this.timeline.length - 1, Math.max(0, this.position + frames));
    this.seek(this.timeline[index] ?? 0);
  }

  followNewest(): void {
    this.setPlaying(false);
    this.live = true;
    this.time = this.end;
    this.show();
  }

  toggle(): void {
    this.setPlaying(!this.playing);
  }

  setPlaying(on: boolean): void {
    if (on && this.time >= this.end) this.time = this.start;
    if (on) this.live = false;
    this.playing = on;
    setIcon(this.playButton, on ? "pause" : "play", on ? "Pause" : "Play");
    this.show();
  }

  setLoop(on: boolean): void {
    this.loop = on;
    setPressed(this.loopButton, on);
  }

  setSpeed(speed: number): void {
    this.speed = speed;
    this.speedSelect.value = String(speed);
  }

  // One step faster or slower along the list.
  changeSpeed(steps: number): void {
    const at = speeds.indexOf(this.speed);
    this.setSpeed(speeds[Math.min(speeds.length - 1, Math.max(0, at + steps))]!);
  }

  // Advances the clock by real time. It waits for frames that are still on their way, rather than skipping them.
  tick(elapsed: number): void {
    if (!this.playing || this.timeline.length < 2) return;
    // After a hidden tab or a slow frame the clock does not jump by more than a tenth of a second.
    let next = this.time + Math.min(elapsed, 0.1) * this.speed;
    if (next > this.end) {
      if (this.loop) next = this.start;
      else {
        next = this.end;
        this.setPlaying(false);
      }
    }
    const ready = this.views.every((view) => view.isReady(view.frameAt(next)));
    if (ready) this.time = next;
    else for (const view of this.views) view.request(view.frameAt(next));
    this.prefetch();
    if (ready) this.show();
  }

  private prefetch(): void {
    for (const view of this.views) {
      const now = view.frameAt(this.time);
      for (let i = 1; i <= kAhead && frameMemory.loading < kRequests; ++i) {
        const index = now + i;
        view.prefetch(index < view.frameCount ? index : this.loop ? index - view.frameCount : now);
      }
    }
  }

  private show(): void {
    for (const view of this.views) view.request(view.frameAt(this.time));
    const position = this.position;
    this.slider.value = String(position);
    const last = Math.max(1, this.timeline.length - 1);
    this.slider.style.setProperty("--done", `${(100 * position) / last}%`);
    this.clock.textContent = this.timeline.length === 0 ? "waiting for the first frame" : `${this.time.toFixed(3)} s · ${position + 1}/${this.timeline.length}`;
    setPressed(this.liveButton, this.live);
    this.moved();
  }
}
