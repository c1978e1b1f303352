// Constructs a component: registers it and its objects with the engine in dependency order.
import pLimit from "p-limit";
import type { Component, ComponentPart } from "../../core/kind/component.ts";
import { invariant } from "../../core/errors.ts";
import type { Kind } from "../../core/kind/kind.ts";
import { limits } from "../../core/limits/limits.ts";
import { propertyOfField, type DesiredPartObject, desiredPartObjects } from "./component-inputs.ts";
import type { PropertyError } from "./resources.ts";
import { referencePropertyName, tokenOf } from "./properties.ts";
import { type PropertyMap, type PropertyValue, unknownValue } from "./property-values.ts";

/** One resource to register with the engine. */
export interface Registration {
  readonly type: string;
  readonly name: string;
  readonly parent: string;
  /** True for an object that this provider creates; false for the component itself, which only groups them. */
  readonly custom: boolean;
  readonly inputs: PropertyMap;
  /** URNs of the resources that must exist first. */
  readonly dependencies: readonly string[];
  /** URNs by input property. */
  readonly propertyDependencies: Readonly<Record<string, readonly string[]>>;
}

/** A resource that the engine has registered. */
export interface RegisteredResource {
  readonly urn: string;
  readonly state: PropertyMap;
}

/** Registers resources with the engine. */
export interface ResourceMonitor {
  /** Resolves when the resource exists, or in a preview when it is planned. */
  register(registration: Registration): Promise<RegisteredResource>;
  /** Sends the outputs of a component. */
  registerOutputs(urn: string, outputs: PropertyMap): Promise<void>;
  close(): void;
}

/** A component that the engine asks to construct. */
export interface ComponentRequest {
  readonly name: string;
  readonly parent: string;
  readonly inputs: PropertyMap;
  /** URNs by input. */
  readonly inputDependencies: Readonly<Record<string, readonly string[]>>;
  /** URNs that the component and all of its objects depend on. */
  readonly dependencies: readonly string[];
}

/** A constructed component. */
export interface ConstructedComponent extends RegisteredResource {
  /** URNs by output. */
  readonly dependencies: Readonly<Record<string, readonly string[]>>;
}

/** The inputs of a component are invalid. */
export class InvalidInputsError extends Error {
  readonly propertyErrors: readonly PropertyError[];

  constructor(name: string, propertyErrors: readonly PropertyError[]) {
    const lines = propertyErrors.map(({ path, reason }) => `${path} ${reason}`);
    super(`${name}: ${lines.join("\n")}`);
    this.propertyErrors = propertyErrors;
  }
}

/** A registered object of a part. */
interface RegisteredChild extends RegisteredResource {
  readonly key: string | undefined;
}

/** Constructs a component. Throws {@link InvalidInputsError} before it registers anything, or the engine's failure. */
export async function construct(
  component: Component,
  request: ComponentRequest,
  monitor: ResourceMonitor,
): Promise<ConstructedComponent> {
  const { byPart, propertyErrors } = desiredPartObjects(component, request.inputs);
  if (propertyErrors.length > 0) throw new InvalidInputsError(request.name, propertyErrors);
  const { name, parent, dependencies } = request;
  const type = tokenOf(component.name);
  const root = { type, name, parent, dependencies, propertyDependencies: {} };
  const { urn } = await monitor.register({ ...root, custom: false, inputs: {} });
  const registered = new Map<string, readonly RegisteredChild[] | undefined>();
  const limit = pLimit(limits.createsPerBatch);
  for (const part of component.parts) {
    const context = { component, part, request, parent: urn, registered };
    const register = async (one: DesiredPartObject): Promise<RegisteredChild> =>
      limit(async () => ({
        key: one.key,
        ...(await monitor.register(registrationOf(context, one))),
      }));
    registered.set(part.name, await promiseAll(byPart.get(part.name)?.map(register)));
  }
  const outputs = outputsOf(component, registered);
  await monitor.registerOutputs(urn, outputs);
  return { urn, state: outputs, dependencies: urnsOf(registered) };
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

/** Returns the registration of one object. Its name contains the map key, so that it stays the same when other objects change. */
function registrationOf(context: PartContext, { key, inputs }: DesiredPartObject): Registration {
  const { part, request, parent, registered } = context;
  const inputUrns = request.inputDependencies[part.name] ?? [];
  const fields = Object.entries(inputs).map(([property, value]) => ({
    property,
    value,
    urns: inputUrns,
  }));
  fields.push(...suppliedInputs(context));
  const needed = part.needs.flatMap((name) => registered.get(name) ?? []).map(({ urn }) => urn);
  const urns = [...request.dependencies, ...needed, ...fields.flatMap((field) => field.urns)];
  return {
    type: tokenOf(part.kind.name),
    name: `${request.name}-${key ?? part.name}`,
    parent,
    custom: true,
    inputs: Object.fromEntries(fields.map(({ property, value }) => [property, value])),
    dependencies: [...new Set(urns)],
    propertyDependencies: Object.fromEntries(
      fields.map((field) => [field.property, [...field.urns]]),
    ),
  };
}

/** Returns the inputs that objects of other parts supply. */
function suppliedInputs({ component, part, registered }: PartContext) {
  return [...part.derivedFields].map(([field, supply]) => {
    const supplier = component.parts.find(({ name }) => name === supply.part);
    const [object] = registered.get(supply.part) ?? [];
    invariant(supplier && object, `${part.name} is registered before ${supply.part}`);
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

/** Returns the value of a property that refers to the object with this state. */
function referenceValueIn(kind: Kind, state: PropertyMap): PropertyValue {
  return state[referencePropertyName(kind)] ?? unknownValue;
}

/** Returns the outputs of a component: for each part, the values that refer to its objects. */
function outputsOf(component: Component, registered: PartContext["registered"]): PropertyMap {
  const found = component.parts.flatMap(
    ({ name, kind, cardinality }): [string, PropertyValue][] => {
      const children = registered.get(name);
      if (children === undefined) return [[name, unknownValue]];
      const references = children.map((child) => referenceValueIn(kind, child.state));
      if (cardinality !== "each") return references.map((one) => [name, one]);
      const entries = children.map(({ key = "" }, index) => [
        key,
        references[index] ?? unknownValue,
      ]);
      return [[name, Object.fromEntries(entries) as PropertyMap]];
    },
  );
  return Object.fromEntries(found);
}

function urnsOf(registered: PartContext["registered"]): ConstructedComponent["dependencies"] {
  return Object.fromEntries(
    [...registered].map(([name, children]) => [name, (children ?? []).map(({ urn }) => urn)]),
  );
}
