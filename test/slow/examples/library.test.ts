// Tests the installed package: type-checks and runs every program of the pages about the library.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Secret } from "../../../core/secret.ts";
import { stateServer } from "../../../reconciler/inventory/service.ts";
import { inventoryStore } from "../../../reconciler/inventory/inventory-store.ts";
import {
  newestVersion,
  olderVersion,
  setVersionListed,
  deployedVersions,
} from "../../promotion/fixture.ts";
import { startService, type TestService } from "../../support/test-service.ts";
import {
  type ConsumerProject,
  type CommandResult,
  makeConsumerProject,
} from "../../examples/consumer-project.ts";

const root = join(import.meta.dirname, "../../..");
const pages = ["docs/reference/library.md", "docs/how-to/use-the-library.md"]
  .map((page) => readFileSync(join(root, page), "utf8"))
  .join("\n");
const programs = new Map(
  [...pages.matchAll(/```ts\n\/\/ (\S+)\n(.*?)```/gsu)].map(([, name = "", text = ""]) => [
    name,
    text,
  ]),
);

let consumer: ConsumerProject;
let service: TestService;
let env: Readonly<Record<string, string>>;

// The first test of a run that needs the package builds it.
beforeAll(async () => {
  [consumer, service] = await Promise.all([makeConsumerProject(), startService()]);
  env = { SVC_API_URL: service.url, SVC_API_KEY: service.adminKey };
  for (const [name, text] of programs) consumer.writeStack(name, text);
  consumer.writeStack(
    "plan-and-apply.ts",
    'await import("./plan.ts");\nawait import("./apply.ts");\n',
  );
});

afterAll(async () => {
  await service.close();
  consumer.remove();
});

/** Runs a program of the page, which must succeed. */
async function run(name: string, ...args: readonly string[]): Promise<string> {
  const { code, out, err }: CommandResult = await consumer.node([name, ...args], env);
  expect({ code, err }).toEqual({ code: 0, err: "" });
  return out;
}

interface StackSettings {
  readonly policy?: string;
  readonly group?: string;
  readonly version?: string;
  readonly promotion?: string;
}

/** Writes the stack that all programs use. */
function write({
  policy = "prune: true",
  group = "first",
  version,
  promotion,
}: StackSettings): void {
  const pinned = version === undefined ? "" : `, version: ${version}`;
  const stage = `{ name: dev, deployments: { names: [dev] }, source: { channel: latest }, promotion: ${promotion} }`;
  const documents = [
    `kind: Stack\nmetadata: { name: lib }\nspec: { policy: { ${policy} } }`,
    `kind: UserGroup\nmetadata: { name: one }\nspec: { name: ${group}, description: of ${group} }`,
    `kind: Deployment\nmetadata: { name: dev }\nspec: { name: dev, region: aws-us-east-1, release: { channel: latest${pinned} } }`,
    ...(promotion === undefined
      ? []
      : [`kind: Pipeline\nmetadata: { name: platform }\nspec: { stages: [${stage}] }`]),
  ];
  consumer.writeStack(
    "infra/stack.yaml",
    documents.map((one) => `apiVersion: svc/v1\n${one}\n`).join("---\n"),
  );
}

interface Group {
  readonly id: number;
  readonly name: string;
}

async function groups(): Promise<readonly Group[]> {
  const { body } = await service.send("GET", "/api/v1/user-groups?first=100");
  return (body as { items: readonly Group[] }).items;
}

async function names(): Promise<readonly string[]> {
  return (await groups()).map(({ name }) => name);
}

describe("the library, as a project imports it", () => {
  it("has the types that the programs are written by", { timeout: 60_000 }, async () => {
    expect([...programs.keys()]).toEqual(
      expect.arrayContaining(["options.ts", "plan.ts", "apply.ts", "undo.ts", "unlock.ts"]),
    );
    expect(await consumer.typeCheck([...programs.keys()])).toBe("");
    const mistaken = `import { plan } from "svc-as-code/reconciler";\nawait plan({ paths: 4 });\n`;
    consumer.writeStack("mistaken.ts", mistaken);
    expect(await consumer.typeCheck(["mistaken.ts"])).toMatch(/^mistaken\.ts\(2,/u);
  });

  it("plans, applies that plan, detects drift, and undoes the last run", async () => {
    await setVersionListed(service, { version: olderVersion, channel: "latest" }, true);
    write({ version: olderVersion });
    const applied = await run("plan-and-apply.ts");
    expect(applied).toContain("+ UserGroup/one");
    expect(applied).toContain("2/2");
    expect(applied).toMatch(/^\d+ calls$/mu);
    expect(await names()).toContain("first");
    write({ version: olderVersion, group: "second" });
    await run("plan-and-apply.ts");
    expect(await run("undo.ts")).toContain("update UserGroup/one done");
    expect(await names()).toContain("first");
    write({ version: olderVersion });
    const [one] = (await groups()).filter(({ name }) => name === "first");
    const body = { description: "of another hand" };
    await service.send("PATCH", `/api/v1/user-groups/${one?.id}`, { body });
    const seen = await run("drift.ts");
    expect(seen).toContain("UserGroup/one /description");
    expect(seen).toMatch(/^[1-9]\d* objects are not declared$/mu);
  }, 60_000);

  it("exports, and adopts what was exported", async () => {
    await service.send("POST", "/api/v1/user-groups", { body: { name: "by-hand" } });
    expect(await run("export.ts")).toMatch(/^[1-9]\d* objects in .*stack\.yaml/mu);
    // The stack of the previous test keeps its objects on the same service.
    const taken = await run("adopt.ts");
    expect(taken).toContain("UserGroup/by-hand");
    expect(taken).not.toContain("UserGroup/first");
  }, 60_000);

  it("promotes a version, and rolls it back", async () => {
    write({});
    await run("plan-and-apply.ts");
    write({ promotion: "approval" });
    expect(await run("promote.ts")).toContain("dev no step");
    write({ promotion: "automatic" });
    expect(await run("promote.ts")).toContain(`${newestVersion} is promoted to dev`);
    expect(await deployedVersions(service)).toMatchObject({ dev: newestVersion });
    expect(await run("rollback.ts")).toContain(`back to ${olderVersion}`);
    expect(await deployedVersions(service)).toMatchObject({ dev: olderVersion });
  }, 60_000);

  it("breaks a lock, and is notified of a closed window and of a signal", async () => {
    write({ group: "third" });
    const at = { url: service.url, credential: new Secret(service.adminKey) };
    await using server = stateServer(at);
    const { info } = await inventoryStore(server.backend("lib"), "lib").lock("apply");
    expect(await run("unlock.ts", info.id, "--yes")).toBe("lib is unlocked\n");
    const freeze = "freezes: [{ to: 2999-01-01T00:00:00Z, reason: audit, owner: ops }]";
    write({ group: "third", policy: freeze });
    expect(await run("plan-and-apply.ts")).toContain(
      "not now: changes are not allowed now: a freeze of the Stack (audit)",
    );
    expect(await names()).not.toContain("third");
    const stopped = `import { isFailure, plan } from "svc-as-code/reconciler";
import { options } from "./options.ts";
await plan({ ...options, signal: AbortSignal.abort() }).catch((error: unknown) => console.log(isFailure(error, "aborted")));
`;
    consumer.writeStack("stopped.ts", stopped);
    expect(await run("stopped.ts")).toBe("true\n");
  }, 60_000);
});
