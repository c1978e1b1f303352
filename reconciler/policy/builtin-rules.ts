// Built-in policy rules.
import { cascadeText } from "../engine/cascade.ts";
import type { Change, Plan } from "../model/index.ts";
import { shownFields } from "../model/masked-fields.ts";
import type { PolicyViolation, PolicyRule } from "./policy-rule.ts";

/**
 * Stacks with fewer objects are being set up or taken down, so the rule on shrinking does not apply.
 */
const minStackSize = 4;

/** Returns the rules by name, with the severity that a policy file may override. */
export const builtinRules: readonly PolicyRule[] = [
  {
    name: "shrinks",
    severity: "error",
    evaluate: massDelete,
  },
  {
    name: "deletes",
    severity: "warning",
    evaluate: each(isDelete, (change) => ({
      code: "policy-deletes",
      summary: `${change.address} is deleted${cascadeSuffix(change)}`,
      remedy: "Make sure that nothing depends on it; this cannot be undone.",
    })),
  },
  {
    name: "replaces",
    severity: "warning",
    evaluate: each(isReplace, (change) => ({
      code: "policy-replaces",
      summary: `${change.address} is replaced: deleted and created again${cascadeSuffix(change)}`,
      remedy: "Make sure that its content on the server may be lost.",
    })),
  },
  {
    name: "overwrites",
    severity: "warning",
    evaluate: each(isOverwrite, (change) => ({
      code: "policy-overwrites",
      summary: `${change.address} was changed on the server, and this plan would overwrite that change`,
      remedy: "See `svc drift`; declare the values to keep.",
    })),
  },
  {
    name: "secrets",
    severity: "info",
    evaluate: (plan, kinds) =>
      plan.changes
        .filter(({ action }) => action === "update" || action === "replace")
        .filter((change) => shownFields(change, kinds).some(({ sensitive }) => sensitive))
        .map(({ address }) => ({
          code: "policy-secrets",
          address,
          summary: `${address} gets a new secret`,
          remedy: "Make sure that its users get the new secret.",
        })),
  },
];

function each(
  picks: (change: Change) => boolean,
  says: (change: Change) => PolicyViolation,
): PolicyRule["evaluate"] {
  return ({ changes }) =>
    changes.filter(picks).map((change) => ({ ...says(change), address: change.address }));
}

function isDelete({ action }: Change): boolean {
  return action === "delete";
}

function isReplace({ action }: Change): boolean {
  return action === "replace";
}

function isOverwrite({ action, direction }: Change): boolean {
  return (action === "update" || action === "adopt") && direction !== "pending";
}

function cascadeSuffix(change: Change): string {
  const inside = cascadeText(change);
  return inside === "" ? "" : `, including ${inside} inside`;
}

/** True for more than half of the stack's objects. */
function massDelete({ changes, unchanged }: Plan): readonly PolicyViolation[] {
  const removed = changes.filter((change) => isDelete(change) || isReplace(change)).length;
  const fresh = changes.filter(({ action }) => action === "create").length;
  const had = changes.length - fresh + unchanged;
  if (had < minStackSize || removed * 2 <= had) return [];
  return [
    {
      code: "policy-mass-delete",
      summary: `the plan deletes or replaces ${removed} of the ${had} objects of the stack`,
      remedy: "Make sure that no manifests are missing.",
    },
  ];
}
