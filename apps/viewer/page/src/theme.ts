// Light or dark: as the system says, until the user says otherwise.
const key = "pliant-theme";
const systemDark = window.matchMedia("(prefers-color-scheme: dark)");

// Pages opened from a file may have no storage; the choice then lasts as long as the page.
function remembered(): string | null {
  try {
    return window.localStorage.getItem(key);
  } catch {
    return null;
  }
}

export class Theme {
  private choice = remembered();

  constructor(private readonly apply: (dark: boolean) => void) {
    systemDark.addEventListener("change", () => this.update());
    this.update();
  }

  get dark(): boolean {
    return this.choice === null ? systemDark.matches : this.choice === "dark";
  }

  toggle(): void {
    this.choice = this.dark ? "light" : "dark";
    try {
      window.localStorage.setItem(key, this.choice);
    } catch {
      // No storage: nothing to remember.
    }
    this.update();
  }

  private update(): void {
    document.documentElement.dataset["theme"] = this.dark ? "dark" : "light";
    this.apply(this.dark);
  }
}
