// Checks a plan by reading, before the first write: permissions of the credential, existence of referenced
// objects, and values that the server can check.
import { describeTypeMismatch, typeMismatch } from "../../core/spec/attribute-types.ts";
import { authorizeCall, describeRefusal, type Refusal } from "../../core/operation/authorize.ts";
import type { Diagnostic } from "../../core/diagnostics.ts";
import { Failure } from "../../core/errors.ts";
import { pluralize } from "../../core/text/escape-text.ts";
import {
  address as objectAt,
  keyOf,
  keyOfNamed,
  ownKey,
  scopeOf,
  readableKey,
} from "../../core/kind/identity.ts";
import type { JsonObject } from "../../core/json.ts";
import { type Kind, type Reader, kindsByName } from "../../core/kind/kind.ts";
import { limits } from "../../core/limits/limits.ts";
import { firstNames } from "../../core/text/first-names.ts";
import { normalize } from "../../core/spec/normalize.ts";
import type { Operation } from "../../core/operation/operation.ts";
import { fieldsWithin, type Reference, referencesOf } from "../../core/kind/references.ts";
import { operationsOf } from "../../lifecycle/estimate.ts";
import { rightsOf } from "../../lifecycle/credential.ts";
import { hiddenFailure } from "../../lifecycle/hidden-objects.ts";
import { createCachedReader } from "../../lifecycle/reader.ts";
import { tasksOf } from "../engine/execute.ts";
import { type Change, type Plan, type DesiredObject, locationIn } from "../model/index.ts";
import { type ObserveRequest, observeAll } from "../engine/observe.ts";
import { ambiguityRemedy } from "../engine/plan-diagnostics.ts";
import { writes } from "../model/plan-filters.ts";
import { objectsByAddress } from "../model/stack-index.ts";
import { parentsOf } from "../../core/kind/cascades.ts";
import { deepFreeze } from "../engine/make-plan.ts";
import { checkChoices } from "./field-choices.ts";
import { missingKeyRemedy } from "./missing-reference.ts";
import { ownCredentialErrors } from "./own-credential.ts";
import { callsOf, type Session } from "./session.ts";
import { checkLastingValues, checkValues } from "./value-checks.ts";

/**
 * Returns the plan with the findings: writes that the credential does not permit or that end it, references to missing objects, and
 * checks that could not run. Costs a call or two if there is anything to write, and a few for names that the stack does not
 * declare.
 */
export async function preflight(
  plan: Plan,
  session: Session,
  signal: AbortSignal | undefined,
): Promise<Plan> {
  const written = writes(plan).filter(({ blockedBy }) => blockedBy.length === 0);
  const context = contextOf(session, signal);
  const isAdopting = plan.changes.some(({ action }) => action === "adopt");
  return withFindings(plan, context, [
    ...(written.length === 0 ? [] : await checkWrites(written, context)),
    await checkLastingValues(plan, context),
    { diagnostics: [], notChecked: isAdopting ? [uncheckedOwners] : [] },
  ]);
}

const uncheckedOwners = "whether a stack whose inventory is in another store owns what is adopted";

/** Returns the plan with the warnings about values that remain until their cause is fixed, also without changes. */
export async function withLastingWarnings(
  plan: Plan,
  session: Session,
  signal: AbortSignal | undefined,
): Promise<Plan> {
  const context = contextOf(session, signal);
  return withFindings(plan, context, [await checkLastingValues(plan, context)]);
}

function contextOf(session: Session, signal: AbortSignal | undefined): PreflightContext {
  const reader = createCachedReader(session.client.reader, { signal });
  return { session, reader, signal };
}

/** Adds the findings of checks, and the calls that they took, to a plan. */
function withFindings(
  plan: Plan,
  { session }: PreflightContext,
  findings: readonly PreflightResult[],
): Plan {
  const diagnostics = findings.flatMap((finding) => finding.diagnostics);
  const notChecked = findings.flatMap((finding) => finding.notChecked);
  const readCalls = callsOf(session);
  if (diagnostics.length + notChecked.length === 0 && readCalls === plan.cost.readCalls)
    return plan;
  return deepFreeze({
    ...plan,
    diagnostics: [...plan.diagnostics, ...diagnostics],
    notChecked,
    cost: { ...plan.cost, readCalls },
  });
}

async function checkWrites(
  written: readonly Change[],
  context: PreflightContext,
): Promise<readonly PreflightResult[]> {
  const { reader, session } = context;
  const endsRun = await ownCredentialErrors(written, { reader, kinds: session.kinds });
  return [
    { diagnostics: endsRun, notChecked: [] },
    await checkPermissions(written, context),
    await checkReferences(written, context),
    await checkChoices(written, context),
    await checkValues(written, context),
  ];
}

/** Returns the failure of a plan with writes that the credential does not permit; undefined for any other. */
export function notPermittedFailure({ diagnostics }: Plan): Failure | undefined {
  const [first, ...more] = diagnostics.filter(({ code }) => code === "not-permitted");
  if (first === undefined) return undefined;
  const rest = more.length === 0 ? "" : `; and ${pluralize(more.length, "more resource type")}`;
  return new Failure("forbidden", `${first.summary}${rest}`, {
    remedy: `Nothing was written. ${first.remedy ?? "Use another credential."}`,
  });
}

interface PreflightContext {
  readonly session: Session;
  readonly reader: Reader;
  readonly signal: AbortSignal | undefined;
}

/** Findings, and descriptions of checks that did not run. */
interface PreflightResult {
  readonly diagnostics: readonly Diagnostic[];
  readonly notChecked: readonly string[];
}

async function checkPermissions(
  written: readonly Change[],
  { session: { apiDiscovery, kinds }, reader }: PreflightContext,
): Promise<PreflightResult> {
  const needed = [...Map.groupBy(written, ({ kind }) => kind).values()].map((changes) => ({
    changes,
    operations: [...operationsOf(apiDiscovery, tasksOf(changes, kinds))],
  }));
  if (needed.every(({ operations }) => operations.every(isForEveryone))) return nothingFound;
  const rights = await rightsOf(reader);
  if (rights === undefined) {
    const notChecked = ["permissions of the credential (this server does not expose them)"];
    return { diagnostics: [], notChecked };
  }
  const diagnostics = needed.flatMap(({ changes, operations }) => {
    for (const operation of operations) {
      const refusal = authorizeCall(rights, operation);
      if (refusal) return [notPermittedError({ changes, operation, refusal })];
    }
    return [];
  });
  const isLimited = rights.limits.deployments !== undefined;
  return {
    diagnostics,
    notChecked: isLimited
      ? ["access of the credential to each deployment; it is limited to some"]
      : [],
  };
}

const nothingFound: PreflightResult = { diagnostics: [], notChecked: [] };

function isForEveryone({ permission }: Operation): boolean {
  return typeof permission === "string";
}

function notPermittedError(of: {
  readonly changes: readonly Change[];
  readonly operation: Operation;
  readonly refusal: Refusal;
}): Diagnostic {
  const { changes, operation, refusal } = of;
  const named = firstNames(changes.map(({ address }) => address));
  const { problem, usable } = describeRefusal(refusal);
  return {
    code: "not-permitted",
    severity: "warning",
    summary: `this credential cannot write ${named}: ${problem} (${operation.method} ${operation.path})`,
    remedy: `Apply with ${usable}.`,
  };
}

interface NamedReference {
  readonly desired: DesiredObject;
  readonly reference: Reference;
  readonly request: ObserveRequest;
}

/** Checks that objects outside the stack exist that written fields refer to, and that values have the types that they name. */
async function checkReferences(
  written: readonly Change[],
  context: PreflightContext,
): Promise<PreflightResult> {
  const { session, reader, signal } = context;
  const named = externalReferences(written, session);
  if (named.length === 0) return { diagnostics: [], notChecked: [] };
  const seen = await observeAll(
    named.map(({ request }) => request),
    { reader, signal },
  );
  let missing = 0;
  const checked = named.map(async (use): Promise<readonly Diagnostic[]> => {
    const { request, reference } = use;
    const objects = seen.get(request.kind.name);
    const target = objects?.byKey.get(request.key);
    if (target !== undefined) return mistypedValue(use, target.spec);
    const ids = objects?.ambiguous.get(request.key);
    if (ids !== undefined) return [referenceAmbiguous(use, ids)];
    const hidden = await hiddenFailure(request, reader);
    if (hidden !== undefined) return [referenceOutOfScope(use, hidden)];
    const isCompared = ++missing <= limits.diagnosticsShown;
    const remedy = missingKeyRemedy(reference.value, { request, live: seen, isCompared });
    return [referenceMissing(use, remedy)];
  });
  return { diagnostics: (await Promise.all(checked)).flat(), notChecked: [] };
}

function externalReferences(
  written: readonly Change[],
  session: Session,
): readonly NamedReference[] {
  const { desired, kinds, apiDiscovery } = session;
  const byName = kindsByName(kinds);
  const desiredObjects = objectsByAddress(desired.objects);
  const declared = new Set(desired.objects.map(({ kind, key }) => objectAt(kind.name, key)));
  return written.flatMap((change): NamedReference[] => {
    const desiredObject = desiredObjects.get(change.address);
    if (desiredObject === undefined) return [];
    const all = change.action === "create" || change.action === "replace";
    const fields = new Set(change.fields.map(({ field }) => field));
    return referencesOf(desiredObject.kind, desiredObject.spec)
      .filter(({ field }) => all || fields.has(field))
      .flatMap((reference) => {
        const kind = byName.get(reference.kind);
        const request = kind && observeRequestFor(kind, reference, desiredObject.spec);
        if (request === undefined || declared.has(objectAt(request.kind.name, request.key)))
          return [];
        // Objects inside an object that gets its name back are only found after the rename.
        const isIn = parentsOf(request.kind, request.scope, byName);
        if (
          desired.undoScope !== undefined &&
          isIn.some(({ parentAddress }) => declared.has(parentAddress))
        )
          return [];
        const isSeen = request.kind.bindings.observe.needs.every((operation) =>
          apiDiscovery.has(operation),
        );
        return isSeen ? [{ desired: desiredObject, reference, request }] : [];
      });
  });
}

/** Returns the referenced object, if its scope is known. A reference without all parts of a key finds no object. */
function observeRequestFor(kind: Kind, reference: Reference, spec: JsonObject) {
  const [first] = ownKey(kind);
  if (first === undefined) return undefined;
  const fields: JsonObject = { ...fieldsWithin(reference, spec), [first]: reference.value };
  const named = { ...kind, key: [...kind.scope, first] };
  if (!named.key.every((name) => typeof fields[name] === "string")) return undefined;
  const normal = normalize(kind, fields);
  const name = normal[first];
  if (typeof name !== "string") return undefined;
  const key = keyOfNamed(kind, name, normal) ?? keyOf(named, normal);
  return { kind, key, scope: scopeOf(kind, normal), fields: [] };
}

/** Returns the error of a value that has another type than the referenced object says. */
function mistypedValue(
  { desired: desiredObject, reference, request: { kind } }: NamedReference,
  target: JsonObject,
): readonly Diagnostic[] {
  const mistyped = typeMismatch(reference, desiredObject.spec, target);
  if (mistyped === undefined) return [];
  const { path, ...error } = describeTypeMismatch(mistyped, objectAt(kind.name, reference.value));
  return [{ ...error, severity: "error", ...locationIn(desiredObject, path) }];
}

/** Several live objects have the natural key of the referenced one, so that a write would choose one of them. */
function referenceAmbiguous(
  { desired: desiredObject, reference, request: { kind, key } }: NamedReference,
  ids: readonly string[],
): Diagnostic {
  return {
    code: "ambiguous-live",
    severity: "error",
    ...locationIn(desiredObject, `/spec${reference.path}`),
    summary: `${desiredObject.address} refers to ${kind.name} ${readableKey(key)}, which ${ids.length} live objects are: ids ${ids.join(", ")}`,
    remedy: ambiguityRemedy(kind),
  };
}

/** Reports a reference to an object that the credential may not read, and that may exist. */
function referenceOutOfScope(
  { desired: desiredObject, reference }: NamedReference,
  { message, remedy }: Failure,
): Diagnostic {
  return {
    code: "out-of-scope",
    severity: "error",
    ...locationIn(desiredObject, `/spec${reference.path}`),
    summary: `${desiredObject.address} refers to an object that cannot be read: ${message}`,
    ...(remedy !== undefined && { remedy }),
  };
}

/** Reports a reference to an object that does not exist: the server would refuse the write. */
function referenceMissing(
  { desired: desiredObject, reference, request: { kind, key } }: NamedReference,
  remedy: string,
): Diagnostic {
  return {
    code: "reference-missing",
    severity: "error",
    ...locationIn(desiredObject, `/spec${reference.path}`),
    summary: `${desiredObject.address} refers to ${kind.name} ${readableKey(key)}, which is not on the server`,
    remedy,
  };
}
