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

const children = Object.keys(specs) as Child[];

/**
 * Creates a deployment in the stack `parent`, which renames it, and an object inside it in the stack `child`, which
 * does not know the new name.
 */
async function renameUnderOther(kind: Child) {
  const service = await startService();
  onTestFinished(() => service.close());
  const stackNamed = async (name: string): Promise<TestStack> => {
    const policy = { maxDeletePercent: 100 };
    const account = { url: service.url, key: service.adminKey };
    const stack = await makeStack({ ...account, name, policy, inventory: "service" });
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

it.each(children)("blocks a delete that would cascade to a %s", async (kind) => {
  const { parent } = await renameUnderOther(kind);
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

it.each(children)("refuses that another stack adopts a %s", async (kind) => {
  const { other } = await renameUnderOther(kind);
  await other.write([childIn("after", kind)]);
  const { diagnostics } = await other.plan({ adopt: () => true });
  expect(diagnostics).toMatchObject([{ code: "owned-by-other-stack", severity: "error" }]);
  await expect(other.apply({ adopt: () => true })).rejects.toMatchObject({ code: "refused" });
});
