// The library, `svc-as-code/controller`: runs and inspects a controller.
export { type Clock } from "./clock.ts";
export { type ControllerConfig } from "./config.ts";
export { readControllerConfig } from "./read-config.ts";
export { approvePlan, rejectPlan, resumeSource, suspendSource } from "./actions.ts";
export { planSource, runController, type SourcePlan } from "./controller.ts";
export type { ControllerOptions } from "./controller-options.ts";
export type { ControllerEvent } from "./events.ts";
export type { Reconciliation, ReconciliationResult } from "./reconciliation.ts";
