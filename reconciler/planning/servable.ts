// Whether this server can carry a change out, told while planning and never guessed.
import { isMissing, type Capability, type Missing } from "../../core/capability.ts";
import type { Diagnostic } from "../../core/diagnostics.ts";
import type { Operation } from "../../core/operation.ts";
import { fieldNames } from "../observe.ts";
import type { Change, Wish } from "../model.ts";

/** What stands in the way of carrying out `change`, each as an error; empty when nothing does. */
export function obstacles(change: Change, wish: Wish, capability: Capability): Diagnostic[] {
  return reasons(change, wish, capability).map((reason) => ({
    code: "cannot-do",
    severity: "error",
    address: wish.address,
    place: wish.place,
    summary: `${wish.address} cannot be ${done[change.action] ?? "changed"} on this server: ${reason}`,
    remedy: "use a server that offers it, or leave this out of the stack",
  }));
}

const done: Partial<Record<Change["action"], string>> = {
  create: "created",
  replace: "replaced",
  update: "updated",
  adopt: "updated",
};

function reasons(change: Change, { spec }: Wish, capability: Capability): string[] {
  if (change.action === "create") return creating(spec, capability);
  if (change.action === "replace") return [...deleting(capability), ...creating(spec, capability)];
  if (change.action === "update" || change.action === "adopt") return updating(change, capability);
  return [];
}

function creating(spec: Wish["spec"], { create }: Capability): string[] {
  if (isMissing(create)) return [whyMissing(create)];
  const unset = fieldNames(spec).filter((name) => create.uncovered.includes(name));
  return unset.map((name) => `it has no operation that sets ${name}`);
}

function deleting({ delete: way }: Capability): string[] {
  return isMissing(way) ? [whyMissing(way)] : [];
}

function updating({ fields }: Change, capability: Capability): string[] {
  const names = fields.map((field) => field.field);
  const cleared = fields.filter((field) => field.reason === "cleared").map((field) => field.field);
  const ways = capability.update(names, new Set(cleared));
  if (!("uncovered" in ways)) return [];
  return [
    `${ways.uncovered.join(", ")}: ${whyMissing({ missing: ways.needs, reason: ways.reason })}`,
  ];
}

/** In words: the API's own reason, or the operations that the server lacks. */
export function whyMissing({ missing, reason }: Missing): string {
  if (reason !== undefined) return reason;
  if (missing.length === 0) return "the API has no operation for it";
  return `it does not offer ${missing.map(named).join(" or ")}`;
}

function named({ method, path }: Operation): string {
  return `${method} ${path}`;
}
