// The library for programs that run the reconciler step by step: sessions, stores, files and rules. index.ts has one
// typed call for each verb.
export { applyProposal, type ProposalOptions, propose } from "./apply.ts";
export { countCascaded } from "./engine/cascade.ts";
export { type DeleteGrant, needsDeleteApproval } from "./engine/delete-limit.ts";
export { digest } from "./engine/digest.ts";
export { isIgnored } from "./engine/ignore-rules.ts";
export { observeAll } from "./engine/observe.ts";
export { planJson } from "./engine/plan-json.ts";
export { fileInventory } from "./inventory/file.ts";
export { openDatabase } from "./inventory/open-database.ts";
export type { Database } from "./inventory/postgres-database.ts";
export { type HeldResult, holdLocks, releaseOnFailure } from "./inventory/release-locks.ts";
export {
  openStores,
  promotionLockStore,
  recordStore,
  type Stores,
} from "./inventory/open-stores.ts";
export type { InventoryLock, InventoryStore } from "./inventory/store.ts";
export type { Author, LiveState } from "./model/index.ts";
export { reportFormat } from "./model/report-format.ts";
export { hasServerChanges } from "./model/plan-filters.ts";
export { stackCommand } from "./model/shell-command.ts";
export { commitAt } from "./operator/commit.ts";
export { keyVariable } from "./operator/fingerprint-key.ts";
export { type CheckGrants, grantRemedy } from "./operator/grants.ts";
export { normalizeOrigin } from "./operator/origins.ts";
export { rejectOtherOrigin } from "./operator/other-server.ts";
export { isModifiableFrom } from "./operator/path-containment.ts";
export { grantsErrors, grantsFileSchema, grantsFromFile } from "./policy/grants-file.ts";
export { withPolicyFindings } from "./policy/policy-rule.ts";
export { closureText } from "./policy/window-check.ts";
export { type TextStyle, paint } from "./report/style.ts";
export { planSession } from "./plan.ts";
export { changedOnServer, withLastChanges } from "./verbs/last-changes.ts";
export { errorsFailure } from "./verbs/refusal.ts";
export { openSession, operatorRules, type Session } from "./verbs/session.ts";
export { createParseCache, type ParseCache } from "./manifest/parse-cache.ts";
export { sharedManifests } from "./manifest/shared-manifests.ts";
