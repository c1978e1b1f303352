// Tests rights that leave a configuration: what takes rights away happens and is shown, what could widen them is refused
// until it is written out, and lists that memberships take over stay.
import { afterAll, beforeAll, expect, it } from "vitest";
import type { JsonObject } from "../../core/json.ts";
import type { PropertyMap } from "../../provider/pulumi/property-values.ts";
import type { AttributeValues } from "../../provider/terraform/attribute-values.ts";
import { schemas } from "../../provider/terraform/wire-schema.ts";
import { checkInputs } from "../../provider/pulumi/resources.ts";
import { kindNamed } from "../conformance/registry-cases.ts";
import {
  applyResource,
  configureProvider,
  planResource,
  type ProviderResponse,
  type ResourceState,
} from "../conformance/terraform-protocol.ts";
import { everyKind } from "../support/every-kind.ts";
import { startService, type TestService } from "../support/test-service.ts";
import { type Doc, makeStack, type TestStack } from "../support/test-stack.ts";

let service: TestService;
let stack: TestStack;
beforeAll(async () => {
  service = await startService();
  stack = await makeStack({ url: service.url, key: service.adminKey });
});
afterAll(async () => {
  await stack.dispose();
  await service.close();
});

const user = (name: string, more: JsonObject = {}): Doc => ({
  kind: "User",
  name,
  spec: { email: `${name}@corp.example`, username: name, ...more },
});
const live = async (name: string): Promise<unknown> => {
  const { body } = await service.send("GET", `/api/v1/users?search=${name}`);
  return (body as { items: unknown[] }).items[0];
};

it("a manifest takes them away, shows it once, and keeps them away", async () => {
  const group: Doc = { kind: "UserGroup", name: "team", spec: { name: "team" } };
  const rights = { isAdmin: true, roles: ["AIBIDeveloper"], groups: ["team"], title: "Head" };
  await stack.write([group, user("ann", rights)]);
  await stack.apply();
  await stack.write([group, user("ann")]);
  const [change] = (await stack.plan()).changes;
  expect(change).toMatchObject({
    action: "update",
    fields: [
      { field: "isAdmin", before: true, after: false },
      { field: "roles", before: ["AIBIDeveloper"], after: ["AIBIViewer"] },
    ],
    released: ["title", "groups"],
  });
  const { residual } = await stack.apply();
  expect(residual).toEqual([]);
  expect((await stack.plan()).changes).toEqual([]);
  expect(await live("ann")).toMatchObject({ isAdmin: false, title: "Head", groups: ["team"] });
});

it("a manifest that leaves out a limit is refused until it says null", async () => {
  const limited = everyKind.find(({ kind }) => kind === "WorkloadTrust");
  const { owner: _, deployments: __, permissions: ___, ...plain } = limited?.spec ?? {};
  const trust = (more: JsonObject): Doc => ({
    kind: "WorkloadTrust",
    name: "ci",
    spec: { ...plain, ...more },
  });
  const trusts = await makeStack({ url: service.url, key: service.adminKey, name: "trusts" });
  try {
    await trusts.write([trust({ permissions: ["DeploymentRead"] })]);
    await trusts.apply();
    await trusts.write([trust({})]);
    expect(await trusts.diagnostics()).toMatchObject([
      { code: "rights-removed", severity: "error", path: "/spec/permissions" },
    ]);
    await expect(trusts.apply()).rejects.toMatchObject({ code: "refused" });
    await trusts.write([trust({ permissions: null })]);
    const { residual } = await trusts.apply();
    expect([residual, (await trusts.plan()).changes]).toEqual([[], []]);
  } finally {
    await trusts.dispose();
  }
});

it("Terraform takes them away, and refuses to leave out a limit", async () => {
  const provider = await configureProvider({ url: service.url, api_key: service.adminKey });
  try {
    const values = { email: "bob@corp.example", username: "bob" };
    const held = await applyResource(provider, "svc_user", {
      values: { ...values, is_admin: true },
    });
    expect(await live("bob")).toMatchObject({ isAdmin: true });
    const after = await applyResource(provider, "svc_user", { values, held });
    expect([after.diagnostics, after.values["is_admin"]]).toEqual([[], false]);
    expect(await live("bob")).toMatchObject({ isAdmin: false });
    const again = await planResource(provider, "svc_user", { values, held: after });
    expect(again.plannedState).toEqual(after.state);

    const titled = { ...values, title: "Head" };
    const named = await applyResource(provider, "svc_user", { values: titled, held: after });
    const untitled = await planResource(provider, "svc_user", { values, held: named });
    expect(untitled.diagnostics).toMatchObject([
      { severity: 2, detail: expect.stringContaining("The server keeps the value of title") },
    ]);

    const limited = { name: "tf", permissions: ["DeploymentRead"] };
    const created = await applyResource(provider, "svc_api_key", { values: limited });
    const wider = { values: { name: "tf" }, held: created };
    expect((await planResource(provider, "svc_api_key", wider)).diagnostics).toMatchObject([
      { severity: 1, detail: expect.stringContaining("the rights could grow") },
    ]);
  } finally {
    await provider.close();
  }
});

it("are taken away inside an object too", async () => {
  const kind = kindNamed("Workbook");
  const workbook = (more: JsonObject): JsonObject => ({
    deployment: "main",
    slug: "shown",
    dashboard: { title: "Sales", ...more },
  });
  const documentOf = (more: JsonObject): Doc => ({
    kind: "Workbook",
    name: "shown",
    spec: { ...workbook(more), deployment: { external: "main" } },
  });
  const books = await makeStack({ url: service.url, key: service.adminKey, name: "books" });
  try {
    await books.write([documentOf({ allowEmbed: true })]);
    await books.apply();
    await books.write([documentOf({})]);
    const [change] = (await books.plan()).changes;
    expect(change?.fields).toMatchObject([
      { path: "/dashboard/allowEmbed", before: true, after: false },
    ]);
  } finally {
    await books.dispose();
  }
  const checked = checkInputs(kind, {
    news: workbook({}) as PropertyMap,
    olds: workbook({ allowEmbed: true }) as PropertyMap,
  });
  expect(checked.inputs).toMatchObject(workbook({ allowEmbed: false }));

  const provider = await configureProvider({ url: service.url, api_key: service.adminKey });
  try {
    const values = (more: AttributeValues) => ({
      values: { deployment: "main", slug: "tf", dashboard: dashboardOf(more) },
    });
    const held = await applyResource(
      provider,
      "svc_workbook",
      values({ allow_embed: true, description: "All" }),
    );
    const next = { ...values({}), held };
    const { diagnostics } = await planResource(provider, "svc_workbook", next);
    expect(diagnostics).toMatchObject([
      { severity: 2, detail: expect.stringContaining("keeps the value of dashboard.description") },
    ]);
    const after = await applyResource(provider, "svc_workbook", next);
    expect(after.values["dashboard"]).toMatchObject({ allow_embed: false, description: "All" });
  } finally {
    await provider.close();
  }
});

/** A dashboard with all its attributes, as the engine sends it. */
function dashboardOf(more: AttributeValues): AttributeValues {
  const { form } =
    schemas.resources["svc_workbook"]?.attributes.find(({ name }) => name === "dashboard") ?? {};
  const members = form?.is === "nested" ? form.attributes : [];
  const none = Object.fromEntries(members.map(({ name }) => [name, null]));
  return { ...none, title: "Sales", ...more };
}

it("Terraform takes them away from an imported object, and shows it", async () => {
  const provider = await configureProvider({ url: service.url, api_key: service.adminKey });
  try {
    const values = { email: "cat@corp.example", username: "cat" };
    await applyResource(provider, "svc_user", { values: { ...values, is_admin: true } });
    const id = "cat@corp.example";
    const { importedResources } = (await provider.handlers.ImportResourceState({
      typeName: "svc_user",
      id,
    })) as { importedResources: readonly ResourceState[] };
    const [imported] = importedResources;
    const { newState: state, private: privateBytes } = (await provider.handlers.ReadResource({
      typeName: "svc_user",
      currentState: imported?.state,
      private: imported?.private,
    })) as ProviderResponse;
    const held = { state, private: privateBytes };
    const after = await applyResource(provider, "svc_user", { values, held });
    expect([after.diagnostics, after.values["is_admin"]]).toEqual([[], false]);
  } finally {
    await provider.close();
  }
});

it("Pulumi takes them away, and refuses to leave out a limit unless it is null", () => {
  const plain = { email: "eve@corp.example", username: "eve" };
  const olds = { ...plain, isAdmin: true };
  expect(checkInputs(kindNamed("User"), { news: plain, olds })).toMatchObject({
    inputs: { ...plain, isAdmin: false },
    failures: [],
  });
  expect(
    checkInputs(kindNamed("User"), { news: plain, olds: { ...plain, title: "Head" } }).warnings,
  ).toMatchObject([{ path: "title", reason: expect.stringContaining("keeps its value") }]);
  const limited = { name: "ci", permissions: ["DeploymentRead"] };
  const checked = (news: { name: string; permissions?: null }) =>
    checkInputs(kindNamed("ApiKey"), { news, olds: limited }).failures;
  expect(checked({ name: "ci" })).toMatchObject([{ path: "permissions" }]);
  expect(checked({ name: "ci", permissions: null })).toEqual([]);
});
