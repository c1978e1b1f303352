// Converts changes to lifecycle tasks, for estimates, preflight and counts.
import { type Kind, type ObjectWrite, kindsByName } from "../../core/kind.ts";
import type { WriteTask } from "../../lifecycle/lifecycle.ts";
import type { Verb } from "../../lifecycle/steps.ts";
import type { Change, LiveState } from "../model/index.ts";
import { fieldNames, observedObjectOf } from "./observe.ts";

const lifecycleVerbs: Partial<Record<Change["action"], readonly Verb[]>> = {
  create: ["create"],
  update: ["update"],
  adopt: ["update"],
  replace: ["delete", "create"],
  delete: ["delete"],
};

/** Returns the tasks for these changes; changes that can share calls share a task. `live` is what the changes are planned against. */
export function tasksOf(
  changes: readonly Change[],
  kinds: readonly Kind[],
  live: LiveState = new Map(),
): readonly WriteTask[] {
  const byName = kindsByName(kinds);
  const called = changes.filter((change) => change.cascadedBy === undefined);
  const groups = Map.groupBy(called, ({ kind, action, layer }) => `${kind} ${action} ${layer}`);
  return [...groups.values()].flatMap((group) => {
    const [first] = group;
    const kind = first === undefined ? undefined : byName.get(first.kind);
    if (first === undefined || kind === undefined) return [];
    const writes = group.map((change) => subjectOf(kind, change, live));
    return (lifecycleVerbs[first.action] ?? []).map((verb) => ({ kind, verb, writes }));
  });
}

function subjectOf(kind: Kind, change: Change, live: LiveState): ObjectWrite {
  const { desired = {}, action, fields } = change;
  if (action === "create" || action === "replace")
    return { spec: desired, live: undefined, changed: new Set(fieldNames(desired)) };
  const changed = new Set(fields.map(({ field }) => field));
  return { spec: desired, live: observedObjectOf(kind, change, live), changed };
}
