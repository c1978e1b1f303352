// The library, `svc-as-code/reconciler`: every verb of the command line as a typed call, and what goes in and comes out.
// docs/library.md tells how to use it.
export type { Diagnostic, DiagnosticCode, Place } from "../core/diagnostics.ts";
export { type ErrorCode, Failure, isFailure } from "../core/errors.ts";
export type { JsonObject, JsonValue } from "../core/json.ts";
export { Secret } from "../core/secret.ts";
export { kinds } from "../resources/index.ts";
export type { ApplyOptions, PlanOptions } from "./apply-session.ts";
export { explain, type Explained, type FieldNote } from "./explain.ts";
export { type Export, type ExportOptions, exportStack } from "./export/export.ts";
export type { ExportedFile, Split } from "./export/files.ts";
export { type Updated, type UpdateOptions, updateStack } from "./export/update.ts";
export { writeFiles } from "./export/write.ts";
export { type Grants, noGrants } from "./caller/grants.ts";
export { readGrants } from "./caller/grants-file.ts";
export { type Clock } from "./gitops/clock.ts";
export { type ControllerConfig, readController } from "./gitops/config.ts";
export { approvePlan, controller, type ControllerOptions } from "./gitops/controller.ts";
export type { ControllerEvent } from "./gitops/events.ts";
export type { Round, RoundResult } from "./gitops/round.ts";
export { type Graph, graph, type GraphNode } from "./graph.ts";
export { type History, history } from "./runs/history.ts";
export {
  type InventoryOptions,
  type Moved,
  moveInventory,
  type Renamed,
  renameInventory,
  unlock,
} from "./keeping.ts";
export { loadStack, type LoadOptions } from "./manifest/load.ts";
export type {
  Applied,
  Change,
  Desired,
  Outcome,
  Plan,
  PlannedField,
  ProgressEvent,
  Resolved,
  RunRecord,
  Stack,
  Wish,
} from "./model.ts";
export { deletions, drifted, writes } from "./planning/parts.ts";
export { readPlan, savePlan } from "./applying/plan-file.ts";
export { readRules } from "./policy/file.ts";
export { judge, type Judge, reaches, type Rule, type Severity } from "./policy/rule.ts";
export type { Status } from "./promote/matrix.ts";
export {
  type Looked,
  pipelineStatus,
  promote,
  type Promoted,
  type PromoteOptions,
  rollback,
  type RollbackOptions,
} from "./promote/promote.ts";
export type { Way } from "./promote/run.ts";
export type { PipelineOptions, PromotionGrants } from "./promote/terms.ts";
export { approve, hold, type RecordedWord, release, type StageWord } from "./promote/words.ts";
export { protect, type Protected, type ProtectOptions } from "./protect.ts";
export { type Form, reportIn, reportJson, reportText } from "./report/render.ts";
export type { Report } from "./report/report.ts";
export type { Connection, Located, Verdict, VerbOptions } from "./session.ts";
export { undo, type UndoOptions } from "./runs/undo.ts";
export { adopt, type Adopted, type AdoptOptions, apply, drift, type Drift, plan } from "./verbs.ts";
export { type Explanation, why, type WhyOptions } from "./why.ts";
export { type Closure, type Opening, openingFor, type Subject } from "./windows/opening.ts";
export type { Freeze, RuleSet, Window } from "./windows/rule.ts";
