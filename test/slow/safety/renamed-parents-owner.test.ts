// Tests that the owner of an object is found by its ID, also if a rename of its parent changed its key.
import { expect, it, onTestFinished } from "vitest";
import { startService } from "../../support/test-service.ts";
import { type Doc, makeStack, type TestStack } from "../../support/test-stack.ts";

const anchor: Doc = { kind: "UserGroup", name: "anchor", spec: { name: "anchor" } };
const site = (name: string): Doc => ({
  kind: "Deployment",
  name: "site",
  spec: { name, region: "aws-us-east-1" },
});
const specs = {
  Folder: { name: "Plans" },
  EnvironmentVariable: { name: "REGION", value: "eu" },
  TransformIntegration: { repoUrl: "https://git.example.com/lake.git", branch: "main" },
  DataModel: { files: { "model/cubes/empty.yml": "cubes: []\n" } },
};
type Child = keyof typeof specs;
const childIn = (deployment: string, kind: Child): Doc => ({
  kind,
  name: "inside",
  spec: { deployment: { external: deployment }, ...specs[kind] },
});

const inventories = ["file", "service"] as const;
const cases = inventories.flatMap((inventory) =>
  (Object.keys(specs) as Child[]).map((kind) => [kind, inventory] as const),
);

/**
 * Creates a deployment in the stack `parent`, which renames it, and an object inside it in the stack `child`, which
 * does not know the new name.
 */
async function renameUnderOther(kind: Child, inventory: (typeof inventories)[number]) {
  const service = await startService();
  onTestFinished(() => service.close());
  const stackNamed = async (name: string): Promise<TestStack> => {
    const policy = { maxDeletePercent: 100 };
    const account = { url: service.url, key: service.adminKey };
    const stack = await makeStack({ ...account, name, policy, inventory });
    onTestFinished(() => stack.dispose());
    return stack;
  };
  const [parent, child, other] = [
    await stackNamed("parent"),
    await stackNamed("child"),
    await stackNamed("other"),
  ];
  await parent.write([anchor, site("before")]);
  await parent.apply();
  await child.write([childIn("before", kind)]);
  await child.apply();
  await parent.write([anchor, site("after")]);
  await parent.apply();
  return { parent, other };
}

it.each(cases)("blocks a delete that would cascade to a %s (inventory: %s)", async (kind, kept) => {
  const { parent } = await renameUnderOther(kind, kept);
  await parent.write([anchor]);
  const { changes } = await parent.plan();
  expect(changes).toMatchObject([
    { action: "delete", address: "Deployment/site", blockedBy: [{}] },
  ]);
  expect((await parent.plan()).diagnostics.map(({ code }) => code)).toContain(
    "owned-by-other-stack",
  );
  await expect(parent.apply()).rejects.toMatchObject({ code: "refused" });
});

it.each(cases)("refuses that another stack adopts a %s (inventory: %s)", async (kind, kept) => {
  const { other } = await renameUnderOther(kind, kept);
  await other.write([childIn("after", kind)]);
  const { diagnostics } = await other.plan({ adopt: () => true });
  expect(diagnostics).toMatchObject([{ code: "owned-by-other-stack", severity: "error" }]);
  await expect(other.apply({ adopt: () => true })).rejects.toMatchObject({ code: "refused" });
});
