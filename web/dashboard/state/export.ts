// Files that viewers download: a PNG or a PDF of the dashboard, which the service draws, and the rows of a chart as CSV.
import { signal } from "@preact/signals";
import type { ResultTable } from "../../../charts/index.ts";
import { isObject, type JsonObject } from "../../../core/json.ts";
import { announce } from "../../ui/announce.ts";
import { t } from "../../ui/i18n/text.ts";
import { RequestFailure } from "./api.ts";
import type { Store } from "./store.ts";
import { textOf } from "./widgets.ts";

/** What the page says about a file that is made; "" if none is. */
export const exportStatus = signal("");

const pollMs = 1000;
const longestMs = 180_000;

/** Returns whether the address asks for exports, and the viewer may have them. */
export function mayExportFiles({ placement, viewer }: Store): boolean {
  return placement.allowExport && viewer.mayExport;
}

/** Downloads the dashboard as the viewer sees it. */
export async function exportDashboard(store: Store, format: "png" | "pdf"): Promise<void> {
  const { api, content, viewer, host } = store;
  exportStatus.value = t("export.preparing");
  announce(exportStatus.value);
  try {
    const path = `/api/v1/deployments/${viewer.deploymentId}/dashboard-exports`;
    const started = await api.send(path, { method: "POST", body: exportBody(store, format) });
    const jobId = isObject(started) ? textOf(started["jobId"]) : "";
    await waitForJob(store, `${path}/${encodeURIComponent(jobId)}`);
    const file = await api.download(`${path}/${encodeURIComponent(jobId)}/download`);
    saveFile(file, `${fileName(content.title)}.${format}`);
    exportStatus.value = "";
    host?.send("download", { format, target: "dashboard", title: content.title });
  } catch {
    exportStatus.value = t("export.failed");
    announce(exportStatus.value);
  }
}

function exportBody({ content, controls, zone }: Store, format: string): JsonObject {
  const timezone = zone.value;
  return {
    dashboardPublicId: content.publicId,
    format,
    ...controls.value,
    ...(timezone !== undefined && { timezone }),
  };
}

async function waitForJob({ api }: Store, path: string): Promise<void> {
  const started = performance.now();
  for (;;) {
    const job = await api.send(path);
    const status = isObject(job) ? job["status"] : undefined;
    if (status === "completed") return;
    if (status === "failed" || performance.now() - started > longestMs) {
      throw new RequestFailure("failed", "");
    }
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
}

/** Downloads the rows that a chart has loaded, with their exact values. */
export function exportRows(
  { host }: Store,
  {
    table,
    title,
    widgetId,
  }: { readonly table: ResultTable; readonly title: string; readonly widgetId: string },
): void {
  const lines = [table.columns.map(({ title: name }) => name), ...table.rows];
  const text = lines.map((cells) => cells.map((cell) => csvCell(cell)).join(",")).join("\r\n");
  // Spreadsheets read UTF-8 only after this mark.
  saveFile(new Blob(["\uFEFF", text, "\r\n"], { type: "text/csv" }), `${fileName(title)}.csv`);
  host?.send("download", {
    format: "csv",
    target: "widget",
    widgetId,
    title,
    rowCount: table.rows.length,
  });
}

/** Downloads the picture of a chart, which is in a data URL. */
export function exportPicture(
  { host }: Store,
  {
    url,
    title,
    widgetId,
  }: { readonly url: string; readonly title: string; readonly widgetId: string },
): void {
  const bytes = Uint8Array.from(atob(url.split(",")[1] ?? ""), (one) => one.charCodeAt(0));
  saveFile(new Blob([bytes], { type: "image/png" }), `${fileName(title)}.png`);
  host?.send("download", { format: "png", target: "widget", widgetId, title });
}

function csvCell(value: string | number | boolean | null): string {
  const text = value === null ? "" : String(value);
  return /[",\r\n]/u.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function fileName(title: string): string {
  return title.replace(/[^\p{L}\p{N} _-]+/gu, " ").trim() || "dashboard";
}

/** Saves a file. */
function saveFile(file: Blob, name: string): void {
  const url = URL.createObjectURL(file);
  const link = Object.assign(document.createElement("a"), { href: url, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
