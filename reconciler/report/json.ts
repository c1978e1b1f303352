// Plans, applies and drift as JSON for programs: one form, numbered, its members always in the same order.
import type { Diagnostic } from "../../core/diagnostics.ts";
import type { JsonObject } from "../../core/json.ts";
import type { Kind } from "../../core/kind.ts";
import type { ObjectExplanation } from "../verbs/why.ts";
import type { ApplyResult, Change, Outcome, Plan } from "../model/index.ts";
import { countActions } from "./actions.ts";
import { shownFields } from "./masked-fields.ts";
import type { Unmanaged } from "../verbs/unmanaged.ts";
import type { ManifestsReport } from "./report.ts";

/** Grows when a program that reads these reports would have to change. */
const format = 1;

/** What a report holds beside its subject. */
export interface JsonReportOptions {
  /** Lets creates show the fields of their wish. */
  readonly kinds?: readonly Kind[];
  /** Diagnostics of the manifests; they stand before those of the plan. */
  readonly manifestDiagnostics?: readonly Diagnostic[];
  /** Of drift: what exists that nobody declared. */
  readonly unmanaged?: readonly Unmanaged[] | undefined;
}

/** The plan with its counts; secrets as masks. It is a report: what `apply` takes is the saved plan. */
export function planJson(
  plan: Plan,
  { kinds = [], manifestDiagnostics: found = [] }: JsonReportOptions = {},
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
    diagnostics: diagnosticsJson([...found, ...diagnostics]),
  };
}

/** What an apply came to. */
export function appliedJson(
  applied: ApplyResult,
  { kinds = [], manifestDiagnostics: found = [] }: JsonReportOptions = {},
): JsonObject {
  const { plan, outcomes, stopped, residual, unverified, calls } = applied;
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
    diagnostics: diagnosticsJson([...found, ...plan.diagnostics]),
  };
}

/** Every difference with who moved. */
export function driftJson(
  plan: Plan,
  { kinds = [], manifestDiagnostics: found = [], unmanaged }: JsonReportOptions = {},
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
      asDeclared: unchanged + changes.length - differing.length,
      unmanaged: unmanaged?.length,
    },
    cost: { readCalls: cost.readCalls },
    differences: differing.map((change) => changeJson(change, kinds)),
    unmanaged: unmanaged?.map(({ kind, key, id }) => ({ kind, key, id })),
    diagnostics: diagnosticsJson([...found, ...diagnostics]),
  };
}

/** What was found in manifests; their stack only where they are valid. */
export function manifestsJson({ stack, manifestDiagnostics: found }: ManifestsReport): JsonObject {
  return {
    format,
    report: "manifests",
    valid: stack !== undefined,
    stack: stack?.name,
    objects: stack?.objects,
    digest: stack?.digest,
    diagnostics: diagnosticsJson(found),
  };
}

/** Everything about one object. */
export function whyJson(
  explanation: ObjectExplanation,
  { kinds = [], manifestDiagnostics: found = [] }: JsonReportOptions = {},
): JsonObject {
  const { address, stack, origin, declared, owned, live, fields, change } = explanation;
  const { obstacles, opens, notes } = explanation;
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
    obstacles: obstacles.map(({ by, why, remedy }) => ({ by, why, remedy })),
    opens: opens?.toISOString(),
    diagnostics: diagnosticsJson([...found, ...notes]),
  };
}

function toPlainJson(value: object): JsonObject {
  return JSON.parse(JSON.stringify(value)) as JsonObject;
}

/** Diagnostics as a program reads them. */
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

/** Without the wish itself: it holds secrets in clear, and its fields tell the rest. */
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
    released: change.abandoned,
    protect: change.guards?.protect,
    onRemoval: change.guards?.onRemoval,
    carriedBy: change.cascadedBy,
    takesAlong: change.cascadeCounts,
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
