// The header of a dashboard: title, freshness, and what the viewer may do.
import { useSignal, useSignalEffect } from "@preact/signals";
import { Icon } from "../ui/Icon.tsx";
import { t } from "../ui/i18n/text.ts";
import { lazy } from "../ui/Lazy.tsx";
import { Menu } from "../ui/Menu.tsx";
import { exportDashboard, mayExportFiles } from "./state/export.ts";
import { initialsOf } from "./state/page-info.ts";
import type { Store } from "./state/store.ts";
import { clockText } from "./state/times.ts";

const Comments = lazy(async () => (await import("./Comments.tsx")).Comments);

/** The first time that a browser writes takes it a while: the charts are drawn before it. */
const afterChartsMs = 100;

/** Shows the header. It collapses if nothing is left in it. */
export function Header({ store }: { readonly store: Store }) {
  const { content, placement, viewer } = store;
  const hasBack = placement.backButton && viewer.isPrivate && window.parent === window;
  const hasExport = placement.exportMenu && mayExportFiles(store);
  const title = content.title || t("dashboard.untitled");
  return (
    <header class="header">
      {hasBack && (
        <a class="icon-button" href="/" aria-label={t("action.back")}>
          <Icon name="back" />
        </a>
      )}
      <div class="header-text">
        {placement.title ? (
          <h1 id="dashboard-title">{title}</h1>
        ) : (
          <h1 id="dashboard-title" class="visually-hidden">
            {title}
          </h1>
        )}
        {placement.title && content.description !== "" && (
          <p class="header-description">{content.description}</p>
        )}
      </div>
      <Freshness store={store} />
      <button
        type="button"
        class="icon-button"
        aria-label={t("action.refresh")}
        title={t("action.refresh")}
        onClick={() => store.refresh()}
      >
        <Icon name="refresh" />
      </button>
      {viewer.mayComment && <Comments store={store} />}
      {hasExport && (
        <Menu
          label={t("export.menu")}
          text={<Icon name="export" />}
          className="icon-menu"
          actions={[
            { title: t("export.png"), run: () => void exportDashboard(store, "png") },
            { title: t("export.pdf"), run: () => void exportDashboard(store, "pdf") },
          ]}
        />
      )}
      <Avatar store={store} />
    </header>
  );
}

/** Shows how old the oldest data on the page are, in a place that it keeps from the start. */
function Freshness({ store }: { readonly store: Store }) {
  const time = useSignal<string | undefined>(undefined);
  useSignalEffect(() => {
    const { value: updated } = store.stalest;
    const zone = store.zone.value;
    const timer = setTimeout(() => {
      time.value = updated && clockText(updated, zone);
    }, afterChartsMs);
    return () => clearTimeout(timer);
  });
  return (
    <span class={`header-updated ${time.value === undefined ? "header-unknown" : ""}`}>
      {t("header.updated", { time: time.value ?? "00:00 AM" })}
    </span>
  );
}

/** Shows the picture of the viewer, or the initials of the name. */
function Avatar({ store: { viewer } }: { readonly store: Store }) {
  const { displayName, picture } = viewer;
  if (picture !== undefined) {
    return <img class="avatar" src={picture} alt={displayName} width="32" height="32" />;
  }
  const initials = initialsOf(displayName);
  if (initials === "") return null;
  return (
    <span class="avatar" role="img" aria-label={displayName} title={displayName}>
      {initials}
    </span>
  );
}
