// The policies that come with svc: what most reviewers would stop at.
import { cascadeText } from "../engine/cascade.ts";
import type { Change, Plan } from "../model/index.ts";
import { shownFields } from "../report/masked-fields.ts";
import type { PolicyViolation, PolicyRule } from "./policy-rule.ts";

/** Fewer objects than this are no stack that shrinks, but one that is being set up or taken down. */
const minStackSize = 4;

/** The rules by name, each with the severity that it has unless a policy file gives it another. */
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
      remedy: "make sure that nobody needs it; it cannot be brought back",
    })),
  },
  {
    name: "replaces",
    severity: "warning",
    evaluate: each(isReplace, (change) => ({
      code: "policy-replaces",
      summary: `${change.address} is deleted and made anew${cascadeSuffix(change)}`,
      remedy: "make sure that what it holds on the server can go",
    })),
  },
  {
    name: "overwrites",
    severity: "warning",
    evaluate: each(isOverwrite, (change) => ({
      code: "policy-overwrites",
      summary: `${change.address} was changed on the server, and that is written over`,
      remedy: "see `svc drift`; declare what must stay",
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
          summary: `${address} gets another secret`,
          remedy: "make sure that whoever uses it gets it too",
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
  return inside === "" ? "" : `, and with it ${inside}`;
}

/** More than half of what the stack has. */
function massDelete({ changes, unchanged }: Plan): readonly PolicyViolation[] {
  const gone = changes.filter((change) => isDelete(change) || isReplace(change)).length;
  const fresh = changes.filter(({ action }) => action === "create").length;
  const had = changes.length - fresh + unchanged;
  if (had < minStackSize || gone * 2 <= had) return [];
  return [
    {
      code: "policy-mass-delete",
      summary: `the plan deletes or replaces ${gone} of the stack's ${had} objects`,
      remedy: "make sure that no manifests are missing",
    },
  ];
}
