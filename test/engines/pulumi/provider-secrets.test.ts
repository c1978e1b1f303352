// Tests secrets and partial writes, call by call, against the real service.
import { beforeEach, describe, expect, it } from "vitest";
import { Unknown } from "../../../provider/bridge/unknown-values.ts";
import {
  unwrapSecrets,
  type PropertyMap,
  SecretValue,
} from "../../../provider/pulumi/property-values.ts";
import { type Fault, startProxy } from "../../support/fault-proxy.ts";
import { setUpProviderFixture, sampleResources } from "./provider-fixture.ts";
import { type ResourceState, startProvider } from "./driver.ts";
import { RpcError } from "./rpc-error.ts";

const fixture = setUpProviderFixture();
const { tenant, deployment, variable, user } = sampleResources;

describe("secrets", () => {
  const inputs = { deployment: "production", name: "API_TOKEN", value: "hunter2" };

  beforeEach(async () => {
    await fixture.create(deployment, { name: "production", region: "aws-us-east-1" });
  });

  it("are marked in inputs and state, also if the program did not mark them", async () => {
    const held = await fixture.create(variable, inputs);
    expect(held.inputs["value"]).toBeInstanceOf(SecretValue);
    expect(held.state["value"]).toBeInstanceOf(SecretValue);
    expect(unwrapSecrets(held.state["value"] ?? null)).toBe("hunter2");
  });

  it("that the API masks keep their value in state, and changes are detected", async () => {
    const held = await fixture.create(variable, inputs);
    const read = await fixture.driver.read(variable, held);
    expect(unwrapSecrets(read?.state["value"] ?? null)).toBe("hunter2");
    expect(unwrapSecrets(read?.inputs["value"] ?? null)).toBe("hunter2");
    const now = read ?? held;
    expect(await fixture.driver.diff(variable, now, { news: inputs })).toMatchObject({
      changes: "none",
    });
    const news = { ...inputs, value: new SecretValue("correct horse") };
    const diff = await fixture.driver.diff(variable, now, { news });
    expect(diff.detailed).toEqual({ value: "UPDATE" });
    const state = await fixture.driver.update(variable, now, { news });
    expect(unwrapSecrets(state["value"] ?? null)).toBe("correct horse");
  });

  it("in other fields stay secret in state and in function results", async () => {
    const held = await fixture.create(tenant, {
      name: "acme-stores",
      displayName: new SecretValue("Hush"),
    });
    expect(held.state["displayName"]).toBeInstanceOf(SecretValue);
    const read = await fixture.driver.read(tenant, held);
    expect(read?.state["displayName"]).toBeInstanceOf(SecretValue);
    const found = await fixture.driver.invoke("svc:index:getEmbedTenant", {
      name: new SecretValue("acme-stores"),
    });
    expect(found.result["name"]).toBeInstanceOf(SecretValue);
  });

  it("appear in no message", async () => {
    const wrong = { ...inputs, value: new SecretValue("[ENCRYPTED]"), name: "1 BAD hunter2" };
    const { failures } = await fixture.driver.check(variable, wrong);
    expect(failures.map(({ property }) => property).toSorted()).toEqual(["name", "value"]);
    expect(JSON.stringify(failures)).not.toContain("hunter2");
  });
});

describe("a generated secret", () => {
  const key = { type: "ApiKey", name: "ci" };
  const tokenOf = (state: PropertyMap | undefined): unknown =>
    unwrapSecrets(state?.["token"] ?? null);
  const statusWith = async (token: unknown): Promise<number> => {
    const headers = { authorization: `Bearer ${String(token)}` };
    return (await fetch(`${fixture.service.url}/api/v1/users/me`, { headers })).status;
  };

  it("is unknown in the preview, works after the create, and is secret", async () => {
    const { state: planned } = await fixture.driver.create(key, { name: "ci" }, true);
    expect(planned["token"]).toBeInstanceOf(SecretValue);
    expect(unwrapSecrets(planned["token"] ?? null)).toBeInstanceOf(Unknown);
    const { state } = await fixture.create(key, { name: "ci" });
    expect(state["token"]).toBeInstanceOf(SecretValue);
    expect(tokenOf(state)).toMatch(/^sk-/);
    expect(await statusWith(tokenOf(state))).toBe(200);
  });

  it("is kept through refreshes, updates and previews, in another process too", async () => {
    const held = await fixture.create(key, { name: "ci" });
    await fixture.restart();
    const { driver } = fixture;
    const read = (await driver.read(key, held)) ?? held;
    expect(tokenOf(read.state)).toBe(tokenOf(held.state));
    expect(await driver.diff(key, read, { news: held.inputs })).toMatchObject({ changes: "none" });
    const news = { name: "renamed" };
    for (const preview of [true, false]) {
      const state = await driver.update(key, read, { news, preview });
      expect(state["token"]).toBeInstanceOf(SecretValue);
      expect(tokenOf(state)).toBe(tokenOf(held.state));
    }
    expect(await statusWith(tokenOf(held.state))).toBe(200);
  });

  it("belongs to one object: absent after an import, and after another object takes the name", async () => {
    const held = await fixture.create(key, { name: "ci" });
    const imported = await fixture.driver.read(key, { id: "ci" });
    expect(imported?.state).toMatchObject({ name: "ci" });
    expect(imported?.state).not.toHaveProperty("token");
    await fixture.driver.delete(key, held);
    await fixture.service.send("POST", "/api/v1/api-keys", { body: { name: "ci" } });
    const another = await fixture.driver.read(key, held);
    expect(another?.state).toMatchObject({ name: "ci" });
    expect(another?.state).not.toHaveProperty("token");
  });

  it("is kept if the created key cannot be read back, and appears in no message", async () => {
    const proxy = await startProxy(fixture.service.url);
    const running = await startProvider();
    const { driver } = running;
    try {
      const apiKey = fixture.service.adminKey;
      await driver.configure({ url: proxy.url, apiKey, retries: 0 });
      let isMade = false;
      const after = async (): Promise<"pass" | Fault> => {
        if (isMade) return "fail-before";
        isMade = proxy.writes().length > 0;
        return "pass";
      };
      proxy.armAnyCall(1, after, 100);
      const refused = await driver.create(key, { name: "ci" }).catch((error: unknown) => error);
      if (!(refused instanceof RpcError) || refused.partial === undefined) throw refused;
      const token = tokenOf(refused.partial.state);
      expect(refused.partial.state["token"]).toBeInstanceOf(SecretValue);
      expect(await statusWith(token)).toBe(200);
      expect(`${refused.message} ${refused.partial.reasons.join()}`).not.toContain(String(token));
      proxy.arm();
      const held = { ...refused.partial, inputs: { name: "ci" } };
      expect(tokenOf((await driver.read(key, held))?.state)).toBe(token);
    } finally {
      await running.close();
      await proxy.close();
    }
  });
});

describe("a partial write", () => {
  it("is recorded with the object, and completed by the next update", async () => {
    const { body } = await fixture.service.send("GET", "/api/v1/deployments");
    const [{ id: only } = { id: 0 }] = (body as { items: { id: number }[] }).items;
    expect(
      (await fixture.service.send("DELETE", `/api/v1/deployments/${only}`)).status,
    ).toBeLessThan(300);
    const inputs = { name: "acme-stores", displayName: "Acme" };
    const held = await partialState(inputs, fixture.driver.create(tenant, inputs));
    expect(held.id).toBe("acme-stores");
    expect(held.state["displayName"]).toBeUndefined();
    await fixture.create(deployment, { name: "production", region: "aws-us-east-1" });
    expect((await fixture.driver.diff(tenant, held, { news: inputs })).detailed).toEqual({
      displayName: "ADD",
    });
    expect((await fixture.driver.update(tenant, held, { news: inputs }))["displayName"]).toBe(
      "Acme",
    );
  });

  it("keeps unreadable fields pending, also after a refresh and a second failure", async () => {
    await fixture.create(tenant, { name: "acme-stores" });
    const news = { ...ada, userAttributes: [{ name: "later", value: "EMEA" }] };
    const held = await partialState(news, fixture.driver.create(user, news));
    expect(held.state["userAttributes"]).toBeUndefined();
    const read = await fixture.driver.read(user, held);
    await expect(fixture.driver.update(user, read ?? held, { news })).rejects.toThrow(
      "there is no attribute later",
    );
    await fixture.create(later, laterInputs);
    for (const one of [held, read ?? held]) {
      const diff = await fixture.driver.diff(user, one, { news });
      expect(diff.detailed).toEqual({ userAttributes: "UPDATE" });
    }
    const state = await fixture.driver.update(user, read ?? held, { news });
    expect(unwrapSecrets(state["userAttributes"] ?? null)).toEqual(news.userAttributes);
    const whole = { ...held, state };
    expect(await fixture.driver.diff(user, whole, { news })).toMatchObject({ changes: "none" });
  });

  it("of an update keeps neither the old nor the new value of unreadable fields", async () => {
    await fixture.create(tenant, { name: "acme-stores" });
    await fixture.create(
      { type: "UserAttribute", name: "region" },
      { ...laterInputs, name: "region" },
    );
    const before = { ...ada, userAttributes: [{ name: "region", value: "EMEA" }] };
    const held = await fixture.create(user, before);
    const news = { ...ada, userAttributes: [{ name: "later", value: "EMEA" }] };
    const partly = await partialState(news, fixture.driver.update(user, held, { news }));
    for (const spec of [news, before]) {
      const diff = await fixture.driver.diff(user, partly, { news: spec });
      expect(diff.detailed).toEqual({ userAttributes: "UPDATE" });
    }
    const renamed = { ...news, displayName: "Ada L." };
    const ignoring = { news: renamed, ignored: ["userAttributes"] };
    const state = await fixture.driver.update(user, partly, ignoring);
    const still = await fixture.driver.diff(
      user,
      { ...partly, state, inputs: renamed },
      { news: renamed },
    );
    expect(still.detailed).toEqual({ userAttributes: "UPDATE" });
  });
});

const ada = { embedTenant: "acme-stores", externalId: "ada-1001" };
const later = { type: "UserAttribute", name: "later" };
const laterInputs = { name: "later", type: "string" };

/** Returns the engine's state after a partial write: the provider's state and the program's inputs. */
async function partialState(inputs: PropertyMap, write: Promise<unknown>): Promise<ResourceState> {
  const refused = await write.catch((error: unknown) => error);
  if (!(refused instanceof RpcError) || refused.partial === undefined) throw refused;
  expect(refused.code).toBe("UNKNOWN");
  expect(refused.partial.reasons).toHaveLength(1);
  return { id: refused.partial.id, state: refused.partial.state, inputs };
}
