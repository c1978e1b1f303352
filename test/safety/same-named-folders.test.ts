// Tests that two folders with one name are an error, because manifests identify folders by name.
import { afterEach, beforeEach, expect, it } from "vitest";
import { startService, type TestService } from "../support/test-service.ts";
import { type Doc, makeStack, type TestStack } from "../support/test-stack.ts";

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

const deployment = { external: "main" };

async function createFolder(name: string, parentId?: number): Promise<number> {
  const { body } = await service.send("POST", "/api/v1/deployments/1/folders", {
    body: { name, parentId },
  });
  return (body as { id: number }).id;
}

const folder = (name: string, spec: Doc["spec"] = {}): Doc => ({
  kind: "Folder",
  name,
  spec: { deployment, name: "Sales", ...spec },
});

async function foldersOnServer(): Promise<readonly { readonly name: string }[]> {
  const { body } = await service.send("GET", "/api/v1/deployments/1/folders?recursive=true");
  return (body as { items: { name: string }[] }).items;
}

it("are an error of the manifest, also in different parents", async () => {
  const parents = ["europe", "asia"].map((name) => folder(name, { name }));
  const inParents = parents.map(({ name }) => folder(`${name}-sales`, { parent: name }));
  await stack.write([...parents, ...inParents]);
  const found = await stack.manifestDiagnostics();
  expect(found).toMatchObject([
    {
      code: "duplicate-identity",
      summary: expect.stringContaining("describe the same object"),
      remedy: "Remove one of them, or change its deployment or name.",
    },
  ]);
});

it("need the deployment in the policies of a role", async () => {
  const policy = { resourceType: "Folder", actions: ["FolderRead"], folders: ["sales"] };
  const role = { kind: "Role", name: "readers", spec: { name: "Readers", policies: [policy] } };
  await stack.write([folder("sales"), role]);
  expect(await stack.manifestDiagnostics()).toMatchObject([
    {
      code: "reference-mismatch",
      summary: expect.stringContaining("but this names no deployment"),
      remedy: "Set deployment beside the reference.",
    },
  ]);
});

it("on the server are neither adopted nor changed, and no reference chooses one of them", async () => {
  const parentId = await createFolder("Europe");
  expect([await createFolder("Sales"), await createFolder("Sales", parentId)]).toEqual([2, 3]);
  const report = { deployment, publicId: "abcdefABCDEF", folder: { external: "Sales" } };
  const policy = {
    resourceType: "Folder",
    actions: ["FolderRead"],
    deployment,
    folders: [{ external: "Sales" }],
  };
  const workbook = { deployment, slug: "overview", folder: { external: "Sales" } };
  const cases: readonly Doc[] = [
    folder("sales"),
    {
      kind: "Folder",
      name: "inner",
      spec: { deployment, name: "x", parent: { external: "Sales" } },
    },
    { kind: "Report", name: "orders", spec: report },
    { kind: "Workbook", name: "overview", spec: workbook },
    { kind: "Role", name: "readers", spec: { name: "Readers", policies: [policy] } },
  ];
  const before = await foldersOnServer();
  await stack.write([folder("sales")]);
  expect(await stack.diagnostics()).toContainEqual(
    expect.objectContaining({
      code: "ambiguous-live",
      remedy:
        "Rename all but one of them on the server: a Folder is identified by its deployment and name alone.",
    }),
  );
  for (const doc of cases) {
    await stack.write([doc]);
    const errors = await failureOf();
    expect(errors, doc.kind).toMatch(/[23], [23]/u);
  }
  expect(await foldersOnServer()).toEqual(before);
  for (const path of ["/api/v1/deployments/1/reports", "/api/v1/roles"]) {
    expect((await service.send("GET", path)).body, path).toMatchObject({ items: [] });
  }
});

/** Returns the errors of a plan, or of the changes of an apply. */
async function failureOf(): Promise<string> {
  const planned = (await stack.diagnostics()).filter(({ severity }) => severity === "error");
  if (planned.length > 0) return planned.map(({ summary }) => summary).join("\n");
  const { outcomes } = await stack.apply();
  return outcomes.map(({ failure }) => failure?.message ?? "").join("\n");
}

it("are named by ID in the policies of a role", async () => {
  const ids = [
    await createFolder("Sales"),
    await createFolder("Sales", await createFolder("Asia")),
  ];
  const policies = [
    {
      resourceType: "Folder",
      actions: ["FolderRead"],
      folders: ids.map((id) => ({ external: `#${id}` })),
    },
    {
      resourceType: "ReportFolder",
      actions: ["FolderEdit"],
      deployment,
      folders: [{ external: "Asia" }],
    },
  ];
  await stack.write([{ kind: "Role", name: "readers", spec: { name: "Readers", policies } }]);
  await stack.apply();
  const { body } = await service.send("GET", "/api/v1/roles");
  const [role] = (body as { items: { policies: { resources: string[] }[] }[] }).items;
  const resources = role?.policies.map((one) => one.resources.toSorted());
  expect(resources?.toSorted()).toEqual([ids.map(String), ["2"]]);
  expect((await stack.plan()).changes.filter(({ action }) => action !== "none")).toEqual([]);
});

it("that look like an ID are not taken for it by the policies of a role", async () => {
  const named = await createFolder("#1");
  const other = await service.send("POST", "/build/api/v1/deployments", {
    body: { name: "#1", region: "aws-us-east-1" },
  });
  const { id } = other.body as { id: number };
  const granted = { actions: ["FolderRead"] };
  const role = {
    name: "Readers",
    policies: [
      { resourceType: "Folder", ...granted, resources: [String(named)] },
      { resourceType: "Deployment", ...granted, resources: [String(id)] },
    ],
  };
  await service.send("POST", "/api/v1/roles", { body: role });
  const policies = [
    { resourceType: "Folder", ...granted, folders: [{ external: `#${named}` }] },
    { resourceType: "Deployment", ...granted, deployments: [{ external: `#${id}` }] },
  ];
  const readers = { kind: "Role", name: "readers", spec: { name: "Readers", policies } };
  await stack.write([readers]);
  expect(await stack.adopt()).toEqual(["Role/readers"]);
  expect((await stack.plan()).changes).toEqual([]);
  const deployments = [{ external: "#1" }];
  const wrong = { resourceType: "Deployment", ...granted, deployments };
  await stack.write([{ ...readers, spec: { name: "Others", policies: [wrong] } }]);
  expect(await failureOf()).toContain("#1 is the ID of a deployment, and the name of another one");
});
