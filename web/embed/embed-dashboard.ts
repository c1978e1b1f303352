// Shows a dashboard in a frame, keeps its session alive, gives the frame its height, and passes events and actions on.
import {
  type AddressOptions,
  dashboardAddress,
  filterParameter,
  type FilterValue,
} from "./address.ts";
import { type Actions, createActions, openChannel } from "./channel.ts";
import { createNotice, type EmbedTexts } from "./notice.ts";
import { createSessionSource } from "./session-source.ts";
import type { EmbedEvent, EmbedEvents, EmbedEventType } from "./events.ts";

/** Colors and shapes that replace the account's. */
export type EmbedTheme = Readonly<Record<string, string | number>>;

/** The colors of the page: `auto` follows the viewer's browser. */
export type ColorScheme = "light" | "dark" | "auto";

/** How to show a dashboard. */
export interface EmbedOptions extends AddressOptions {
  /** The element that gets the frame, or a selector of it. */
  readonly mountPoint: Element | string;
  /**
   * Returns the ID of a new session, which the host's backend creates. It is called at first and whenever the page needs
   * another session. Without it, viewers sign in to the account.
   */
  readonly fetchSession?: (() => Promise<string>) | undefined;
  readonly theme?: EmbedTheme | undefined;
  readonly colorScheme?: ColorScheme | undefined;
  readonly onEvent?: ((event: EmbedEvent) => void) | undefined;
  /** The name of the frame for screen readers; "Dashboard" by default. */
  readonly title?: string | undefined;
  /** What viewers read if there is no session, or the frame does not answer. */
  readonly texts?: EmbedTexts | undefined;
}

/** A dashboard in a frame. Actions wait until the dashboard is shown. */
export interface EmbeddedDashboard {
  /** The frame, which is in the page as soon as there is a session. */
  readonly iframe: HTMLIFrameElement;
  /** Removes the frame and all listeners. */
  destroy(): void;
  /** Sets the FILTER widget of a member; null clears it. */
  setFilter(member: string, value: FilterValue | undefined): void;
  setTheme(theme: EmbedTheme): void;
  setColorScheme(scheme: ColorScheme): void;
  setLocale(locale: string): void;
  setTimezone(timezone: string): void;
  /** Reads the data again, and tries what failed again without a pause. */
  refresh(): void;
  /** Shows another dashboard: `/embed/dashboard/{publicId}`. */
  navigate(path: string): void;
  /** Listens to an event. Returns a function that ends this. */
  on<Type extends EmbedEventType>(
    type: Type,
    listener: (payload: EmbedEvents[Type]) => void,
  ): () => void;
}

/** The page answers within this time, or cannot be shown. */
const answerMs = 15_000;

/**
 * Shows a dashboard. Throws if an option is unknown or missing, the mount point does not exist, or the address is
 * unusable; later failures are `error` events, and errors in the console.
 */
export function embedDashboard(options: EmbedOptions): EmbeddedDashboard {
  requireOptions(options);
  const { mountPoint, fetchSession, theme, colorScheme, onEvent } = options;
  const mount = elementOf(mountPoint);
  const { origin } = dashboardAddress(options, undefined);
  const iframe = createFrame(options.title);
  const listeners = createListeners(onEvent);
  const channel = openChannel(iframe, origin, (event) => {
    const { type, payload } = event;
    setState("answered");
    // `ready` comes with each load of the frame, and a page that has just loaded shows nothing yet.
    if (type === "ready" || type === "view") actions.setShown(type === "view");
    if (type === "resize" && payload.height > 0) iframe.style.height = `${payload.height}px`;
    const isRefused = type === "error" && payload.context === "session";
    if (type === "ready" || type === "session-renewed") sessions?.accepted();
    if (type === "session-needed" || isRefused) sessions?.renew();
    listeners.emit(event);
  });
  const actions = createActions(channel);
  const fail = (message: string, context: string, fatal: boolean): void => {
    if (fatal) notice.show();
    listeners.emit({ type: "error", payload: { message, context, fatal } });
  };
  let state: "waiting" | "answered" | "lost" = "waiting";
  let answerTimer: ReturnType<typeof setTimeout> | undefined;
  const setState = (next: typeof state): void => {
    clearTimeout(answerTimer);
    if (next !== "lost") notice.hide();
    // A frame without a page is hidden: browsers show an error of their own in it, or nothing. It keeps its place: Chromium may
    // never lay out what a frame without one loads.
    iframe.style.visibility = next === "lost" ? "hidden" : "visible";
    state = next;
  };
  const load = (sessionId: string | undefined): void => {
    setState("waiting");
    answerTimer = setTimeout(() => {
      setState("lost");
      fail(unansweredText(origin, Boolean(fetchSession)), "frame", true);
    }, answerMs);
    iframe.src = dashboardAddress(options, sessionId).href;
    if (!iframe.isConnected) mount.append(iframe);
  };
  const sessions =
    fetchSession &&
    createSessionSource({
      fetchSession,
      load,
      renew: (sessionId) => channel.post("set-session", { sessionId }),
      fail: (message, fatal) => fail(message, "fetchSession", fatal),
    });
  const start = (): void => (sessions ? sessions.start() : load(undefined));
  const refresh = (): void => {
    if (state === "lost") return start();
    sessions?.hurry();
    // A page that shows why it has no dashboard takes it too. One that still loads has no older data.
    if (state === "answered") channel.post("refresh", {});
  };
  const notice = createNotice(mount, options.texts ?? {}, refresh);
  // Its first message shows the page where it is framed, where a browser does not. A page that the viewer loaded again asks
  // for a session.
  iframe.addEventListener("load", () => channel.post("connect", {}));
  if (theme) actions.keep("set-theme", theme);
  if (colorScheme) actions.keep("set-color-scheme", { scheme: colorScheme });
  start();
  return {
    iframe,
    destroy() {
      clearTimeout(answerTimer);
      sessions?.stop();
      channel.close();
      listeners.clear();
      notice.hide();
      iframe.remove();
    },
    ...methodsOf(actions),
    refresh,
    on: (type, listener) => listeners.on(type, listener),
  };
}

interface Listeners extends Pick<EmbeddedDashboard, "on"> {
  readonly emit: (event: EmbedEvent) => void;
  readonly clear: () => void;
}

function createListeners(onEvent: EmbedOptions["onEvent"]): Listeners {
  const listeners = new Map<string, Set<(payload: never) => void>>();
  return {
    emit(event) {
      if (event.type === "error") {
        const { context, message } = event.payload;
        console.error(`svc-embed: ${context ? `${context}: ` : ""}${message}`);
      }
      for (const listener of listeners.get(event.type) ?? []) listener(event.payload as never);
      onEvent?.(event);
    },
    clear: () => listeners.clear(),
    on(type, listener) {
      const those = listeners.get(type) ?? new Set();
      listeners.set(type, those.add(listener));
      return () => void those.delete(listener);
    },
  };
}

function methodsOf(
  actions: Actions,
): Omit<EmbeddedDashboard, "iframe" | "destroy" | "refresh" | "on"> {
  return {
    setFilter: (member, value) =>
      actions.act("set-filter", { filterUrlParameter: filterParameter(member, value) }),
    setTheme: (theme) => actions.keep("set-theme", theme),
    setColorScheme: (scheme) => actions.keep("set-color-scheme", { scheme }),
    setLocale: (locale) => actions.keep("set-locale", { locale }),
    setTimezone: (timezone) => actions.keep("set-timezone", { timezone }),
    navigate: (path) => actions.act("navigate", { path }),
  };
}

const optionNames = Object.keys({
  url: true,
  publicId: true,
  mountPoint: true,
  fetchSession: true,
  filters: true,
  theme: true,
  colorScheme: true,
  locale: true,
  timezone: true,
  parameters: true,
  title: true,
  texts: true,
  onEvent: true,
} satisfies Record<keyof EmbedOptions, true>);

/** Throws if an option is not known, or one of the first three is missing. */
function requireOptions(options: EmbedOptions): void {
  const unknown = Object.keys(options).find((name) => !optionNames.includes(name));
  if (unknown !== undefined) {
    throw new TypeError(`there is no option ${unknown}. Options are ${optionNames.join(", ")}`);
  }
  const missing = (["url", "publicId", "mountPoint"] as const).find((name) => !options[name]);
  if (missing !== undefined) throw new TypeError(`the option ${missing} is missing`);
}

function unansweredText(origin: string, isSigned: boolean): string {
  const condition = isSigned ? " if that is set" : "";
  return `The dashboard did not load within ${answerMs / 1000} seconds. Either ${origin} cannot be reached, or it may not be shown here: embedding.allowedOrigins of the account needs ${location.origin}${condition}, and a Content-Security-Policy of this page needs ${origin} in frame-src.`;
}

function elementOf(mountPoint: Element | string): Element {
  if (typeof mountPoint !== "string") return mountPoint;
  const element = document.querySelector(mountPoint);
  if (element === null) throw new TypeError(`no element matches ${mountPoint}`);
  return element;
}

/** Creates the frame. Its height follows the content; until then it fills a mount point that has a height. */
function createFrame(title = "Dashboard"): HTMLIFrameElement {
  const iframe = document.createElement("iframe");
  iframe.title = title;
  iframe.allow = "fullscreen";
  // The page checks that its host is allowed, and this tells it the host's origin and nothing more.
  iframe.referrerPolicy = "origin";
  Object.assign(iframe.style, { display: "block", width: "100%", height: "100%", border: "0" });
  return iframe;
}
