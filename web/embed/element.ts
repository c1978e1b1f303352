// The element <svc-dashboard>: `embedDashboard` for pages that are written in HTML.
import type { FilterValue } from "./address.ts";
import {
  type ColorScheme,
  embedDashboard,
  type EmbeddedDashboard,
  type EmbedOptions,
  type EmbedTheme,
} from "./embed-dashboard.ts";

// A server that renders pages loads this module too, and has no elements.
const Base = globalThis.HTMLElement ?? (EventTarget as typeof HTMLElement);

/** Properties, which have no attribute. */
const properties = ["fetchSession", "filters", "theme", "parameters", "texts"] as const;

/**
 * `<svc-dashboard url="…" public-id="…">` shows a dashboard once it has its property `fetchSession`, or the attribute
 * `private`, with which viewers sign in. Each event of the page is a `svc-event` with `detail: { type, payload }`.
 */
export class SvcDashboard extends Base {
  static readonly observedAttributes = [
    "url",
    "public-id",
    "private",
    "color-scheme",
    "locale",
    "timezone",
    "title",
  ];
  readonly #values: Pick<EmbedOptions, (typeof properties)[number]> = {};
  #isPlanned = false;
  #embedded: EmbeddedDashboard | undefined;

  /** The dashboard, for its actions; undefined until it is shown. */
  get dashboard(): EmbeddedDashboard | undefined {
    return this.#embedded;
  }

  get fetchSession(): (() => Promise<string>) | undefined {
    return this.#values.fetchSession;
  }
  set fetchSession(value: (() => Promise<string>) | undefined) {
    this.#set({ fetchSession: value });
  }

  get filters(): Readonly<Record<string, FilterValue>> | undefined {
    return this.#values.filters;
  }
  set filters(value: Readonly<Record<string, FilterValue>> | undefined) {
    this.#set({ filters: value });
  }

  get parameters(): EmbedOptions["parameters"] {
    return this.#values.parameters;
  }
  set parameters(value: EmbedOptions["parameters"]) {
    this.#set({ parameters: value });
  }

  get texts(): EmbedOptions["texts"] {
    return this.#values.texts;
  }
  set texts(value: EmbedOptions["texts"]) {
    this.#set({ texts: value });
  }

  get theme(): EmbedTheme | undefined {
    return this.#values.theme;
  }
  set theme(value: EmbedTheme | undefined) {
    Object.assign(this.#values, { theme: value });
    if (value) this.#embedded?.setTheme(value);
  }

  connectedCallback(): void {
    // A property that was set before the element was defined hides the accessor.
    for (const name of properties) {
      if (!Object.hasOwn(this, name)) continue;
      const { [name]: value } = this;
      Reflect.deleteProperty(this, name);
      Object.assign(this, { [name]: value });
    }
    this.#plan();
  }

  disconnectedCallback(): void {
    this.#embedded?.destroy();
    this.#embedded = undefined;
  }

  attributeChangedCallback(name: string, before: string | null, value: string | null): void {
    if (before === value) return;
    const embedded = this.#embedded;
    if (embedded && name === "color-scheme")
      embedded.setColorScheme((value ?? "auto") as ColorScheme);
    else if (embedded && name === "locale" && value) embedded.setLocale(value);
    else if (embedded && name === "timezone" && value) embedded.setTimezone(value);
    else if (embedded && name === "title" && value) embedded.iframe.title = value;
    else this.#plan();
  }

  #set(values: Partial<EmbedOptions>): void {
    Object.assign(this.#values, values);
    this.#plan();
  }

  /** Shows the dashboard anew, once for all changes of a script. */
  #plan(): void {
    if (this.#isPlanned) return;
    this.#isPlanned = true;
    queueMicrotask(() => {
      this.#isPlanned = false;
      this.disconnectedCallback();
      const isReady = this.fetchSession !== undefined || this.hasAttribute("private");
      if (this.isConnected && isReady) this.#show();
    });
  }

  #show(): void {
    const attribute = (name: string): string | undefined => this.getAttribute(name) ?? undefined;
    this.#embedded = embedDashboard({
      ...this.#values,
      url: attribute("url") ?? "",
      publicId: attribute("public-id") ?? "",
      mountPoint: this,
      colorScheme: attribute("color-scheme") as ColorScheme | undefined,
      locale: attribute("locale"),
      timezone: attribute("timezone"),
      title: attribute("title"),
      onEvent: (detail) => this.dispatchEvent(new CustomEvent("svc-event", { detail })),
    });
  }
}

if (globalThis.customElements && !customElements.get("svc-dashboard")) {
  customElements.define("svc-dashboard", SvcDashboard);
}
