// Carries out a component: registers it and its objects with the engine, each taking from those before it what they are called.
import pLimit from "p-limit";
import type { Component, Part } from "../../core/component.ts";
import { invariant } from "../../core/errors.ts";
import type { Kind } from "../../core/kind.ts";
import { limits } from "../../core/limits.ts";
import { propertyOfField, type Wanted, wishesOf } from "./components.ts";
import type { Complaint } from "./objects.ts";
import { calledBy, tokenOf } from "./properties.ts";
import { type PropertyMap, type PropertyValue, unknown } from "./values.ts";

/** A resource on its way to the engine. */
export interface Registration {
  readonly type: string;
  readonly name: string;
  readonly parent: string;
  /** The engine asks this provider to make it; the component itself is only there to hold the others. */
  readonly custom: boolean;
  readonly inputs: PropertyMap;
  /** URNs of what has to be there first. */
  readonly dependencies: readonly string[];
  /** URNs by input. */
  readonly propertyDependencies: Readonly<Record<string, readonly string[]>>;
}

/** A resource as the engine has it. */
export interface Registered {
  readonly urn: string;
  readonly state: PropertyMap;
}

/** The engine's side of a construction. */
export interface Monitor {
  /** Resolves once the resource is there, or planned in a preview. */
  register(registration: Registration): Promise<Registered>;
  /** Tells what has come of a component. */
  tellOutputs(urn: string, outputs: PropertyMap): Promise<void>;
  close(): void;
}

/** A component as the engine asks for it. */
export interface Construction {
  readonly name: string;
  readonly parent: string;
  readonly inputs: PropertyMap;
  /** URNs by input. */
  readonly inputDependencies: Readonly<Record<string, readonly string[]>>;
  /** URNs of what the component has to wait for; its objects wait too. */
  readonly dependencies: readonly string[];
}

/** A component that is there. */
export interface Constructed extends Registered {
  /** URNs by output. */
  readonly dependencies: Readonly<Record<string, readonly string[]>>;
}

/** The inputs of a component are wrong. */
export class WrongInputs extends Error {
  readonly complaints: readonly Complaint[];

  constructor(name: string, complaints: readonly Complaint[]) {
    const said = complaints.map(({ path, reason }) => `${path} ${reason}`);
    super(`${name}: ${said.join("\n")}`);
    this.complaints = complaints;
  }
}

/** An object of a part that is registered. */
interface Child extends Registered {
  readonly key: string | undefined;
}

/** Fails with {@link WrongInputs} before anything is registered, or as the engine answers. */
export async function construct(
  component: Component,
  asked: Construction,
  monitor: Monitor,
): Promise<Constructed> {
  const { wanted, complaints } = wishesOf(component, asked.inputs);
  if (complaints.length > 0) throw new WrongInputs(asked.name, complaints);
  const { name, parent, dependencies } = asked;
  const type = tokenOf(component.name);
  const itself = { type, name, parent, dependencies, propertyDependencies: {} };
  const { urn } = await monitor.register({ ...itself, custom: false, inputs: {} });
  const made = new Map<string, readonly Child[] | undefined>();
  const slot = pLimit(limits.begunAtOnce);
  for (const part of component.parts) {
    const scene = { component, part, asked, parent: urn, made };
    const register = async (one: Wanted): Promise<Child> =>
      slot(async () => ({ key: one.key, ...(await monitor.register(childOf(scene, one))) }));
    made.set(part.name, await all(wanted.get(part.name)?.map(register)));
  }
  const outputs = outputsOf(component, made);
  await monitor.tellOutputs(urn, outputs);
  return { urn, state: outputs, dependencies: urnsOf(made) };
}

async function all<T>(work: readonly Promise<T>[] | undefined): Promise<readonly T[] | undefined> {
  return work && Promise.all(work);
}

interface Scene {
  readonly component: Component;
  readonly part: Part;
  readonly asked: Construction;
  /** The component's URN. */
  readonly parent: string;
  readonly made: ReadonlyMap<string, readonly Child[] | undefined>;
}

/** Names go by keys and not by places, so that they stay as they are when others come and go. */
function childOf(scene: Scene, { key, inputs }: Wanted): Registration {
  const { part, asked, parent, made } = scene;
  const given = asked.inputDependencies[part.name] ?? [];
  const fields = Object.entries(inputs).map(([property, value]) => ({
    property,
    value,
    urns: given,
  }));
  fields.push(...suppliedTo(scene));
  const needed = part.needs.flatMap((name) => made.get(name) ?? []).map(({ urn }) => urn);
  const urns = [...asked.dependencies, ...needed, ...fields.flatMap((field) => field.urns)];
  return {
    type: tokenOf(part.kind.name),
    name: `${asked.name}-${key ?? part.name}`,
    parent,
    custom: true,
    inputs: Object.fromEntries(fields.map(({ property, value }) => [property, value])),
    dependencies: [...new Set(urns)],
    propertyDependencies: Object.fromEntries(
      fields.map((field) => [field.property, [...field.urns]]),
    ),
  };
}

/** What objects of other parts say of this one. */
function suppliedTo({ component, part, made }: Scene) {
  return [...part.supplied].map(([field, supply]) => {
    const supplier = component.parts.find(({ name }) => name === supply.part);
    const [object] = made.get(supply.part) ?? [];
    invariant(supplier && object, `${part.name} is made before ${supply.part}`);
    const value =
      supply.field === undefined
        ? calledIn(supplier.kind, object.state)
        : object.state[propertyOfField(supplier, supply.field)];
    return {
      property: propertyOfField(part, field),
      value: value ?? unknown,
      urns: [object.urn] as readonly string[],
    };
  });
}

/** What properties that refer to an object of this state are given. */
function calledIn(kind: Kind, state: PropertyMap): PropertyValue {
  return state[calledBy(kind)] ?? unknown;
}

/** What others call the objects of each part. */
function outputsOf(component: Component, made: Scene["made"]): PropertyMap {
  const found = component.parts.flatMap(({ name, kind, count }): [string, PropertyValue][] => {
    const children = made.get(name);
    if (children === undefined) return [[name, unknown]];
    const called = children.map((child) => calledIn(kind, child.state));
    if (count !== "each") return called.map((one) => [name, one]);
    const entries = children.map(({ key = "" }, index) => [key, called[index] ?? unknown]);
    return [[name, Object.fromEntries(entries) as PropertyMap]];
  });
  return Object.fromEntries(found);
}

function urnsOf(made: Scene["made"]): Constructed["dependencies"] {
  return Object.fromEntries(
    [...made].map(([name, children]) => [name, (children ?? []).map(({ urn }) => urn)]),
  );
}
