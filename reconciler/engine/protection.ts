// Blocks deletes of protected and kept objects, direct ones and cascades.
import { observedObjectOf } from "./observe.ts";
import type { Diagnostic } from "../../core/diagnostics.ts";
import { address as objectAt } from "../../core/kind/identity.ts";
import type { Kind } from "../../core/kind/kind.ts";
import { stackCommand } from "../model/shell-command.ts";
import { blockedByErrors } from "./block-reasons.ts";
import { cascadeParentsOf } from "../../core/kind/cascades.ts";
import type { Change, DesiredState, Inventory, LiveState, Stack } from "../model/index.ts";

/** Input to {@link withProtection}. */
export interface ProtectionContext {
  readonly inventory: Inventory;
  /** By name. */
  readonly kinds: ReadonlyMap<string, Kind>;
  readonly live: LiveState;
  readonly desired: { readonly stack: Pick<Stack, "displayPath"> } & Pick<
    DesiredState,
    "undoScope"
  >;
}

/** Blocks the changes that would delete a protected object, and reports why. */
export function withProtection(
  changes: readonly Change[],
  context: ProtectionContext,
): { readonly changes: readonly Change[]; readonly diagnostics: readonly Diagnostic[] } {
  const staying = changes.filter((change) => isProtected(change, context));
  if (staying.length === 0) return { changes, diagnostics: [] };
  const holders = cascadeParentFinder(changes, context);
  const errors = new Map<string, Diagnostic>();
  for (const change of staying) {
    if (isDeleting(change)) errors.set(change.address, protectedError(change, context));
    for (const holder of holders(change)) {
      const why = change.abandoned === true ? "must stay" : "is protected";
      if (!errors.has(holder.address))
        errors.set(holder.address, protectedCascadeError(holder, change.address, why));
    }
  }
  return {
    changes: changes.map((change) => {
      const why = errors.get(change.address);
      return why === undefined ? change : blockedByErrors(change, [why]);
    }),
    diagnostics: [...errors.values()],
  };
}

/** True if the document or the inventory protects the object, or if it is abandoned. */
function isProtected(change: Change, { inventory }: ProtectionContext): boolean {
  if (change.abandoned === true) return true;
  const recorded = change.movedTo === undefined ? inventory.entries[change.address] : undefined;
  return (change.lifecycle ?? recorded?.lifecycle)?.protect === true;
}

function isDeleting({ action }: Change): boolean {
  return action === "delete" || action === "replace";
}

/** Finds the changes that cascade to an object: the changes of its parents. */
function cascadeParentFinder(changes: readonly Change[], { kinds, live }: ProtectionContext) {
  const going = new Map(
    changes
      .filter(isDeleting)
      .map((change) => [objectAt(change.kind, change.from?.key ?? change.key), change]),
  );
  return ({ kind: name, id, key, from, scope, action }: Change): readonly Change[] => {
    const kind = kinds.get(name);
    // An object that does not exist yet cannot be deleted.
    if (kind === undefined || action === "create") return [];
    const observed = observedObjectOf(kind, { id, key, from }, live);
    const spec = observed?.spec ?? from?.scope ?? scope;
    return cascadeParentsOf(kind, spec, kinds).flatMap((holder) => going.get(holder) ?? []);
  };
}

function protectedError(
  change: Change,
  { desired: { stack, undoScope } }: Pick<ProtectionContext, "desired">,
): Diagnostic {
  const { address } = change;
  const verb = change.action === "delete" ? "deleted" : "replaced";
  const command = stackCommand(stack, "protect", "--off", address);
  // An undo deletes objects that are still declared.
  const undeclared = `Declare it again, or run \`${command}\` first.`;
  const declared = `Remove lifecycle.protect from its document, if it is set there, and run \`${command}\`.`;
  return {
    code: "protected",
    severity: "error",
    address,
    summary: `${address} is protected, and would be ${verb}`,
    remedy:
      change.action === "replace"
        ? `Undo the change that replaces it, or remove lifecycle.protect from its document and run \`${command}\`.`
        : undoScope === undefined
          ? undeclared
          : declared,
  };
}

/** Builds the diagnostic for a delete or replace that cascades to the protected object at the address `inside`. */
export function protectedCascadeError(holder: Change, inside: string, why: string): Diagnostic {
  const verb = holder.action === "delete" ? "deleting" : "replacing";
  return {
    code: "protected",
    severity: "error",
    address: holder.address,
    summary: `${verb} ${holder.address} also deletes ${inside}, which ${why}`,
    remedy: `Keep ${holder.address}, or lift the protection of ${inside} first.`,
  };
}
