// Converts a plan to its JSON report, the value that policies check.
import type { Diagnostic } from "../../core/diagnostics.ts";
import type { JsonObject } from "../../core/json.ts";
import type { Kind } from "../../core/kind.ts";
import { countActions } from "../model/actions.ts";
import type { Change, Plan } from "../model/index.ts";
import { shownFields } from "../model/masked-fields.ts";

/** Format version, increased with every incompatible change. */
export const reportFormat = 1;

/** Additional content of a plan's report. */
export interface PlanJsonOptions {
  /** Set to show the fields of creates. */
  readonly kinds?: readonly Kind[];
  /** Diagnostics of the manifests, before those of the plan. */
  readonly manifestDiagnostics?: readonly Diagnostic[];
}

/** Returns the plan with counts and masked secrets. `apply` takes a saved plan, not this report. */
export function planJson(
  plan: Plan,
  { kinds = [], manifestDiagnostics = [] }: PlanJsonOptions = {},
): JsonObject {
  const { basis, changes, unchanged, diagnostics, cost } = plan;
  return {
    format: reportFormat,
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

/** Returns a change as JSON. The desired object is omitted: it contains secrets, and the fields describe it. */
export function changeJson(change: Change, kinds: readonly Kind[]): JsonObject {
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
