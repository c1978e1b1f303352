// Carries out the actions of the host, and tells it how high the content is.
import { effect } from "@preact/signals";
import { filterOperators } from "../../charts/config/controls.ts";
import { themeProblems } from "../../charts/theme.ts";
import { isObject, type JsonObject } from "../../core/json.ts";
import { languageFor, languages } from "../ui/i18n/languages.ts";
import { showLanguage } from "../ui/i18n/text.ts";
import { openPanel } from "../ui/Popover.tsx";
import { ignoredControl, picksOfAddress } from "./state/controls.ts";
import type { Host, HostAction } from "./state/messages.ts";
import { usableZone } from "./state/page-info.ts";
import type { Store } from "./state/store.ts";
import { colorSchemes, setTheme, showScheme } from "./state/theme.ts";

/** Where actions go. */
export interface ActionTarget {
  readonly shown: () => Store | undefined;
  /** Opens the dashboard again if it could not be shown. */
  readonly reopen: () => void;
}

/** Listens to the host for the life of the page, and tells it what the page does not do. */
export function actOnHost(host: Host, { shown, reopen }: ActionTarget): void {
  host.listen((action) => {
    const store = shown();
    if (store === undefined) {
      if (action.type === "refresh") reopen();
      return;
    }
    for (const problem of act(action, store)) host.report(action.type, problem);
  });
}

/** Carries out an action. Returns what is wrong in it. */
function act({ type, payload }: HostAction, store: Store): readonly string[] {
  const text = (name: string): string => {
    const value = payload[name];
    return typeof value === "string" ? value : "";
  };
  switch (type) {
    case "set-color-scheme":
      if (colorSchemes.includes(text("scheme"))) showScheme(text("scheme"));
      return colorSchemes.includes(text("scheme"))
        ? []
        : [`the scheme ${JSON.stringify(payload["scheme"])} is none of ${colorSchemes.join(", ")}`];
    case "set-theme":
      return setHostTheme(isObject(payload["theme"]) ? payload["theme"] : payload);
    case "set-locale": {
      const language = languageFor(text("locale"));
      if (language === undefined) return [unknownLocale(text("locale"))];
      void showLanguage(language).catch(() => undefined);
      return [];
    }
    case "set-timezone": {
      const zone = usableZone(text("timezone"));
      if (zone === undefined) return [unknownZone(text("timezone"))];
      store.zone.value = zone;
      return [];
    }
    case "set-filter":
      return setFilter(text("filterUrlParameter"), store);
    case "refresh":
      store.refresh();
      return [];
    case "navigate":
      return store.navigate(text("path"))
        ? []
        : [`the path ${JSON.stringify(text("path"))} is not /embed/dashboard/{publicId}`];
    default:
      return [];
  }
}

function setHostTheme(theme: JsonObject): readonly string[] {
  const mode = theme["mode"];
  if (typeof mode === "string" && colorSchemes.includes(mode)) showScheme(mode);
  setTheme(theme);
  return themeProblems(theme).map(({ path, message }) => `${path.slice(1)} ${message}`);
}

/** Returns what is wrong in the parameters of the address, which a host sets too. */
export function addressProblems(
  parameters: URLSearchParams,
  { content: { widgets } }: Store,
): readonly string[] {
  const locale = parameters.get("locale");
  const timezone = parameters.get("timezone");
  return [
    ...(locale !== null && languageFor(locale) === undefined ? [unknownLocale(locale)] : []),
    ...(timezone !== null && usableZone(timezone) === undefined ? [unknownZone(timezone)] : []),
    ...[...parameters].flatMap(([name, value]) => ignoredControl(name, value, widgets) ?? []),
  ];
}

const unknownLocale = (locale: string): string =>
  `the locale ${JSON.stringify(locale)} has no texts; there are ${languages.join(", ")}`;
const unknownZone = (zone: string): string =>
  `the time zone ${JSON.stringify(zone)} is not known; Europe/Berlin is one`;

/** Sets the FILTER that a parameter of an address names: `f_orders.status={"value":"paid"}`. An empty one takes its pick back. */
function setFilter(parameter: string, { content: { widgets }, pick }: Store): readonly string[] {
  const at = parameter.indexOf("=");
  const name = parameter.slice(0, at);
  const isReset = at === parameter.length - 1;
  const text = isReset ? "null" : decodeText(parameter.slice(at + 1));
  const problem = ignoredControl(name, text, widgets);
  if (problem !== undefined) return [problem];
  const { filters } = picksOfAddress(new URLSearchParams([[name, text]]), widgets);
  const wrong = Object.values(filters).find((one) => one && !filterOperators.has(one.operator));
  if (wrong) return [`${name} sets nothing: ${wrong.operator} is not an operator of filters`];
  pick((picks) => {
    const others = Object.entries(picks.filters).filter(([id]) => !(id in filters));
    return { ...picks, filters: { ...Object.fromEntries(others), ...(isReset ? {} : filters) } };
  });
  return [];
}

function decodeText(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/**
 * Sends one event for each change of the height of the content, which does not depend on the height of the frame. An
 * open panel is content; a page that still loads leaves the height as it is.
 */
export function reportHeight(host: Host): void {
  const root = document.getElementById("app");
  if (root === null) return;
  let sent = 0;
  const report = (): void => {
    const { bottom } = root.getBoundingClientRect();
    const height = Math.ceil(Math.max(bottom, bottomOf(openPanel.value)) + window.scrollY);
    const isLoading = root.querySelector("main[aria-busy=true]") !== null;
    if (isLoading || height === sent || height === 0) return;
    sent = height;
    host.send("resize", { height });
  };
  const observer = new ResizeObserver(report);
  observer.observe(root);
  effect(() => {
    const panel = openPanel.value;
    if (panel === undefined) return report();
    observer.observe(panel);
    return () => observer.unobserve(panel);
  });
}

/** Returns where a panel and the space below it end. */
function bottomOf(panel: HTMLElement | undefined): number {
  return panel === undefined ? 0 : panel.getBoundingClientRect().bottom + 16;
}
