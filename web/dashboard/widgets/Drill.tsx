// The rows behind a value of a chart, in a dialog.
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { describeChart, readChartConfig, type TableModel } from "../../../charts/index.ts";
import { Dialog } from "../../ui/Dialog.tsx";
import { shownLanguage, t } from "../../ui/i18n/text.ts";
import type { DrillTarget } from "../state/drilling.ts";
import { type LoadedResult, readResult } from "../state/results.ts";
import type { Store } from "../state/store.ts";
import { scheme } from "../state/theme.ts";
import { localTime } from "../state/times.ts";
import { Links, type LinksTarget } from "./Links.tsx";
import { TableView } from "./TableView.tsx";

/** Shows the rows until the dialog is closed. */
export function Drill({
  store,
  target,
  onClose,
}: {
  readonly store: Store;
  readonly target: DrillTarget;
  readonly onClose: () => void;
}) {
  const table = useSignal<TableModel | undefined>(undefined);
  const result = useSignal<LoadedResult | undefined>(undefined);
  const links = useSignal<LinksTarget | undefined>(undefined);
  const problem = useSignal("");
  useEffect(() => {
    const stop = new AbortController();
    store.queue.load({ query: target.query, priority: -1, isFresh: false }, stop.signal).then(
      (answer) => {
        result.value = readResult(answer);
        const { table: rows, readAt } = result.value;
        const model = describeChart(rows, readChartConfig({ chart: "table" }), {
          width: 800,
          height: 600,
          locale: shownLanguage(),
          scheme: scheme.value,
          now: () => localTime(readAt, store.zone.value),
        });
        if (model.kind === "table") table.value = model.table;
        else problem.value = t("chart.noData");
      },
      () => {
        if (!stop.signal.aborted) problem.value = t("error.chart");
      },
    );
    return () => stop.abort();
  }, [target]);
  return (
    <Dialog title={t("drill.into", { value: target.value })} onClose={onClose}>
      <div class="drill">
        {problem.value !== "" && <p role="alert">{problem.value}</p>}
        {table.value !== undefined && (
          <TableView
            table={table.value}
            caption={t("drill.more")}
            onLinks={(linked, text) => {
              if (result.value) links.value = { result: result.value, linked, text };
            }}
          />
        )}
      </div>
      {links.value !== undefined && (
        <Links
          store={store}
          target={links.value}
          onClose={() => {
            links.value = undefined;
          }}
        />
      )}
    </Dialog>
  );
}
