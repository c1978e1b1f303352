// The session of one provider run: resource types, loaded on first use, and the configured server.
import { Failure } from "../../core/errors.ts";
import { type Kind, kindsByName } from "../../core/kind/kind.ts";
import { DeclaredFields, sharedFieldsOf } from "../bridge/declared-fields.ts";
import { EngineRunPlans } from "../bridge/missing-references.ts";
import type { RenameTracker } from "../bridge/rename-tracker.ts";
import type { Value } from "../bridge/unknown-values.ts";
import { isKnownObject } from "../bridge/unknown-values.ts";
import { type AttributeValues, typeOf } from "./attribute-values.ts";
import { type Diagnostic, fromError } from "./diagnostics.ts";
import type { ConfiguredProvider, Resource } from "./resources.ts";
import type { Attribute, Block, Schemas } from "./schema.ts";
import { listSchemas, schemas } from "./wire-schema.ts";
import { type Dynamic, fromWire, type Type } from "./wire/cty.ts";

/** A resource or data source with its protocol type. */
export interface TypedResource extends Resource {
  readonly type: Type;
  readonly identity: { readonly attributes: readonly Attribute[]; readonly type: Type };
}

/** Environment variables. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** One run of the provider. */
export interface Session {
  /** Completes the provider's configuration. */
  readonly env: Environment;
  /** Undefined until the configuration is known. */
  configured: ConfiguredProvider | undefined;
  resource(typeName: string): Promise<TypedResource>;
  dataSource(typeName: string): Promise<TypedResource>;
  ephemeral(typeName: string): Promise<TypedResource>;
  /** Returns the arguments of a list resource. */
  list(typeName: string): Promise<TypedResource>;
  /** Undefined until the first plan. */
  renames: RenameTracker | undefined;
  /** The objects that this run has planned so far. */
  readonly planned: EngineRunPlans;
  /** The fields that the resources of this run declare. */
  readonly declared: DeclaredFields;
  /** True after the first write: an apply plans each resource again, and the plan has warned already. */
  hasWritten: boolean;
  /** Aborted when the engine requests a stop. No further request starts. */
  readonly stopping: AbortController;
  /** Deletes each open ephemeral object, by its handle. The engine skips the close request after some failures. */
  readonly openEphemerals: Map<string, () => Promise<void>>;
  /** Returns the configured provider. Fails if the configuration is not known. */
  requireConfigured(): ConfiguredProvider;
}

/** Creates a session. It loads nothing. */
export function createSession(env: Environment): Session {
  let kinds: Promise<ReadonlyMap<string, Kind>> | undefined;
  const cache = new Map<string, TypedResource>();
  const typedResource = async (
    typeName: string,
    source: keyof Schemas | "lists",
  ): Promise<TypedResource> => {
    const key = `${source} ${typeName}`;
    const cached = cache.get(key);
    if (cached !== undefined) return cached;
    kinds ??= loadKinds();
    const block = (source === "lists" ? listSchemas() : schemas[source])[typeName];
    const byName = await kinds;
    const kind = block && byName.get(block.kind);
    if (kind === undefined) throw new Failure("usage", `the provider does not support ${typeName}`);
    const attributes = block?.attributes ?? [];
    const identityOf = block === undefined ? [] : identityAttributes(block);
    const identity = { attributes: identityOf, type: typeOf(identityOf) };
    const sharedFields = sharedFieldsOf(byName.values(), kind);
    const typed = {
      kind,
      attributes,
      sharedFields,
      kinds: byName,
      identity,
      type: typeOf(attributes),
    };
    cache.set(key, typed);
    return typed;
  };
  return {
    env,
    configured: undefined,
    renames: undefined,
    planned: new EngineRunPlans(),
    declared: new DeclaredFields(),
    hasWritten: false,
    stopping: new AbortController(),
    openEphemerals: new Map(),
    resource: (typeName) => typedResource(typeName, "resources"),
    dataSource: (typeName) => typedResource(typeName, "dataSources"),
    ephemeral: (typeName) => typedResource(typeName, "ephemerals"),
    list: (typeName) => typedResource(typeName, "lists"),
    requireConfigured() {
      if (this.configured !== undefined) return this.configured;
      throw new Failure("usage", "the provider's configuration is not known yet", {
        remedy: "Use known values for url and api_key, or set SVC_API_URL and SVC_API_KEY.",
      });
    },
  };
}

/** Returns the identity attributes of a resource. */
export function identityAttributes({ attributes, identity = [] }: Block): readonly Attribute[] {
  return identity.flatMap((name) => attributes.find((one) => one.name === name) ?? []);
}

/** Loads the kinds on first use. A run that only needs schemas does not load them. */
async function loadKinds(): Promise<ReadonlyMap<string, Kind>> {
  const { kinds } = await import("../../resources/index.ts");
  return kindsByName(kinds);
}

/** Decodes the attributes of a block; empty if the request has none. */
export function decodeAttributes(
  { type }: { readonly type: Type },
  dynamic: Dynamic | undefined,
): AttributeValues {
  return decodeState({ type }, dynamic) ?? {};
}

/** Decodes a state; undefined if the object does not exist. */
export function decodeState(
  { type }: { readonly type: Type },
  dynamic: Dynamic | undefined,
): AttributeValues | undefined {
  const value: Value = fromWire(type, dynamic);
  return isKnownObject(value) ? value : undefined;
}

/** Returns the type of a block with these attributes. */
export function blockOf(attributes: readonly Attribute[]): { readonly type: Type } {
  return { type: typeOf(attributes) };
}

/** Returns the response of `work`, or the fallback with a diagnostic. */
export async function withDiagnostics(
  summary: string,
  fallback: object,
  work: () => Promise<object>,
): Promise<object> {
  try {
    return await work();
  } catch (error) {
    const diagnostics: readonly Diagnostic[] = [fromError(summary, error)];
    return { ...fallback, diagnostics };
  }
}
