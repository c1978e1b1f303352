// The policies that come with svc: what most reviewers would stop at.
import { alongText } from "../planning/cascade.ts";
import type { Change, Plan } from "../model.ts";
import { shownFields } from "../report/fields.ts";
import type { Offence, Rule } from "./rule.ts";

/** Fewer objects than this are no stack that shrinks, but one that is being set up or taken down. */
const smallest = 4;

/** The rules by name, each with the severity that it has unless a policy file gives it another. */
export const builtinRules: readonly Rule[] = [
  {
    name: "shrinks",
    severity: "error",
    offences: shrinks,
  },
  {
    name: "deletes",
    severity: "warning",
    offences: each(isDelete, (change) => ({
      code: "policy-deletes",
      summary: `${change.address} is deleted${along(change)}`,
      remedy: "make sure that nobody needs it; it cannot be brought back",
    })),
  },
  {
    name: "replaces",
    severity: "warning",
    offences: each(isReplace, (change) => ({
      code: "policy-replaces",
      summary: `${change.address} is deleted and made anew${along(change)}`,
      remedy: "make sure that what it holds on the server can go",
    })),
  },
  {
    name: "overwrites",
    severity: "warning",
    offences: each(isOverwrite, (change) => ({
      code: "policy-overwrites",
      summary: `${change.address} was changed on the server, and that is written over`,
      remedy: "see `svc drift`; declare what is to stay",
    })),
  },
  {
    name: "secrets",
    severity: "info",
    offences: (plan, kinds) =>
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
  says: (change: Change) => Offence,
): Rule["offences"] {
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
  return (action === "update" || action === "adopt") && direction !== "unshipped";
}

function along(change: Change): string {
  const inside = alongText(change);
  return inside === "" ? "" : `, and with it ${inside}`;
}

/** More than half of what the stack has. */
function shrinks({ changes, unchanged }: Plan): readonly Offence[] {
  const gone = changes.filter((change) => isDelete(change) || isReplace(change)).length;
  const fresh = changes.filter(({ action }) => action === "create").length;
  const had = changes.length - fresh + unchanged;
  if (had < smallest || gone * 2 <= had) return [];
  return [
    {
      code: "policy-shrinks",
      summary: `the plan deletes or replaces ${gone} of the stack's ${had} objects`,
      remedy: "make sure that no manifests are missing",
    },
  ];
}
