// Executes the steps of the stand-in engine: the rules of Pulumi's engine over the real provider.
import { isSameOrAncestor, parsePropertyPath } from "../../../provider/pulumi/property-paths.ts";
import { type PropertyMap, unknownValue } from "../../../provider/pulumi/property-values.ts";
import type { DiffResult, Driver, ResourceState, ResourceRef } from "./driver.ts";
import type { Step } from "./engine.ts";
import { type Registration, emptyResource, type Resource, type Snapshot } from "./snapshot.ts";
import { type PropertyError, RpcError } from "./rpc-error.ts";
import { isProvider, kindOf } from "./urns.ts";

/** The time at which a run is interrupted. */
export interface Interruption {
  /** Providers are cancelled after this many steps. */
  readonly cancelAfter?: number;
  /** The number of the write during which the engine is killed; the outcome of the write stays unknown. */
  readonly crashAt?: number;
}

/** The context of one operation. */
export interface OperationContext {
  readonly snapshot: Snapshot;
  readonly preview: boolean;
  readonly warn: (message: string) => void;
  readonly driverFor: (reference: string) => Promise<Driver>;
  /** Cancels every provider. */
  readonly cancel: () => Promise<void>;
}

/** The result of a registration. */
export interface StepResult extends ResourceState {
  readonly incomplete: boolean;
  readonly failure?: Error;
}

/** Executes steps and records them. */
export class StepExecutor {
  readonly steps: Step[] = [];
  interruption: Interruption = {};
  readonly #context: OperationContext;
  readonly #deletedFirst = new Set<string>();
  #writes = 0;

  constructor(work: OperationContext) {
    this.#context = work;
  }

  async apply(request: Registration): Promise<StepResult> {
    const isImport = request.old === undefined && request.importId !== "";
    const old = isImport ? await this.#import(request) : request.old;
    const inputs = await this.#checkInputs(request, request.news, old?.inputs ?? {});
    const on = kindOf(request);
    if (old === undefined) {
      this.#recordStep({ op: this.#deletedFirst.has(request.urn) ? "replace" : "create", ...on });
      return this.#create(request, inputs);
    }
    const driver = await this.#context.driverFor(request.provider);
    const changes = await driver.diff(on, old, { news: inputs });
    const diff = forceReplacements(changes, request.replaceOnChanges);
    if (diff.changes === "none" && !old.incomplete) {
      if (!isImport) this.steps.push({ op: "same", ...on });
      return { id: old.id, inputs, state: old.state, incomplete: false };
    }
    if (diff.replaces.length > 0) return this.#replace({ ...request, old }, inputs, diff);
    this.#recordStep({ op: "update", ...on, detailed: diff.detailed });
    return this.#update(request, old, inputs);
  }

  async #replace(
    request: Registration & { readonly old: Resource },
    inputs: PropertyMap,
    { deleteBeforeReplace, detailed }: DiffResult,
  ): Promise<StepResult> {
    const { old } = request;
    if (deleteBeforeReplace) await this.#deleteFirst(old);
    this.#recordStep({ op: "replace", ...kindOf(request), detailed });
    const applied = await this.#create(request, inputs);
    if (!deleteBeforeReplace) this.#context.snapshot.pendingDeletes.add(old);
    return applied;
  }

  async #checkInputs(
    request: ResourceRef & Pick<Registration, "provider">,
    news: PropertyMap,
    olds: PropertyMap,
  ) {
    const driver = await this.#context.driverFor(request.provider);
    const { inputs, failures } = await driver.check(kindOf(request), news, olds);
    if (failures.length > 0) throw new Error(checkFailureMessages(request, failures).join("\n"));
    return inputs;
  }

  async #create(request: Registration, inputs: PropertyMap): Promise<StepResult> {
    const driver = await this.#context.driverFor(request.provider);
    const on = { ...kindOf(request), timeout: request.timeouts.create };
    const { preview, snapshot } = this.#context;
    if (!preview) snapshot.pendingCreates.add(request.urn);
    const applied = await this.#write(inputs, () => driver.create(on, inputs, preview)).catch(
      (error: unknown) => {
        if (!(error instanceof EngineCrash)) snapshot.pendingCreates.delete(request.urn);
        throw error;
      },
    );
    snapshot.pendingCreates.delete(request.urn);
    return applied;
  }

  async #update(request: Registration, old: Resource, inputs: PropertyMap): Promise<StepResult> {
    const driver = await this.#context.driverFor(request.provider);
    const on = { ...kindOf(request), timeout: request.timeouts.update };
    return this.#write(inputs, async () => {
      const change = { news: inputs, preview: this.#context.preview };
      return { id: old.id, state: await driver.update(on, old, change) };
    });
  }

  /** Returns the result of a write. A partial write is recorded with the program's inputs. */
  async #write(
    inputs: PropertyMap,
    write: () => Promise<Omit<ResourceState, "inputs">>,
  ): Promise<StepResult> {
    const number = ++this.#writes;
    try {
      const written = await write();
      if (number >= (this.interruption.crashAt ?? Infinity))
        throw new EngineCrash("the engine has died");
      return { ...written, inputs, incomplete: false };
    } catch (error) {
      if (!(error instanceof RpcError) || error.partial === undefined) throw error;
      const { id, state } = error.partial;
      return { id, state, inputs, incomplete: true, failure: error };
    }
  }

  /** Reads the object that the import option names into state. Since 3.174, the engine then applies differences in the same run. */
  async #import(request: Registration): Promise<Resource> {
    const { urn, type, name, provider, importId, protect } = request;
    const driver = await this.#context.driverFor(provider);
    const found = await driver.read(kindOf(request), { id: importId });
    if (found === undefined) throw new Error(`resource '${importId}' does not exist`);
    this.#recordStep({ op: "import", ...kindOf(request) });
    const imported = { ...emptyResource({ urn, type, name }), provider, protect };
    const resource = { ...imported, ...found };
    this.#context.snapshot.resources.set(urn, resource);
    return resource;
  }

  /** Imports the object that an ID names, with the inputs that the provider reads. */
  async importResource({ urn, type, name }: ResourceRef & { readonly urn: string }, id: string) {
    const { resources } = this.#context.snapshot;
    if (resources.has(urn)) throw new Error(`resource '${urn}' already exists`);
    const driver = await this.#context.driverFor("");
    const on = kindOf({ type, name });
    const found = await driver.read(on, { id });
    if (found === undefined) throw new Error(`resource '${id}' does not exist`);
    const { failures } = await driver.check(on, found.inputs, found.inputs);
    for (const one of checkFailureMessages({ type, name }, failures)) this.#context.warn(one);
    this.#recordStep({ op: "import", ...on });
    resources.set(urn, { ...emptyResource({ urn, type, name }), ...found });
  }

  /** Deletes the dependents that would have to be replaced, then the resource itself. */
  async #deleteFirst(old: Resource): Promise<void> {
    for (const dependant of [...this.#context.snapshot.resources.values()].toReversed()) {
      const through = Object.entries(dependant.propertyDependencies)
        .filter(([, urns]) => urns.includes(old.urn))
        .map(([property]) => property);
      if (through.length === 0 || this.#deletedFirst.has(dependant.urn)) continue;
      const driver = await this.#context.driverFor(dependant.provider);
      const news = {
        ...dependant.inputs,
        ...Object.fromEntries(through.map((one) => [one, unknownValue])),
      };
      const { replaces } = await driver.diff(kindOf(dependant), dependant, { news });
      if (replaces.length > 0) await this.#deleteFirst(dependant);
    }
    this.#deletedFirst.add(old.urn);
    await this.#delete(old);
    this.#context.snapshot.resources.delete(old.urn);
  }

  async #delete(resource: Resource): Promise<void> {
    const { name, timeouts } = resource;
    if (resource.protect) throw new Error(`${name} cannot be deleted because it is protected`);
    this.#recordStep({ op: "delete", ...kindOf(resource) });
    if (this.#context.preview) return;
    const driver = await this.#context.driverFor(resource.provider);
    await driver.delete({ ...kindOf(resource), timeout: timeouts.delete }, resource);
  }

  async deleteAll(urns: readonly string[]): Promise<void> {
    const { resources } = this.#context.snapshot;
    for (const urn of urns.toReversed()) {
      const resource = resources.get(urn);
      if (resource === undefined || isProvider(resource.type)) continue;
      if (resource.custom) await this.#delete(resource);
      resources.delete(urn);
    }
    for (const [urn, { type }] of resources) {
      if (urns.includes(urn) && isProvider(type)) resources.delete(urn);
    }
  }

  /** Refreshes a resource. The reported diff is inverted: it shows how the object moved away from the program. */
  async refresh(resource: Resource): Promise<void> {
    const driver = await this.#context.driverFor(resource.provider);
    const { resources } = this.#context.snapshot;
    const on = kindOf(resource);
    const found = await driver.read(on, resource);
    if (found === undefined) {
      this.#recordStep({ op: "delete", ...on });
      resources.delete(resource.urn);
      return;
    }
    resources.set(resource.urn, { ...resource, ...found });
    const { changes, detailed } = await driver.diff(on, found, { news: resource.inputs });
    if (changes !== "none")
      this.#recordStep({ op: "update", ...on, detailed: invertDiff(detailed) });
  }

  /** Deletes replaced resources of this run and of an interrupted one. */
  async deletePending(): Promise<void> {
    const { pendingDeletes } = this.#context.snapshot;
    for (const old of [...pendingDeletes].toReversed()) {
      await this.#delete(old);
      pendingDeletes.delete(old);
    }
  }

  /** Deletes replaced resources and those that are no longer declared. */
  async finish(seen: ReadonlySet<string>): Promise<void> {
    await this.deletePending();
    const undeclared = [...this.#context.snapshot.resources].filter(
      ([urn, { type }]) => !seen.has(urn) && !isProvider(type),
    );
    await this.deleteAll(undeclared.map(([urn]) => urn));
  }

  /** Records an object that the program reads but does not manage. */
  recordRead(on: ResourceRef): void {
    this.#recordStep({ op: "read", ...on });
  }

  #recordStep(step: Step): void {
    const begun = this.steps.filter(({ op }) => op !== "same").length;
    if (begun >= (this.interruption.cancelAfter ?? Infinity)) void this.#context.cancel();
    this.steps.push(step);
  }
}

/** The engine was killed. */
export class EngineCrash extends Error {}

function checkFailureMessages(
  { name }: ResourceRef,
  failures: readonly PropertyError[],
): readonly string[] {
  return failures.map(({ property, reason }) => `${name}.${property} ${reason}`);
}

/** Returns a diff in which changes at these paths force replacement. */
function forceReplacements(diff: DiffResult, paths: readonly string[]): DiffResult {
  const forced = Object.entries(diff.detailed).filter(([at]) =>
    paths.some((one) => isSameOrAncestor(parsePropertyPath(one), parsePropertyPath(at))),
  );
  const kinds = forced.map(([at, kind]) => [at, kind.replace(/(?:_REPLACE)?$/, "_REPLACE")]);
  const tops = forced.map(([at]) => String(parsePropertyPath(at)[0]));
  return {
    ...diff,
    detailed: { ...diff.detailed, ...(Object.fromEntries(kinds) as DiffResult["detailed"]) },
    replaces: [...new Set([...diff.replaces, ...tops])],
  };
}

function invertDiff(detailed: DiffResult["detailed"]): DiffResult["detailed"] {
  const opposite: Readonly<Record<string, string>> = { ADD: "DELETE", DELETE: "ADD" };
  return Object.fromEntries(
    Object.entries(detailed).map(([at, kind]) => [
      at,
      kind.replace(/^(?:ADD|DELETE)/, (one) => opposite[one] ?? one),
    ]),
  );
}
