// Tests configuration and protocol, call by call, against the real service.
import { readFileSync } from "node:fs";
import { describe, expect, it, vi } from "vitest";
import type { JsonObject } from "../../../core/json.ts";
import { packageSchema } from "../../../provider/pulumi/schema.ts";
import { SecretValue, unknownValue } from "../../../provider/pulumi/property-values.ts";
import { components, kinds } from "../../../resources/index.ts";
import { liveState } from "../../support/live-state.ts";
import { setUpProviderFixture, sampleResources } from "./provider-fixture.ts";
import { startProvider } from "./driver.ts";

const fixture = setUpProviderFixture();
const { tenant } = sampleResources;

describe("configuration", () => {
  it("is validated as far as it is known, and may contain inputs that the engine adds", async () => {
    const news = {
      version: "1.2.3",
      url: unknownValue,
      requestsPerSecond: "2.5",
      pluginDownloadURL: "x",
    };
    const { inputs, failures } = await fixture.driver.checkConfig(news);
    expect(failures).toEqual([]);
    expect(inputs).toEqual(news);
    const wrong = { ulr: "x", retries: "many", authScheme: "basic" };
    const checked = await fixture.driver.checkConfig(wrong);
    expect(checked.failures.map(({ property }) => property)).toEqual(["retries", "ulr"]);
    const scheme = await fixture.driver.checkConfig({ authScheme: "basic" });
    expect(scheme.failures.map(({ property }) => property)).toEqual(["authScheme"]);
  });

  it("is compared setting by setting, and replaces nothing", async () => {
    const olds = { url: "https://a.example", apiKey: new SecretValue("k"), version: "1.2.3" };
    expect(await fixture.driver.diffConfig(olds, olds)).toMatchObject({
      changes: "none",
      diffs: [],
    });
    const newSecret = { ...olds, apiKey: new SecretValue("k") };
    expect(await fixture.driver.diffConfig(olds, newSecret)).toMatchObject({ changes: "none" });
    const news = { ...olds, url: unknownValue, apiKey: new SecretValue("other"), retries: "2" };
    const { changes, diffs, replaces } = await fixture.driver.diffConfig(olds, news);
    expect({ changes, replaces }).toEqual({ changes: "some", replaces: [] });
    expect(diffs.toSorted()).toEqual(["apiKey", "retries", "url"]);
  });

  it("that is incomplete is reported by missing keys, and other errors in the message", async () => {
    vi.stubEnv("SVC_API_URL", undefined);
    vi.stubEnv("SVC_API_KEY", undefined);
    try {
      const refused = fixture.driver.configure({});
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
      await expect(fixture.driver.configure({})).rejects.toMatchObject({
        code: "INVALID_ARGUMENT",
        missingKeys: [],
        message: expect.stringMatching(
          /svc:url: no server.*svc:apiKey: no API key.*svc:authScheme: unknown .* "basic"/s,
        ) as string,
      });
    } finally {
      vi.unstubAllEnvs();
    }
  });

  it("reports an invalid URL once, with an example", async () => {
    const { failures } = await fixture.driver.checkConfig({ url: "acme", apiKey: "k" });
    const reason =
      "the server address acme has no scheme. Set an origin such as https://acme.example.com.";
    expect(failures).toEqual([{ property: "url", reason }]);
  });

  it("that does not work fails at Configure, without the key in the message", async () => {
    const refused = fixture.driver.configure({ url: fixture.service.url, apiKey: "sk-not-a-key" });
    await expect(refused).rejects.toMatchObject({ code: "UNAUTHENTICATED" });
    await expect(refused).rejects.not.toThrow("sk-not-a-key");
    await expect(
      fixture.driver.configure({ url: "http://127.0.0.1:9", apiKey: "k", retries: 0 }),
    ).rejects.toMatchObject({ code: "ABORTED" });
  });

  it("may be unknown in a preview", async () => {
    const fresh = await startProvider();
    try {
      await fresh.driver.configure({ url: unknownValue });
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
    expect(await fixture.driver.schema()).toEqual({ ...committed, version: "1.2.3" });
    expect(packageSchema({ kinds, components }, "1.2.3")).toEqual(await fixture.driver.schema());
  });

  it("accepts secrets and no outputs, as its handshake declares", async () => {
    const answer = await fixture.driver.handshake();
    expect(answer.getAcceptSecrets()).toBe(true);
    expect(answer.getAcceptOutputs()).toBe(false);
  });

  it("starts nothing more after a cancel", async () => {
    await fixture.driver.cancel();
    await expect(fixture.driver.create(tenant, { name: "acme-stores" })).rejects.toMatchObject({
      code: "CANCELLED",
    });
    expect(await liveState(fixture.service)).toEqual(fixture.initialState);
  });
});
