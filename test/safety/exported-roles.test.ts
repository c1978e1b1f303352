// Tests that an export declares roles with as many policies as a role can have, or reports why it cannot.
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { limits } from "../../core/limits/limits.ts";
import { isGrantable, permissionActions } from "../../core/operation/permission-actions.ts";
import { type Export, exportStack } from "../../reconciler/export/export.ts";
import { adopt } from "../../reconciler/adopt.ts";
import { plan } from "../../reconciler/plan.ts";
import { kinds } from "../../resources/index.ts";
import { startService, type TestService } from "../support/test-service.ts";
import { makeStack, type TestStack } from "../support/test-stack.ts";

let service: TestService;
let stack: TestStack;

beforeEach(async () => {
  service = await startService();
  stack = await makeStack({ url: service.url, key: service.adminKey });
});
afterEach(async () => {
  await stack.dispose();
  await service.close();
});

const grantable = permissionActions.filter(isGrantable);

/** Returns different policies on everything. */
function policies(count: number): readonly object[] {
  const pairs = grantable.flatMap((one, at) => grantable.slice(at + 1).map((two) => [one, two]));
  expect(pairs.length).toBeGreaterThanOrEqual(count);
  return pairs
    .slice(0, count)
    .map((actions) => ({ resourceType: "Global", actions, resources: "All" }));
}

async function create(path: string, body: object): Promise<number> {
  const created = await service.send("POST", path, { body });
  expect(created.text).toContain('"id"');
  return (created.body as { id: number }).id;
}

function exportRoles(): Promise<Export> {
  const { connection } = stack.options;
  return exportStack({ connection, kinds, only: ["Role"], split: "one", stack: "taken" });
}

it("are exported with all policies that a role can have", async () => {
  await create("/api/v1/roles", { name: "Whole", policies: policies(limits.rolePolicies) });
  const exported = await exportRoles();
  expect(exported.diagnostics).toEqual([]);
  for (const { path, text } of exported.files) {
    const file = join(stack.folder, "exported", path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
  }
  const folder = join(stack.folder, "exported");
  const own = { ...stack.options, paths: [folder], cwd: folder };
  expect(await adopt(own)).toMatchObject({ ok: true, adopted: ["Role/Whole"] });
  expect(await plan(own)).toMatchObject({ ok: true, plan: { changes: [] } });
});

it("are a comment if manifests need more policies, because each names objects of one deployment", async () => {
  const second = await create("/build/api/v1/deployments", {
    name: "other",
    region: "aws-us-east-1",
  });
  const folders = await Promise.all(
    [1, second].map((id) => create(`/api/v1/deployments/${id}/folders`, { name: `In ${id}` })),
  );
  const split = { resourceType: "Folder", actions: ["FolderRead"], resources: folders.map(String) };
  const all = [...policies(limits.rolePolicies - 1), split];
  await create("/api/v1/roles", { name: "Whole", policies: all });
  const why = `its policies must have at most ${limits.rolePolicies} items`;
  const { files, declared, incomplete, diagnostics } = await exportRoles();
  expect({ declared, incomplete }).toEqual({ declared: 0, incomplete: 1 });
  expect(diagnostics).toMatchObject([
    { code: "not-exported", summary: `Role/Whole cannot be exported completely: ${why}` },
  ]);
  expect(files.map(({ text }) => text).join("")).toContain(`# Not declared: ${why}.`);
});
