// The library, `svc-as-code/promotion`: every verb of `svc promote` as a typed call.
export type { PipelineStatus } from "./status.ts";
export {
  type PipelineView,
  pipelineStatus,
  promote,
  type PromotionResult,
  type PromoteOptions,
  rollback,
  type RollbackOptions,
  verify,
  type VerifyOptions,
  viewPipelines,
} from "./promote.ts";
export type { PromotionMode } from "./promotion-run.ts";
export type { PipelineOptions } from "./options.ts";
export {
  approve,
  hold,
  type RecordActionOptions,
  release,
  type StageActionOptions,
  withdraw,
} from "./manual-actions.ts";
export { pipelineDocumentType } from "./document-type.ts";
export { checkSchema } from "./pipeline-schema.ts";
export { checkErrors } from "./pipeline-errors.ts";
export { type Check, checkFromSpec } from "./pipeline.ts";
export { runHealthChecks } from "./health-checks.ts";
export type { Evidence } from "./record.ts";
