// Tests requests from the command line without a manifest: `svc spec` and `svc api` against the real service.
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { startService, type TestService } from "../support/test-service.ts";
import {
  type CommandOptions,
  type CommandResult,
  makeFolder,
  runSvc,
  startSvc,
  type TestFolder,
} from "./run-cli.ts";

/** Every step is a separate process, and test machines are busy. */
const slowTest = { timeout: 60_000 };

let service: TestService;
let env: Record<string, string>;

beforeAll(async () => {
  service = await startService();
  env = { SVC_API_URL: service.url, SVC_API_KEY: service.adminKey };
});

afterAll(() => service.close());

function run(
  args: readonly string[],
  folder: TestFolder,
  how: CommandOptions = {},
): Promise<CommandResult> {
  return runSvc(args, { cwd: folder.path, env, ...how });
}

describe("the OpenAPI document of the server", slowTest, () => {
  it("is listed, and filtered by a pattern", async () => {
    const list = await runSvc(["spec", "REGIONS"], { env });
    expect(list.out).toMatch(/^METHOD +PATH +SUMMARY\nGET +\/api\/v1\/regions +List regions\n$/u);
    const json = await runSvc(["spec", "REGIONS", "--json"], { env });
    const { paths } = JSON.parse(json.out) as { paths: object };
    expect(Object.keys(paths)).toEqual(["/api/v1/regions"]);
    const none = await runSvc(["spec", "regionz"], { env });
    expect([none.code, none.out]).toEqual([1, ""]);
    expect(none.err).toContain("Did you mean regions?");
  });

  it("may be cut off by the reader of the pipe", async () => {
    const cut = await startSvc(["spec", "--json"], { env });
    cut.child.stdout?.destroy();
    const { code, err } = await cut.ended;
    expect([code, err]).toEqual([0, ""]);
  });
});

describe("a bare request", slowTest, () => {
  it("takes its query and body from the command line, a file or standard input", async () => {
    const regions = await runSvc(["api", "get", "/api/v1/regions", "-q", "first=1"], { env });
    expect((JSON.parse(regions.out) as { items: unknown[] }).items).toHaveLength(1);
    const folder = makeFolder({ "body.json": '{"name":"bare-file"}' });
    onTestFinished(() => folder.remove());
    const post = ["api", "POST", "/api/v1/user-groups", "-d"];
    expect((await run([...post, '{"name":"bare-word"}'], folder)).code).toBe(0);
    expect((await run([...post, "@body.json"], folder)).code).toBe(0);
    expect((await run([...post, "-"], folder, { input: '{"name":"bare-input"}' })).code).toBe(0);
    const { body } = await service.send("GET", "/api/v1/user-groups?first=1000");
    const { items } = body as { items: readonly { readonly name: string }[] };
    expect(items.filter(({ name }) => name.startsWith("bare-"))).toHaveLength(3);
    expect((await run([...post, "{name:"], folder)).code).toBe(64);
    expect((await run([...post, '{"name":"bare-word"}'], folder)).code).toBe(4);
  });

  it("prints what a jq expression makes of the answer, and errors as JSON with --json", async () => {
    const jq = ["--jq", ".items[0].name"];
    const name = await runSvc(["api", "GET", "/api/v1/regions", "-q", "first=1", ...jq], { env });
    expect([name.code, name.out]).toEqual([0, expect.stringMatching(/^[a-z0-9-]+\n$/u)]);
    const unknown = await runSvc(["api", "GET", "/api/v1/no-such-thing", "--json"], { env });
    expect([unknown.code, JSON.parse(unknown.out)]).toEqual([
      1,
      {
        format: 1,
        report: "failure",
        error: expect.objectContaining({ code: "unknown_route" }),
      },
    ]);
  });

  it("reads the key from a file, or from the ready file of the server", async () => {
    const ready = JSON.stringify({ url: service.url, apiKey: service.adminKey });
    const folder = makeFolder({ key: `${service.adminKey}\n`, "ready.json": ready });
    onTestFinished(() => folder.remove());
    const get = ["api", "GET", "/api/v1/regions"];
    const bare = { env: {} };
    expect((await run([...get, "--ready-file", "ready.json"], folder, bare)).code).toBe(0);
    const url = ["--url", service.url];
    expect((await run([...get, ...url, "--api-key-file", "key"], folder, bare)).code).toBe(0);
    const input = service.adminKey;
    const piped = { ...bare, input };
    expect((await run([...get, ...url, "--api-key-file", "-"], folder, piped)).code).toBe(0);
  });

  it("reads the ready file of a server that listens to all interfaces, or has several accounts", async () => {
    const { port } = new URL(service.url);
    const all = { url: `http://0.0.0.0:${port}`, apiKey: service.adminKey };
    const accounts = [
      { name: "acme", hosts: ["acme.svc.test"], apiKey: "sk-other" },
      { name: "here", hosts: ["here.svc.test", "127.0.0.1"], apiKey: service.adminKey },
    ];
    const folder = makeFolder({
      "all.json": JSON.stringify(all),
      "six.json": JSON.stringify({ ...all, url: `http://[::]:${port}` }),
      "accounts.json": JSON.stringify({ url: service.url, accounts }),
    });
    onTestFinished(() => folder.remove());
    const who = (...args: readonly string[]) => run(["whoami", ...args], folder, { env: {} });
    expect((await who("--ready-file", "all.json")).code).toBe(0);
    const doctor = await run(["doctor", "--ready-file", "six.json"], folder, { env: {} });
    expect(doctor.out).toContain(`http://[::1]:${port}`);
    const several = ["--ready-file", "accounts.json"];
    const url = ["--url", service.url];
    expect((await who(...several, ...url)).code).toBe(0);
    // With the address of a single account, only the key comes from the file.
    expect((await who("--ready-file", "six.json", ...url)).code).toBe(0);
    const unnamed = await who(...several);
    expect([unnamed.code, unnamed.err]).toEqual([
      64,
      expect.stringContaining("acme.svc.test, here.svc.test, 127.0.0.1"),
    ]);
    const unknown = await who(...several, "--url", "https://other.svc.test");
    expect([unknown.code, unknown.err]).toEqual([
      64,
      expect.stringContaining("none on the host other.svc.test"),
    ]);
  });

  it("reports the error of the server for an unknown path", async () => {
    const { code, out, err } = await runSvc(["api", "GET", "/api/v1/no-such-thing"], { env });
    expect([code, out]).toEqual([1, ""]);
    const { body } = await service.send("GET", "/api/v1/no-such-thing");
    const { message } = body as { message: string };
    expect(message.length).toBeGreaterThan(10);
    expect(err).toMatch(/^error: .* \[unknown_route\]$/mu);
    expect(err).toContain(message);
  });

  it("refuses an unknown authentication scheme; known ones may be written in any case", async () => {
    const call = (SVC_AUTH_SCHEME: string): Promise<CommandResult> =>
      runSvc(["api", "GET", "/api/v1/regions"], { env: { ...env, SVC_AUTH_SCHEME } });
    expect((await call("basic")).code).toBe(64);
    for (const scheme of ["bearer", "Bearer", "api-key", "Api-Key", ""]) {
      expect((await call(scheme)).code).toBe(0);
    }
  });
});
