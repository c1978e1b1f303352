// Tests the program of docs/reference/manifests.md that prints a stack: as a user has it, with the installed package.
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { startService, type TestService } from "../../support/test-service.ts";
import { type ConsumerProject, makeConsumerProject } from "../../examples/consumer-project.ts";

const root = join(import.meta.dirname, "../../..");
const page = readFileSync(join(root, "docs/reference/manifests.md"), "utf8");
const [, program = ""] = /```ts\n\/\/ customers\.ts\n(.*?)```/su.exec(page) ?? [];
const [, commands = ""] = /```sh\n(.*?)```/su.exec(page) ?? [];
const [planCommand = "", applyCommand = ""] = commands.trim().split("\n");

let consumer: ConsumerProject;
let service: TestService;

// The first test of a run that needs the package builds it.
beforeAll(async () => {
  [consumer, service] = await Promise.all([makeConsumerProject(), startService()]);
  consumer.writeStack("customers.ts", program);
  const bin = join(consumer.folder, "bin");
  mkdirSync(bin);
  const launcher = `#!/bin/sh\nexec node '${join(consumer.package, "dist/svc.js")}' "$@"\n`;
  writeFileSync(join(bin, "svc"), launcher);
  chmodSync(join(bin, "svc"), 0o755);
});

afterAll(async () => {
  await service.close();
  consumer.remove();
});

/** Runs a command of the page in a shell, while the service answers it. */
async function shell(command: string) {
  const PATH = [join(consumer.folder, "bin"), dirname(process.execPath), process.env["PATH"]];
  writeFileSync(join(consumer.folder, "command.sh"), command);
  const run = `import { spawnSync } from "node:child_process";
process.exitCode = spawnSync("sh", ["command.sh"], { stdio: "inherit" }).status;`;
  return consumer.node(["--input-type=module", "-e", run], {
    PATH: PATH.join(":"),
    SVC_API_URL: service.url,
    SVC_API_KEY: service.adminKey,
  });
}

it("is planned and applied from the stream that it prints", async () => {
  const planned = await shell(planCommand);
  expect(planned.code).toBe(0);
  expect(planned.out).toContain("+ EmbedTenant/umbrella");
  const applied = await shell(applyCommand);
  expect(applied.code).toBe(0);
  expect((await shell(planCommand)).out).toContain("nothing to do, 4 unchanged");
  expect((await shell(planCommand.replace("plan", "drift"))).code).toBe(0);
  expect((await shell(planCommand.replace("plan", "lint"))).out).toContain("is valid: 4 objects");
  const fewer = await shell(planCommand.replace(" umbrella", ""));
  expect(fewer.out).toContain("- EmbedTenant/umbrella");
});

it("changes nothing if it fails before it prints", async () => {
  const failed = await shell(`node missing.ts | svc apply - --yes`);
  expect(failed.code).toBe(1);
  expect(failed.err).toContain("no Stack document found in <stdin>");
});

it("is refused by its name in the place of a manifest", async () => {
  const refused = await shell("svc plan customers.ts");
  expect(refused.code).toBe(1);
  expect(refused.err).toContain("customers.ts cannot be read: it is a program");
});

it("is well typed, and what no kind has is an error of types", async () => {
  expect(await consumer.typeCheck(["customers.ts"])).toBe("");
  consumer.writeStack("wrong.ts", wrong);
  const reported = await consumer.typeCheck(["wrong.ts"]);
  const places = [...reported.matchAll(/^wrong\.ts\((\d+),/gmu)].map(([, line]) => Number(line));
  expect([...new Set(places)]).toEqual([6, 7, 8, 9, 10, 12]);
});

const wrong = `import { apiKey, embedGroup, environmentVariable, stack, toYaml } from "svc-as-code/manifests";
toYaml([
  stack("s", { policy: { prune: true } }),
  environmentVariable("a", { deployment: "main", name: "A", value: { valueFrom: { env: "A" } } }),
  embedGroup("b", { embedTenant: { external: "acme" }, name: "b", description: null }),
  embedGroup("c", { embedTenant: "acme", nam: "c" }),
  embedGroup("d", { embedTenant: "acme", name: 4 }),
  embedGroup("e", { name: "e" }),
  embedGroup("f", { embedTenant: "acme", name: "f" }, { lifecycle: { onRemoval: "keep" } }),
  apiKey("g", { name: "g" }),
  apiKey("h", { name: "h" }, { secretTo: { file: "secrets/h" } }),
  stack("s", { polcy: { prune: true } }),
]);
`;
