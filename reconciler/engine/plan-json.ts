// Converts a plan to its JSON report, the value that policies check.
import type { TObject } from "typebox";
import { type Diagnostic, diagnosticSchema } from "../../core/diagnostics.ts";
import type { JsonObject, JsonValue } from "../../core/json.ts";
import type { Kind } from "../../core/kind/kind.ts";
import { countActions } from "../model/actions.ts";
import { keepAdvice } from "../model/keep-advice.ts";
import { allNotChecked, conflictsIn } from "../model/plan-filters.ts";
import { reportedChangeSchema, reportedFieldSchema } from "../model/change.ts";
import type { Change, Plan, PlannedField } from "../model/index.ts";
import { shownFields } from "../model/masked-fields.ts";
import { reportFormat } from "../model/report-format.ts";

/** Additional content of a plan's report. */
export interface PlanJsonOptions {
  /** Set to show the fields of creates. */
  readonly kinds?: readonly Kind[];
  /** Diagnostics of the manifests, before the diagnostics of the plan. */
  readonly manifestDiagnostics?: readonly Diagnostic[];
  /** True for the plan of an undo, which deletes the objects that a run created. */
  readonly isUndo?: boolean | undefined;
}

/** Returns the plan with counts and masked secrets. `apply` takes a saved plan, not this report. */
export function planJson(
  plan: Plan,
  { kinds = [], manifestDiagnostics = [], isUndo = false }: PlanJsonOptions = {},
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
      conflicts: conflictsIn(plan).length,
      blocked: changes.filter(({ blockedBy }) => blockedBy.length > 0).length,
    },
    cost: {
      readCalls: cost.readCalls,
      writeCalls: cost.writeCalls,
      applyCalls: cost.applyCalls,
      seconds: cost.seconds,
    },
    notChecked: allNotChecked(plan),
    advice: isUndo ? undefined : keepAdvice(plan),
    changes: changes.map((change) => changeJson(change, kinds)),
    diagnostics: diagnosticsJson([...manifestDiagnostics, ...diagnostics]),
  };
}

/** Returns diagnostics as JSON. */
export function diagnosticsJson(diagnostics: readonly Diagnostic[]): readonly JsonObject[] {
  return diagnostics.map((diagnostic) => pick(diagnosticSchema, diagnostic));
}

/** Returns a change as JSON, with masked secrets. `fieldJson` converts its fields. */
export function changeJson(
  change: Change,
  kinds: readonly Kind[],
  fieldJson = (field: PlannedField): JsonObject => pick(reportedFieldSchema, field),
): JsonObject {
  return {
    ...pick(reportedChangeSchema, change),
    secretTo: change.secretTo && { file: change.secretTo.file },
    fields: shownFields(change, kinds).map(fieldJson),
  };
}

/** Returns the members that the schema declares, in its order. */
export function pick(schema: TObject, value: object): JsonObject {
  const members: Readonly<Record<string, JsonValue | undefined>> = { ...value };
  return Object.fromEntries(Object.keys(schema.properties).map((name) => [name, members[name]]));
}
