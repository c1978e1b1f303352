// What one run of the provider knows: the kinds once they are asked for, the server once it is configured.
import { Failure } from "../../core/errors.ts";
import type { Kind } from "../../core/kind.ts";
import type { RenameTracker } from "../bridge/rename-tracker.ts";
import type { Value } from "../bridge/unknown-values.ts";
import { isKnownObject } from "../bridge/unknown-values.ts";
import { type AttributeValues, typeOf } from "./attribute-values.ts";
import { type Diagnostic, fromError } from "./diagnostics.ts";
import type { ConfiguredProvider, Resource } from "./resources.ts";
import type { Attribute, Block, Schemas } from "./schema.ts";
import { type Dynamic, fromWire, type Type } from "./wire/cty.ts";

/** A resource or data source with its type on the wire. */
export interface TypedResource extends Resource {
  readonly type: Type;
  readonly identity: { readonly attributes: readonly Attribute[]; readonly type: Type };
}

/** One run of the provider. */
export interface Session {
  /** Undefined until the configuration is known. */
  configured: ConfiguredProvider | undefined;
  resource(typeName: string): Promise<TypedResource>;
  dataSource(typeName: string): Promise<TypedResource>;
  ephemeral(typeName: string): Promise<TypedResource>;
  /** Undefined until something is planned. */
  renames: RenameTracker | undefined;
  /** Aborted once the engine asks to stop: nothing further is begun. */
  readonly stopping: AbortController;
  /** What is to be deleted before the run ends, by what it is known by; the engine skips that where what used it failed. */
  readonly openEphemerals: Map<string, () => Promise<void>>;
  /** Fails where nothing is configured. */
  requireConfigured(): ConfiguredProvider;
}

/** A session that has loaded nothing yet. */
export function createSession(): Session {
  let kinds: Promise<ReadonlyMap<string, Kind>> | undefined;
  const known = new Map<string, TypedResource>();
  const named = async (typeName: string, source: keyof Schemas): Promise<TypedResource> => {
    const key = `${source} ${typeName}`;
    const before = known.get(key);
    if (before !== undefined) return before;
    kinds ??= loadKinds();
    const { schemas } = await import("./wire-schema.ts");
    const block = schemas[source][typeName];
    const byName = await kinds;
    const kind = block && byName.get(block.kind);
    if (kind === undefined) throw new Failure("usage", `The provider has no ${typeName}.`);
    const attributes = block?.attributes ?? [];
    const kindNamed = (name: string): Kind | undefined => byName.get(name);
    const lasting = block === undefined ? [] : identityAttributes(block);
    const identity = { attributes: lasting, type: typeOf(lasting) };
    const typed = { kind, attributes, kindNamed, identity, type: typeOf(attributes) };
    known.set(key, typed);
    return typed;
  };
  return {
    configured: undefined,
    renames: undefined,
    stopping: new AbortController(),
    openEphemerals: new Map(),
    resource: (typeName) => named(typeName, "resources"),
    dataSource: (typeName) => named(typeName, "dataSources"),
    ephemeral: (typeName) => named(typeName, "ephemerals"),
    requireConfigured() {
      if (this.configured !== undefined) return this.configured;
      throw new Failure("usage", "The provider's configuration is not known.", {
        remedy: "Give url and api_key known values, or set SVC_API_URL and SVC_API_KEY.",
      });
    },
  };
}

/** The attributes that make up the identity of a resource. */
export function identityAttributes({ attributes, identity = [] }: Block): readonly Attribute[] {
  return identity.flatMap((name) => attributes.find((one) => one.name === name) ?? []);
}

/** Loading every kind takes longer than the rest of the start, and a run that only describes needs none. */
async function loadKinds(): Promise<ReadonlyMap<string, Kind>> {
  const { kinds } = await import("../../resources/index.ts");
  return new Map(kinds.map((kind) => [kind.name, kind]));
}

/** The attributes of a block that was sent. */
export function decodeAttributes(
  { type }: { readonly type: Type },
  sent: Dynamic | undefined,
): AttributeValues {
  return decodeState({ type }, sent) ?? {};
}

/** The same, undefined for an object that is not there. */
export function decodeState(
  { type }: { readonly type: Type },
  sent: Dynamic | undefined,
): AttributeValues | undefined {
  const value: Value = fromWire(type, sent);
  return isKnownObject(value) ? value : undefined;
}

/** The type of a block with these attributes. */
export function blockOf(attributes: readonly Attribute[]): { readonly type: Type } {
  return { type: typeOf(attributes) };
}

/** The answer of `work`, or the fallback with what went wrong. */
export async function withDiagnostics(
  what: string,
  fallback: object,
  work: () => Promise<object>,
): Promise<object> {
  try {
    return await work();
  } catch (error) {
    const diagnostics: readonly Diagnostic[] = [fromError(what, error)];
    return { ...fallback, diagnostics };
  }
}
