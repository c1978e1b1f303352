// Checks during planning that the server supports a change.
import type { ApiDiscovery } from "../../client/api-discovery.ts";
import {
  capability as capabilityOfServer,
  isUnavailable,
  type Capability,
  type UnavailableVerb,
} from "../../core/kind/capability.ts";
import type { Diagnostic } from "../../core/diagnostics.ts";
import type { Operation } from "../../core/operation/operation.ts";
import { fieldNames } from "./observe.ts";
import type { Change, DesiredObject, DesiredState, Inventory } from "../model/index.ts";
import { entriesByKind } from "../model/stack-index.ts";
import type { Kind } from "../../core/kind/kind.ts";

/** Returns an error for each reason why the server cannot execute `change`. */
export function unsupportedErrors(
  change: Change,
  desiredObject: DesiredObject,
  capability: Capability,
): Diagnostic[] {
  return unsupportedReasons(change, desiredObject, capability).map((reason) => ({
    code: "not-supported",
    severity: "error",
    address: desiredObject.address,
    place: desiredObject.place,
    summary: `${desiredObject.address} cannot be ${pastTense[change.action] ?? "changed"} on this server: ${reason}`,
    remedy: "Use a server that offers it, or remove this object from the stack.",
  }));
}

const pastTense: Partial<Record<Change["action"], string>> = {
  create: "created",
  replace: "replaced",
  update: "updated",
  adopt: "updated",
};

function unsupportedReasons(
  change: Change,
  { spec }: DesiredObject,
  capability: Capability,
): string[] {
  if (change.action === "create") return createReasons(spec, capability);
  if (change.action === "replace")
    return [...deleteReasons(capability), ...createReasons(spec, capability)];
  if (change.action === "update" || change.action === "adopt")
    return updateReasons(change, capability);
  return [];
}

function createReasons(spec: DesiredObject["spec"], { create }: Capability): string[] {
  if (isUnavailable(create)) return [missingText(create)];
  const unset = fieldNames(spec).filter((name) => create.uncovered.includes(name));
  return unset.map((name) => `it has no operation that sets ${name}`);
}

function deleteReasons({ delete: deletion }: Capability): string[] {
  return isUnavailable(deletion) ? [missingText(deletion)] : [];
}

function updateReasons({ fields }: Change, capability: Capability): string[] {
  const names = fields.map((field) => field.field);
  const cleared = fields.filter((field) => field.reason === "cleared").map((field) => field.field);
  const support = capability.update(names, new Set(cleared));
  if (!("uncovered" in support)) return [];
  return [
    `${support.uncovered.join(", ")}: ${missingText({ missing: support.needs, reason: support.reason })}`,
  ];
}

/** Describes the API's own reason, or the missing operations. */
export function missingText({ missing, reason }: UnavailableVerb): string {
  if (reason !== undefined) return reason;
  if (missing.length === 0) return "the API has no operation for it";
  return `it does not offer ${missing.map(operationText).join(" or ")}`;
}

function operationText({ method, path }: Operation): string {
  return `${method} ${path}`;
}

/** Returns the capabilities of the server for every declared or owned kind. */
export function capabilitiesOf(
  {
    desired,
    kinds,
    apiDiscovery,
  }: { desired: DesiredState; kinds: readonly Kind[]; apiDiscovery: ApiDiscovery },
  inventory: Inventory,
): Map<string, Capability> {
  const touched = new Set([
    ...desired.objects.map((desiredObject) => desiredObject.kind.name),
    ...entriesByKind(inventory.entries).keys(),
  ]);
  return new Map(
    kinds
      .filter((kind) => touched.has(kind.name))
      .map((kind) => [
        kind.name,
        capabilityOfServer(kind, (operation) => apiDiscovery.has(operation)),
      ]),
  );
}

/** Returns an error for each kind whose objects the server cannot show. */
export function notReadableErrors(
  kinds: readonly Kind[],
  capabilities: ReadonlyMap<string, Capability>,
): Diagnostic[] {
  return kinds.flatMap((kind) => {
    const missing = capabilities.get(kind.name)?.observe ?? [];
    if (missing.length === 0) return [];
    return [
      {
        code: "not-readable" as const,
        severity: "error" as const,
        summary: `${kind.name} cannot be managed on this server: ${missingText({ missing, reason: undefined })}`,
        remedy: `Remove ${kind.name} documents from the stack, or use a server that supports them.`,
      },
    ];
  });
}
