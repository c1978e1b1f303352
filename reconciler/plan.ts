// Plans a stack: loads it, observes its objects, compares them with the manifests, and checks the changes before any write.
import { fingerprintsWith } from "../core/spec/fingerprints.ts";
import { Failure, isFailure } from "../core/errors.ts";
import { knownTextsOf } from "../lifecycle/known-texts.ts";
import { createCachedReader } from "../lifecycle/reader.ts";
import { withApplyCost } from "./engine/apply-cost.ts";
import { withCascades } from "./engine/cascade.ts";
import { deleteLimitWarnings } from "./engine/delete-limit.ts";
import { deepFreeze, makePlan } from "./engine/make-plan.ts";
import { observeStack } from "./engine/observe.ts";
import { inspectSecretSinks } from "./engine/secret-sinks.ts";
import { capabilitiesOf, notReadableErrors } from "./engine/server-support.ts";
import { assertReplacements, assertTargets } from "./engine/targets.ts";
import type { OwnedObject } from "./inventory/store.ts";
import { listEntries, ownedAddresses } from "./model/stack-index.ts";
import type { DesiredState, Inventory, Plan } from "./model/index.ts";
import { rejectOtherOrigin } from "./operator/other-server.ts";
import { type PolicyEvaluator, withPolicyFindings } from "./policy/policy-rule.ts";
import { windowNotes } from "./policy/window-check.ts";
import { missingInventoryErrors } from "./verbs/missing-inventory.ts";
import { otherStacks } from "./verbs/other-owners.ts";
import { outOfScopeErrors } from "./verbs/out-of-scope.ts";
import { preflight } from "./verbs/preflight.ts";
import {
  callsOf,
  type ObjectLocations,
  objectLocations,
  openSession,
  type PlannedSession,
  type Session,
  type SessionOptions,
  type VerbOptions,
  type VerbResult,
} from "./verbs/session.ts";

/** Options of plans in addition to the options of every verb. */
export interface PlanOptions extends VerbOptions {
  /** Additional checks; their diagnostics follow the diagnostics of the plan. */
  readonly evaluatePolicies?: PolicyEvaluator | undefined;
}

/** Compares the stack with the server and checks the plan against policies. Writes nothing. */
export async function plan(
  options: PlanOptions,
): Promise<VerbResult<{ plan: Plan } & ObjectLocations>> {
  const opened = await openSession(options);
  if (!opened.ok) return opened;
  await using session = opened.session;
  const planned = await planSession(session, options);
  if (!planned.ok) return planned;
  const { desired, diagnostics } = session;
  const { length: owned } = Object.keys(planned.inventory.entries);
  const warnings = deleteLimitWarnings(planned.plan, { policy: desired.stack.policy, owned });
  const warned = {
    ...planned.plan,
    diagnostics: [...planned.plan.diagnostics, ...warnings],
  };
  const judged = withPolicyFindings(warned, options.evaluatePolicies);
  return { ok: true, plan: judged, diagnostics, ...objectLocations(desired) };
}

/** Options of a plan in a session. */
export interface SessionPlanOptions extends SessionOptions {
  /** The inventory, if it was read before. */
  readonly inventory?: Inventory | undefined;
}

/** Observes and compares, then checks by reading what an apply would write. */
export async function planSession(
  session: Session,
  options: SessionPlanOptions,
): Promise<VerbResult<PlannedSession>> {
  const compared = await compareSession(session, options);
  if (!compared.ok) return compared;
  const checked = await preflight(compared.plan, session, options.signal);
  return { ...compared, plan: await withApplyCost({ ...compared, plan: checked }, session) };
}

/** Observes and compares. Writes nothing. */
export async function compareSession(
  session: Session,
  options: SessionPlanOptions,
): Promise<VerbResult<PlannedSession>> {
  try {
    return await observeAndCompare(session, options);
  } catch (error) {
    throw withReadRemedy(error);
  }
}

/** Adds the permissions that a plan needs to a refusal of a read; returns any other error unchanged. */
function withReadRemedy(error: unknown): unknown {
  if (!isFailure(error, "forbidden") || error.remedy !== undefined) return error;
  const { code, message, details } = error;
  const remedy =
    "A plan needs the permission ReadAll, and read access to the states of the inventory: see docs/how-to/plan-with-a-read-only-key.md.";
  return new Failure(code, message, { cause: error, remedy, ...(details && { details }) });
}

async function observeAndCompare(
  session: Session,
  {
    targets,
    replace = [],
    signal,
    progress,
    now = () => new Date(),
    ...options
  }: SessionPlanOptions,
): Promise<VerbResult<PlannedSession>> {
  const { client, desired, kinds, diagnostics, store, apiDiscovery } = session;
  const recorded = options.inventory ?? (await store.read());
  rejectOtherOrigin(recorded, session);
  const { inventory, otherEntries } = entriesInScope(recorded, desired);
  const capabilities = capabilitiesOf(session, inventory);
  const unreadable = notReadableErrors(kinds, capabilities);
  if (unreadable.length > 0) return { ok: false, diagnostics: [...diagnostics, ...unreadable] };
  const owned = ownedAddresses(inventory.entries);
  assertTargets({ targets, desiredObjects: desired.objects, ownedAddresses: owned });
  assertReplacements(replace, desired.objects);

  progress?.({ event: "phase", phase: "read" });
  const knownTexts = knownTextsOf(desired.objects);
  const reader = createCachedReader(client.reader, { signal, knownTexts, apiDiscovery });
  const live = await observeStack(session, inventory, { reader, signal });

  const fingerprints = fingerprintsWith(recorded.salt, session.fingerprintKey);
  const compared = makePlan({
    desired,
    live,
    inventory: recorded,
    fingerprints,
    kinds,
    capabilities,
    otherStacks: await otherStacks(session, { live, inventory }),
    sinks: inspectSecretSinks(desired.objects, desired.stack, fingerprints),
    adopt: options.adopt ?? (() => false),
    forceReplace: (address) => replace.includes(address),
    targets,
    allowEmpty: options.allowEmpty,
    leavesDrift: options.leavesDrift !== undefined,
    origin: client.origin,
    now: now(),
  });
  const selected = targets && recordedAddresses(compared.changes);
  const hidden = await outOfScopeErrors({ inventory, live, kinds }, reader, selected);
  if (hidden.length > 0) return { ok: false, diagnostics: [...diagnostics, ...hidden] };

  const ownersOf = (objects: readonly OwnedObject[]) => store.ownersOf(client.origin, objects);
  const cascades = { ...session, owned: inventory.entries, otherEntries, reader, ownersOf, signal };
  const cascaded = await withCascades(compared, cascades);
  const complete = deepFreeze<Plan>({
    ...cascaded,
    diagnostics: [
      ...missingInventoryErrors(session, { ...cascaded, inventory: recorded }),
      ...cascaded.diagnostics,
      ...windowNotes(cascaded, session, now()),
    ],
    cost: { readCalls: callsOf(session), writeCalls: 0 },
  });
  return { ok: true, plan: complete, inventory: recorded, live, reader, diagnostics };
}

/** Splits the entries into those that the plan reads, and the others: none, except for an undo. */
function entriesInScope(recorded: Inventory, { undoScope }: DesiredState) {
  if (undoScope === undefined) return { inventory: recorded, otherEntries: {} };
  const [entries, otherEntries] = [true, false].map((isCovered) =>
    Object.fromEntries(
      listEntries(recorded.entries).filter(([address]) => undoScope.has(address) === isCovered),
    ),
  );
  return { inventory: { ...recorded, entries: entries ?? {} }, otherEntries: otherEntries ?? {} };
}

/** Returns the addresses of changes as the inventory records them. */
function recordedAddresses(changes: Plan["changes"]): ReadonlySet<string> {
  return new Set(changes.map(({ address, formerAddress }) => formerAddress ?? address));
}
