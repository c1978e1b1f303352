// The library, `svc-as-code/reconciler`: every verb of the command line as a typed function, with its input and output types.
// docs/reference/library.md describes how to use it.
export type { Diagnostic, DiagnosticCode, Place } from "../core/diagnostics.ts";
export { type ErrorCode, Failure, isFailure } from "../core/errors.ts";
export type { JsonObject, JsonValue } from "../core/json.ts";
export { Secret } from "../core/secret.ts";
export { components, kinds } from "../resources/index.ts";
export { adopt, type AdoptOptions, type AdoptResult } from "./adopt.ts";
export { type AppliedPlan, apply, type ApplyOptions } from "./apply.ts";
export { drift, type Drift, type DriftOptions } from "./drift.ts";
export { plan, type PlanOptions } from "./plan.ts";
export { explain, type ExplainResult, type FieldDoc } from "./verbs/explain.ts";
export { type Export, type ExportOptions, exportStack } from "./export/export.ts";
export { initStack, type InitOptions, type InitResult } from "./export/init.ts";
export type { ExportedFile, Split } from "./export/files.ts";
export { type UpdateResult, type UpdateOptions, updateStack } from "./export/update.ts";
export { writeFiles } from "./export/write.ts";
export { type Grants, noGrants } from "./operator/grants.ts";
export { readGrants } from "./policy/grants-file.ts";
export { type Graph, graph, type GraphNode } from "./verbs/graph.ts";
export { type History, history } from "./verbs/history.ts";
export {
  type InventoryOptions,
  type MoveResult,
  moveInventory,
  type RenameResult,
  renameInventory,
  unlock,
} from "./verbs/inventory-admin.ts";
export {
  type AddressChange,
  type AddressOptions,
  type AddressResult,
  changeServerAddress,
} from "./verbs/server-address.ts";
export { handOver, type HandOverOptions, type HandOverResult } from "./verbs/hand-over.ts";
export type { DocumentType } from "./manifest/document-type.ts";
export { loadStack, type LoadOptions } from "./manifest/load.ts";
export type {
  ApplyResult,
  Change,
  DesiredState,
  Outcome,
  Plan,
  PlannedField,
  ProgressEvent,
  ResolveResult,
  RunRecord,
  Stack,
  DesiredObject,
} from "./model/index.ts";
export { deletions, drifted, writes } from "./model/plan-filters.ts";
export { readPlan, savePlan } from "./engine/plan-file.ts";
export { readRules } from "./policy/policy-file.ts";
export {
  evaluatePolicies,
  type PolicyEvaluator,
  reachesSeverity,
  type PolicyRule,
} from "./policy/policy-rule.ts";
export type { Severity } from "./policy/policy-names.ts";
export { protect, type ProtectResult, type ProtectOptions } from "./verbs/protect.ts";
export type { ReportFormat } from "./report/format-names.ts";
export { historyJson } from "./report/history-json.ts";
export { renderReport, reportJson, reportText } from "./report/render.ts";
export type { Report } from "./report/report.ts";
export type { Connection, ObjectLocations, VerbResult, VerbOptions } from "./verbs/session.ts";
export { undo, type UndoOptions } from "./undo.ts";
export type { ObjectExplanation } from "./verbs/object-explanation.ts";
export { why, type WhyOptions } from "./why.ts";
export {
  type WindowClosure,
  type WindowStatus,
  windowStatusFor,
  type WindowSubject,
} from "./model/windows/maintenance-window.ts";
export type { Freeze, WindowRuleSet, Window } from "./model/windows/window-schema.ts";
