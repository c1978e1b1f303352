// Detects a stack whose inventory is missing, and distinguishes it from a stack that owns nothing yet.
import type { Diagnostic } from "../../core/diagnostics.ts";
import { isObservedOnly } from "../../core/kind/lifecycle-rules.ts";
import type { DesiredState, Inventory, Plan } from "../model/index.ts";
import { stackCommand } from "../model/shell-command.ts";

interface StackRecords {
  readonly desired: DesiredState;
  readonly store: { readonly location: string };
}

interface InventoryUse {
  readonly inventory: Inventory;
  readonly diagnostics: Plan["diagnostics"];
}

/**
 * Returns the error of a stack without an inventory whose declared objects exist. None of the objects of a new stack
 * exist, or the stack adopts them.
 */
export function missingInventoryErrors(
  session: StackRecords,
  { inventory, diagnostics }: InventoryUse,
): Diagnostic[] {
  if (wasWritten(inventory)) return [];
  const existing = new Set(
    diagnostics.filter(({ code }) => code === "not-owned").map(({ address }) => address),
  );
  if (existing.size === 0) return [];
  const why = `${existingText(existing.size, session.desired.objects.length)} already, but`;
  // An apply would be refused as well, because it owns none of them.
  return [missingInventory(session, why, "adopt")];
}

function existingText(existing: number, declared: number): string {
  if (declared === 1) return "the declared object exists";
  if (existing === declared) return `all ${declared} declared objects exist`;
  return `${existing} of ${declared} declared objects ${existing === 1 ? "exists" : "exist"}`;
}

/** Returns the error of `drift` for a stack that was never applied here: the last-applied state is unknown. */
export function unknownBaselineErrors(
  session: StackRecords,
  { inventory, diagnostics }: InventoryUse,
): Diagnostic[] {
  const isReported = diagnostics.some(({ code }) => code === "inventory-missing");
  const isManaged = session.desired.objects.some(({ rules }) => !isObservedOnly(rules));
  if (wasWritten(inventory) || isReported || !isManaged) return [];
  return [missingInventory(session, "drift compares with the last apply, but", "apply")];
}

function wasWritten({ serial, entries }: Inventory): boolean {
  return serial > 0 || Object.keys(entries).length > 0;
}

/** Returns the error. `next` is the command that starts the inventory of a new stack. */
function missingInventory(
  { desired: { stack }, store }: StackRecords,
  why: string,
  next: "adopt" | "apply",
): Diagnostic {
  const what = next === "adopt" ? "adopt what exists" : "apply it";
  return {
    code: "inventory-missing",
    severity: "error",
    address: `Stack/${stack.name}`,
    ...(stack.namePlace && { place: stack.namePlace }),
    summary: `${why} stack ${stack.name} has no inventory: ${store.location} does not exist`,
    remedy: `If the stack is new, ${what} with \`${stackCommand(stack, next)}\`; otherwise restore the inventory.`,
  };
}
