// Makes one export: draws its dashboard with the rights of its caller.
import { Failure, isFailure } from "../../core/errors.ts";
import type { JsonObject } from "../../core/json.ts";
import {
  claimExport,
  endExport,
  type ExportRow,
  findDueExport,
  releaseExport,
} from "../areas/dashboard-exports/exports.ts";
import type { Viewer } from "../areas/dashboard-exports/viewer.ts";
import type { MailLinks } from "../areas/notifications/mail-links.ts";
import { readDashboard } from "../areas/workbooks/dashboards.ts";
import { fromJson } from "../store/codec.ts";
import { inTransaction } from "../store/transaction.ts";
import type { Controls } from "../../charts/config/controls.ts";
import { type DashboardSource, readPicture, withReasons } from "./dashboard-data.ts";
import type { DeliveryTools } from "./tools.ts";
import { callerOf, pageOf, turnOfViewer } from "./viewer.ts";

interface ExportParts extends DashboardSource, DeliveryTools {
  /** Undefined if the operator did not configure a public address. */
  readonly links: MailLinks | undefined;
}

/** Makes the next export. Returns false if there is none. */
export async function runNextExport(parts: ExportParts, signal: AbortSignal): Promise<boolean> {
  const { db, now } = parts;
  // Most calls find no export, so read first and write only if there is one.
  const due = await findDueExport(db, now());
  if (due === undefined) return false;
  const row = await inTransaction(db, (tx) => claimExport(tx, due, now()));
  if (row !== undefined) await makeExport(parts, row, signal);
  return true;
}

async function makeExport(parts: ExportParts, row: ExportRow, signal: AbortSignal): Promise<void> {
  const { db } = parts;
  try {
    const content = await drawExport(parts, row, signal);
    await inTransaction(db, (tx) => endExport(tx, row, { content }));
  } catch (error) {
    if (signal.aborted || isFailure(error, "aborted")) {
      await inTransaction(db, (tx) => releaseExport(tx, row));
      return;
    }
    const problem =
      error instanceof Failure ? error.message : "the export failed because of an internal error";
    await inTransaction(db, (tx) => endExport(tx, row, { problem }));
    if (!(error instanceof Failure)) throw error;
  }
}

async function drawExport(
  parts: ExportParts,
  { dashboard_id, viewer, controls, format }: ExportRow,
  signal: AbortSignal,
): Promise<Buffer> {
  const { timezone, hasInitialValues, ...own } = fromJson(controls) as JsonObject;
  const known = fromJson(viewer) as Viewer;
  const dashboard = await readDashboard(parts.db, dashboard_id);
  const caller = await callerOf(parts.db, known);
  const view = {
    dashboard,
    caller,
    link: pageOf(parts.links, caller, dashboard),
    hasLinks: format === "pdf",
    theme: known.session?.theme,
    turn: turnOfViewer(known),
    controls: own as Controls,
    hasInitialValues: hasInitialValues === true,
    ...(typeof timezone === "string" && { timezone }),
  };
  const picture = await readPicture(parts, view, signal);
  return parts.drawer.draw(withReasons(picture), format, signal);
}
