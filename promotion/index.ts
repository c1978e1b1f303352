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
