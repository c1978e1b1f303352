// Builds the diagnostics for changes that are refused or incomplete.
import { splitPointer } from "../../core/pointer.ts";
import type { Diagnostic } from "../../core/diagnostics.ts";
import type { FieldChange } from "../../core/spec/diff.ts";
import { managerRefusal } from "../../core/kind/external-manager.ts";
import { readableKey } from "../../core/kind/identity.ts";
import type { Kind, ObservedObject } from "../../core/kind/kind.ts";
import { type ManagedVerb, manages } from "../../core/kind/lifecycle-rules.ts";
import { removalRefused } from "../../core/spec/removed-rights.ts";
import { withArticle } from "../../core/text/naming.ts";
import { canBeRenamed } from "../model/parent-renames.ts";
import { stackCommand } from "../model/shell-command.ts";
import {
  type Action,
  type Change,
  type DesiredState,
  type Inventory,
  type Stack,
  type DesiredObject,
  locationIn,
} from "../model/index.ts";
import type { Match, Matcher } from "./match-objects.ts";

function about(desiredObject: DesiredObject): Pick<Diagnostic, "severity" | "address" | "place"> {
  return { severity: "error", address: desiredObject.address, place: desiredObject.place };
}

/** An object exists that no stack owns, and adoption was not requested. */
export function notOwnedError(
  desiredObject: DesiredObject,
  stack: Pick<Stack, "displayPath">,
): Diagnostic {
  return {
    ...about(desiredObject),
    code: "not-owned",
    summary: `${desiredObject.kind.name} ${readableKey(desiredObject.key)} exists already, and this stack did not create it`,
    remedy: `Run \`${stackCommand(stack, "adopt", desiredObject.address)}\` to adopt it, or give the document another key.`,
  };
}

/** A rename in place changes identifiers by which others know the object, such as its URL. */
export function renameNotes(
  desiredObject: DesiredObject,
  { action, from, key }: Pick<Change, "action" | "from" | "key">,
  { spec }: Pick<ObservedObject, "spec">,
): readonly Diagnostic[] {
  if (action !== "update" || from === undefined || from.key === key) return [];
  const effect = desiredObject.kind.renameEffect?.({ ...spec, ...desiredObject.spec });
  if (effect === undefined) return [];
  const renamed = `${desiredObject.address} is renamed from ${readableKey(from.key)} to ${readableKey(key)}`;
  const summary = `${renamed}: ${effect}`;
  return [{ ...about(desiredObject), severity: "warning", code: "rename-effect", summary }];
}

/**
 * Another document has the entry that `movedFrom` names, because it still declares that object; or no document has the
 * entry at the new address. `passedOn`: the former addresses of all entries that move.
 */
export function moveError(
  desiredObject: DesiredObject,
  { entry, formerAddress }: Pick<Match, "entry" | "formerAddress">,
  { entries, passedOn }: Pick<Inventory, "entries"> & { readonly passedOn: ReadonlySet<string> },
): Diagnostic | undefined {
  const { address, rules: { movedFrom = "" } = {} } = desiredObject;
  const error = {
    ...about(desiredObject),
    code: "duplicate-address",
    path: "/metadata/lifecycle/movedFrom",
  } as const;
  if (entry === undefined && movedFrom in entries) {
    return {
      ...error,
      summary: `${movedFrom} still declares the object that ${address} should adopt through movedFrom`,
      remedy: "Remove one of the two documents, or movedFrom.",
    };
  }
  if (formerAddress === undefined || !(address in entries) || passedOn.has(address))
    return undefined;
  return {
    ...error,
    summary: `${address} declares the object of ${movedFrom} through movedFrom, and no document declares the one that ${address} has in the inventory`,
    remedy: `Declare that one in a document with \`movedFrom: ${address}\`, or delete it first: apply the stack with ${movedFrom}, and without ${address}.`,
  };
}

/**
 * Notes each document that declares the natural key which another object of the stack has: the name of the document may
 * be new instead of the natural key.
 */
export function ambiguousRenameNotes(
  { objects, undoScope }: Pick<DesiredState, "objects" | "undoScope">,
  { match, formerAddresses }: Pick<Matcher, "match" | "formerAddresses">,
): readonly Diagnostic[] {
  if (undoScope !== undefined) return [];
  return objects.flatMap((desiredObject): readonly Diagnostic[] => {
    const { address, key, kind } = desiredObject;
    const owner = match(desiredObject).conflictingObject?.owner;
    if (owner === undefined || formerAddresses.has(address)) return [];
    return [
      {
        code: "ambiguous-rename",
        // A replacement deletes the object.
        severity: canBeRenamed(kind) ? "info" : "warning",
        address,
        summary: `${address} declares the natural key ${readableKey(key)}, which the object of ${owner} has: the plan keeps each object at its address`,
        remedy: `If ${address} is the document of that object under a new name, write \`movedFrom: ${formerAddresses.get(owner) ?? owner}\` into its metadata.lifecycle.`,
      },
    ];
  });
}

/** Another object has the key and does not release it first. `owner` is its address if this stack owns it. */
export function keyTakenError(desiredObject: DesiredObject, owner: string | undefined): Diagnostic {
  const who = owner ?? `another ${desiredObject.kind.name} that this stack did not create`;
  return {
    ...about(desiredObject),
    code: owner === undefined ? "not-owned" : "not-supported",
    summary: `${desiredObject.address} would get the key ${readableKey(desiredObject.key)}, but ${who} has that key and does not release it first`,
    remedy: "Choose another key, or first apply the stack with the other one renamed or removed.",
  };
}

/** Another stack owns the object. */
export function otherStackError(
  desiredObject: DesiredObject,
  stack: string | undefined,
  {
    displayPath: seenAt,
    stackName,
    isNew,
  }: Pick<Stack, "displayPath"> & { readonly stackName: string; readonly isNew: boolean },
): Diagnostic {
  // A stack that has entries was not just renamed.
  const command =
    isNew &&
    stack !== undefined &&
    stackCommand({ displayPath: seenAt }, "inventory", "move", "--renamed-from", stack);
  const owner = stack === undefined ? "the stack that owns it" : `stack ${JSON.stringify(stack)}`;
  const renamed = command
    ? ` If ${JSON.stringify(stack)} is the former name of this stack, run \`${command}\`.`
    : "";
  // A path is also found where this stack has no inventory yet.
  const here = seenAt === undefined ? stackName : seenAt || ".";
  // The other stack may have given the object another address.
  const move = stackCommand({}, "inventory", "move", "ADDRESS", "PATH", "--to", here);
  return {
    ...about(desiredObject),
    code: "owned-by-other-stack",
    summary: `${desiredObject.kind.name} ${readableKey(desiredObject.key)} belongs to ${stack === undefined ? "another stack" : owner}`,
    remedy: `Declare it in one stack only, and refer to it from the other as { external: key }. To hand it over, run \`${move}\`: PATH is the folder of ${owner}, and ADDRESS the address of the object there, which \`svc inventory show PATH\` lists.${renamed}`,
  };
}

/** Several live objects have the natural key. */
export function ambiguousError(desiredObject: DesiredObject, ids: readonly string[]): Diagnostic {
  return {
    ...about(desiredObject),
    code: "ambiguous-live",
    summary: `${ids.length} live objects are ${desiredObject.kind.name} ${readableKey(desiredObject.key)}: ids ${ids.join(", ")}`,
    remedy: ambiguityRemedy(desiredObject.kind),
  };
}

/** The owner must rename the others: removing them could delete another stack's object. */
export function ambiguityRemedy({ name, key }: Kind): string {
  return `Rename all but one of them on the server: ${withArticle(name)} is identified by its ${key.join(" and ")} alone.`;
}

const requiredVerbs: Partial<Record<Action, readonly ManagedVerb[]>> = {
  create: ["create"],
  replace: ["delete", "create"],
};

/** The document does not allow the actions that the change needs. */
export function notManagedErrors(action: Action, desiredObject: DesiredObject): Diagnostic[] {
  const missing = (requiredVerbs[action] ?? []).filter(
    (verb) => !manages(desiredObject.rules, verb),
  );
  if (missing.length === 0) return [];
  const why = action === "create" ? "does not exist" : "must be replaced";
  return [
    {
      ...about(desiredObject),
      code: "not-managed",
      path: "/metadata/lifecycle/manage",
      summary: `${desiredObject.address} ${why}, and its document does not let svc ${missing.join(" or ")} it`,
      remedy: `Add ${missing.join(" and ")} to lifecycle.manage, or change it by hand.`,
    },
  ];
}

/**
 * Something else, such as an identity provider, manages the object that the change would write or delete: an error for
 * each field.
 */
export function managedElsewhereErrors(
  { action, fields }: Pick<Change, "action" | "fields">,
  desiredObject: DesiredObject,
  observed: ObservedObject | undefined,
): Diagnostic[] {
  if (observed === undefined) return [];
  const { kind } = desiredObject;
  if (action === "replace") {
    const refusal = managerRefusal(kind, observed);
    return refusal ? [{ ...about(desiredObject), code: "managed-elsewhere", ...refusal }] : [];
  }
  return fields.flatMap(({ field, path }) => {
    const refusal = managerRefusal(kind, observed, new Set([field]));
    return refusal
      ? [
          {
            code: "managed-elsewhere",
            severity: "error",
            ...locationIn(desiredObject, `/spec${path}`),
            ...refusal,
          },
        ]
      : [];
  });
}

/** The server cannot clear a field, so that it keeps its value. */
export function cannotClearError(desiredObject: DesiredObject, field: FieldChange): Diagnostic {
  return {
    ...about(desiredObject),
    severity: "warning",
    code: "cannot-clear",
    path: `/spec${field.path}`,
    summary: `this server cannot clear ${field.field} of ${desiredObject.address}; it stays as it is`,
    remedy: "Set another value, or remove the field.",
  };
}

/** Reports fields that limit rights and that the document no longer declares. */
export function rightsRemovedError(
  desiredObject: DesiredObject,
  pointers: readonly string[],
): Diagnostic {
  const [pointer = ""] = pointers;
  const names = pointers.map((one) => splitPointer(one).join("."));
  return {
    ...about(desiredObject),
    severity: "error",
    code: "rights-removed",
    path: `/spec${pointer}`,
    summary: `${names.join(" and ")} of ${desiredObject.address} ${removalRefused}`,
    remedy: `Keep it, or write \`${splitPointer(pointer).at(-1)}: null\` to remove the limit.`,
  };
}
