// Tests every registered kind with every front end. A new kind needs no change of this file.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createClient } from "../../client/client.ts";
import { isUnavailable } from "../../core/kind/capability.ts";
import { fieldsOf } from "../../core/kind/fields.ts";
import { keyOf, scopeOf } from "../../core/kind/identity.ts";
import type { JsonObject, JsonValue } from "../../core/json.ts";
import { inventoryOf } from "../../reconciler/inventory/format.ts";
import type { Change } from "../../reconciler/model/index.ts";
import type { Kind, ObservedObject } from "../../core/kind/kind.ts";
import { referencesOf } from "../../core/kind/references.ts";
import { isSingleton } from "../../core/kind/shape.ts";
import { Secret } from "../../core/secret.ts";
import { createLifecycle, type Lifecycle } from "../../lifecycle/lifecycle.ts";
import { observe } from "../../lifecycle/observe.ts";
import { createCachedReader } from "../../lifecycle/reader.ts";
import { kinds } from "../../resources/index.ts";
import { examplesOf } from "../support/examples.ts";
import { prepareAccount, singletons } from "../support/every-kind.ts";
import { type ResettableService, startResettableService } from "../support/resettable-service.ts";
import { runsAllCases, sampled } from "../support/sampling.ts";
import { onPostgres, testedSurfaces } from "../support/test-database.ts";
import type { TestService } from "../support/test-service.ts";
import { type Doc, changeSummaries, makeStack, type TestStack } from "../support/test-stack.ts";
import * as cases from "./registry-cases.ts";

const { isSupportedOn, isWrittenAlike, capabilityOn, exampleOn, lacksListed, parentDocuments } =
  cases;

/**
 * All fields that can be changed in place are changed together for each kind; changes of a single field, and runs after
 * another client, are sampled over all kinds.
 */
const fieldStride = 9;
const againStride = 3;
const alikeStride = 4;

/** Takes each `stride`-th case of a matrix over all kinds, moved by an offset; all cases if every case runs. */
function sampler(stride: number, offset: number): () => boolean {
  let at = offset;
  return () => at++ % stride === 0 || runsAllCases;
}

/** Returns the desired value of a change, which identifies the object. */
function desiredOf(change: Pick<Change, "desired"> | undefined): JsonObject {
  if (change?.desired === undefined) throw new Error("the change has no desired value");
  return change.desired;
}

/** Returns the entry of the inventory at an address. */
function entryAt({ folder }: TestStack, address: string): unknown {
  const text = readFileSync(join(folder, ".svc/conformance.inventory.json"), "utf8");
  return inventoryOf(JSON.parse(text), "the inventory").entries[address];
}

/** Creates the group of the examples: the public API can only create it through SCIM. */
async function createPublicGroup({ send }: Pick<TestService, "send">): Promise<void> {
  await send("PUT", "/api/v1/tenant/settings", { body: { scimEnabled: true } });
  const group = { displayName: "analysts", members: [] };
  await send("POST", "/api/scim/v2/Groups", { body: group });
}

describe.each(testedSurfaces)("on the %s surface", (surface) => {
  const samples = {
    read: sampler(alikeStride, 0),
    change: sampler(fieldStride, 0),
    drift: sampler(fieldStride, 4),
    again: sampler(againStride, 0),
    adopt: sampler(againStride, 1),
  };
  let service: ResettableService;
  let stack: TestStack;

  beforeAll(async () => {
    service = await startResettableService(prepareAccount, { surface });
  });
  afterAll(() => service.close());
  beforeEach(async () => {
    stack = await makeStack({ url: service.url, key: service.adminKey });
  });
  afterEach(async () => {
    await stack.dispose();
    await service.reset();
  });

  /** Returns another client of the same service, without the stack's inventory. */
  async function behindOurBack(
    work: (lifecycle: Lifecycle, see: ObserveOne) => Promise<unknown>,
  ): Promise<void> {
    const client = createClient({ url: service.url, credential: new Secret(service.adminKey) });
    const reader = createCachedReader(client.reader);
    const see: ObserveOne = async (kind, spec) => {
      reader.invalidate();
      const interest = new Set(fieldsOf(kind).map(({ name }) => name));
      const seen = await observe(kind, [scopeOf(kind, spec)], { reader, interest });
      return seen.byKey.get(keyOf(kind, spec));
    };
    try {
      await work(createLifecycle({ client, discovery: await client.discoverApi(), reader }), see);
    } finally {
      await client.close();
    }
  }

  /** Kinds for which the cases of the whole surface are sufficient. */
  const isAlike = (kind: Kind): boolean =>
    surface !== "full" && isSupportedOn(surface, kind) && isWrittenAlike(surface, kind);
  const items = sampled(
    kinds.filter((kind) => !isSingleton(kind) && (!isAlike(kind) || samples.read())),
    1,
  );
  describe.each(items.map((kind) => [kind.name, kind] as const))("%s", (_, kind) => {
    const [example] = examplesOf(kind);
    if (example === undefined) throw new Error(`${kind.name} has no example`);
    const spec = exampleOn(surface, kind, example);
    const can = capabilityOn(surface, kind);
    const address = `${kind.name}/${example.name}`;
    const doc = (changed: JsonObject = {}): Doc => ({
      kind: kind.name,
      name: example.name,
      spec: { ...spec, ...changed },
    });
    const withParents = (changed?: JsonObject): Doc[] => {
      const own = doc(changed);
      return [...parents(own.spec), own];
    };
    const parents = (own: JsonObject): Doc[] =>
      isSupportedOn(surface, kind)
        ? parentDocuments(surface, kind, own)
        : parentDocuments("full", kind, own);
    /** Returns the live spec of the manifests: names of documents become keys. */
    const resolved = async (): Promise<JsonObject> => {
      const change = (await stack.plan()).changes.find((one) => one.address === address);
      if (change?.desired === undefined) throw new Error(`${address} is not in the plan`);
      return change.desired;
    };

    if (!isSupportedOn(surface, kind) && !lacksListed(surface, kind, parents(spec))) {
      it("is not created: the server lacks an operation that it never lists", async () => {
        await stack.write(withParents());
        const { outcomes } = await stack.apply();
        expect(outcomes.find((one) => one.address === address)?.result).toBe("failed");
      });
      return;
    }

    if (!isSupportedOn(surface, kind)) {
      it("is refused with the operation that the server lacks, and nothing is written", async () => {
        await stack.write(withParents());
        const found = await stack.diagnostics();
        const codes = found.filter(({ severity }) => severity === "error").map(({ code }) => code);
        expect(codes.length).toBeGreaterThan(0);
        expect(["not-readable", "not-supported"]).toEqual(
          expect.arrayContaining([...new Set(codes)]),
        );
        await expect(stack.apply()).rejects.toThrow();
      });
      return;
    }

    const isOfGroup = referencesOf(kind, spec).some(
      (one) => one.external && one.kind === "UserGroup",
    );
    if (isOfGroup) beforeEach(() => createPublicGroup(service));

    /** Creates it and expects an empty plan; returns its spec with keys for the names of documents. */
    async function isCreated(documents: readonly Doc[]): Promise<JsonObject> {
      await stack.write(documents);
      const planned = (await stack.plan()).changes;
      expect(changeSummaries(planned)).toContain(`create ${address}`);
      const applied = await stack.apply();
      expect(applied.outcomes.map(({ result }) => result)).toEqual(
        applied.outcomes.map(() => "done"),
      );
      expect(changeSummaries(applied.residual)).toEqual([]);
      const again = await stack.plan();
      expect(changeSummaries(again.changes)).toEqual([]);
      expect(again.cost.writeCalls).toBe(0);
      // The ID identifies the stack as the owner after its container was renamed.
      expect(entryAt(stack, address)).toHaveProperty("id", expect.any(String));
      return desiredOf(planned.find((one) => one.address === address));
    }

    if (isAlike(kind) && !runsAllCases) {
      it("is created, and the next plan is empty", async () => {
        await isCreated(withParents());
      });
      return;
    }

    // A required reference, such as to the parent, has no second value.
    const declared = fieldsOf(kind).filter(
      ({ name, required, traits }) =>
        spec[name] !== undefined && !(required && traits.refersTo !== undefined),
    );
    const inPlace = declared.filter(
      (field) =>
        field.traits.onChange !== "replace" &&
        !isBlocked(can, field) &&
        !(example.variations[field.name] === null && can.cannotClear.has(field.name)),
    );
    it("is created, follows changes of all fields in one update, and is deleted unless the server cannot", async () => {
      const changed = Object.fromEntries(
        inPlace.map(({ name }) => [name, example.variations[name] as JsonValue]),
      );
      const [before, after] = [parents(spec), parents({ ...spec, ...changed })];
      let desiredValue = await isCreated([...withoutDocuments(after, before), ...withParents()]);
      if (inPlace.length > 0) {
        await stack.write([...withoutDocuments(before, after), ...withParents(changed)]);
        const [change, ...others] = (await stack.plan()).changes;
        expect(others).toEqual([]);
        expect(change).toMatchObject({ address, action: "update" });
        expect(new Set(change?.fields.map((one) => one.field))).toEqual(
          new Set(inPlace.map(({ name }) => name)),
        );
        const { outcomes } = await stack.apply();
        expect(outcomes.map(({ result }) => result)).toEqual(outcomes.map(() => "done"));
        expect(changeSummaries((await stack.plan()).changes)).toEqual([]);
        desiredValue = desiredOf(change);
      }
      const others = [...withoutDocuments(before, after), ...after];
      await stack.write(others.length > 0 ? others : [elsewhere(kind)]);
      if (isUnavailable(can.delete)) {
        expect((await stack.diagnostics()).map(({ code }) => code)).toContain("not-supported");
        return;
      }
      expect(changeSummaries((await stack.plan()).changes)).toContain(`delete ${address}`);
      await stack.apply();
      await behindOurBack(async (_lifecycle, see) =>
        expect(await see(kind, desiredValue)).toBeUndefined(),
      );
      expect(changeSummaries((await stack.plan()).changes)).toEqual([]);
    });

    // The rest depends only on the reconciler, not on the store of the service.
    if (onPostgres) return;

    it.each(declared.filter(samples.change))("follows a change of $name", async (field) => {
      const changed = { [field.name]: example.variations[field.name] };
      const [before, after] = [parents(spec), parents({ ...spec, ...changed })];
      await stack.write([...withoutDocuments(after, before), ...withParents()]);
      await stack.apply();
      await stack.write([...withoutDocuments(before, after), ...withParents(changed)]);
      if (changed[field.name] === null && can.cannotClear.has(field.name)) {
        expect((await stack.diagnostics()).map(({ code }) => code)).toContain("cannot-clear");
        return;
      }
      const [change, ...others] = (await stack.plan()).changes;
      expect(others).toEqual([]);
      expect(change?.address).toBe(address);
      expect(change?.action).toBe(field.traits.onChange === "replace" ? "replace" : "update");
      expect(change?.fields.map((one) => one.field)).toContain(field.name);
      if (isBlocked(can, field)) {
        await expect(stack.apply()).rejects.toThrow("nothing was written");
        return;
      }
      expect(changeSummaries((await stack.apply()).residual)).toEqual([]);
      expect(changeSummaries((await stack.plan()).changes)).toEqual([]);
    });

    const driftable = declared.filter(
      ({ name, traits }) =>
        traits.writeOnly !== true &&
        traits.onChange !== "replace" &&
        !("uncovered" in can.update([name])),
    );
    it.each(driftable.filter(samples.drift))(
      "shows drift of $name, and repairs it",
      async ({ name }) => {
        const changed = { [name]: example.variations[name] ?? null };
        const [before, after] = [parents(spec), parents({ ...spec, ...changed })];
        // Another client knows keys, not names of documents.
        await stack.write([...withoutDocuments(before, after), ...withParents(changed)]);
        const { [name]: other } = await resolved();
        await stack.write([...withoutDocuments(after, before), ...withParents()]);
        const desiredValue = await resolved();
        await stack.apply();
        await behindOurBack(async (lifecycle, see) => {
          const live = await see(kind, desiredValue);
          // A plan does not contain secrets; an API may require one again for a change.
          const drifted = { ...spec, ...desiredValue, [name]: other ?? changed[name] };
          const subject = { spec: drifted, live, changed: new Set([name]) };
          expect(await lifecycle.update(kind, [subject])).toEqual([{ ok: true }]);
        });
        const { changes } = await stack.plan();
        expect(changeSummaries(changes)).toEqual([
          expect.stringContaining(`update ${address} /${name}`),
        ]);
        expect([...new Set(changes[0]?.fields.map((one) => one.field))]).toEqual([name]);
        expect(changes[0]?.direction).toBe("drifted");
        await stack.apply();
        expect(changeSummaries((await stack.plan()).changes)).toEqual([]);
      },
    );

    if (samples.again())
      it("is created again after another client deleted it, unless the server cannot", async () => {
        await stack.write(withParents());
        const desiredValue = await resolved();
        await stack.apply();
        if (isUnavailable(can.delete)) return;
        await behindOurBack(async (lifecycle, see) => {
          const live = (await see(kind, desiredValue)) as ObservedObject;
          expect(
            await lifecycle.delete(kind, [{ spec: desiredValue, live, changed: new Set() }]),
          ).toEqual([{ ok: true }]);
        });
        const { changes } = await stack.plan();
        expect(changes.map(({ action, direction }) => `${action} ${direction}`)).toEqual([
          "create drifted",
        ]);
        await stack.apply();
        expect(changeSummaries((await stack.plan()).changes)).toEqual([]);
      });

    if (samples.adopt())
      it("is adopted if it exists without an owner, and refused before", async () => {
        await stack.write(withParents());
        const desiredValue = await resolved();
        await stack.apply();
        await stack.loseInventory();
        const refused = await stack.plan();
        expect(refused.changes.find((change) => change.address === address)?.action).toBe("refuse");
        await expect(stack.apply()).rejects.toThrow("nothing was written");
        expect(await stack.adopt()).toContain(address);
        const after = (await stack.plan()).changes.filter((change) => change.address === address);
        const hidden = fieldsOf(kind).filter(
          // A plan does not contain secrets.
          ({ name, traits }) =>
            traits.writeOnly && (desiredValue[name] ?? spec[name]) !== undefined,
        );
        expect(after.flatMap(({ fields }) => fields.map((one) => one.field))).toEqual(
          hidden.map(({ name }) => name),
        );
        await stack.apply();
        expect(changeSummaries((await stack.plan()).changes)).toEqual([]);
      });
  });

  const offered = singletons.filter((kind) => isSupportedOn(surface, kind));
  describe.each(offered.map((kind) => [kind.name, kind] as const))("%s", (_, kind) => {
    const { name, spec: examplesSpec, variations } = firstExample(kind);
    const spec = examplesSpec as JsonObject;
    const varied = { ...spec, ...variations };
    const address = `${kind.name}/${name}`;
    const doc = (declared: JsonObject): Doc => ({ kind: kind.name, name, spec: declared });
    const applyTo = async (...docs: readonly Doc[]): Promise<void> => {
      await stack.write(docs);
      expect(changeSummaries((await stack.apply()).residual)).toEqual([]);
      expect(changeSummaries((await stack.plan()).changes)).toEqual([]);
    };

    it("is adopted by the first apply, and follows changes", async () => {
      await stack.write([doc(spec)]);
      expect((await stack.plan()).changes.map((one) => `${one.action} ${one.address}`)).toEqual([
        `adopt ${address}`,
      ]);
      await applyTo(doc(spec));
      await applyTo(doc(varied));
      await applyTo(doc(spec));
    });

    it("leaves fields alone that are not declared, and shows drift of the others", async () => {
      await applyTo(doc(spec));
      const [first, ...others] = Object.keys(spec);
      if (first === undefined) throw new Error(`${address} has no fields`);
      await applyTo(doc({ [first]: spec[first] ?? null }));
      await behindOurBack(async (lifecycle, see) => {
        const live = await see(kind, spec);
        const subject = { spec: varied, live, changed: new Set(Object.keys(spec)) };
        expect(await lifecycle.update(kind, [subject])).toEqual([{ ok: true }]);
      });
      const { changes } = await stack.plan();
      expect(new Set(changes.flatMap(({ fields }) => fields.map((one) => one.field)))).toEqual(
        new Set([first]),
      );
      expect(changes[0]?.direction).toBe("drifted");
      await applyTo(doc({ [first]: spec[first] ?? null }));
      await behindOurBack(async (_lifecycle, see) => {
        const live = await see(kind, spec);
        for (const other of others) expect(live?.spec[other]).toEqual(varied[other]);
      });
    });

    it("is forgotten and keeps its values if it is no longer declared", async () => {
      await applyTo(doc(spec), elsewhere(kind));
      await stack.write([elsewhere(kind)]);
      expect((await stack.plan()).changes.map((one) => `${one.action} ${one.address}`)).toEqual([
        `forget ${address}`,
      ]);
      await applyTo(elsewhere(kind));
      await behindOurBack(async (_lifecycle, see) =>
        expect((await see(kind, spec))?.spec).toMatchObject(spec),
      );
    });

    if (surface === "full")
      it("is refused to another stack while one owns it", async () => {
        const at = { url: service.url, key: service.adminKey, inventory: "service" };
        const owner = await makeStack({ ...at, name: "owner" });
        const other = await makeStack({ ...at, name: "other" });
        try {
          await owner.write([doc(spec)]);
          await owner.apply();
          await other.write([doc(varied)]);
          expect((await other.plan()).changes.map((one) => one.action)).toEqual(["refuse"]);
        } finally {
          await owner.dispose();
          await other.dispose();
        }
      });
  });

  /** Returns a document that keeps the stack from being empty. */
  function elsewhere(kind: Kind): Doc {
    const other = kinds.find(
      (one) =>
        one !== kind &&
        !isSingleton(one) &&
        isSupportedOn(surface, one) &&
        parentDocuments(surface, one, exampleOn(surface, one, firstExample(one))).length === 0,
    );
    if (other === undefined) throw new Error("no other kind refers to nothing");
    return {
      kind: other.name,
      name: firstExample(other).name,
      spec: exampleOn(surface, other, firstExample(other)),
    };
  }
});

type ObserveOne = (kind: Kind, spec: JsonObject) => Promise<ObservedObject | undefined>;

function withoutDocuments(documents: readonly Doc[], others: readonly Doc[]): readonly Doc[] {
  const at = (doc: Doc) => `${doc.kind}/${doc.name}`;
  const known = new Set(others.map(at));
  return documents.filter((doc) => !known.has(at(doc)));
}

function firstExample(kind: Kind): Kind["examples"][number] {
  const [example] = examplesOf(kind);
  if (example === undefined) throw new Error(`${kind.name} has no example`);
  return example;
}

function isBlocked(
  can: ReturnType<typeof capabilityOn>,
  field: ReturnType<typeof fieldsOf>[number],
): boolean {
  if (field.traits.onChange === "replace")
    return isUnavailable(can.delete) || isUnavailable(can.create);
  return "uncovered" in can.update([field.name]);
}
