// Sends protocol requests to the Terraform provider as the engine does, without an engine.
import { expect } from "vitest";
import { isKnownObject, type Value } from "../../provider/bridge/unknown-values.ts";
import { type AttributeValues, typeOf } from "../../provider/terraform/attribute-values.ts";
import { createProvider } from "../../provider/terraform/provider.ts";
import type { Provider } from "../../provider/terraform/wire/plugin.ts";
import { providerAttributes, schemas } from "../../provider/terraform/wire-schema.ts";
import { type Dynamic, fromWire, toWire } from "../../provider/terraform/wire/cty.ts";

/** A diagnostic of a response. */
export interface ProviderDiagnostic {
  readonly severity: number;
  readonly summary: string;
  readonly detail: string;
  readonly attribute?: { readonly steps: readonly object[] };
}

/** A response. */
export interface ProviderResponse {
  readonly plannedState?: Dynamic;
  readonly plannedPrivate?: Uint8Array;
  readonly newState?: Dynamic;
  readonly state?: Dynamic;
  readonly private?: Uint8Array;
  readonly diagnostics?: readonly ProviderDiagnostic[];
}

/** The state and private state of one object between requests. */
export interface ResourceState {
  readonly state: Dynamic | undefined;
  readonly private: Uint8Array | undefined;
}

/** The result of a plan and an apply of one object. */
export interface AppliedResource extends ResourceState {
  readonly values: AttributeValues;
  readonly diagnostics: readonly ProviderDiagnostic[];
}

/** Creates and configures a provider. */
export async function configureProvider(settings: AttributeValues): Promise<Provider> {
  const provider = createProvider();
  const config = toWire(typeOf(providerAttributes), settings);
  const answer: ProviderResponse = await provider.handlers.ConfigureProvider({
    config,
    terraformVersion: "1.11.4",
  });
  expect(answer.diagnostics).toEqual([]);
  return provider;
}

/** Returns the protocol type of a resource, and a configuration with these values. */
export function resourceConfig(typeName: string, values: AttributeValues) {
  const { attributes = [] } = schemas.resources[typeName] ?? {};
  const type = typeOf(attributes);
  const all = attributes.map(({ name }): [string, Value] => [name, values[name] ?? null]);
  return { type, config: toWire(type, Object.fromEntries(all)) };
}

/** Plans one object. */
export async function planResource(
  { handlers }: Provider,
  typeName: string,
  { values, held }: { readonly values: AttributeValues; readonly held?: ResourceState | undefined },
): Promise<ProviderResponse> {
  const { type, config } = resourceConfig(typeName, values);
  const priorState = held?.state ?? toWire(type, null);
  const before = fromWire(type, priorState);
  const proposed = isKnownObject(before) ? { ...before, ...definedMembers(values) } : undefined;
  return handlers.PlanResourceChange({
    typeName,
    config,
    priorState,
    priorPrivate: held?.private,
    proposedNewState: proposed === undefined ? config : toWire(type, proposed),
  });
}

function definedMembers(values: AttributeValues): AttributeValues {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}

/** Plans and applies one object. */
export async function applyResource(
  provider: Provider,
  typeName: string,
  { values, held }: { readonly values: AttributeValues; readonly held?: ResourceState | undefined },
): Promise<AppliedResource> {
  const { type, config } = resourceConfig(typeName, values);
  const { plannedState, plannedPrivate } = await planResource(provider, typeName, { values, held });
  const priorState = held?.state ?? toWire(type, null);
  const change = { typeName, config, priorState, plannedState, plannedPrivate };
  const answer: ProviderResponse = await provider.handlers.ApplyResourceChange(change);
  const after = fromWire(type, answer.newState);
  return {
    state: answer.newState,
    private: answer.private,
    values: isKnownObject(after) ? after : {},
    diagnostics: answer.diagnostics ?? [],
  };
}

/** Returns all events of a stream. */
export async function collect<T>(events: AsyncIterable<T>): Promise<readonly T[]> {
  const all: T[] = [];
  for await (const event of events) all.push(event);
  return all;
}
