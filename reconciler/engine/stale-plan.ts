// Checks that a plan still holds: a saved one against the plan made now, which records what was reviewed, and any plan under the
// lock, against the inventory, the live objects and the secrets that it was made from.
import { Failure } from "../../core/errors.ts";
import { equal, type JsonValue } from "../../core/json.ts";
import { containsSecret } from "../../core/kind/fields.ts";
import type { Kind, Reader } from "../../core/kind/kind.ts";
import type { Fingerprints } from "../../core/spec/fingerprints.ts";
import { splitSecrets } from "../../core/spec/record.ts";
import { removedFields } from "../../core/spec/removed-rights.ts";
import { escapeInvisible } from "../../core/text/escape-text.ts";
import type {
  Action,
  Change,
  DesiredState,
  Inventory,
  LiveState,
  Plan,
  PlannedField,
} from "../model/index.ts";
import { objectsByAddress } from "../model/stack-index.ts";
import { pairText } from "../model/value-text.ts";
import { keyVariable } from "../operator/fingerprint-key.ts";
import { inventoryDigest, preconditionHolds } from "./digest.ts";
import { withIgnoredFields } from "./ignore-rules.ts";
import { fieldNames, observeAll, observedObjectOf, type ObserveRequest } from "./observe.ts";

type Kinds = ReadonlyMap<string, Kind>;

/** Fails with `stale` if another run has written the inventory since the plan was made from it. */
export function assertInventoryOfPlan({ basis }: Plan, inventory: Inventory): void {
  if (inventoryDigest(inventory) !== basis.inventory) throw staleInventoryError();
}

/** Reads the collections of these changes once. */
export function observeChanges(
  changes: readonly Change[],
  { kinds, ...how }: { kinds: Kinds; reader: Reader; signal: AbortSignal },
): Promise<LiveState> {
  return observeAll(
    changes.flatMap((change) => requestsFor(change, kinds)),
    how,
  );
}

function requestsFor(change: Change, kinds: Kinds): ObserveRequest[] {
  const kind = kinds.get(change.kind);
  if (kind === undefined) return [];
  const watched = "fields" in change.precondition ? change.precondition.fields : [];
  const fields = [...fieldNames(change.desired ?? {}), ...watched];
  const scopes = change.from === undefined ? [change.scope] : [change.scope, change.from.scope];
  const { key, id } = change;
  return scopes.map((scope) => ({ kind, scope, fields, key, id }));
}

/** Fails with `stale` if a live object is not as the plan found it. */
export function assertPreconditions(
  { changes }: Plan,
  live: LiveState,
  { kinds, fingerprints: { of } }: { kinds: Kinds; fingerprints: Fingerprints },
): void {
  const stale = changes.filter((change) => {
    const kind = kinds.get(change.kind);
    if (kind === undefined || change.action === "forget" || change.action === "orphan")
      return false;
    const observed = observedObjectOf(kind, change, live);
    return !preconditionHolds(change.precondition, { kind, of }, observed);
  });
  if (stale.length > 0) throw staleError(stale.map(({ address }) => ({ address })));
}

/** What {@link withSecrets} needs besides a plan. */
interface SecretContext {
  /** Contains the secrets that the plan omits. */
  readonly desired: DesiredState;
  readonly kinds: Kinds;
  readonly fingerprints: Fingerprints;
  readonly now: Date;
}

/**
 * Puts the secrets of the manifests back into the changes. Fails with `stale` if one is not that of the plan, as its
 * fingerprint there shows.
 */
export function withSecrets(
  plan: Plan,
  live: LiveState,
  { desired, kinds, fingerprints, now }: SecretContext,
): readonly Change[] {
  const desiredObjects = objectsByAddress(desired.objects);
  const stale: string[] = [];
  const changes = plan.changes.map((change) => {
    const { secrets = {}, address } = change;
    const kind = kinds.get(change.kind);
    if (change.desired === undefined || kind === undefined || !containsSecret(kind.spec))
      return change;
    const declared = desiredObjects.get(address);
    const observed = observedObjectOf(kind, change, live);
    const spec =
      (declared && observed ? withIgnoredFields(declared, observed, now) : declared)?.spec ?? {};
    if (!equal(splitSecrets(kind, spec, fingerprints.of).secretFingerprints, secrets))
      stale.push(address);
    const { taken } = removedFields(kind, change.desired, spec);
    return { ...change, desired: { ...spec, ...taken } };
  });
  if (stale.length > 0) throw staleSecretsError(stale);
  return changes;
}

/**
 * Returns the choices of a saved plan, to make the same one now. Fails with `stale` if it is for another stack or the
 * manifests changed, and `usage` for options that a saved plan excludes.
 */
export function choicesOf(
  saved: Plan,
  desired: DesiredState,
  {
    targets,
    onConflict,
  }: { targets?: readonly string[] | undefined; onConflict?: string | undefined },
) {
  assertPlanFor(saved, desired);
  if (targets !== undefined)
    throw new Failure("usage", "a saved plan cannot be limited to targets when it is applied", {
      remedy: "Plan again with --target, or leave it out.",
    });
  if (onConflict === "keep")
    throw new Failure(
      "usage",
      "a saved plan overwrites the live values that it shows as conflicts",
      { remedy: "Apply the manifests with --on-conflict keep, without the saved plan." },
    );
  return {
    adopt: adoptionsIn(saved),
    replace: replacementsIn(saved, desired),
    targets: saved.targets,
    allowEmpty: emptiesStack(saved),
  };
}

/** Fails with `stale` if the plan is for another stack or the manifests changed. */
function assertPlanFor({ basis }: Plan, { stack, digest }: DesiredState): void {
  if (basis.stack !== stack.name) {
    throw new Failure("stale", `the plan is for stack ${basis.stack}, not for ${stack.name}`, {
      remedy: `Nothing was written; pass the path of stack ${basis.stack}, or plan again.`,
    });
  }
  if (basis.desired === digest) return;
  throw new Failure("stale", "the manifests are no longer what the plan was made from", {
    remedy: "Nothing was written; check out the revision that was planned, or plan again.",
  });
}

/** Returns which adoptions the saved plan approved. */
function adoptionsIn({ changes }: Plan): (address: string) => boolean {
  const refused = new Set(
    changes.filter(({ action }) => action === "refuse").map(({ address }) => address),
  );
  return (address) => !refused.has(address);
}

/** Returns the forced replacements of the saved plan. A replacement without its former reason differs in its fields. */
function replacementsIn(
  { changes }: Plan,
  { objects: desiredObjects }: DesiredState,
): readonly string[] {
  const declared = new Set(desiredObjects.map(({ address }) => address));
  return changes
    .filter(({ action, address }) => action === "replace" && declared.has(address))
    .map(({ address }) => address);
}

/** True if the saved plan approved that an empty stack deletes or forgets objects. */
function emptiesStack({ changes }: Plan): boolean {
  return changes.some(({ action }) => action === "delete" || action === "forget");
}

/**
 * Fails with `stale` unless the plan made now has the same changes as the saved one, and names the differences: live
 * state changed, or the file was edited. The order of documents does not matter.
 */
export function assertSamePlan(saved: Plan, current: Plan): void {
  if (saved.basis.origin !== current.basis.origin) {
    const summary = `the plan was made for ${saved.basis.origin}, not for ${current.basis.origin}`;
    throw new Failure("stale", summary, {
      remedy: "Connect to the server that the plan was made for, or plan again.",
    });
  }
  if (saved.basis.inventory !== current.basis.inventory) throw staleInventoryError();
  const stale = differing(saved, current);
  if (stale.length > 0 && stale.every(hasOtherSecrets))
    throw staleSecretsError(stale.map(({ address }) => address));
  if (stale.length > 0 || saved.changes.length !== current.changes.length)
    throw staleError(stale.map(staleObject));
}

/** An object whose changes in two plans differ: the saved one, and the one made now. */
interface DifferingChange {
  readonly address: string;
  readonly was: Change | undefined;
  readonly is: Change | undefined;
}

function differing(saved: Plan, current: Plan): readonly DifferingChange[] {
  const before = new Map(saved.changes.map((change) => [change.address, change]));
  const now = new Map(current.changes.map((change) => [change.address, change]));
  return [...new Set([...before.keys(), ...now.keys()])]
    .map((address) => ({ address, was: before.get(address), is: now.get(address) }))
    .filter(({ was, is }) => !was || !is || !equal(asJson(was), asJson(is)));
}

/**
 * True if other secrets, or another fingerprint key, explain the difference. With another key, an object also differs in one plan
 * only: by values that are compared by their fingerprints.
 */
function hasOtherSecrets({ was, is }: DifferingChange): boolean {
  if (was !== undefined && is !== undefined) return !equal({ ...was.secrets }, { ...is.secrets });
  const fields = [...fieldsIn(was), ...fieldsIn(is)];
  const isHidden = ({ reason }: PlannedField): boolean =>
    reason === "fingerprint" || reason === "unverified";
  return fields.length > 0 && fields.every(isHidden);
}

/** Returns the change after a round trip through JSON. */
function asJson(change: Change): JsonValue {
  return JSON.parse(JSON.stringify(change)) as JsonValue;
}

const maxAddressesShown = 10;

/** A field whose live value changed: at the time of the plan, and now. Secrets are omitted. */
type StaleField = { readonly path: string; readonly before?: JsonValue; readonly now?: JsonValue };

/** An object that differs from the plan, with its differing fields if known. */
export type StaleObject = {
  readonly address: string;
  /** The planned action and the action now; left out if they are equal. */
  readonly action?: { readonly planned: Action | "nothing"; readonly now: Action | "nothing" };
  readonly fields?: readonly StaleField[];
};

function staleObject({ address, was, is }: DifferingChange): StaleObject {
  const [planned, now] = [was?.action ?? "nothing", is?.action ?? "nothing"] as const;
  const paths = new Set([...fieldsIn(was), ...fieldsIn(is)].map(({ path }) => path));
  const fields = [...paths].flatMap((path) => staleField(path, was, is) ?? []);
  return { address, ...(planned !== now && { action: { planned, now } }), fields };
}

/** An edited plan may contain anything: only valid fields are reported. */
function fieldsIn(change: Change | undefined): readonly PlannedField[] {
  const fields: unknown = change?.fields ?? [];
  return Array.isArray(fields) ? fields.filter(isField) : [];
}

function isField(field: unknown): field is PlannedField {
  return typeof (field as PlannedField | null)?.path === "string";
}

/** Describes a field that changed since the plan. A field that only one plan contains has no difference in the other. */
function staleField(
  path: string,
  was: Change | undefined,
  is: Change | undefined,
): StaleField | undefined {
  const [then, today] = [was, is].map((change) =>
    fieldsIn(change).find((field) => field.path === path),
  );
  if (then?.sensitive === true || today?.sensitive === true) return { path };
  const before = then === undefined ? today?.after : then.before;
  const now = today === undefined ? then?.after : today.before;
  if (equal(before ?? null, now ?? null)) return undefined;
  return { path, ...(before !== undefined && { before }), ...(now !== undefined && { now }) };
}

/** Returns the failure for a plan that was made from another inventory. */
function staleInventoryError(): Failure {
  return new Failure("stale", "another run has written the inventory since the plan was made", {
    details: { inventoryChanged: true, moved: [] },
    remedy: planAgain,
  });
}

const planAgain = "Nothing was written; run `svc plan` again and review the changes.";

/** Returns the failure for a plan whose `stale` objects changed. */
function staleError(stale: readonly StaleObject[]): Failure {
  return new Failure(
    "stale",
    `changed since the plan was made: ${addressList(stale.map(staleObjectText))}`,
    {
      details: { moved: stale },
      remedy: planAgain,
    },
  );
}

const maxFieldsShown = 3;
const maxValueLength = 40;

function staleObjectText({ address, action, fields = [] }: StaleObject): string {
  const more = fields.length > maxFieldsShown ? [`${fields.length - maxFieldsShown} more`] : [];
  const differences = [
    ...(action === undefined ? [] : [`${action.planned} → ${action.now}`]),
    ...fields.slice(0, maxFieldsShown).map(staleFieldText),
    ...more,
  ];
  return differences.length === 0 ? address : `${address} (${differences.join("; ")})`;
}

function staleFieldText({ path, ...values }: StaleField): string {
  if (!("before" in values) && !("now" in values)) return `${escapeInvisible(path)}: a secret`;
  const [before, now] = pairText(values.before, values.now, maxValueLength);
  return `${escapeInvisible(path)}: ${before} → ${now}`;
}

/** Returns the failure for a plan that was made with other secrets or another fingerprint key. */
function staleSecretsError(addresses: readonly string[]): Failure {
  return new Failure(
    "stale",
    `the secrets of ${addressList(addresses)} differ from those of the plan`,
    {
      details: { moved: addresses.map((address) => ({ address })) },
      remedy: `Nothing was written; plan and apply with the same secrets and the same ${keyVariable}.`,
    },
  );
}

function addressList(addresses: readonly string[]): string {
  const more =
    addresses.length > maxAddressesShown ? ` and ${addresses.length - maxAddressesShown} more` : "";
  return `${addresses.slice(0, maxAddressesShown).join(", ")}${more}`;
}
