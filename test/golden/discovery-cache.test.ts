// Tests that the API document of a server is read again only after it changed.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { listUserGroups } from "../../api/user-groups.ts";
import { makeFolder, startSvc, type TestFolder } from "./run-cli.ts";
import { startService } from "../support/test-service.ts";
import { discoverApi, type OfferedApi } from "../../client/api-discovery.ts";
import { userDiscoveryCache } from "../../client/discovery-cache.ts";

let folder: TestFolder;
const kept = () => {
  const servers = join(folder.path, "cache/svc/servers");
  return readdirSync(servers).map((name) => join(servers, name));
};

beforeEach(() => {
  folder = makeFolder({});
  vi.stubEnv("XDG_CACHE_HOME", join(folder.path, "cache"));
});
afterEach(() => {
  vi.unstubAllEnvs();
  folder.remove();
});

it("is kept by one command for the next, and read again if the file is damaged", async () => {
  const service = await startService();
  try {
    folder.write({
      "stack.yaml": "apiVersion: svc/v1\nkind: Stack\nmetadata: { name: one }\nspec: {}\n",
      "group.yaml":
        "apiVersion: svc/v1\nkind: UserGroup\nmetadata: { name: one }\nspec: { name: analysts }\n",
    });
    const env = {
      SVC_API_URL: service.url,
      SVC_API_KEY: service.adminKey,
      XDG_CACHE_HOME: join(folder.path, "cache"),
    };
    const plan = async (): Promise<string> => {
      const { out, err } = await (await startSvc(["plan", folder.path], { env })).ended;
      return out + err;
    };
    expect(await plan()).toContain("1 to create");
    const [file = ""] = kept();
    const offered = JSON.parse(readFileSync(file, "utf8")) as OfferedApi;
    // A server with the same document offers the same operations.
    const route = `${listUserGroups.method} ${listUserGroups.path}`;
    expect(offered.routes).toContain(route);
    const routes = offered.routes.filter((one) => one !== route);
    writeFileSync(file, JSON.stringify({ ...offered, routes }));
    expect(await plan()).toContain("not-readable");
    writeFileSync(file, JSON.stringify({ ...offered, routes: 1 }));
    expect(await plan()).toContain("1 to create");
    writeFileSync(file, JSON.stringify({ ...offered, routes, etag: '"of another document"' }));
    expect(await plan()).toContain("1 to create");
    expect(JSON.parse(readFileSync(file, "utf8"))).toEqual(offered);
  } finally {
    await service.close();
  }
});

it("is kept for 32 servers, with an entity tag only, and nothing fails without a folder", async () => {
  const cache = userDiscoveryCache();
  const discover = (at: number, etag: string | undefined) =>
    discoverApi(
      `https://cached-${at}.example.com`,
      async () => ({ unchanged: false, value: { paths: { "/a/{id}/": { get: {} } } }, etag }),
      cache,
    );
  for (let at = 0; at < 40; at++) await discover(at, `"${at}"`);
  expect(kept()).toHaveLength(32);
  await discover(40, undefined);
  expect(cache.read("https://cached-40.example.com")).toBeUndefined();
  expect(cache.read("https://cached-39.example.com")).toEqual({
    etag: '"39"',
    routes: ["GET /a/{}"],
    parameters: [],
  });
  vi.stubEnv("XDG_CACHE_HOME", "/dev/null");
  const api = await discover(41, '"41"');
  expect(api.has({ method: "GET", path: "/a/{id}" })).toBe(true);
});
