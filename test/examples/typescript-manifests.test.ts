// Tests the program of docs/reference/manifests.md: its types are valid, wrong fields are type errors, and it can be planned
// and applied.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { noGrants } from "../../reconciler/operator/grants.ts";
import { startService } from "../support/test-service.ts";
import { changeSummaries, makeStack } from "../support/test-stack.ts";

const root = join(import.meta.dirname, "../..");
const page = readFileSync(join(root, "docs/reference/manifests.md"), "utf8");
const [, program = ""] = /```ts\n(.*?)```/su.exec(page) ?? [];

/** Returns the compiler's errors for a manifest. */
function compilerOutput(text: string): string {
  const folder = mkdtempSync(join(tmpdir(), "svc-types-"));
  try {
    writeFileSync(join(folder, "a.stack.ts"), text);
    const paths = { "svc-as-code/manifests": [join(root, "provider/manifests/sdk/index.ts")] };
    const flags = { strict: true, noEmit: true, exactOptionalPropertyTypes: true, types: [] };
    const compilerOptions = {
      ...flags,
      module: "nodenext",
      target: "es2024",
      allowImportingTsExtensions: true,
      paths,
    };
    const config = { compilerOptions, files: ["a.stack.ts"] };
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(config));
    const tsc = join(root, "node_modules/.bin/tsc");
    return spawnSync(tsc, ["-p", folder], { cwd: folder, encoding: "utf8" }).stdout;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const wrong = `import { apiKey, embedGroup, environmentVariable, workbook } from "svc-as-code/manifests";
export const documents = [
  environmentVariable("a", { deployment: "main", name: "A", value: { valueFrom: { env: "A" } } }),
  embedGroup("b", { embedTenant: { external: "acme" }, name: "b", description: null }),
  embedGroup("c", { embedTenant: "acme", nam: "c" }),
  embedGroup("d", { embedTenant: "acme", name: 4 }),
  embedGroup("e", { name: "e" }),
  embedGroup("f", { embedTenant: "acme", name: "f" }, { lifecycle: { onRemoval: "keep" } }),
  apiKey("g", { name: "g" }),
  apiKey("h", { name: "h" }, { secretTo: { file: "secrets/h" } }),
];
`;

it("is well typed, and what no kind has is an error of types", () => {
  expect(compilerOutput(program)).toBe("");
  const lines = compilerOutput(wrong.replace(", workbook", ""));
  const places = [...lines.matchAll(/^a\.stack\.ts\((\d+),/gmu)].map(([, line]) => Number(line));
  expect([...new Set(places)]).toEqual([5, 6, 7, 8, 9]);
});

it("is planned and applied as any manifest is", { timeout: 60_000 }, async () => {
  const service = await startService();
  const stack = await makeStack({ url: service.url, key: service.adminKey });
  try {
    const script = join(stack.folder, "customers.stack.ts");
    writeFileSync(script, program);
    const granted = {
      paths: [stack.folder, script],
      grants: { ...stack.options.grants, typescript: [script] },
      variables: { customers: ["harbour", "umbrella"] },
    };
    expect(changeSummaries((await stack.plan(granted)).changes)).toEqual([
      "create EmbedTenant/harbour",
      "create EmbedTenant/umbrella",
      "create EmbedGroup/harbour-viewers",
      "create EmbedGroup/umbrella-viewers",
    ]);
    await stack.apply(granted);
    expect((await stack.plan(granted)).changes).toEqual([]);
    const fewer = { ...granted, variables: { customers: ["harbour"] } };
    expect(changeSummaries((await stack.plan(fewer)).changes)).toContain(
      "delete EmbedTenant/umbrella",
    );
    await expect(stack.plan({ ...fewer, grants: noGrants })).rejects.toThrow("script-not-allowed");
  } finally {
    await stack.dispose();
    await service.close();
  }
});
