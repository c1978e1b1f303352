// The steps of the stand-in engine: what becomes of each resource, by the rules of Pulumi's own, over the real provider.
import { hasUnknown, type PropertyMap, Sealed, unknown } from "../../../provider/pulumi/values.ts";
import { type Held, type Named, type RunningProvider, startProvider } from "./driver.ts";
import { Refused } from "./refused.ts";
import { isProvider, kindOf } from "./urns.ts";

/** What became of one resource. */
export interface Step {
  readonly op:
    | "create"
    | "update"
    | "same"
    | "replace"
    | "delete"
    | "import"
    | "read"
    | "gone"
    | "refresh";
  readonly type: string;
  readonly name: string;
  /** Kinds of change by property path. */
  readonly detailed?: Readonly<Record<string, string>>;
}

/** A resource as the engine keeps it. */
export interface Resource extends Held, Named {
  readonly urn: string;
  readonly custom: boolean;
  readonly provider: string;
  readonly dependencies: readonly string[];
  /** URNs by property. */
  readonly propertyDependencies: Readonly<Record<string, readonly string[]>>;
  readonly protect: boolean;
  readonly incomplete: boolean;
}

/** A registration on its way to be carried out. */
export interface Asked extends Omit<Resource, "id" | "inputs" | "state" | "incomplete"> {
  readonly old: Resource | undefined;
  readonly news: PropertyMap;
  readonly importId: string;
  readonly ignored: readonly string[];
}

/** A resource of which nothing else is known. */
export function bare(named: Named & { readonly urn: string }): Resource {
  return {
    ...named,
    id: "",
    inputs: {},
    state: {},
    custom: true,
    provider: "",
    dependencies: [],
    propertyDependencies: {},
    protect: false,
    incomplete: false,
  };
}

/** What one operation on a stack works with. */
export interface Work {
  readonly resources: Map<string, Resource>;
  readonly config: PropertyMap;
  readonly preview: boolean;
  /** Where providers log. */
  readonly address: () => string;
}

/** Carries out steps, and remembers them. */
export class Stepper {
  readonly steps: Step[] = [];
  cancelAfter: number | undefined;
  readonly #work: Work;
  readonly #replaced: Resource[] = [];
  readonly #removedFirst = new Set<string>();
  readonly #providers = new Map<string, Promise<RunningProvider>>();

  constructor(work: Work) {
    this.#work = work;
  }

  get preview(): boolean {
    return this.#work.preview;
  }

  async close(): Promise<void> {
    const running = await Promise.allSettled(this.#providers.values());
    for (const one of running) if (one.status === "fulfilled") await one.value.close();
  }

  async providerFor(reference: string): Promise<RunningProvider> {
    const inputs =
      reference === "" ? this.#work.config : (this.#work.resources.get(reference)?.inputs ?? {});
    const known = this.#providers.get(reference) ?? this.#configured(inputs);
    this.#providers.set(reference, known);
    return known;
  }

  async #configured(inputs: PropertyMap): Promise<RunningProvider> {
    const running = await startProvider(this.#work.address());
    const plain = Object.entries(inputs).map(([name, value]) => [
      name,
      value instanceof Sealed ? value.reveal() : value,
    ]);
    const { failures } = await running.driver.checkConfig(Object.fromEntries(plain) as PropertyMap);
    if (failures.length > 0) throw new Error(JSON.stringify(failures));
    if (!hasUnknown(inputs)) await running.driver.configure(inputs);
    return running;
  }

  async apply(
    asked: Asked,
  ): Promise<Held & { readonly incomplete: boolean; readonly failure?: Error }> {
    const { driver } = await this.providerFor(asked.provider);
    const { old, ignored } = asked;
    const on = kindOf(asked);
    const kept = ignored.filter((name) => old !== undefined && name in old.inputs);
    const given = Object.fromEntries(
      Object.entries(asked.news).filter(([name]) => old === undefined || !ignored.includes(name)),
    );
    for (const name of kept) given[name] = old?.inputs[name] ?? null;
    const { inputs, failures } = await driver.check(on, given, old?.inputs ?? {});
    if (failures.length > 0) {
      throw new Error(
        failures.map(({ property, reason }) => `${asked.name}.${property} ${reason}`).join("\n"),
      );
    }
    if (old === undefined && asked.importId !== "") return this.#import(asked, inputs);
    if (old === undefined) {
      this.step({ op: this.#removedFirst.has(asked.urn) ? "replace" : "create", ...on });
      return this.#create(asked, inputs);
    }
    const diff = await driver.diff(on, old, { news: inputs, ignored: [...ignored] });
    if (diff.changes === "none" && !old.incomplete) {
      this.steps.push({ op: "same", ...on });
      return { id: old.id, inputs, state: old.state, incomplete: false };
    }
    if (diff.replaces.length === 0) {
      this.step({ op: "update", ...on, detailed: diff.detailed });
      return this.#update(asked, old, inputs);
    }
    if (old.protect) throw new Error(`${asked.name} is protected and cannot be replaced`);
    if (diff.deleteBeforeReplace) await this.#removeFirst(old);
    else this.#replaced.push(old);
    this.step({ op: "replace", ...on, detailed: diff.detailed });
    return this.#create(asked, inputs);
  }

  async #create(asked: Asked, inputs: PropertyMap) {
    const { driver } = await this.providerFor(asked.provider);
    return this.#recorded(inputs, () => driver.create(kindOf(asked), inputs, this.#work.preview));
  }

  async #update(asked: Asked, old: Resource, inputs: PropertyMap) {
    const { driver } = await this.providerFor(asked.provider);
    return this.#recorded(inputs, async () => {
      const change = { news: inputs, preview: this.#work.preview };
      return { id: old.id, state: await driver.update(kindOf(asked), old, change) };
    });
  }

  /** What a write came to; one that made something all the same is recorded with the program's inputs. */
  async #recorded(inputs: PropertyMap, write: () => Promise<Omit<Held, "inputs">>) {
    try {
      return { ...(await write()), inputs, incomplete: false };
    } catch (error) {
      if (!(error instanceof Refused) || error.partial === undefined) throw error;
      const { id, state } = error.partial;
      return { id, state, inputs, incomplete: true, failure: error };
    }
  }

  async #import(asked: Asked, inputs: PropertyMap) {
    const { driver } = await this.providerFor(asked.provider);
    const on = kindOf(asked);
    const found = await driver.read(on, { id: asked.importId });
    if (found === undefined)
      throw new Error(`there is no ${asked.type} '${asked.importId}' to import`);
    const { detailed } = await driver.diff(on, found, { news: inputs });
    const differing = Object.keys(detailed);
    if (differing.length > 0)
      throw new Error(`inputs to import do not match: ${differing.join(", ")}`);
    this.step({ op: "import", ...on });
    return { ...found, inputs, incomplete: false };
  }

  /** Deletes what would have to be replaced along with it, those that depend on it first, then the resource itself. */
  async #removeFirst(old: Resource): Promise<void> {
    for (const dependant of [...this.#work.resources.values()].toReversed()) {
      const through = Object.entries(dependant.propertyDependencies)
        .filter(([, urns]) => urns.includes(old.urn))
        .map(([property]) => property);
      if (through.length === 0 || this.#removedFirst.has(dependant.urn)) continue;
      const { driver } = await this.providerFor(dependant.provider);
      const news = {
        ...dependant.inputs,
        ...Object.fromEntries(through.map((one) => [one, unknown])),
      };
      const { replaces } = await driver.diff(kindOf(dependant), dependant, { news });
      if (replaces.length > 0) await this.#removeFirst(dependant);
    }
    this.#removedFirst.add(old.urn);
    await this.#delete(old);
    this.#work.resources.delete(old.urn);
  }

  async #delete(resource: Resource): Promise<void> {
    if (resource.protect) throw new Error(`${resource.name} is protected and cannot be deleted`);
    this.step({ op: "delete", ...kindOf(resource) });
    if (this.#work.preview) return;
    const { driver } = await this.providerFor(resource.provider);
    await driver.delete(kindOf(resource), resource);
  }

  async deleteAll(urns: readonly string[]): Promise<void> {
    for (const urn of urns.toReversed()) {
      const resource = this.#work.resources.get(urn);
      if (resource === undefined || isProvider(resource.type)) continue;
      if (resource.custom) await this.#delete(resource);
      this.#work.resources.delete(urn);
    }
    for (const [urn, { type }] of this.#work.resources) {
      if (urns.includes(urn) && isProvider(type)) this.#work.resources.delete(urn);
    }
  }

  async refresh(resource: Resource): Promise<void> {
    const { driver } = await this.providerFor(resource.provider);
    const on = kindOf(resource);
    const found = await driver.read(on, resource);
    if (found === undefined) {
      this.step({ op: "gone", ...on });
      this.#work.resources.delete(resource.urn);
      return;
    }
    this.#work.resources.set(resource.urn, { ...resource, ...found });
    this.step({ op: "refresh", ...on });
  }

  /** Deletes what was replaced, and what is no longer declared. */
  async finish(seen: ReadonlySet<string>): Promise<void> {
    for (const old of this.#replaced.toReversed()) await this.#delete(old);
    const gone = [...this.#work.resources].filter(
      ([urn, { type }]) => !seen.has(urn) && !isProvider(type),
    );
    await this.deleteAll(gone.map(([urn]) => urn));
  }

  step(step: Step): void {
    if (
      this.cancelAfter !== undefined &&
      this.steps.filter(({ op }) => op !== "same").length >= this.cancelAfter
    ) {
      void this.#cancel();
    }
    this.steps.push(step);
  }

  async #cancel(): Promise<void> {
    for (const one of this.#providers.values()) await (await one).driver.cancel();
  }
}
