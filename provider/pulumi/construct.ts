// Carries out a component: registers it and its objects with the engine, each taking from those before it what they are called.
import pLimit from "p-limit";
import type { Component, ComponentPart } from "../../core/component.ts";
import { invariant } from "../../core/errors.ts";
import type { Kind } from "../../core/kind.ts";
import { limits } from "../../core/limits.ts";
import { propertyOfField, type DesiredPartObject, desiredPartObjects } from "./component-inputs.ts";
import type { PropertyError } from "./resources.ts";
import { referencePropertyName, tokenOf } from "./properties.ts";
import { type PropertyMap, type PropertyValue, unknownValue } from "./property-values.ts";

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
export interface RegisteredResource {
  readonly urn: string;
  readonly state: PropertyMap;
}

/** The engine's side of a construction. */
export interface ResourceMonitor {
  /** Resolves once the resource is there, or planned in a preview. */
  register(registration: Registration): Promise<RegisteredResource>;
  /** Tells what has come of a component. */
  registerOutputs(urn: string, outputs: PropertyMap): Promise<void>;
  close(): void;
}

/** A component as the engine asks for it. */
export interface ComponentRequest {
  readonly name: string;
  readonly parent: string;
  readonly inputs: PropertyMap;
  /** URNs by input. */
  readonly inputDependencies: Readonly<Record<string, readonly string[]>>;
  /** URNs of what the component has to wait for; its objects wait too. */
  readonly dependencies: readonly string[];
}

/** A component that is there. */
export interface ConstructedComponent extends RegisteredResource {
  /** URNs by output. */
  readonly dependencies: Readonly<Record<string, readonly string[]>>;
}

/** The inputs of a component are wrong. */
export class InvalidInputsError extends Error {
  readonly propertyErrors: readonly PropertyError[];

  constructor(name: string, complaints: readonly PropertyError[]) {
    const said = complaints.map(({ path, reason }) => `${path} ${reason}`);
    super(`${name}: ${said.join("\n")}`);
    this.propertyErrors = complaints;
  }
}

/** An object of a part that is registered. */
interface RegisteredChild extends RegisteredResource {
  readonly key: string | undefined;
}

/** Fails with {@link InvalidInputsError} before anything is registered, or as the engine answers. */
export async function construct(
  component: Component,
  asked: ComponentRequest,
  monitor: ResourceMonitor,
): Promise<ConstructedComponent> {
  const { byPart: wanted, propertyErrors: complaints } = desiredPartObjects(
    component,
    asked.inputs,
  );
  if (complaints.length > 0) throw new InvalidInputsError(asked.name, complaints);
  const { name, parent, dependencies } = asked;
  const type = tokenOf(component.name);
  const itself = { type, name, parent, dependencies, propertyDependencies: {} };
  const { urn } = await monitor.register({ ...itself, custom: false, inputs: {} });
  const made = new Map<string, readonly RegisteredChild[] | undefined>();
  const slot = pLimit(limits.createsMarkedAtOnce);
  for (const part of component.parts) {
    const scene = { component, part, request: asked, parent: urn, registered: made };
    const register = async (one: DesiredPartObject): Promise<RegisteredChild> =>
      slot(async () => ({ key: one.key, ...(await monitor.register(registrationOf(scene, one))) }));
    made.set(part.name, await promiseAll(wanted.get(part.name)?.map(register)));
  }
  const outputs = outputsOf(component, made);
  await monitor.registerOutputs(urn, outputs);
  return { urn, state: outputs, dependencies: urnsOf(made) };
}

async function promiseAll<T>(
  work: readonly Promise<T>[] | undefined,
): Promise<readonly T[] | undefined> {
  return work && Promise.all(work);
}

interface PartContext {
  readonly component: Component;
  readonly part: ComponentPart;
  readonly request: ComponentRequest;
  /** The component's URN. */
  readonly parent: string;
  readonly registered: ReadonlyMap<string, readonly RegisteredChild[] | undefined>;
}

/** Names go by keys and not by places, so that they stay as they are when others come and go. */
function registrationOf(scene: PartContext, { key, inputs }: DesiredPartObject): Registration {
  const { part, request: asked, parent, registered: made } = scene;
  const given = asked.inputDependencies[part.name] ?? [];
  const fields = Object.entries(inputs).map(([property, value]) => ({
    property,
    value,
    urns: given,
  }));
  fields.push(...suppliedInputs(scene));
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
function suppliedInputs({ component, part, registered: made }: PartContext) {
  return [...part.derivedFields].map(([field, supply]) => {
    const supplier = component.parts.find(({ name }) => name === supply.part);
    const [object] = made.get(supply.part) ?? [];
    invariant(supplier && object, `${part.name} is made before ${supply.part}`);
    const value =
      supply.field === undefined
        ? referenceValueIn(supplier.kind, object.state)
        : object.state[propertyOfField(supplier, supply.field)];
    return {
      property: propertyOfField(part, field),
      value: value ?? unknownValue,
      urns: [object.urn] as readonly string[],
    };
  });
}

/** What properties that refer to an object of this state are given. */
function referenceValueIn(kind: Kind, state: PropertyMap): PropertyValue {
  return state[referencePropertyName(kind)] ?? unknownValue;
}

/** What others call the objects of each part. */
function outputsOf(component: Component, made: PartContext["registered"]): PropertyMap {
  const found = component.parts.flatMap(
    ({ name, kind, cardinality: count }): [string, PropertyValue][] => {
      const children = made.get(name);
      if (children === undefined) return [[name, unknownValue]];
      const called = children.map((child) => referenceValueIn(kind, child.state));
      if (count !== "each") return called.map((one) => [name, one]);
      const entries = children.map(({ key = "" }, index) => [key, called[index] ?? unknownValue]);
      return [[name, Object.fromEntries(entries) as PropertyMap]];
    },
  );
  return Object.fromEntries(found);
}

function urnsOf(made: PartContext["registered"]): ConstructedComponent["dependencies"] {
  return Object.fromEntries(
    [...made].map(([name, children]) => [name, (children ?? []).map(({ urn }) => urn)]),
  );
}
