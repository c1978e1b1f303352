// Tests that objects which a renamed object's name identifies stay the same objects, also if their own documents are
// renamed.
import { describe, expect, it } from "vitest";
import { getDeployments } from "../../api/deployments.ts";
import { listFolders, updateFolder } from "../../api/folders.ts";
import { createClient } from "../../client/client.ts";
import type { Client } from "../../client/types.ts";
import type { JsonObject } from "../../core/json.ts";
import { Secret } from "../../core/secret.ts";
import { startService } from "../support/test-service.ts";
import { type Doc, changeSummaries, makeStack, type TestStack } from "../support/test-stack.ts";

function documents(slug: string, name: string): readonly [Doc, Doc, Doc] {
  return [
    { kind: "Deployment", name: "site", spec: { name: "site", region: "aws-us-east-1" } },
    {
      kind: "Workbook",
      name: "sales",
      spec: { deployment: "site", slug, dashboard: { title: "Sales" } },
    },
    {
      kind: "Notification",
      name,
      spec: {
        deployment: "site",
        workbook: "sales",
        schedule: "0 9 * * 1",
        isEnabled: name === "weekly",
      },
    },
  ];
}

function deployment(name: string, called: string): Doc {
  return { kind: "Deployment", name, spec: { name: called, region: "aws-us-east-1" } };
}

async function withStack(
  work: (stack: TestStack, server: { readonly client: Client }) => Promise<void>,
): Promise<void> {
  const service = await startService();
  const client = createClient({ url: service.url, credential: new Secret(service.adminKey) });
  const stack = await makeStack({ url: service.url, key: service.adminKey });
  try {
    await work(stack, { client });
  } finally {
    await client.close();
    await stack.dispose();
    await service.close();
  }
}

/** Applies, and expects that nothing is left to do. */
async function expectSettled(stack: TestStack): Promise<void> {
  const { outcomes, residual } = await stack.apply();
  expect(outcomes.filter(({ result }) => result !== "done")).toEqual([]);
  expect(changeSummaries(residual)).toEqual([]);
  expect(changeSummaries((await stack.plan()).changes)).toEqual([]);
}

it("a renamed document keeps its object below a renamed parent that is only part of its key", () =>
  withStack(async (stack) => {
    await stack.write(documents("sales", "weekly"));
    await stack.apply();
    await stack.write(documents("sales-overview", "mondays"));
    expect(changeSummaries((await stack.plan()).changes)).toEqual([
      "update Workbook/sales /slug",
      "update Notification/mondays /isEnabled",
      "forget Notification/weekly",
    ]);
    await expectSettled(stack);
  }));

it("what is in a parent that gives its name to a new one is created in the new one", () =>
  withStack(async (stack) => {
    const [site, sales] = documents("sales", "weekly");
    const dashboard = { title: "Sales", widgets: [], allowEmbed: true };
    const workbook = { ...sales, spec: { ...sales.spec, dashboard } };
    const delivery = (name: string, schedule: string): Doc => ({
      kind: "Notification",
      name,
      spec: { deployment: "site", workbook: "sales", schedule },
    });
    const reader = (name: string, notification: string): Doc => ({
      kind: "NotificationRecipient",
      name,
      spec: { deployment: "site", notification, user: "admin@svc.localhost" },
    });
    await stack.write([site, workbook, delivery("old", "0 9 * * 1"), reader("one", "old")]);
    await stack.apply();
    const both = [delivery("new", "0 9 * * 1"), delivery("old", "30 7 * * 5")];
    await stack.write([site, workbook, ...both, reader("two", "new")]);
    await expectSettled(stack);
  }));

it("what is in a parent whose name needs encoding is recreated when the parent is replaced", () =>
  withStack(async (stack) => {
    const named = (name: string, region: string): readonly Doc[] => {
      const [site, sales] = documents("sales", "weekly");
      return [{ ...site, spec: { name, region, isManaged: region === "aws-us-east-1" } }, sales];
    };
    await stack.write(named("our site/50%", "aws-us-east-1"));
    await stack.apply();
    await stack.write(named("our site/51%", "aws-eu-central-1"));
    expect(changeSummaries((await stack.plan()).changes)).toContain("replace Workbook/sales");
    await expectSettled(stack);
  }));

it.each<readonly [string, readonly Doc[]]>([
  ["a new one", []],
  ["one that was there", [deployment("green", "staging")]],
])(
  "what is renamed on its way to %s that takes the name of its parent is made there",
  (_, others) =>
    withStack(async (stack) => {
      const [, sales] = documents("sales", "weekly");
      const within = (parent: string, slug: string): Doc => ({
        ...sales,
        spec: { ...sales.spec, deployment: parent, slug },
      });
      await stack.write([deployment("blue", "live"), ...others, within("blue", "sales")]);
      await stack.apply();
      const passed = [deployment("blue", "former"), deployment("green", "live")];
      await stack.write([...passed, within("green", "orders")]);
      expect(changeSummaries((await stack.plan()).changes)).toContain(
        "replace Workbook/sales /deployment /slug",
      );
      await expectSettled(stack);
    }),
);

it("what is renamed together with its parent is renamed in place, and keeps what is in it", () =>
  withStack(async (stack) => {
    const [site, sales, weekly] = documents("sales", "weekly");
    await stack.write([site, sales, weekly]);
    await stack.apply();
    const renamed = { ...site, spec: { ...site.spec, name: "harbour" } };
    await stack.write([renamed, { ...sales, spec: { ...sales.spec, slug: "orders" } }, weekly]);
    expect(changeSummaries((await stack.plan()).changes)).toEqual([
      "update Deployment/site /name",
      "update Workbook/sales /slug",
      "none Notification/weekly",
    ]);
    await expectSettled(stack);
  }));

it("a notification is deleted with its workbook, which protects it too", () =>
  withStack(async (stack) => {
    const [site, sales, weekly] = documents("sales", "weekly");
    await stack.write([site, sales, weekly]);
    await stack.apply();
    const replace = ["Workbook/sales"];
    expect(changeSummaries((await stack.plan({ replace })).changes)).toEqual([
      "replace Workbook/sales",
      "replace Notification/weekly",
    ]);
    await stack.apply({ replace });
    expect(changeSummaries((await stack.plan()).changes)).toEqual([]);
    await stack.write([site, sales, { ...weekly, lifecycle: { protect: true } }]);
    await stack.apply();
    await stack.write([
      site,
      { ...weekly, spec: { ...weekly.spec, workbook: { external: "sales" } } },
    ]);
    const { changes, diagnostics } = await stack.plan();
    expect(changes.filter(({ action }) => action === "delete")).toMatchObject([
      { address: "Workbook/sales", blockedBy: [{ code: "protected" }] },
    ]);
    expect(diagnostics.map(({ code }) => code)).toContain("protected");
  }));

it("what named a deleted object names the one that is called so now", () =>
  withStack(async (stack) => {
    const key = (reaches: string): Doc => ({
      kind: "ApiKey",
      name: "ci",
      spec: { name: "ci", owner: { external: "admin@svc.localhost" }, deployments: [reaches] },
    });
    await stack.write([deployment("blue", "staging"), deployment("green", "live"), key("green")]);
    await stack.apply();
    await stack.write([deployment("blue", "live"), key("blue")]);
    await expectSettled(stack);
  }));

describe("what refers to a folder that is renamed", () => {
  const site: Doc = {
    kind: "Deployment",
    name: "site",
    spec: { name: "site", region: "aws-us-east-1" },
  };
  const folder = (name: string, called: string, more: JsonObject = {}): Doc => ({
    kind: "Folder",
    name,
    spec: { deployment: "site", name: called, ...more },
  });
  const inSales = (position: number) => folder("europe", "Europe", { parent: "sales", position });

  it("is not moved, whether the name changes on the server or in the manifest", () =>
    withStack(async (stack, { client }) => {
      await stack.write([site, folder("sales", "Sales", { position: 0 }), inSales(1)]);
      await stack.apply();
      const [{ id: deploymentId } = { id: 0 }] = await client.all(getDeployments, {});
      const params = { deploymentId };
      const [sales] = (await client.all(listFolders, { params, query: {} })).filter(
        ({ name }) => name === "Sales",
      );
      const body = { name: "Sales NEW" };
      await client.call(updateFolder, { params: { ...params, folderId: sales?.id ?? 0 }, body });
      const { changes } = await stack.plan();
      expect(changeSummaries(changes)).toEqual(["update Folder/sales /name"]);
      expect(changes).toMatchObject([{ direction: "drifted" }]);
      await expectSettled(stack);
      await stack.write([site, folder("sales", "Revenue", { position: 0 }), inSales(1)]);
      expect(changeSummaries((await stack.plan()).changes)).toEqual([
        "update Folder/sales /name",
        "none Folder/europe",
      ]);
      await expectSettled(stack);
    }));

  it("is moved with its declared position to the folder that takes the name of its own", () =>
    withStack(async (stack) => {
      await stack.write([site, folder("sales", "Sales"), folder("other", "Other"), inSales(1)]);
      await stack.apply();
      const [former, sales] = [folder("sales", "Former"), folder("other", "Sales")];
      const europe = folder("europe", "Europe", { parent: "other", position: 1 });
      await stack.write([site, former, sales, europe]);
      const { changes } = await stack.plan();
      expect(changeSummaries(changes)).toContain("update Folder/europe /parent");
      await expectSettled(stack);
    }));
});
