// Tests responses that are lost after the work, with and without idempotency keys: the result is the same, and nothing is
// created twice.
import { afterAll, afterEach, describe, expect, it } from "vitest";
import { createClient } from "../../../client/client.ts";
import type { RequestEvent } from "../../../client/types.ts";
import { createUserAttribute, listUserAttributes } from "../../../api/user-attributes.ts";
import { isFailure } from "../../../core/errors.ts";
import type { Kind } from "../../../core/kind/kind.ts";
import { referencesOf } from "../../../core/kind/references.ts";
import { Secret } from "../../../core/secret.ts";
import { kinds } from "../../../resources/index.ts";
import { type Surface, surfaces } from "../../../service/server/server.ts";
import { isSupportedOn, exampleOn, kindNamed } from "../../conformance/registry-cases.ts";
import { examplesOf } from "../../support/examples.ts";
import { type Fault, startProxy } from "../../support/fault-proxy.ts";
import { sampled, sampledPositions } from "../../support/sampling.ts";
import { startService } from "../../support/test-service.ts";
import { type Doc, changeSummaries, makeStack } from "../../support/test-stack.ts";
import {
  closeFaultFixtures,
  openFaultFixture,
  scenario,
  type FaultFixture,
} from "../../faults/fixture.ts";

const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});
afterAll(closeFaultFixtures);

/** Returns the examples that the surface supports together with everything that they refer to. */
function documentsOn(surface: Surface): readonly Doc[] {
  return kinds.flatMap((kind) =>
    examplesOf(kind)
      .map((example) => ({
        kind: kind.name,
        name: example.name,
        spec: exampleOn(surface, kind, example),
      }))
      .filter(({ spec }) => isFullySupported(surface, kind, spec)),
  );
}

function isFullySupported(surface: Surface, kind: Kind, spec: Doc["spec"]): boolean {
  if (!isSupportedOn(surface, kind)) return false;
  return referencesOf(kind, spec).every(({ kind: target, value, external }) => {
    const parent = kindNamed(target);
    const example = examplesOf(parent).find(({ name }) => name === value);
    if (external || example === undefined) return !external;
    return isFullySupported(surface, parent, exampleOn(surface, parent, example));
  });
}

const losingFaults = ["lose-answer", "fail-after", "cut"] as const;

describe.each(surfaces)("on the %s surface", (surface) => {
  const honours = surface === "full";

  it(`a create ${honours ? "is sent again by itself" : "is left as it is, and reported"}`, async () => {
    const service = await startService({ surface });
    const proxy = await startProxy(service.url);
    const events: RequestEvent[] = [];
    const client = createClient({
      url: proxy.url,
      credential: new Secret(service.adminKey),
      retryFirstMs: 5,
      onRequest: (event) => void events.push(event),
    });
    stops.push(
      () => client.close(),
      () => proxy.close(),
      () => service.close(),
    );
    const offer = await client.discoverApi();
    if (!offer.has(createUserAttribute)) return expect(surface).toBe("specification");
    const doubtful = [...losingFaults, "give-up"] as const;
    for (const [index, fault] of doubtful.entries()) {
      proxy.arm(1, fault);
      const name = `attribute_${index}`;
      const creation = client.call(createUserAttribute, { body: { name, type: "string" } });
      if (honours) expect(await creation).toMatchObject({ name });
      else await expect(creation).rejects.toMatchObject({ code: "unknown_outcome" });
      expect(proxy.writes().length, fault).toBe(honours ? 2 : 1);
    }
    const known = await client.all(listUserAttributes, {});
    expect(known.map(({ name }) => name).toSorted()).toEqual(
      doubtful.map((_, index) => `attribute_${index}`),
    );
    expect(events.filter(({ operation }) => operation === "getSpec")).toHaveLength(1);
  });

  // The specification shows no operation that creates the first objects of a stack.
  if (surface === "specification") return;
  const whole = scenario(surface, { surface, documents: documentsOn(surface) });

  it.each(sampled(losingFaults))(
    "an apply of every kind that the surface supports completes after %s",
    { timeout: 180_000 },
    async (fault) => {
      const good = await whole.baseline();
      expect(good.writes).toBeGreaterThan(8);
      // `interrupted-apply.test.ts` loses answers on the full surface too.
      const most = honours ? 1 : 2;
      const variant = losingFaults.indexOf(fault) * Math.ceil(good.writes / 4);
      for (const at of sampledPositions(good.writes, most, variant)) {
        const scene = await openFaultFixture(whole);
        stops.push(() => scene.close());
        await meets(scene, { at, fault });
        expect(await scene.state(), `write ${at}`).toEqual(good.state);
        expect(changeSummaries((await scene.stack.plan()).changes), `write ${at}`).toEqual([]);
        await scene.close();
      }
    },
  );

  /** The owner of an object is unknown if the answer to its create is lost and cannot be repeated. */
  const isAdopted = () => !honours;

  async function meets(
    scene: FaultFixture,
    { at, fault }: { at: number; fault: (typeof losingFaults)[number] },
  ) {
    scene.proxy.arm(at, fault);
    try {
      const { outcomes } = await scene.stack.apply();
      const left = outcomes.filter(({ result }) => result !== "done");
      if (honours) expect(left, `write ${at}`).toEqual([]);
    } catch (error) {
      if (!isFailure(error) || honours) throw error;
    }
    scene.proxy.arm();
    const { outcomes } = await scene.stack.apply({ adopt: isAdopted });
    expect(
      outcomes.filter(({ result }) => result !== "done"),
      `write ${at}`,
    ).toEqual([]);
  }
});

describe("a create whose answer was lost, and that meets a web page when it is sent again", () => {
  const group: Doc = { kind: "UserGroup", name: "analysts", spec: { name: "analysts" } };
  const lone = scenario("one group", { documents: [group] });

  it.each(["lose-answer", "lose-request"] as const)(
    "has an unknown outcome (%s)",
    async (first) => {
      const good = await lone.baseline();
      const scene = await openFaultFixture(lone);
      const { proxy, stack } = scene;
      stops.push(() => scene.close());
      const left: Fault[] = [first, "html"];
      proxy.arm(1, async () => left.shift() ?? "pass", 2);
      const [outcome] = (await stack.apply()).outcomes;
      expect(left).toEqual([]);
      // If only the answer was lost, the group exists, but the server does not report which client created it.
      const isFound = first === "lose-answer";
      const code = isFound ? "conflict" : "unknown_outcome";
      expect(outcome).toMatchObject({ result: "failed", failure: { code } });
      proxy.arm();
      const { outcomes } = await stack.apply({ adopt: () => isFound });
      expect(outcomes.filter(({ result }) => result !== "done")).toEqual([]);
      expect(await scene.state()).toEqual(good.state);
      expect((await stack.plan()).changes).toEqual([]);
    },
  );
});

describe("a create that the server refuses, and whose answer is lost", () => {
  it.each(surfaces.filter((surface) => surface !== "specification"))(
    "claims no object that another client created meanwhile (%s)",
    async (surface) => {
      const spec = { name: "region", type: "string" };
      const service = await startService({ surface });
      const proxy = await startProxy(service.url);
      const stack = await makeStack({ url: proxy.url, key: service.adminKey });
      stops.push(
        () => stack.dispose(),
        () => proxy.close(),
        () => service.close(),
      );
      await stack.write([{ kind: "UserAttribute", name: "ours", spec }]);
      const body = { ...spec, displayName: "Of another client" };
      const meanwhile = async (): Promise<Fault> => {
        await service.send("POST", createUserAttribute.path, { body });
        return "lose-answer";
      };
      const faults = [
        meanwhile,
        ...Array.from({ length: 10 }, () => async () => "lose-answer" as const),
      ];
      proxy.arm(1, async () => (await faults.shift()?.()) ?? "pass", faults.length);
      const [outcome] = (await stack.apply()).outcomes;
      expect(outcome).toMatchObject({
        result: "failed",
        failure: {
          code: "conflict",
          message: expect.stringMatching(/may belong to another client/u),
        },
      });
      proxy.arm();
      const { changes } = await stack.plan();
      expect(changes).toMatchObject([{ action: "refuse", address: "UserAttribute/ours" }]);
      const theirs = await service.send("GET", createUserAttribute.path);
      expect(JSON.stringify(theirs.body)).toContain("Of another client");
    },
  );
});

describe("a replacement that lost the answer to its create", () => {
  it("names what exists now, and creates nothing again", async () => {
    const service = await startService({ surface: "public" });
    const proxy = await startProxy(service.url);
    const stack = await makeStack({ url: proxy.url, key: service.adminKey });
    stops.push(
      () => stack.dispose(),
      () => proxy.close(),
      () => service.close(),
    );
    const region = (type: string): Doc => ({
      kind: "UserAttribute",
      name: "region",
      spec: { name: "region", type },
    });
    await stack.write([region("string")]);
    await stack.apply();
    await stack.write([region("number")]);
    proxy.arm(2, "lose-answer");
    const [outcome] = (await stack.apply()).outcomes;
    expect(outcome).toMatchObject({
      action: "replace",
      result: "failed",
      partial: true,
      failure: {
        code: "conflict",
        message: expect.stringMatching(
          /^the former object was deleted, and the new one has no certain owner: .*The object exists now/u,
        ),
        remedy: "Adopt or import it, or choose another name.",
      },
    });
    proxy.arm();
    expect(changeSummaries((await stack.plan()).changes)).toEqual(["refuse UserAttribute/region"]);
    const { outcomes } = await stack.apply({ adopt: () => true });
    expect(outcomes).toMatchObject([{ action: "adopt", result: "done" }]);
    expect((await stack.plan()).changes).toEqual([]);
  });
});

describe("a create that is sent again", () => {
  it("still has an unknown outcome after the last attempt, or if the run is stopped", async () => {
    const service = await startService();
    const proxy = await startProxy(service.url);
    const stop = new AbortController();
    const common = { url: proxy.url, credential: new Secret(service.adminKey) };
    const client = createClient({ ...common, attempts: 1 });
    const stopped = createClient({ ...common, signal: stop.signal, onRequest: () => stop.abort() });
    stops.push(
      () => client.close(),
      () => stopped.close(),
      () => proxy.close(),
      () => service.close(),
    );
    await client.discoverApi();
    proxy.arm(1, "lose-answer");
    const once = client.call(createUserAttribute, { body: { name: "a", type: "string" } });
    await expect(once).rejects.toMatchObject({ code: "unknown_outcome" });
    const known = createClient({ ...common, signal: stop.signal });
    stops.unshift(() => known.close());
    await known.discoverApi();
    proxy.arm(1, async () => {
      stop.abort();
      return "drop";
    });
    const second = known.call(createUserAttribute, { body: { name: "b", type: "string" } });
    await expect(second).rejects.toMatchObject({ code: "unknown_outcome" });
  });
});
