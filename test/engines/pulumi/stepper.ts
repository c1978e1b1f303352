// The steps of the stand-in engine: what becomes of each resource, by the rules of Pulumi's own, over the real provider.
import { covers, stepsOf } from "../../../provider/pulumi/paths.ts";
import { type PropertyMap, unknown } from "../../../provider/pulumi/values.ts";
import { type Diffed, type Driver, type Held, type Named } from "./driver.ts";
import type { Step } from "./engines.ts";
import { withOld } from "./ignoring.ts";
import { type Asked, bare, type Resource, type Snapshot } from "./records.ts";
import { type Refusal, Refused } from "./refused.ts";
import { isProvider, kindOf } from "./urns.ts";

/** When a run is broken off. */
export interface Break {
  /** Providers are told to cancel after so many steps. */
  readonly cancelAfter?: number;
  /** The engine dies while it waits for the end of write number so many: what that came to, nobody hears. */
  readonly crashAt?: number;
}

/** What one operation on a stack works with. */
export interface Work {
  readonly snapshot: Snapshot;
  readonly preview: boolean;
  readonly warn: (message: string) => void;
  readonly driverFor: (reference: string) => Promise<Driver>;
  /** Has every provider begin nothing more. */
  readonly cancel: () => Promise<void>;
}

/** What a registration came to. */
export interface Applied extends Held {
  readonly incomplete: boolean;
  readonly failure?: Error;
}

/** Carries out steps, and remembers them. */
export class Stepper {
  readonly steps: Step[] = [];
  broken: Break = {};
  readonly #work: Work;
  readonly #removedFirst = new Set<string>();
  #writes = 0;

  constructor(work: Work) {
    this.#work = work;
  }

  async apply(asked: Asked): Promise<Applied> {
    const { old, ignoreChanges } = asked;
    if (old === undefined && asked.importId !== "") return this.#import(asked);
    const news = old === undefined ? asked.news : withOld(ignoreChanges, old.inputs, asked.news);
    const inputs = await this.#checked(asked, news, old?.inputs ?? {});
    const on = kindOf(asked);
    if (old === undefined) {
      this.#step({ op: this.#removedFirst.has(asked.urn) ? "replace" : "create", ...on });
      return this.#create(asked, inputs);
    }
    const driver = await this.#work.driverFor(asked.provider);
    const found = await driver.diff(on, old, { news: inputs, ignored: [...ignoreChanges] });
    const diff = replacing(found, asked.replaceOnChanges);
    if (diff.changes === "none" && !old.incomplete) {
      this.steps.push({ op: "same", ...on });
      return { id: old.id, inputs, state: old.state, incomplete: false };
    }
    const { detailed } = diff;
    if (diff.replaces.length === 0) {
      this.#step({ op: "update", ...on, detailed });
      return this.#update(asked, old, inputs);
    }
    if (old.protect) throw new Error(`${asked.name} is protected and cannot be replaced`);
    const isGone = asked.deleteBeforeReplace ?? diff.deleteBeforeReplace;
    if (isGone) await this.#removeFirst(old);
    this.#step({ op: "replace", ...on, detailed });
    const applied = await this.#create(asked, inputs);
    if (!isGone) this.#work.snapshot.condemned.add(old);
    return applied;
  }

  async #checked(asked: Named & Pick<Asked, "provider">, news: PropertyMap, olds: PropertyMap) {
    const driver = await this.#work.driverFor(asked.provider);
    const { inputs, failures } = await driver.check(kindOf(asked), news, olds);
    if (failures.length > 0) throw new Error(told(asked, failures).join("\n"));
    return inputs;
  }

  async #create(asked: Asked, inputs: PropertyMap): Promise<Applied> {
    const driver = await this.#work.driverFor(asked.provider);
    const on = { ...kindOf(asked), timeout: asked.timeouts.create };
    const { preview, snapshot } = this.#work;
    if (!preview) snapshot.pending.add(asked.urn);
    const applied = await this.#write(inputs, () => driver.create(on, inputs, preview)).catch(
      (error: unknown) => {
        if (!(error instanceof Crash)) snapshot.pending.delete(asked.urn);
        throw error;
      },
    );
    snapshot.pending.delete(asked.urn);
    return applied;
  }

  async #update(asked: Asked, old: Resource, inputs: PropertyMap): Promise<Applied> {
    const driver = await this.#work.driverFor(asked.provider);
    const on = { ...kindOf(asked), timeout: asked.timeouts.update };
    const ignored = [...asked.ignoreChanges];
    return this.#write(inputs, async () => {
      const change = { news: inputs, ignored, preview: this.#work.preview };
      return { id: old.id, state: await driver.update(on, old, change) };
    });
  }

  /** What a write came to; one that made something all the same is recorded with the program's inputs. */
  async #write(inputs: PropertyMap, write: () => Promise<Omit<Held, "inputs">>): Promise<Applied> {
    const number = ++this.#writes;
    try {
      const made = await write();
      if (number >= (this.broken.crashAt ?? Infinity)) throw new Crash("the engine has died");
      return { ...made, inputs, incomplete: false };
    } catch (error) {
      if (!(error instanceof Refused) || error.partial === undefined) throw error;
      const { id, state } = error.partial;
      return { id, state, inputs, incomplete: true, failure: error };
    }
  }

  /** What is read is compared with what the program says, and has to be that; in a preview it is only told. */
  async #import(asked: Asked): Promise<Applied> {
    const driver = await this.#work.driverFor(asked.provider);
    const on = kindOf(asked);
    const found = await driver.read(on, { id: asked.importId });
    if (found === undefined) throw new Error(`resource '${asked.importId}' does not exist`);
    const ignored = [...asked.ignoreChanges];
    const inputs = await this.#checked(
      asked,
      withOld(ignored, found.inputs, asked.news),
      found.inputs,
    );
    const { changes, detailed } = await driver.diff(on, found, { news: inputs, ignored });
    this.#step({ op: "import", ...on, detailed });
    if (changes !== "none") {
      const differing = `inputs to import do not match the existing resource: ${Object.keys(detailed).join(", ")}`;
      if (!this.#work.preview) throw new Error(differing);
      this.#work.warn(`${differing}; importing this resource will fail`);
    }
    return { ...found, inputs, incomplete: false };
  }

  /** Takes over what an id names, with the inputs that its provider reads of it. */
  async importPlanned({ urn, type, name }: Named & { readonly urn: string }, id: string) {
    const { resources } = this.#work.snapshot;
    if (resources.has(urn)) throw new Error(`resource '${urn}' already exists`);
    const driver = await this.#work.driverFor("");
    const on = kindOf({ type, name });
    const found = await driver.read(on, { id });
    if (found === undefined) throw new Error(`resource '${id}' does not exist`);
    const { failures } = await driver.check(on, found.inputs, found.inputs);
    for (const one of told({ type, name }, failures)) this.#work.warn(one);
    this.#step({ op: "import", ...on });
    resources.set(urn, { ...bare({ urn, type, name }), ...found });
  }

  /** Deletes what would have to be replaced along with it, those that depend on it first, then the resource itself. */
  async #removeFirst(old: Resource): Promise<void> {
    for (const dependant of [...this.#work.snapshot.resources.values()].toReversed()) {
      const through = Object.entries(dependant.propertyDependencies)
        .filter(([, urns]) => urns.includes(old.urn))
        .map(([property]) => property);
      if (through.length === 0 || this.#removedFirst.has(dependant.urn)) continue;
      const driver = await this.#work.driverFor(dependant.provider);
      const news = {
        ...dependant.inputs,
        ...Object.fromEntries(through.map((one) => [one, unknown])),
      };
      const { replaces } = await driver.diff(kindOf(dependant), dependant, { news });
      if (replaces.length > 0) await this.#removeFirst(dependant);
    }
    this.#removedFirst.add(old.urn);
    await this.#delete(old);
    this.#work.snapshot.resources.delete(old.urn);
  }

  /** `others` are URNs of what is deleted in the same go. */
  async #delete(resource: Resource, others: readonly string[] = []): Promise<void> {
    const { name, deletedWith, retainOnDelete, timeouts } = resource;
    if (resource.protect) throw new Error(`${name} cannot be deleted because it is protected`);
    this.#step({ op: "delete", ...kindOf(resource) });
    if (this.#work.preview || retainOnDelete || others.includes(deletedWith)) return;
    const driver = await this.#work.driverFor(resource.provider);
    await driver.delete({ ...kindOf(resource), timeout: timeouts.delete }, resource);
  }

  async deleteAll(urns: readonly string[]): Promise<void> {
    const { resources } = this.#work.snapshot;
    for (const urn of urns.toReversed()) {
      const resource = resources.get(urn);
      if (resource === undefined || isProvider(resource.type)) continue;
      if (resource.custom) await this.#delete(resource, urns);
      resources.delete(urn);
    }
    for (const [urn, { type }] of resources) {
      if (urns.includes(urn) && isProvider(type)) resources.delete(urn);
    }
  }

  /** What is told is how the object moved away from the program: the way back the other way round. */
  async refresh(resource: Resource): Promise<void> {
    const driver = await this.#work.driverFor(resource.provider);
    const { resources } = this.#work.snapshot;
    const on = kindOf(resource);
    const found = await driver.read(on, resource);
    if (found === undefined) {
      this.#step({ op: "delete", ...on });
      resources.delete(resource.urn);
      return;
    }
    resources.set(resource.urn, { ...resource, ...found });
    const back = { news: resource.inputs, ignored: [...resource.ignoreChanges] };
    const { changes, detailed } = await driver.diff(on, found, back);
    if (changes !== "none") this.#step({ op: "update", ...on, detailed: inverted(detailed) });
  }

  /** Deletes what was replaced, in this run or in one before that did not come to it. */
  async deleteCondemned(): Promise<void> {
    const { condemned } = this.#work.snapshot;
    for (const old of [...condemned].toReversed()) {
      await this.#delete(old);
      condemned.delete(old);
    }
  }

  /** Deletes what was replaced, and what is no longer declared. */
  async finish(seen: ReadonlySet<string>): Promise<void> {
    await this.deleteCondemned();
    const gone = [...this.#work.snapshot.resources].filter(
      ([urn, { type }]) => !seen.has(urn) && !isProvider(type),
    );
    await this.deleteAll(gone.map(([urn]) => urn));
  }

  /** An object that is read for the program, and not managed. */
  noteRead(on: Named): void {
    this.#step({ op: "read", ...on });
  }

  #step(step: Step): void {
    const begun = this.steps.filter(({ op }) => op !== "same").length;
    if (begun >= (this.broken.cancelAfter ?? Infinity)) void this.#work.cancel();
    this.steps.push(step);
  }
}

/** The engine was killed. */
export class Crash extends Error {}

function told({ name }: Named, failures: readonly Refusal[]): readonly string[] {
  return failures.map(({ property, reason }) => `${name}.${property} ${reason}`);
}

/** A diff in which changes at these paths replace. */
function replacing(diff: Diffed, paths: readonly string[]): Diffed {
  const forced = Object.entries(diff.detailed).filter(([at]) =>
    paths.some((one) => covers(stepsOf(one), stepsOf(at))),
  );
  const kinds = forced.map(([at, kind]) => [at, kind.replace(/(?:_REPLACE)?$/, "_REPLACE")]);
  const tops = forced.map(([at]) => String(stepsOf(at)[0]));
  return {
    ...diff,
    detailed: { ...diff.detailed, ...(Object.fromEntries(kinds) as Diffed["detailed"]) },
    replaces: [...new Set([...diff.replaces, ...tops])],
  };
}

function inverted(detailed: Diffed["detailed"]): Diffed["detailed"] {
  const opposite: Readonly<Record<string, string>> = { ADD: "DELETE", DELETE: "ADD" };
  return Object.fromEntries(
    Object.entries(detailed).map(([at, kind]) => [
      at,
      kind.replace(/^(?:ADD|DELETE)/, (one) => opposite[one] ?? one),
    ]),
  );
}
