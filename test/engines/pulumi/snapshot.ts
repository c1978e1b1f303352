// What the stand-in engine keeps of a stack, and what a registration asks of it.
import type { PropertyMap } from "../../../provider/pulumi/property-values.ts";
import type { ResourceState, ResourceRef } from "./driver.ts";
import type { StackResource } from "./engine.ts";

/** A resource as the engine keeps it. */
export interface Resource extends ResourceState, StackResource {
  /** The URN of its provider; the default one has none. */
  readonly provider: string;
  readonly protect: boolean;
  /** It was made, and not as wished. */
  readonly incomplete: boolean;
  readonly retainOnDelete: boolean;
  /** The URN of a resource that takes it along; empty for none. */
  readonly deletedWith: string;
  /** Property paths. */
  readonly ignoreChanges: readonly string[];
  /** How long writes may take, in seconds; 0 where the program does not say. */
  readonly timeouts: Readonly<Record<"create" | "update" | "delete", number>>;
}

/** A registration on its way to be carried out. */
export interface Registration extends Omit<Resource, "id" | "inputs" | "state" | "incomplete"> {
  readonly old: Resource | undefined;
  readonly news: PropertyMap;
  readonly importId: string;
  readonly replaceOnChanges: readonly string[];
  /** Undefined where the provider decides. */
  readonly deleteBeforeReplace: boolean | undefined;
}

/** Everything that is kept of a stack. */
export interface Snapshot {
  /** By URN, in the order of registration. */
  readonly resources: Map<string, Resource>;
  /** What was replaced and is not deleted yet. */
  readonly pendingDeletes: Set<Resource>;
  /** URNs of creates that nobody heard the end of. */
  readonly pendingCreates: Set<string>;
}

/** The same, to be changed by itself. */
export function copySnapshot({
  resources,
  pendingDeletes: condemned,
  pendingCreates: pending,
}: Snapshot): Snapshot {
  return {
    resources: new Map(resources),
    pendingDeletes: new Set(condemned),
    pendingCreates: new Set(pending),
  };
}

/** A resource of which nothing else is known. */
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
    retainOnDelete: false,
    deletedWith: "",
    ignoreChanges: [],
    timeouts: { create: 0, update: 0, delete: 0 },
  };
}
