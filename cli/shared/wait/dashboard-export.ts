// Waits for an export of a dashboard, and writes its file.
import { setTimeout as pause } from "node:timers/promises";
import { downloadDashboardExport, getDashboardExport } from "../../../api/dashboard-exports.ts";
import type { Client } from "../../../client/types.ts";
import { Failure } from "../../../core/errors.ts";
import { replaceFile } from "../../../reconciler/export/write.ts";

/** An export that was started. */
export interface StartedExport {
  readonly deploymentId: number;
  readonly jobId: string;
  readonly signal: AbortSignal;
}

/** The pause grows from the first to the last: most dashboards are drawn in a few seconds. */
const [firstPauseMs, maxPauseMs] = [200, 2000];

/** Returns when the export is complete. Fails with its reason if it failed, and with `not_found` once it has expired. */
export async function waitForExport(client: Client, started: StartedExport): Promise<void> {
  const { deploymentId, jobId, signal } = started;
  const params = { deploymentId, jobId };
  for (let wait = firstPauseMs; ; wait = Math.min(wait * 1.5, maxPauseMs)) {
    const { status, error } = await client.reader.call(getDashboardExport, { params });
    if (status === "completed") return;
    if (status === "failed") throw new Failure("failed", error ?? "the export failed");
    await pause(wait, undefined, { signal }).catch(() => {
      throw new Failure("aborted", "the wait was interrupted; the export continues on the server");
    });
  }
}

/** Downloads an export. Returns the file. */
export async function downloadExport(
  client: Client,
  { deploymentId, jobId, signal }: StartedExport,
): Promise<Buffer> {
  const { method, path } = downloadDashboardExport;
  const filled = path
    .replace("{deploymentId}", String(deploymentId))
    .replace("{jobId}", encodeURIComponent(jobId));
  return (await client.request(method, filled, { signal })).content;
}

/** Writes a downloaded file. */
export function writeExport(file: string, content: Buffer): void {
  replaceFile(file, content);
}
