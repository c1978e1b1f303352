// Carries out the actions of the host, and tells it how high the content is.
import { effect } from "@preact/signals";
import { isObject, parseObject } from "../../core/json.ts";
import { languageOf } from "../ui/i18n/languages.ts";
import { showLanguage } from "../ui/i18n/text.ts";
import { openPanel } from "../ui/Popover.tsx";
import { filterValue, isLocked, memberOf } from "./state/controls.ts";
import type { Host, HostAction } from "./state/messages.ts";
import { usableZone } from "./state/page-info.ts";
import type { Store } from "./state/store.ts";
import { setTheme, showScheme } from "./state/theme.ts";

/** Listens to the host for the life of the page. */
export function actOnHost(host: Host, shown: () => Store | undefined): void {
  host.listen((action) => {
    const store = shown();
    if (store !== undefined) act(action, store);
  });
}

function act({ type, payload }: HostAction, store: Store): void {
  const text = (name: string): string => {
    const value = payload[name];
    return typeof value === "string" ? value : "";
  };
  switch (type) {
    case "set-color-scheme":
      return showScheme(text("scheme"));
    case "set-theme":
      return setTheme(isObject(payload["theme"]) ? payload["theme"] : payload);
    case "set-locale":
      void showLanguage(languageOf([text("locale")])).catch(() => undefined);
      return undefined;
    case "set-timezone":
      store.zone.value = usableZone(text("timezone")) ?? store.timezone;
      return undefined;
    case "set-filter":
      return setFilter(text("filterUrlParameter"), store);
    case "refresh":
      return store.refresh();
    case "navigate":
      return store.navigate(text("path"));
    default:
      return undefined;
  }
}

/** Sets the FILTER that a parameter of an address names: `f_orders.status={"value":"paid"}`. */
function setFilter(parameter: string, { content, pick }: Store): void {
  const at = parameter.indexOf("=");
  const name = parameter.slice(0, at);
  const value = filterValue(parseObject(decodeText(parameter.slice(at + 1))));
  const widget = content.widgets.find(
    (one) => one.type === "FILTER" && `f_${memberOf(one)}` === name && !isLocked(one),
  );
  if (widget === undefined) return;
  pick((picks) => ({ ...picks, filters: { ...picks.filters, [widget.id]: value ?? null } }));
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
