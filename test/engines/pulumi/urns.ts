// URNs in the stand-in engine: type and name below the parent, with aliases.
import type { RegisterResourceRequest } from "@pulumi/pulumi/proto/resource_pb.js";
import type { ResourceRef } from "./driver.ts";

/** Returns true for the type of a provider. */
export function isProvider(type: string): boolean {
  return type.startsWith("pulumi:providers:");
}

/** Returns true for the type of the stack itself. */
export function isStack(type: string): boolean {
  return type === "pulumi:pulumi:Stack";
}

/** Returns the URN of a resource with this type token, below its parent. */
export function urnFor({ type, name }: ResourceRef, parent = ""): string {
  const above = parent.split("::")[2] ?? "";
  const isTop = above === "" || isStack(above);
  return `urn:pulumi:dev::test::${isTop ? type : `${above}$${type}`}::${name}`;
}

/** Converts a type token to the type name that the driver takes. */
export function kindOf({ type, name }: ResourceRef): ResourceRef {
  return { type: type.slice(type.lastIndexOf(":") + 1), name };
}

/** URNs and aliases of one run's registrations. */
export class UrnRegistry {
  readonly #aliases = new Map<string, readonly string[]>();

  /** Returns the URN of a registration, and its aliases with those that follow from its parent. */
  register(request: RegisterResourceRequest): {
    readonly urn: string;
    readonly former: readonly string[];
  } {
    const [type, name, parent] = [request.getType(), request.getName(), request.getParent()];
    const urn = urnFor({ type, name }, parent);
    const own = request.getAliasesList().map((alias) => {
      const spec = alias.getSpec();
      if (spec === undefined) return alias.getUrn();
      const named = { type: spec.getType() || type, name: spec.getName() || name };
      return urnFor(named, spec.getNoparent() ? "" : spec.getParenturn() || parent);
    });
    const inherited = (this.#aliases.get(parent) ?? []).map((before) => {
      const above = nameIn(parent);
      const called = name.startsWith(above) ? nameIn(before) + name.slice(above.length) : name;
      return urnFor({ type, name: called }, before);
    });
    const former = [...own, ...inherited];
    this.#aliases.set(urn, former);
    return { urn, former };
  }
}

function nameIn(urn: string): string {
  return urn.slice(urn.lastIndexOf("::") + 2);
}
