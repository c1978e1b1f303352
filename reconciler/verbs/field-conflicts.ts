// Decides about conflicts, which are fields changed both in the manifests and on the server: fail, overwrite, or keep.
import { Failure } from "../../core/errors.ts";
import { limits } from "../../core/limits.ts";
import type { Change, DesiredState, Plan } from "../model/index.ts";
import { isWrite } from "../model/plan-filters.ts";

/** What apply does about conflicts. `keep` leaves the live values; the next plan shows the conflict again. */
export type ConflictPolicy = "fail" | "overwrite" | "keep";

/**
 * Returns what an apply does about conflicts by default. A saved plan shows its conflicts and was reviewed; otherwise
 * no person has seen them.
 */
export function defaultConflictPolicy(savedPlan: Plan | undefined): ConflictPolicy {
  return savedPlan === undefined ? "fail" : "overwrite";
}

/** Returns the changes that overwrite a field which was changed on the server too. */
export function conflictsIn({ changes }: Pick<Plan, "changes">): readonly Change[] {
  return changes.filter(
    (change) =>
      isWrite(change) &&
      (change.direction === "conflict" ||
        change.fields.some(({ direction }) => direction === "conflict")),
  );
}

/**
 * Fails with `conflict` if the plan overwrites fields that were changed on the server too, or that changed after the run
 * that it undoes.
 */
export function rejectConflicts(plan: Plan, undoOf: string | undefined): void {
  const conflicts = conflictsIn(plan);
  if (conflicts.length === 0) return;
  const named = conflicts.slice(0, limits.placesNamed).map(({ address }) => address);
  const more = conflicts.length - named.length;
  const names = `${named.join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
  const happened =
    undoOf === undefined
      ? "changed both in the manifests and on the server"
      : `changed again after run ${undoOf}`;
  throw new Failure("conflict", `${happened}: ${names}`, {
    remedy:
      undoOf === undefined
        ? "see `svc drift`; pass --on-conflict overwrite to write the declared values, or " +
          "--on-conflict keep to leave the live values in this run"
        : "pass --on-conflict overwrite to undo these changes too, or " +
          "--on-conflict keep to leave what changed after the run",
    details: { addresses: conflicts.map(({ address }) => address) },
  });
}

/**
 * Returns the desired state that keeps the live values of the conflicting fields of a plan, and the objects whose delete
 * is a conflict.
 */
export function keepingConflicts(desired: DesiredState, plan: Plan): DesiredState {
  const byAddress = new Map(conflictsIn(plan).map((change) => [change.address, change]));
  const objects = desired.objects.map((object) => {
    const change = byAddress.get(object.address);
    const paths = (change?.fields ?? [])
      .filter(({ direction }) => direction === "conflict")
      .map(({ field }) => `/spec/${field.replaceAll("~", "~0").replaceAll("/", "~1")}`);
    if (paths.length === 0) return object;
    return { ...object, keptPaths: [...new Set(paths)] };
  });
  return { ...desired, objects, keptAddresses: keptDeletes(plan) };
}

/** Returns the addresses of the conflicting deletes, and of the deletes that would cascade to them. */
function keptDeletes(plan: Plan): ReadonlySet<string> {
  const changes = new Map(plan.changes.map((change) => [change.address, change]));
  const kept = new Set<string>();
  for (const { action, address } of conflictsIn(plan)) {
    if (action !== "delete") continue;
    for (let at: string | undefined = address; at !== undefined && !kept.has(at);) {
      kept.add(at);
      at = changes.get(at)?.cascadedBy;
    }
  }
  return kept;
}
