// Converts plans, results and drift to the versioned JSON report, with members in a fixed order.
import type { Diagnostic } from "../../core/diagnostics.ts";
import type { JsonObject } from "../../core/json.ts";
import type { Export } from "../export/export.ts";
import type { UpdateResult } from "../export/update.ts";
import type { ObjectExplanation } from "../verbs/object-explanation.ts";
import { changeJson, diagnosticsJson, type PlanJsonOptions } from "../engine/plan-json.ts";
import type { ApplyResult, Change, Outcome, Plan } from "../model/index.ts";
import { countActions } from "../model/actions.ts";
import { reportFormat } from "../model/report-format.ts";
import type { Unmanaged } from "../verbs/unmanaged.ts";
import { driftedChangeJson } from "./drift-field.ts";
import type { ManifestsReport } from "./report.ts";

/** Additional content of a report. */
export interface JsonReportOptions extends PlanJsonOptions {
  /** For drift: undeclared objects. */
  readonly unmanaged?: readonly Unmanaged[] | undefined;
}

/** Returns the result of an apply. */
export function appliedJson(
  applied: ApplyResult,
  { kinds = [], manifestDiagnostics = [] }: JsonReportOptions = {},
): JsonObject {
  const { plan, outcomes, stopped, residual, unverified, unrecorded, calls, writeCalls } = applied;
  const count = (result: Outcome["result"]): number =>
    outcomes.filter((outcome) => outcome.result === result).length;
  return {
    format: reportFormat,
    report: "apply",
    stack: plan.basis.stack,
    origin: plan.basis.origin,
    summary: {
      ...countActions(outcomes.filter(({ result }) => result === "done")),
      unchanged: plan.unchanged,
      failed: count("failed"),
      skipped: count("skipped"),
      residual: residual.length,
    },
    calls,
    writeCalls,
    stopped: stopped && { ...stopped },
    outcomes: outcomes.map(({ address, action, result, partial, failure }) => ({
      address,
      action,
      result,
      partial,
      failure: failure && {
        code: failure.code,
        message: failure.message,
        remedy: failure.remedy,
      },
    })),
    residual: residual.map((change) => changeJson(change, kinds)),
    unverified,
    unrecorded: unrecorded && { ...unrecorded },
    diagnostics: diagnosticsJson([...manifestDiagnostics, ...plan.diagnostics]),
  };
}

/** Returns every difference with its direction. */
export function driftJson(
  plan: Plan,
  { kinds = [], manifestDiagnostics = [], unmanaged }: JsonReportOptions = {},
): JsonObject {
  const { basis, changes, unchanged, diagnostics, cost } = plan;
  const differing = changes.filter(({ action }) => action !== "none");
  const count = (direction: Change["direction"]): number =>
    differing.filter((change) => change.direction === direction).length;
  return {
    format: reportFormat,
    report: "drift",
    stack: basis.stack,
    origin: basis.origin,
    summary: {
      conflict: count("conflict"),
      drifted: count("drifted"),
      pending: count("pending"),
      inSync: unchanged + changes.length - differing.length,
      unmanaged: unmanaged?.length,
    },
    cost: { readCalls: cost.readCalls },
    differences: differing.map((change) => driftedChangeJson(change, kinds)),
    unmanaged: unmanaged?.map(({ kind, key, id }) => ({ kind, key, id })),
    diagnostics: diagnosticsJson([...manifestDiagnostics, ...diagnostics]),
  };
}

/** Returns the diagnostics of manifests, with their stack if they are valid. */
export function manifestsJson({ stack, manifestDiagnostics }: ManifestsReport): JsonObject {
  return {
    format: reportFormat,
    report: "manifests",
    valid: stack !== undefined,
    stack: stack?.name,
    objects: stack?.objects,
    digest: stack?.digest,
    diagnostics: diagnosticsJson(manifestDiagnostics),
  };
}

/** Returns the fields that an update of manifests changed, and its `files` relative to the current folder. */
export function updateJson(
  { changed, added }: UpdateResult,
  {
    files,
    diagnostics,
  }: { readonly files: readonly string[]; readonly diagnostics: readonly Diagnostic[] },
): JsonObject {
  return {
    format: reportFormat,
    report: "update",
    changed,
    added,
    files,
    diagnostics: diagnosticsJson(diagnostics),
  };
}

/** Returns the manifests of an export; without their content if they were written to files. */
export function exportJson(
  { files, declared, incomplete, diagnostics }: Export,
  isWritten: boolean,
): JsonObject {
  return {
    format: reportFormat,
    report: "export",
    summary: { declared, incomplete },
    files: files.map((file) => ({ path: file.path, text: isWritten ? undefined : file.text })),
    diagnostics: diagnosticsJson(diagnostics),
  };
}

/** Returns everything about one object. */
export function whyJson(
  explanation: ObjectExplanation,
  { kinds = [], manifestDiagnostics = [] }: JsonReportOptions = {},
): JsonObject {
  const { address, stack, origin, declared, owned, live, fields, change } = explanation;
  const { obstacles, opensAt, notes } = explanation;
  return {
    format: reportFormat,
    report: "why",
    stack,
    origin,
    address,
    declared: declared && {
      place: { ...declared.place },
      key: declared.key,
      rules: declared.rules && toPlainJson(declared.rules),
    },
    owned: owned && toPlainJson(owned),
    live: live && { id: live.id },
    fields: fields.map((field) => ({ ...field })),
    change: change && changeJson(change, kinds),
    obstacles: obstacles.map(({ code, reason, remedy }) => ({ code, reason, remedy })),
    opensAt: opensAt?.toISOString(),
    diagnostics: diagnosticsJson([...manifestDiagnostics, ...notes]),
  };
}

function toPlainJson(value: object): JsonObject {
  return JSON.parse(JSON.stringify(value)) as JsonObject;
}
