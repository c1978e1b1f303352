// Tests `svc login` and its contexts with the real command line and server, approved on the sign-in pages.
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { activeContext, resolveAccess } from "../../client/access.ts";
import { createClient } from "../../client/client.ts";
import { readContexts, saveContext } from "../../client/context-file.ts";
import { getCurrentUser } from "../../api/users.ts";
import { Secret } from "../../core/secret.ts";
import { inTransaction } from "../../service/store/transaction.ts";
import { makeFolder, runSvc, type TestFolder } from "../golden/run-cli.ts";
import { Browser, invite, startLogin } from "../support/sign-in.ts";
import { startService, type TestService } from "../support/test-service.ts";

let service: TestService;
let folder: TestFolder;

beforeAll(async () => {
  service = await startService();
  folder = makeFolder({});
});
afterAll(async () => {
  folder.remove();
  await service.close();
});

const env = () => ({ SVC_CONFIG_FILE: join(folder.path, "svc", "config.toml") });
const file = () => env().SVC_CONFIG_FILE;
const svc = (...args: string[]) => runSvc(args, { env: env() });

/** Signs in on the command line; a browser approves the code that it prints. */
async function login(username: string, ...flags: string[]) {
  const browser = new Browser(service.url);
  const { url } = await invite(service, { username, isAdmin: true });
  await browser.setPassword(url, "correct horse battery");
  const { code, ended } = await startLogin(["--url", service.url, ...flags], env());
  expect(await browser.decide(code, "approve")).toContain("connected");
  return ended;
}

it("signs in by a device code, renews an expired token once for all, and signs out", async () => {
  const { code, out, err } = await login("lena", "--name", "work");
  expect({ code, out }).toMatchObject({ code: 0, out: expect.stringContaining("as lena") });
  expect(err).toMatch(/Waiting for the approval until \d\d:\d\d UTC \(\d+ minutes\)/u);
  expect(statSync(file()).mode & 0o777).toBe(0o600);
  expect(statSync(join(folder.path, "svc")).mode & 0o777).toBe(0o700);
  expect(JSON.parse((await svc("whoami", "--json")).out)).toMatchObject({
    username: "lena",
    context: "work",
    credential: { type: "access-token", source: "context", expiresAt: expect.any(String) },
    limits: {},
  });
  expect((await svc("whoami")).out).toMatch(
    /context +work\ncredential +sign-in from the context; it expires at \S+ and is renewed then\n[^]*limits +none/u,
  );
  expect((await svc("context", "list")).out).toMatch(/\* +work +http:\S+ +sign-in/);
  expect((await svc("deployments", "list")).code).toBe(0);

  const before = activeContext(env());
  await inTransaction(service.db, (tx) =>
    tx
      .updateTable("oauth_records")
      .set({ expires_at: "2020-01-01T00:00:00.000Z" })
      .where("model", "=", "AccessToken")
      .execute(),
  );
  // Parallel commands and parallel requests of one client use one refresh, because a second one would end the sign-in.
  const { url = "", credential, renewCredential } = resolveAccess({}, env());
  const client = createClient({ url, credential, renewCredential });
  const calls = [1, 2, 3].map(() => client.call(getCurrentUser, {}));
  const commands = [svc("whoami"), svc("whoami")];
  expect(await Promise.all(calls)).toMatchObject([{ username: "lena" }, {}, {}]);
  expect((await Promise.all(commands)).map((one) => one.code)).toEqual([0, 0]);
  await client.close();
  const after = activeContext(env());
  expect(after?.apiKey.reveal()).not.toBe(before?.apiKey.reveal());
  expect(after?.refreshToken?.reveal()).not.toBe(before?.refreshToken?.reveal());

  expect((await svc("logout")).out).toContain("work");
  expect(readContexts(file())).toEqual({ active: undefined, contexts: [] });
  const revoked = await service.send("GET", "/api/v1/users/me", {
    key: after?.apiKey.reveal() ?? null,
  });
  expect(revoked.status).toBe(401);
});

it("signs in with an API key, and prefers flags and the environment to a context", async () => {
  const key = join(folder.path, "key");
  writeFileSync(key, `${service.adminKey}\n`);
  const { code } = await svc("login", "--url", service.url, "--api-key-file", key, "--name", "ci");
  expect(code).toBe(0);
  expect(readFileSync(file(), "utf8")).toContain("[contexts.ci]");
  expect((await svc("whoami")).out).toContain("admin");
  const limited = { name: "reader", permissions: ["ReadAll"], deploymentIds: [1] };
  const { body } = await service.send("POST", "/api/v1/api-keys", { body: limited });
  const SVC_API_KEY = (body as { token: string }).token;
  const withKey = { env: { ...env(), SVC_API_URL: service.url, SVC_API_KEY } };
  expect((await runSvc(["whoami"], withKey)).out).toMatch(
    /context +none\ncredential +API key "reader" from SVC_API_KEY\n[^]*permissions +ReadAll\ndeployments +1\n/u,
  );
  expect((await runSvc(["doctor"], withKey)).out).toContain(
    'admin: API key "reader" from SVC_API_KEY; only the permissions ReadAll; only the deployments 1',
  );
  // The credential of a context never goes to another server.
  const other = await svc("whoami", "--url", "http://127.0.0.1:9");
  expect(other).toMatchObject({ code: 77, err: expect.stringContaining("no credential") });
  expect(resolveAccess({}, { ...env(), SVC_API_KEY: "sk-other" })).toMatchObject({
    url: service.url,
    credential: new Secret("sk-other"),
  });
  const oidc = { ...env(), SVC_OIDC_TOKEN: "eyJ0" };
  expect(resolveAccess({}, oidc)).toMatchObject({ url: service.url, source: "oidc" });
  writeFileSync(key, "sk-wrong");
  const wrong = await svc("login", "--url", service.url, "--api-key-file", key, "--name", "no");
  expect(wrong.code).not.toBe(0);
  expect(readContexts(file()).contexts.map(({ name }) => name)).toEqual(["ci"]);
});

it("keeps what it does not know, and reports a damaged file without its content", async () => {
  const path = file();
  writeFileSync(path, `note = "kept"\n${readFileSync(path, "utf8")}`);
  const saved = {
    name: "b.c",
    url: service.url,
    apiKey: new Secret("sk-b"),
    refreshToken: undefined,
  };
  await Promise.all([
    saveContext(path, saved, { isActive: false }),
    saveContext(path, { ...saved, name: "d" }, { isActive: false }),
  ]);
  expect(
    readContexts(path)
      .contexts.map(({ name }) => name)
      .toSorted(),
  ).toEqual(["b.c", "ci", "d"]);
  expect(readFileSync(path, "utf8")).toContain('note = "kept"');
  expect((await svc("context", "use", "b.c")).code).toBe(0);
  expect(activeContext(env())?.name).toBe("b.c");
  expect((await svc("context", "use", "zz")).err).toContain("there is no context");
  // For one command, over the environment and the active context.
  const elsewhere = { ...env(), SVC_API_URL: "http://127.0.0.1:9", SVC_API_KEY: "sk-wrong" };
  const whoami = await runSvc(["whoami", "--context", "ci"], { env: elsewhere });
  expect(whoami.out).toMatch(/context +ci\n/u);
  expect(activeContext(env())?.name).toBe("b.c");
  expect((await svc("whoami", "--context", "zz")).err).toContain('there is no context "zz"');
  const both = await svc("whoami", "--context", "ci", "--url", service.url);
  expect(both.err).toContain("cannot be used with");
  writeFileSync(path, '[contexts.x]\nurl = "http://127.0.0.1:1"\napi_key = "sk-secret\n');
  const damaged = await svc("whoami");
  expect(damaged.err).toContain("damaged");
  expect(damaged.err).not.toContain("sk-secret");
});

it("advises only contexts that exist, and how to create one where there is none", async () => {
  const nowhere = { SVC_CONFIG_FILE: join(folder.path, "advice", "config.toml") };
  const advice = async () => {
    const ran = [["logout"], ["logout", "--name", "zz"], ["context", "use", "zz"], ["doctor"]].map(
      (args) => runSvc(args, { env: nowhere }),
    );
    return (await Promise.all(ran)).map(({ out, err }) => out + err);
  };
  const context = { url: service.url, apiKey: new Secret("sk-a"), refreshToken: undefined };
  const save = (name: string) =>
    saveContext(nowhere.SVC_CONFIG_FILE, { ...context, name }, { isActive: true });
  const [logout, logoutName, use, doctor] = await advice();
  for (const text of [logout, logoutName, use])
    expect(text).toContain("Create one with `svc login`");
  expect(doctor).toContain("no contexts are saved");

  await save("a");
  await save("b");
  expect((await runSvc(["logout"], { env: nowhere })).out).toContain("Removed the context b");
  for (const text of await advice()) {
    expect(text).toContain(
      "The only one is a: activate it with `svc context use a`, or run `svc login`.",
    );
  }
  expect((await runSvc(["logout", "--name", "a"], { env: nowhere })).code).toBe(0);
  expect(await advice()).toEqual([logout, logoutName, use, doctor]);
});
