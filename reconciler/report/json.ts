// Converts plans, results and drift to the versioned JSON report, with members in a fixed order.
import type { Diagnostic } from "../../core/diagnostics.ts";
import type { JsonObject } from "../../core/json.ts";
import type { Kind } from "../../core/kind.ts";
import type { ObjectExplanation } from "../verbs/why.ts";
import type { ApplyResult, Change, Outcome, Plan } from "../model/index.ts";
import { countActions } from "./actions.ts";
import { shownFields } from "./masked-fields.ts";
import type { Unmanaged } from "../verbs/unmanaged.ts";
import type { ManifestsReport } from "./report.ts";

/** Format version, increased with every incompatible change. */
const format = 1;

/** Additional content of a report. */
export interface JsonReportOptions {
  /** Set to show the fields of creates. */
  readonly kinds?: readonly Kind[];
  /** Diagnostics of the manifests, before those of the plan. */
  readonly manifestDiagnostics?: readonly Diagnostic[];
  /** For drift: undeclared objects. */
  readonly unmanaged?: readonly Unmanaged[] | undefined;
}

/** Returns the plan with counts and masked secrets. `apply` takes a saved plan, not this report. */
export function planJson(
  plan: Plan,
  { kinds = [], manifestDiagnostics = [] }: JsonReportOptions = {},
): JsonObject {
  const { basis, changes, unchanged, diagnostics, cost } = plan;
  return {
    format,
    report: "plan",
    stack: basis.stack,
    origin: basis.origin,
    summary: {
      ...countActions(changes),
      unchanged,
      blocked: changes.filter(({ blockedBy }) => blockedBy.length > 0).length,
    },
    cost: { readCalls: cost.readCalls, writeCalls: cost.writeCalls, seconds: cost.seconds },
    notVerified: plan.notVerified,
    changes: changes.map((change) => changeJson(change, kinds)),
    diagnostics: diagnosticsJson([...manifestDiagnostics, ...diagnostics]),
  };
}

/** Returns the result of an apply. */
export function appliedJson(
  applied: ApplyResult,
  { kinds = [], manifestDiagnostics = [] }: JsonReportOptions = {},
): JsonObject {
  const { plan, outcomes, stopped, residual, unverified, unrecorded, calls } = applied;
  const count = (result: Outcome["result"]): number =>
    outcomes.filter((outcome) => outcome.result === result).length;
  return {
    format,
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
    stopped: stopped && { ...stopped },
    outcomes: outcomes.map(({ address, action, result, failure }) => ({
      address,
      action,
      result,
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
    format,
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
    differences: differing.map((change) => changeJson(change, kinds)),
    unmanaged: unmanaged?.map(({ kind, key, id }) => ({ kind, key, id })),
    diagnostics: diagnosticsJson([...manifestDiagnostics, ...diagnostics]),
  };
}

/** Returns the diagnostics of manifests, with their stack if they are valid. */
export function manifestsJson({ stack, manifestDiagnostics }: ManifestsReport): JsonObject {
  return {
    format,
    report: "manifests",
    valid: stack !== undefined,
    stack: stack?.name,
    objects: stack?.objects,
    digest: stack?.digest,
    diagnostics: diagnosticsJson(manifestDiagnostics),
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
    format,
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
    fields: fields.map((one) => ({ ...one })),
    change: change && changeJson(change, kinds),
    obstacles: obstacles.map(({ code, reason, remedy }) => ({ code, reason, remedy })),
    opensAt: opensAt?.toISOString(),
    diagnostics: diagnosticsJson([...manifestDiagnostics, ...notes]),
  };
}

function toPlainJson(value: object): JsonObject {
  return JSON.parse(JSON.stringify(value)) as JsonObject;
}

/** Returns diagnostics as JSON. */
export function diagnosticsJson(diagnostics: readonly Diagnostic[]): readonly JsonObject[] {
  return diagnostics.map(({ code, severity, summary, remedy, place, path, address }) => ({
    code,
    severity,
    summary,
    remedy,
    place: place && { file: place.file, line: place.line, column: place.column },
    path,
    address,
  }));
}

/** The desired object is omitted: it contains secrets, and the fields describe it. */
function changeJson(change: Change, kinds: readonly Kind[]): JsonObject {
  const { action, address, kind, name, key, scope, id, from, direction, layer } = change;
  return {
    action,
    address,
    kind,
    name,
    key,
    scope,
    id,
    from: from && { key: from.key, scope: from.scope },
    direction,
    layer,
    secretTo: change.secretTo?.file,
    movedTo: change.movedTo,
    abandoned: change.abandoned,
    protect: change.guards?.protect,
    onRemoval: change.guards?.onRemoval,
    cascadedBy: change.cascadedBy,
    cascades: change.cascadeCounts,
    blockedBy: change.blockedBy,
    notVerifiable: change.notVerifiable,
    fields: shownFields(change, kinds).map((field) => ({
      path: field.path,
      before: field.before,
      after: field.after,
      base: field.base,
      reason: field.reason,
      direction: field.direction,
      replaces: field.replaces,
      sensitive: field.sensitive,
      cause: field.cause,
    })),
  };
}
