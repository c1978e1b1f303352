// State of a stack in the stand-in engine, and registrations.
import type { PropertyMap } from "../../../provider/pulumi/property-values.ts";
import type { ResourceState, ResourceRef } from "./driver.ts";
import type { StackResource } from "./engine.ts";

/** A resource in state. */
export interface Resource extends ResourceState, StackResource {
  /** URN of its provider; empty for the default provider. */
  readonly provider: string;
  readonly protect: boolean;
  /** The resource was created but not completely written. */
  readonly incomplete: boolean;
  /** Timeouts of writes in seconds; 0 if the program sets none. */
  readonly timeouts: Readonly<Record<"create" | "update" | "delete", number>>;
}

/** A registration to apply. */
export interface Registration extends Omit<Resource, "id" | "inputs" | "state" | "incomplete"> {
  readonly old: Resource | undefined;
  readonly news: PropertyMap;
  readonly importId: string;
  readonly replaceOnChanges: readonly string[];
}

/** State of a stack. */
export interface Snapshot {
  /** By URN, in the order of registration. */
  readonly resources: Map<string, Resource>;
  /** Replaced resources that are not deleted yet. */
  readonly pendingDeletes: Set<Resource>;
  /** URNs of creates without a known outcome. */
  readonly pendingCreates: Set<string>;
}

/** Returns a copy that can be changed independently. */
export function copySnapshot({
  resources,
  pendingDeletes,
  pendingCreates: pending,
}: Snapshot): Snapshot {
  return {
    resources: new Map(resources),
    pendingDeletes: new Set(pendingDeletes),
    pendingCreates: new Set(pending),
  };
}

/** Returns a resource with default values. */
export function emptyResource(named: ResourceRef & { readonly urn: string }): Resource {
  return {
    ...named,
    id: "",
    inputs: {},
    state: {},
    custom: true,
    provider: "",
    dependencies: [],
    propertyDependencies: {},
    protect: false,
    incomplete: false,
    timeouts: { create: 0, update: 0, delete: 0 },
  };
}
