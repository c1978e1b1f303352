// The package svc-embed: dashboards in the pages of a host.
export type { FilterValue } from "./address.ts";
export { SvcDashboard } from "./element.ts";
export {
  type ColorScheme,
  embedDashboard,
  type EmbeddedDashboard,
  type EmbedOptions,
  type EmbedTheme,
} from "./embed-dashboard.ts";
export type { EmbedTexts } from "./notice.ts";
export type { EmbedEvent, EmbedEvents, EmbedEventType } from "./events.ts";
