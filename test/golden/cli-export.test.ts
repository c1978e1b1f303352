// Tests exports on the command line: to standard output and into a folder, without overwriting files and without secrets.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startService, type TestService } from "../support/test-service.ts";
import { makeStack, type TestStack } from "../support/test-stack.ts";
import { type TestFolder, makeFolder, runSvc } from "./run-cli.ts";

const slowTest = { timeout: 60_000 };
const secret = "hush-4711";

let service: TestService;
let stack: TestStack;
let env: Record<string, string>;
let folder: TestFolder;

beforeAll(async () => {
  service = await startService();
  env = { SVC_API_URL: service.url, SVC_API_KEY: service.adminKey };
  folder = makeFolder({});
  stack = await makeStack({ url: service.url, key: service.adminKey });
  await stack.write([
    { kind: "EmbedTenant", name: "t", spec: { name: "acme-corp" } },
    { kind: "EmbedGroup", name: "g", spec: { embedTenant: "t", name: "viewers" } },
    {
      kind: "EmbedUser",
      name: "u",
      spec: { embedTenant: "t", externalId: "jane", tenantGroups: ["g"] },
    },
    { kind: "Deployment", name: "d", spec: { name: "production", region: "aws-us-east-1" } },
    { kind: "Folder", name: "sales", spec: { deployment: "d", name: "Sales" } },
    { kind: "Folder", name: "europe", spec: { deployment: "d", name: "Europe", parent: "sales" } },
    {
      kind: "EnvironmentVariable",
      name: "v",
      spec: { deployment: "d", name: "CURRENCY", value: "${literal:-$}{EUR}" },
    },
    {
      kind: "EnvironmentVariable",
      name: "s",
      spec: { deployment: "d", name: "DB_PASSWORD", value: secret },
    },
  ]);
  await stack.apply();
});

afterAll(async () => {
  folder.remove();
  await stack.dispose();
  await service.close();
});

function stableText(text: string): string {
  return text
    .replaceAll(service.url, "http://server")
    .replaceAll(folder.path, ".")
    .replaceAll(/(?<=version: )[0-9.]+$/gmu, "1.2.3");
}

describe("export", slowTest, () => {
  it("prints one stack, with unreadable values as comments", async () => {
    const { code, out, err } = await runSvc(["export", "--quiet"], { env });
    expect(code).toBe(0);
    expect(out + err).not.toContain(secret);
    expect(out + err).not.toContain("{EUR}");
    await expect(`${stableText(out)}\n${stableText(err)}`).toMatchFileSnapshot(
      join(import.meta.dirname, "cli-export.golden"),
    );
  });

  it("writes a folder whose plan is empty after adopt, and never overwrites a file", async () => {
    const into = join(folder.path, "harbour");
    const wrote = await runSvc(["export", "--into", into, "--split", "parent"], { env });
    expect(wrote.code).toBe(0);
    expect(stableText(wrote.out).split("\n")).toEqual(
      expect.arrayContaining(["./harbour/stack.yaml", "./harbour/deployments/production.yaml"]),
    );
    expect(readdirSync(into)).toContain("embed-tenants");
    expect(readFileSync(join(into, ".gitignore"), "utf8")).toContain("**/.svc/*\n");
    expect((await runSvc(["adopt", "--yes", into], { env })).code).toBe(0);
    expect((await runSvc(["plan", into], { env })).code).toBe(0);
    const kept = join(into, "embed-tenants/acme-corp.yaml");
    writeFileSync(kept, "# mine\n");
    const again = await runSvc(["export", "--into", into, "--split", "parent"], { env });
    expect([again.code, again.err]).toEqual([1, expect.stringContaining("would be overwritten")]);
    expect(readFileSync(kept, "utf8")).toBe("# mine\n");
    const over = ["export", "--into", into, "--split", "parent", "--overwrite"];
    expect((await runSvc(over, { env })).code).toBe(0);
    expect((await runSvc(["plan", into], { env })).code).toBe(0);
    const written = readFileSync(kept, "utf8");
    writeFileSync(kept, `# mine\n${written.replace("name: viewers", "name: viewers # seen")}`);
    const updated = await runSvc(["export", "--into", into, "--update"], { env });
    const none = "0 documents updated and 0 added in 0 files.\n";
    expect([updated.code, updated.out]).toEqual([0, none]);
    expect(readFileSync(kept, "utf8")).toContain("name: viewers # seen");
    const alone = await runSvc(["export", "--into", into, "--only-declared"], { env });
    expect([alone.code, alone.err]).toEqual([64, expect.stringContaining("--update")]);
  });

  it("leaves out what another stack owns", async () => {
    const owner = await makeStack({
      url: service.url,
      key: service.adminKey,
      name: "owner",
      inventory: "service",
    });
    await owner.write([{ kind: "UserGroup", name: "taken", spec: { name: "taken" } }]);
    await owner.apply();
    const { code, out, err } = await runSvc(["export", "UserGroup"], { env });
    expect([code, out]).toEqual([0, expect.not.stringContaining("taken")]);
    expect(err).toContain("1 object that another stack owns gets no document");
    const into = join(folder.path, "with-stack");
    mkdirSync(into);
    const stackDocument = "apiVersion: svc/v1\nkind: Stack\nmetadata: { name: with-stack }\n";
    writeFileSync(join(into, "stack.yaml"), stackDocument);
    const more = await runSvc(["export", "UserGroup", "--into", into], { env });
    expect([more.code, more.out, readdirSync(into)]).toEqual([
      0,
      "0 objects in 0 files.\n",
      ["stack.yaml"],
    ]);
    await owner.write([]);
    await owner.apply({ allowEmpty: true });
    await owner.dispose();
  });

  it("says that an update added what the stack did not declare, and drift fails with an error line", async () => {
    const into = join(folder.path, "growing");
    mkdirSync(into);
    const stackDocument = "apiVersion: svc/v1\nkind: Stack\nmetadata: { name: growing }\n";
    writeFileSync(join(into, "stack.yaml"), stackDocument);
    const declared = ["export", "UserGroup", "--into", into, "--update", "--only-declared"];
    const none = await runSvc(declared, { env });
    expect([none.code, none.out]).toEqual([0, "0 documents updated and 0 added in 0 files.\n"]);
    await service.send("POST", "/api/v1/user-groups", { body: { name: "undeclared" } });
    const { out } = await runSvc(["export", "UserGroup", "--into", into, "--update"], { env });
    expect(out).toMatch(/^added UserGroup\/undeclared$/mu);
    expect(out).toMatch(/The stack does not own the added objects\. .* pass --only-declared\.\n$/u);
    const drifted = await runSvc(["drift", into], { env });
    expect([drifted.code, drifted.out]).toEqual([
      1,
      expect.stringContaining("UserGroup/undeclared"),
    ]);
    expect(drifted.err).toBe("error: the report has 2 errors [invalid]\n");
  });

  it("exports only the named kinds, with external references to others", async () => {
    const { code, out } = await runSvc(["export", "EmbedGroup", "--no-stack", "--quiet"], { env });
    expect(code).toBe(0);
    expect(out).toContain("external: acme-corp");
    expect(out).not.toContain("kind: Stack");
    const wrong = await runSvc(["export", "EmbedGruop"], { env });
    expect([wrong.code, wrong.err]).toEqual([
      64,
      expect.stringContaining("Did you mean EmbedGroup?"),
    ]);
  });

  it("names workbooks without a slug, which no manifest can declare, as drift --unmanaged does", async () => {
    const created = await runSvc(["workbooks", "create", "production", "Untitled"], { env });
    expect(created.code).toBe(0);
    const into = join(folder.path, "workbooks");
    const warning = "1 Workbook without a slug cannot be declared";
    const exported = await runSvc(["export", "Workbook", "--into", into], { env });
    expect(exported.err).toContain(warning);
    expect(exported.err).toMatch(/"Untitled" of deployment production \(ID \d+\)/u);
    expect(exported.err).toMatch(/svc workbooks update production \d+ --slug SLUG/u);
    const drift = await runSvc(["drift", into, "--unmanaged"], { env });
    expect(drift.out + drift.err).toContain(warning);
  });

  it("prints files and diagnostics as JSON", async () => {
    const { code, out } = await runSvc(
      ["export", "EmbedTenant", "--no-stack", "--json", "--quiet"],
      {
        env,
      },
    );
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({
      report: "export",
      summary: { declared: 1, incomplete: 0 },
      files: [{ path: "stack.yaml", text: expect.stringContaining("name: acme-corp") }],
    });
    expect(existsSync(join(folder.path, "stack.yaml"))).toBe(false);
  });
});
