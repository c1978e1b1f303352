// Decides about conflicts, which are fields changed both in the manifests and on the server: fail, overwrite, or keep.
import { Failure } from "../../core/errors.ts";
import { keyOf, nameText, ownKey, scopeOf } from "../../core/kind/identity.ts";
import type { JsonObject } from "../../core/json.ts";
import { firstNames } from "../../core/text/first-names.ts";
import { joinPointer } from "../../core/pointer.ts";
import { type Reference, referencesOf, withReferences } from "../../core/kind/references.ts";
import type { Change, DesiredObject, DesiredState, Plan } from "../model/index.ts";
import { conflictsIn } from "../model/plan-filters.ts";

/** How apply resolves conflicts. `keep` leaves the live values; the next plan shows the conflict again. */
export type ConflictPolicy = "fail" | "overwrite" | "keep";

/**
 * Returns how an apply resolves conflicts by default. A saved plan shows its conflicts and was reviewed; otherwise no
 * person has seen them.
 */
export function defaultConflictPolicy(savedPlan: Plan | undefined): ConflictPolicy {
  return savedPlan === undefined ? "fail" : "overwrite";
}

/**
 * Returns the failure of a plan that overwrites fields that were changed on the server too, or that changed after the run
 * that it undoes; undefined if it overwrites none.
 */
export function conflictFailure(plan: Plan, undoOf: string | undefined): Failure | undefined {
  const conflicts = conflictsIn(plan);
  if (conflicts.length === 0) return undefined;
  const addresses = conflicts.map(({ address }) => address);
  const happened =
    undoOf === undefined
      ? "changed both in the manifests and on the server"
      : `changed again after run ${undoOf}`;
  return new Failure("conflict", `${happened}: ${firstNames(addresses)}`, {
    remedy:
      undoOf === undefined
        ? "See `svc drift`; pass --on-conflict overwrite to write the declared values, or " +
          "--on-conflict keep to leave the live values in this run."
        : "Pass --on-conflict overwrite to undo these changes too, or " +
          "--on-conflict keep to leave what changed after the run.",
    details: { addresses },
  });
}

/**
 * Returns the desired state that keeps the live values of the conflicting fields of a plan, and the objects whose delete
 * is a conflict.
 */
export function keepingConflicts(desired: DesiredState, plan: Plan): DesiredState {
  const conflicts = conflictsIn(plan).map((change) => ({
    ...change,
    fields: change.fields.filter(({ direction }) => direction === "conflict"),
  }));
  return { ...keepingFields(desired, conflicts), keptFromDelete: keptDeletes(plan) };
}

/** Returns the desired state that keeps the live values of the fields of a plan in which everything is a live edit. */
export function keepingLiveEdits(desired: DesiredState, plan: Plan): DesiredState {
  const edits = plan.changes.map((change) => {
    const others = change.fields.filter(({ direction }) => direction !== "drifted");
    const written = new Set(others.map(({ field }) => field));
    return { ...change, fields: change.fields.filter(({ field }) => !written.has(field)) };
  });
  return keepingFields(desired, edits);
}

/** Returns the desired state that keeps the live values of the fields of these changes. */
function keepingFields(desired: DesiredState, changes: readonly Change[]): DesiredState {
  const byAddress = new Map(changes.map((change) => [change.address, change]));
  const objects = desired.objects.map((object) => {
    const change = byAddress.get(object.address);
    const paths = (change?.fields ?? []).map(({ field }) => joinPointer(["spec", field]));
    if (paths.length === 0) return object;
    return { ...withSpec(object, keptSpec(object, change)), keptPaths: [...new Set(paths)] };
  });
  const names = desired.objects.flatMap((object) => {
    return keptNameOf(object, byAddress.get(object.address)) ?? [];
  });
  const keptNames = new Map(names.map((name) => [name.address, name]));
  return {
    ...desired,
    objects:
      keptNames.size === 0 ? objects : objects.map((object) => referringTo(keptNames, object)),
  };
}

/** A declared name, and the live one that the run keeps. */
interface KeptName {
  readonly address: string;
  readonly kind: string;
  readonly declared: string;
  readonly live: string;
}

/** Returns the names of an object whose live name is kept; undefined for any other object. */
function keptNameOf(object: DesiredObject, change: Change | undefined): KeptName | undefined {
  const { address, kind, spec } = object;
  const [declared, live] = [nameText(kind, spec), nameText(kind, keptSpec(object, change))];
  return declared === live ? undefined : { address, kind: kind.name, declared, live };
}

/** Returns the spec of an object with the parts of its name that the run keeps. */
function keptSpec({ kind, spec }: DesiredObject, change: Change | undefined): JsonObject {
  const parts = (change?.fields ?? []).flatMap(({ field, path, before }) => {
    const isName = path === joinPointer([field]) && ownKey(kind).includes(field);
    return isName && before !== undefined ? [[field, before] as const] : [];
  });
  return { ...spec, ...Object.fromEntries(parts) };
}

function withSpec(object: DesiredObject, spec: JsonObject): DesiredObject {
  return { ...object, spec, key: keyOf(object.kind, spec), scope: scopeOf(object.kind, spec) };
}

/** Returns the object with references to the kept names of the objects that it depends on. */
function referringTo(names: ReadonlyMap<string, KeptName>, object: DesiredObject): DesiredObject {
  const { kind, spec, dependsOn } = object;
  const needed = dependsOn.flatMap((address) => names.get(address) ?? []);
  if (needed.length === 0) return object;
  const nameIn = ({ kind: of, value }: Reference): string | undefined =>
    needed.find((name) => name.kind === of && name.declared === value)?.live;
  const references = referencesOf(kind, spec).filter(
    (reference) => !reference.external && nameIn(reference) !== undefined,
  );
  const kept = withReferences(
    spec,
    references,
    (reference) => nameIn(reference) ?? reference.value,
  );
  return withSpec(object, kept);
}

/** Returns the addresses of the conflicting deletes, and of the deletes that would cascade to them. */
function keptDeletes(plan: Plan): ReadonlySet<string> {
  const changes = new Map(plan.changes.map((change) => [change.address, change]));
  const kept = new Set<string>();
  for (const { action, address } of conflictsIn(plan)) {
    if (action !== "delete") continue;
    for (let next: string | undefined = address; next !== undefined && !kept.has(next);) {
      kept.add(next);
      next = changes.get(next)?.cascadedBy;
    }
  }
  return kept;
}
