// The Terraform provider's requests as an engine sends them, one after another, without an engine.
import { expect } from "vitest";
import { isMembers, type Value } from "../../provider/bridge/values.ts";
import { type Members, typeOf } from "../../provider/terraform/convert.ts";
import { createProvider, type Provider } from "../../provider/terraform/provider.ts";
import { providerAttributes, schemas } from "../../provider/terraform/schemas.ts";
import { type Dynamic, fromWire, toWire } from "../../provider/terraform/wire/cty.ts";

/** A diagnostic as it is answered. */
export interface Told {
  readonly severity: number;
  readonly summary: string;
  readonly detail: string;
  readonly attribute?: { readonly steps: readonly object[] };
}

/** What a request is answered with. */
export interface Answer {
  readonly plannedState?: Dynamic;
  readonly plannedPrivate?: Uint8Array;
  readonly newState?: Dynamic;
  readonly state?: Dynamic;
  readonly private?: Uint8Array;
  readonly diagnostics?: readonly Told[];
}

/** What is kept of one object between the requests. */
export interface Held {
  readonly state: Dynamic | undefined;
  readonly private: Uint8Array | undefined;
}

/** One object that has been planned and applied. */
export interface Applied extends Held {
  readonly values: Members;
  readonly told: readonly Told[];
}

/** A provider that is configured so. */
export async function configured(settings: Members): Promise<Provider> {
  const provider = createProvider();
  const config = toWire(typeOf(providerAttributes), settings);
  const answer: Answer = await provider.handlers.ConfigureProvider({
    config,
    terraformVersion: "1.11.4",
  });
  expect(answer.diagnostics).toEqual([]);
  return provider;
}

/** The type of a resource on the wire, and a configuration of it with these values. */
export function configurationOf(typeName: string, values: Members) {
  const { attributes = [] } = schemas.resources[typeName] ?? {};
  const type = typeOf(attributes);
  const all = attributes.map(({ name }): [string, Value] => [name, values[name] ?? null]);
  return { type, config: toWire(type, Object.fromEntries(all)) };
}

/** Plans one object so. */
export async function planned(
  { handlers }: Provider,
  typeName: string,
  { values, held }: { readonly values: Members; readonly held?: Held | undefined },
): Promise<Answer> {
  const { type, config } = configurationOf(typeName, values);
  const priorState = held?.state ?? toWire(type, null);
  const before = fromWire(type, priorState);
  const proposed = isMembers(before) ? { ...before, ...given(values) } : undefined;
  return handlers.PlanResourceChange({
    typeName,
    config,
    priorState,
    priorPrivate: held?.private,
    proposedNewState: proposed === undefined ? config : toWire(type, proposed),
  });
}

function given(values: Members): Members {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}

/** Plans one object so and applies it. */
export async function applied(
  provider: Provider,
  typeName: string,
  { values, held }: { readonly values: Members; readonly held?: Held | undefined },
): Promise<Applied> {
  const { type, config } = configurationOf(typeName, values);
  const { plannedState, plannedPrivate } = await planned(provider, typeName, { values, held });
  const priorState = held?.state ?? toWire(type, null);
  const change = { typeName, config, priorState, plannedState, plannedPrivate };
  const answer: Answer = await provider.handlers.ApplyResourceChange(change);
  const after = fromWire(type, answer.newState);
  return {
    state: answer.newState,
    private: answer.private,
    values: isMembers(after) ? after : {},
    told: answer.diagnostics ?? [],
  };
}
