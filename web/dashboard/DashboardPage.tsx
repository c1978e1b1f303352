// The dashboard: its header, and its widgets on the grid.
import { useEffect } from "preact/hooks";
import { announce } from "../ui/announce.ts";
import { t } from "../ui/i18n/text.ts";
import { exportStatus } from "./state/export.ts";
import { Grid } from "./widgets/Grid.tsx";
import { Header } from "./Header.tsx";
import type { Store } from "./state/store.ts";
import { WidgetView } from "./widgets/WidgetView.tsx";

/** Shows a dashboard. */
export function DashboardPage({ store }: { readonly store: Store }) {
  const { content, placement } = store;
  useEffect(() => announce(t("dashboard.loaded")), []);
  return (
    <main class="dashboard" aria-labelledby="dashboard-title">
      {placement.header && <Header store={store} />}
      <Grid
        widgets={content.top}
        tree={content}
        draw={(widget) => <WidgetView store={store} widget={widget} />}
      />
      {exportStatus.value !== "" && <p class="export-status">{exportStatus.value}</p>}
    </main>
  );
}
