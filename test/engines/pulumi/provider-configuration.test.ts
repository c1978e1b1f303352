// How the engine configures the provider and speaks with it, call by call, against the real service.
import { readFileSync } from "node:fs";
import { describe, expect, it, vi } from "vitest";
import type { JsonObject } from "../../../core/json.ts";
import { packageSchema } from "../../../provider/pulumi/schema.ts";
import { Sealed, unknown } from "../../../provider/pulumi/values.ts";
import { components, kinds } from "../../../resources/index.ts";
import { liveState } from "../../support/live.ts";
import { callProvider, named } from "./calls.ts";
import { startProvider } from "./driver.ts";

const calls = callProvider();
const { tenant } = named;

describe("configuration", () => {
  it("is checked as far as it is known, and takes what the engine adds", async () => {
    const news = {
      version: "1.2.3",
      url: unknown,
      requestsPerSecond: "2.5",
      pluginDownloadURL: "x",
    };
    const { inputs, failures } = await calls.driver.checkConfig(news);
    expect(failures).toEqual([]);
    expect(inputs).toEqual(news);
    const wrong = { ulr: "x", retries: "many", authScheme: "basic" };
    const told = await calls.driver.checkConfig(wrong);
    expect(told.failures.map(({ property }) => property)).toEqual(["retries", "ulr"]);
    const scheme = await calls.driver.checkConfig({ authScheme: "basic" });
    expect(scheme.failures.map(({ property }) => property)).toEqual(["authScheme"]);
  });

  it("that changes is told setting by setting, and replaces nothing", async () => {
    const olds = { url: "https://a.example", apiKey: new Sealed("k"), version: "1.2.3" };
    expect(await calls.driver.diffConfig(olds, olds)).toMatchObject({ changes: "none", diffs: [] });
    const sealedAnew = { ...olds, apiKey: new Sealed("k") };
    expect(await calls.driver.diffConfig(olds, sealedAnew)).toMatchObject({ changes: "none" });
    const news = { ...olds, url: unknown, apiKey: new Sealed("other"), retries: "2" };
    const { changes, diffs, replaces } = await calls.driver.diffConfig(olds, news);
    expect({ changes, replaces }).toEqual({ changes: "some", replaces: [] });
    expect(diffs.toSorted()).toEqual(["apiKey", "retries", "url"]);
  });

  it("that is missing is told by its key, and what is wrong beside it in words", async () => {
    vi.stubEnv("SVC_API_URL", undefined);
    vi.stubEnv("SVC_API_KEY", undefined);
    try {
      const refused = calls.driver.configure({});
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
      await expect(calls.driver.configure({})).rejects.toMatchObject({
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

  it("tells an address that is none, and once what one looks like", async () => {
    const { failures } = await calls.driver.checkConfig({ url: "acme", apiKey: "k" });
    const reason =
      "The server's address has to be a URL; give one such as https://acme.example.com";
    expect(failures).toEqual([{ property: "url", reason }]);
  });

  it("that does not work fails before anything else, without the key in the message", async () => {
    const refused = calls.driver.configure({ url: calls.service.url, apiKey: "sk-not-a-key" });
    await expect(refused).rejects.toMatchObject({ code: "UNAUTHENTICATED" });
    await expect(refused).rejects.not.toThrow("sk-not-a-key");
    await expect(
      calls.driver.configure({ url: "http://127.0.0.1:9", apiKey: "k", retries: 0 }),
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
    expect(await calls.driver.schema()).toEqual({ ...committed, version: "1.2.3" });
    expect(packageSchema({ kinds, components }, "1.2.3")).toEqual(await calls.driver.schema());
  });

  it("says what it takes", async () => {
    const answer = await calls.driver.handshake();
    expect(answer.getAcceptSecrets()).toBe(true);
    expect(answer.getAcceptOutputs()).toBe(false);
  });

  it("begins nothing more once it is cancelled", async () => {
    await calls.driver.cancel();
    await expect(calls.driver.create(tenant, { name: "acme-stores" })).rejects.toMatchObject({
      code: "CANCELLED",
    });
    expect(await liveState(calls.service)).toEqual(calls.bare);
  });
});
