// The provider as Pulumi's engine calls it, against the real service: every kind's life, previews, secrets, failures.
import { readFileSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { fieldsOf } from "../../../core/fields.ts";
import { keyOf } from "../../../core/identity.ts";
import type { JsonObject } from "../../../core/json.ts";
import { normalize } from "../../../core/normalize.ts";
import { referencesOf } from "../../../core/references.ts";
import { Unknown } from "../../../provider/bridge/values.ts";
import { propertiesOf } from "../../../provider/pulumi/properties.ts";
import { packageSchema } from "../../../provider/pulumi/schema.ts";
import {
  opened,
  openedMap,
  type PropertyMap,
  Sealed,
  unknown,
} from "../../../provider/pulumi/values.ts";
import { components, kinds } from "../../../resources/index.ts";
import { everyKind, everyKindChanged, makePeople } from "../../support/every-kind.ts";
import { kindNamed } from "../../conformance/world.ts";
import { type LiveState, liveState } from "../../support/live.ts";
import { resolvedDocs } from "../../../scripts/resolved.ts";
import { startService, type TestService } from "../../support/service.ts";
import {
  type Driver,
  type Held,
  type Named,
  type RunningProvider,
  startProvider,
} from "./driver.ts";
import { Refused } from "./refused.ts";

let service: TestService;
let running: RunningProvider;
let driver: Driver;
/** What a service begins with. */
let bare: LiveState;

beforeEach(async () => {
  service = await startService();
  await makePeople(service);
  bare = await liveState(service);
  running = await startProvider();
  driver = running.driver;
  await driver.configure({ url: service.url, apiKey: new Sealed(service.adminKey) });
});
afterEach(async () => {
  await running.close();
  await service.close();
});

const examples = resolvedDocs(everyKind);
/** Every value changed that can change on a live object and that nothing else names it by. */
const changed = resolvedDocs(everyKindChanged).map(({ kind, name, spec }, index) => {
  const before = examples[index]?.spec;
  const referring = new Set(referencesOf(kind, spec).map(({ field }) => field));
  const stays = fieldsOf(kind).filter(
    ({ name: field, traits }) =>
      traits.onChange === "replace" || kind.key.includes(field) || referring.has(field),
  );
  const kept = stays.map((field) => [field.name, before?.[field.name]] as const);
  return { kind, name, spec: { ...spec, ...Object.fromEntries(kept) } };
});

/** The spec under the names of Pulumi's properties. */
function inputsOf({ kind, spec }: (typeof examples)[number]): PropertyMap {
  return Object.fromEntries(
    propertiesOf(kind).inputs.flatMap(({ name, property }) =>
      spec[name] === undefined ? [] : [[property, spec[name] as PropertyMap[string]]],
    ),
  );
}

/** As the engine does on the way to a create: check, preview, create. */
async function made(on: Named, news: PropertyMap): Promise<Held> {
  const { inputs, failures } = await driver.check(on, news);
  expect(failures).toEqual([]);
  await driver.create(on, inputs, true);
  const { id, state } = await driver.create(on, inputs);
  return { id, state, inputs };
}

it("an import does not pin what moves by itself", async () => {
  const on = { type: "Deployment", name: "d" };
  const release = { channel: "release" };
  const one = await made(on, { name: "d", region: "aws-us-east-1", release });
  const imported = await driver.read(on, { id: one.id });
  expect(openedMap(imported?.inputs ?? {})["release"]).toEqual({ channel: "release", hold: false });
  expect(openedMap(imported?.state ?? {})["release"]).toMatchObject({
    version: expect.any(String),
  });
});

describe("every kind", () => {
  it("is made, unchanged, read, imported, changed and deleted", async () => {
    const held: { on: Named; held: Held; index: number }[] = [];
    for (const [index, doc] of examples.entries()) {
      const on = { type: doc.kind.name, name: doc.name };
      const news = inputsOf(doc);
      const one = await made(on, news);
      expect(one.id).toBe(keyOf(doc.kind, normalize(doc.kind, doc.spec)));
      expect(await driver.diff(on, one, { news: one.inputs })).toMatchObject({ changes: "none" });
      held.push({ on, held: one, index });
    }
    for (const { on, held: one } of held) {
      const read = await driver.read(on, one);
      expect(openedMap(read?.inputs ?? {}), on.type).toEqual(openedMap(one.inputs));
      const again = { id: one.id, state: read?.state ?? {}, inputs: read?.inputs ?? {} };
      const diff = await driver.diff(on, again, { news: one.inputs });
      expect(diff, on.type).toMatchObject({ changes: "none", replaces: [] });
    }
    for (const { on, held: one, index } of held) {
      const imported = await driver.read(on, { id: one.id });
      const kind = examples[index]?.kind;
      expect(imported?.id).toBe(one.id);
      const { detailed } = await driver.diff(on, imported ?? one, { news: one.inputs });
      // Only what the API does not show can be left to write.
      for (const path of Object.keys(detailed)) {
        const field = fieldsOf(kind ?? never()).find(({ name }) => path.startsWith(name));
        expect(
          field?.traits.writeOnly ?? field?.traits.maskedWhen,
          `${on.type} ${path}`,
        ).toBeTruthy();
      }
    }
    let updated = 0;
    // What is to be replaced stays as it is here, and so does what would refer to it by its new name.
    const kept = new Set<string>();
    for (const { on, held: one, index } of held) {
      const news = (await driver.check(on, inputsOf(changed[index] ?? never()), one.inputs)).inputs;
      const diff = await driver.diff(on, one, { news });
      const { kind, spec } = everyKind[index] ?? never();
      const moved = (field: string) =>
        Object.keys(diff.detailed).some((at) => at.startsWith(field));
      const needs = referencesOf(kindNamed(kind), spec).filter(({ field }) => moved(field));
      if (diff.replaces.length > 0) kept.add(`${on.type}/${on.name}`);
      if (diff.replaces.length > 0) continue;
      if (needs.some((need) => kept.has(`${need.kind}/${need.value}`))) continue;
      if (diff.changes === "none") continue;
      const preview = await driver.update(on, one, { news, preview: true });
      const state = await driver.update(on, one, { news });
      for (const [name, value] of Object.entries(preview)) {
        if (value instanceof Unknown) continue;
        expect(opened(state[name] ?? null), `${on.type} ${name}`).toEqual(opened(value));
      }
      const now = { id: one.id, state, inputs: news };
      expect(await driver.diff(on, now, { news })).toMatchObject({ changes: "none" });
      updated++;
    }
    expect(updated).toBeGreaterThan(1);
    for (const { on, held: one } of held.toReversed()) {
      const now = await driver.read(on, one);
      if (now !== undefined) await driver.delete(on, now);
      expect(await driver.read(on, one), on.type).toBeUndefined();
      await driver.delete(on, now ?? one);
    }
    expect(await liveState(service)).toEqual(bare);
  });

  it("is found by its function and listed", async () => {
    for (const doc of examples) await made({ type: doc.kind.name, name: doc.name }, inputsOf(doc));
    for (const doc of examples) {
      const { kind } = doc;
      const inputs = inputsOf({ ...doc, spec: normalize(kind, doc.spec) });
      const pick = (names: readonly string[]): PropertyMap =>
        Object.fromEntries(
          propertiesOf(kind)
            .inputs.filter(({ name }) => names.includes(name))
            .map(({ property }) => [property, inputs[property] ?? null]),
        );
      const { result, failures } = await driver.invoke(`svc:index:get${kind.name}`, pick(kind.key));
      expect(failures).toEqual([]);
      expect(openedMap(result)).toMatchObject(openedMap(pick(kind.key)));
      const plural = kind.plural.replace(/(?:^|-)(.)/g, (_, letter: string) =>
        letter.toUpperCase(),
      );
      const listed = await driver.invoke(`svc:index:get${plural}`, pick(kind.scope));
      expect((listed.result["items"] as PropertyMap[]).map(({ id }) => id)).toContain(result["id"]);
    }
  });
});

function never(): never {
  throw new Error("the examples and their changes go hand in hand");
}

const tenant = { type: "EmbedTenant", name: "acme" };
const group = { type: "EmbedGroup", name: "directors" };
const deployment = { type: "Deployment", name: "production" };
const variable = { type: "EnvironmentVariable", name: "secret" };

describe("previews", () => {
  it("tell what will be known only later, and nothing of it is made", async () => {
    const { state } = await driver.create(group, { embedTenant: unknown, name: "g" }, true);
    expect(state["embedTenant"]).toBeInstanceOf(Unknown);
    expect(state["name"]).toBe("g");
    expect(state["embedGroupId"]).toBeInstanceOf(Unknown);
    expect(await liveState(service)).toEqual(bare);
    await expect(driver.create(group, { embedTenant: unknown, name: "g" })).rejects.toMatchObject({
      code: "INVALID_ARGUMENT",
    });
  });

  it("keep ids over an update, and take what others are called from the inputs", async () => {
    await made(deployment, { name: "production", region: "aws-us-east-1" });
    const workbook = { type: "Workbook", name: "w" };
    const wish = {
      deployment: "production",
      slug: "sales",
      name: "Sales",
      dashboard: { title: "x" },
    };
    await made(workbook, wish);
    const on = { type: "Notification", name: "n" };
    const inputs = { deployment: "production", workbook: "sales", schedule: "0 9 * * 1" };
    const { state: planned } = await driver.create(on, inputs, true);
    const held = await made(on, inputs);
    expect(planned["key"]).toBe(held.state["key"]);
    const next = { ...inputs, schedule: "0 8 * * 1" };
    const preview = await driver.update(on, held, { news: next, preview: true });
    expect(preview["notificationId"]).toBe(held.state["notificationId"]);
    expect(preview["humanReadableSchedule"]).toBeInstanceOf(Unknown);
    expect(preview["key"]).not.toBe(held.state["key"]);
  });
});

describe("diffs", () => {
  it("name the path of each change and whether it replaces", async () => {
    const inputs = { name: "production", region: "aws-us-east-1", release: { channel: "release" } };
    const held = await made(deployment, inputs);
    const news = { ...inputs, targetPlatform: "gcp", release: { channel: "latest" } };
    const diff = await driver.diff(deployment, held, { news });
    expect(diff.detailed).toMatchObject({
      "release.channel": "UPDATE",
      targetPlatform: "UPDATE_REPLACE",
    });
    expect(diff.replaces).toEqual(["targetPlatform"]);
    expect(diff.deleteBeforeReplace).toBe(true);
    const ignored = ["release", "targetPlatform"];
    expect(await driver.diff(deployment, held, { news, ignored })).toMatchObject({
      changes: "none",
    });
  });

  it("make the new one first where its key is another", async () => {
    const held = await made(tenant, { name: "acme-stores" });
    const diff = await driver.diff(tenant, held, { news: { name: "acme-retail" } });
    expect(diff).toMatchObject({ replaces: ["name"], deleteBeforeReplace: false });
  });

  it("see drift after a refresh, and repair it", async () => {
    const inputs = { name: "acme-stores", displayName: "Acme" };
    const held = await made({ ...tenant }, inputs);
    const on = { type: "UserGroup", name: "everyone" };
    const groupInputs = { name: "sales", description: "Sellers" };
    const heldGroup = await made(on, groupInputs);
    const id = Number(heldGroup.state["userGroupId"]);
    const sent = { body: { name: "sales", description: "Changed by hand" } };
    expect((await service.send("PATCH", `/api/v1/user-groups/${id}`, sent)).status).toBeLessThan(
      300,
    );
    const seen = await driver.read(on, heldGroup);
    expect(seen?.inputs["description"]).toBe("Changed by hand");
    const diff = await driver.diff(on, seen ?? heldGroup, { news: groupInputs });
    expect(diff.detailed).toEqual({ description: "UPDATE" });
    const state = await driver.update(on, seen ?? heldGroup, { news: groupInputs });
    expect(state["description"]).toBe("Sellers");
    expect(await driver.diff(tenant, held, { news: inputs })).toMatchObject({ changes: "none" });
  });

  it("keep the spelling of a program that says the same in other words", async () => {
    const inputs = {
      name: "production",
      region: "aws-us-east-1",
      launchpadTabs: ["b", "a"],
      release: { channel: "latest", version: "v1.7.20" },
    };
    const held = await made(deployment, inputs);
    const read = await driver.read(deployment, held);
    expect(read?.inputs).toEqual(inputs);
    expect(await driver.diff(deployment, read ?? held, { news: inputs })).toMatchObject({
      changes: "none",
    });
  });
});

describe("secrets", () => {
  const inputs = { deployment: "production", name: "API_TOKEN", value: "hunter2" };

  beforeEach(async () => {
    await made(deployment, { name: "production", region: "aws-us-east-1" });
  });

  it("are sealed in inputs and state, also where the program did not seal them", async () => {
    const held = await made(variable, inputs);
    expect(held.inputs["value"]).toBeInstanceOf(Sealed);
    expect(held.state["value"]).toBeInstanceOf(Sealed);
    expect(opened(held.state["value"] ?? null)).toBe("hunter2");
  });

  it("that the API masks stay as they are in state, and a change of them is seen", async () => {
    const held = await made(variable, inputs);
    const read = await driver.read(variable, held);
    expect(opened(read?.state["value"] ?? null)).toBe("hunter2");
    expect(opened(read?.inputs["value"] ?? null)).toBe("hunter2");
    const now = read ?? held;
    expect(await driver.diff(variable, now, { news: inputs })).toMatchObject({ changes: "none" });
    const news = { ...inputs, value: new Sealed("correct horse") };
    const diff = await driver.diff(variable, now, { news });
    expect(diff.detailed).toEqual({ value: "UPDATE" });
    const state = await driver.update(variable, now, { news });
    expect(opened(state["value"] ?? null)).toBe("correct horse");
  });

  it("given where none is expected stay secret in state and in what is found", async () => {
    const held = await made(tenant, { name: "acme-stores", displayName: new Sealed("Hush") });
    expect(held.state["displayName"]).toBeInstanceOf(Sealed);
    const read = await driver.read(tenant, held);
    expect(read?.state["displayName"]).toBeInstanceOf(Sealed);
    const found = await driver.invoke("svc:index:getEmbedTenant", {
      name: new Sealed("acme-stores"),
    });
    expect(found.result["name"]).toBeInstanceOf(Sealed);
  });

  it("are in no message", async () => {
    const wrong = { ...inputs, value: new Sealed("[ENCRYPTED]"), name: "1 BAD hunter2" };
    const { failures } = await driver.check(variable, wrong);
    expect(failures.map(({ property }) => property).toSorted()).toEqual(["name", "value"]);
    expect(JSON.stringify(failures)).not.toContain("hunter2");
  });
});

describe("mistakes", () => {
  it("are told all at once, each at its property", async () => {
    const { failures } = await driver.check(deployment, {
      name: "",
      regoin: "x",
      release: { channel: "nightly", "a.b": 1 },
      launchpadTabs: ["ok", 5],
    });
    expect(failures.map(({ property }) => property).toSorted()).toEqual([
      "launchpadTabs[1]",
      "name",
      "region",
      "regoin",
      "release.channel",
      'release["a.b"]',
    ]);
    expect(failures.find(({ property }) => property === "regoin")?.reason).toContain("region");
  });

  it("of what is not known yet are not told", async () => {
    const { failures } = await driver.check(group, { embedTenant: unknown, name: unknown });
    expect(failures).toEqual([]);
  });

  it("of functions are told at their arguments", async () => {
    const { failures } = await driver.invoke("svc:index:getEmbedGroup", {
      nmae: "x",
      embedTenant: "t",
    });
    expect(failures.map(({ property }) => property)).toEqual(["nmae", "name"]);
    await expect(
      driver.invoke("svc:index:getEmbedTenant", { name: "nobody-here" }),
    ).rejects.toMatchObject({ code: "NOT_FOUND" });
    const nowhere = driver.invoke("svc:index:getEmbedGroups", { embedTenant: "nobody-here" });
    await expect(nowhere).rejects.toMatchObject({
      code: "NOT_FOUND",
      message: expect.stringContaining("nobody-here") as string,
    });
    await made(tenant, { name: "acme-stores" });
    const none = await driver.invoke("svc:index:getEmbedGroups", { embedTenant: "acme-stores" });
    expect(none.result).toEqual({ items: [] });
    await expect(driver.invoke("svc:index:getNothing", {})).rejects.toMatchObject({
      code: "INVALID_ARGUMENT",
    });
  });

  it("of others are definite: what exists is refused, with how to take it over", async () => {
    await made(tenant, { name: "acme-stores" });
    await running.close();
    running = await startProvider();
    driver = running.driver;
    await driver.configure({ url: service.url, apiKey: service.adminKey });
    await expect(driver.create(tenant, { name: "acme-stores" })).rejects.toMatchObject({
      code: "ALREADY_EXISTS",
      message: expect.stringContaining("Import it under the id acme-stores") as string,
    });
  });
});

describe("what goes wrong half way", () => {
  it("is recorded with the object, and completed by the next update", async () => {
    const { body } = await service.send("GET", "/api/v1/deployments");
    const [{ id: only } = { id: 0 }] = (body as { items: { id: number }[] }).items;
    expect((await service.send("DELETE", `/api/v1/deployments/${only}`)).status).toBeLessThan(300);
    const inputs = { name: "acme-stores", displayName: "Acme" };
    const held = await half(inputs, driver.create(tenant, inputs));
    expect(held.id).toBe("acme-stores");
    expect(held.state["displayName"]).toBeUndefined();
    await made(deployment, { name: "production", region: "aws-us-east-1" });
    expect((await driver.diff(tenant, held, { news: inputs })).detailed).toEqual({
      displayName: "ADD",
    });
    expect((await driver.update(tenant, held, { news: inputs }))["displayName"]).toBe("Acme");
  });

  it("leaves what cannot be read back to be written, also after a refresh and a second failure", async () => {
    await made(tenant, { name: "acme-stores" });
    const news = { ...ada, userAttributes: [{ name: "later", value: "EMEA" }] };
    const held = await half(news, driver.create(user, news));
    expect(held.state["userAttributes"]).toBeUndefined();
    const read = await driver.read(user, held);
    await expect(driver.update(user, read ?? held, { news })).rejects.toThrow("not found");
    await made(later, laterInputs);
    for (const one of [held, read ?? held]) {
      const diff = await driver.diff(user, one, { news });
      expect(diff.detailed).toEqual({ userAttributes: "UPDATE" });
    }
    const state = await driver.update(user, read ?? held, { news });
    expect(opened(state["userAttributes"] ?? null)).toEqual(news.userAttributes);
    const whole = { ...held, state };
    expect(await driver.diff(user, whole, { news })).toMatchObject({ changes: "none" });
  });

  it("of an update keeps neither the old nor the new value of what cannot be read back", async () => {
    await made(tenant, { name: "acme-stores" });
    await made({ type: "UserAttribute", name: "region" }, { ...laterInputs, name: "region" });
    const before = { ...ada, userAttributes: [{ name: "region", value: "EMEA" }] };
    const held = await made(user, before);
    const news = { ...ada, userAttributes: [{ name: "later", value: "EMEA" }] };
    const partly = await half(news, driver.update(user, held, { news }));
    for (const wish of [news, before]) {
      const diff = await driver.diff(user, partly, { news: wish });
      expect(diff.detailed).toEqual({ userAttributes: "UPDATE" });
    }
    const renamed = { ...news, displayName: "Ada L." };
    const ignoring = { news: renamed, ignored: ["userAttributes"] };
    const state = await driver.update(user, partly, ignoring);
    const still = await driver.diff(user, { ...partly, state, inputs: renamed }, { news: renamed });
    expect(still.detailed).toEqual({ userAttributes: "UPDATE" });
  });
});

const user = { type: "EmbedUser", name: "ada" };
const ada = { embedTenant: "acme-stores", externalId: "ada-1001" };
const later = { type: "UserAttribute", name: "later" };
const laterInputs = { name: "later", type: "string" };

/** What the engine holds after a write that failed half way: the state it was told, and the inputs of the program. */
async function half(inputs: PropertyMap, write: Promise<unknown>): Promise<Held> {
  const refused = await write.catch((error: unknown) => error);
  if (!(refused instanceof Refused) || refused.partial === undefined) throw refused;
  expect(refused.code).toBe("UNKNOWN");
  expect(refused.partial.reasons).toHaveLength(1);
  return { id: refused.partial.id, state: refused.partial.state, inputs };
}

describe("configuration", () => {
  it("is checked as far as it is known, and takes what the engine adds", async () => {
    const news = {
      version: "1.2.3",
      url: unknown,
      requestsPerSecond: "2.5",
      pluginDownloadURL: "x",
    };
    const { inputs, failures } = await driver.checkConfig(news);
    expect(failures).toEqual([]);
    expect(inputs).toEqual(news);
    const wrong = { ulr: "x", retries: "many", authScheme: "basic" };
    const told = await driver.checkConfig(wrong);
    expect(told.failures.map(({ property }) => property)).toEqual(["retries", "ulr"]);
    const scheme = await driver.checkConfig({ authScheme: "basic" });
    expect(scheme.failures.map(({ property }) => property)).toEqual(["authScheme"]);
  });

  it("that changes is told setting by setting, and replaces nothing", async () => {
    const olds = { url: "https://a.example", apiKey: new Sealed("k"), version: "1.2.3" };
    expect(await driver.diffConfig(olds, olds)).toMatchObject({ changes: "none", diffs: [] });
    const sealedAnew = { ...olds, apiKey: new Sealed("k") };
    expect(await driver.diffConfig(olds, sealedAnew)).toMatchObject({ changes: "none" });
    const news = { ...olds, url: unknown, apiKey: new Sealed("other"), retries: "2" };
    const { changes, diffs, replaces } = await driver.diffConfig(olds, news);
    expect({ changes, replaces }).toEqual({ changes: "some", replaces: [] });
    expect(diffs.toSorted()).toEqual(["apiKey", "retries", "url"]);
  });

  it("that is missing is told by its key, and what is wrong beside it in words", async () => {
    vi.stubEnv("SVC_API_URL", undefined);
    vi.stubEnv("SVC_API_KEY", undefined);
    try {
      const refused = driver.configure({});
      await expect(refused).rejects.toMatchObject({
        code: "INVALID_ARGUMENT",
        missingKeys: [
          { property: "svc:url" },
          {
            property: "svc:apiKey",
            reason: expect.stringContaining("pulumi config set --secret svc:apiKey") as string,
          },
        ],
      });
      vi.stubEnv("SVC_AUTH_SCHEME", "basic");
      await expect(driver.configure({})).rejects.toMatchObject({
        code: "INVALID_ARGUMENT",
        missingKeys: [],
        message: expect.stringMatching(
          /svc:url: no server.*svc:apiKey: no API key.*svc:authScheme: there is no .* "basic"/s,
        ) as string,
      });
    } finally {
      vi.unstubAllEnvs();
    }
  });

  it("that does not work fails before anything else, without the key in the message", async () => {
    const refused = driver.configure({ url: service.url, apiKey: "sk-not-a-key" });
    await expect(refused).rejects.toMatchObject({ code: "UNAUTHENTICATED" });
    await expect(refused).rejects.not.toThrow("sk-not-a-key");
    await expect(
      driver.configure({ url: "http://127.0.0.1:9", apiKey: "k", retries: 0 }),
    ).rejects.toMatchObject({ code: "ABORTED" });
  });

  it("may be unknown in a preview", async () => {
    const fresh = await startProvider();
    try {
      await fresh.driver.configure({ url: unknown });
      const { state } = await fresh.driver.create(tenant, { name: "acme-stores" }, true);
      expect(state["name"]).toBe("acme-stores");
      await expect(fresh.driver.create(tenant, { name: "acme-stores" })).rejects.toMatchObject({
        code: "FAILED_PRECONDITION",
      });
    } finally {
      await fresh.close();
    }
  });
});

describe("the protocol", () => {
  it("serves the committed schema", async () => {
    const file = new URL("../../../schemas/pulumi.json", import.meta.url);
    const committed = JSON.parse(readFileSync(file, "utf8")) as JsonObject;
    expect(await driver.schema()).toEqual({ ...committed, version: "1.2.3" });
    expect(packageSchema({ kinds, components }, "1.2.3")).toEqual(await driver.schema());
  });

  it("says what it takes", async () => {
    const answer = await driver.handshake();
    expect(answer.getAcceptSecrets()).toBe(true);
    expect(answer.getAcceptOutputs()).toBe(false);
  });

  it("begins nothing more once it is cancelled", async () => {
    await driver.cancel();
    await expect(driver.create(tenant, { name: "acme-stores" })).rejects.toMatchObject({
      code: "CANCELLED",
    });
    expect(await liveState(service)).toEqual(bare);
  });
});
