// Provides changes and plans with all members set, so that a test names only the members that it is about.
import type { Match } from "../../reconciler/engine/match-objects.ts";
import type { Change, PlannedField, Plan } from "../../reconciler/model/index.ts";

/** Returns a field of an update that only the manifest has changed. */
export function sampleField(
  field: Partial<PlannedField> & { readonly path: string },
): PlannedField {
  return {
    field: field.path.split("/")[1] ?? "",
    before: undefined,
    after: undefined,
    reason: "differs",
    replaces: false,
    sensitive: false,
    direction: "pending",
    ...field,
  };
}

/** Returns a change of the object with this address, `Kind/name`. */
export function sampleChange(
  action: Change["action"],
  address: string,
  more: Partial<Change> = {},
): Change {
  const [kind = "", name = ""] = address.split("/");
  return {
    action,
    address,
    kind,
    name,
    key: name,
    scope: {},
    id: undefined,
    from: undefined,
    fields: [],
    direction: "pending",
    desired: undefined,
    precondition: { absent: true },
    layer: 0,
    dependsOn: [],
    cascadedBy: undefined,
    blockedBy: [],
    notVerifiable: [],
    ...more,
  };
}

/** Returns the match of a declared object that has neither an entry nor a live object. */
export function sampleMatch(more: Partial<Match> = {}): Match {
  return {
    observed: undefined,
    entry: undefined,
    interrupted: [],
    formerAddress: undefined,
    conflictingObject: undefined,
    namesakeOwner: undefined,
    ...more,
  };
}

/** Returns a plan of these changes. */
export function samplePlan(changes: readonly Change[], more: Partial<Plan> = {}): Plan {
  return {
    format: 2,
    basis: { stack: "shop", origin: "https://one.example", desired: "d", inventory: "i" },
    changes,
    unchanged: 12,
    diagnostics: [],
    cost: { readCalls: 40, writeCalls: 4 },
    ...more,
  };
}
