// Tests that the notifications of two customers with the same schedule are two objects, from their first apply to their delete.
import { expect, it } from "vitest";
import { startService } from "../support/test-service.ts";
import { changeSummaries, type Doc, makeStack } from "../support/test-stack.ts";

const site: readonly Doc[] = [
  { kind: "Deployment", name: "site", spec: { name: "site", region: "aws-us-east-1" } },
  {
    kind: "Workbook",
    name: "sales",
    spec: { deployment: "site", slug: "sales", dashboard: { title: "Sales" } },
  },
];
const delivery = { deployment: "site", workbook: "sales", schedule: "0 7 * * 1" };
const customer = (name: string): Doc => ({
  kind: "EmbedTenantSetup",
  name,
  spec: {
    tenant: { name: `${name}-stores` },
    notification: delivery,
    recipients: { "jane-1": { email: `jane@${name}.example` } },
  },
});

it("two customers with the same schedule have two notifications, beside one without a customer", async () => {
  const service = await startService();
  const stack = await makeStack({ url: service.url, key: service.adminKey });
  const settle = async (): Promise<void> => {
    const { outcomes, residual } = await stack.apply();
    expect(outcomes.filter(({ result }) => result !== "done")).toEqual([]);
    expect(changeSummaries(residual)).toEqual([]);
    expect(changeSummaries((await stack.plan()).changes)).toEqual([]);
  };
  const tenants = async () => {
    const answer = await service.send("GET", "/api/v1/deployments/2/notifications");
    const { items } = answer.body as { items: readonly { embedTenantName?: string }[] };
    return items.map(({ embedTenantName = "" }) => embedTenantName).toSorted();
  };
  try {
    const shared: Doc = { kind: "Notification", name: "shared", spec: delivery };
    await stack.write([...site, shared, customer("acme"), customer("globex")]);
    await settle();
    expect(await tenants()).toEqual(["", "acme-stores", "globex-stores"]);
    await stack.loseInventory();
    await stack.adopt();
    // Nothing returns the addresses of recipients.
    expect(changeSummaries((await stack.plan()).changes)).toEqual([
      "update NotificationEmbedRecipient/acme-jane-1 /email",
      "update NotificationEmbedRecipient/globex-jane-1 /email",
    ]);
    await stack.write([...site, shared, customer("globex")]);
    expect(changeSummaries((await stack.plan()).changes)).toContain("delete Notification/acme");
    await settle();
    expect(await tenants()).toEqual(["", "globex-stores"]);
  } finally {
    await stack.dispose();
    await service.close();
  }
});

it("a notification that gets an embed tenant keeps the subscriptions of its users, and drops the others", async () => {
  const service = await startService();
  const stack = await makeStack({ url: service.url, key: service.adminKey });
  const notifications = "/api/v1/deployments/2/notifications";
  const items = async (path: string) =>
    ((await service.send("GET", path)).body as { items: readonly { id: number }[] }).items;
  const tenants = ["acme-stores", "globex-stores"].map((name): Doc => ({
    kind: "EmbedTenant",
    name,
    spec: { name },
  }));
  const recipient = (embedTenant: string): Doc => {
    const email = `jane@${embedTenant}.example`;
    const named = { deployment: "site", notification: "weekly", embedTenant };
    const spec = { ...named, externalId: "jane-1", email };
    return { kind: "NotificationEmbedRecipient", name: `${embedTenant}-jane`, spec };
  };
  const weekly = (more: Doc["spec"]): Doc => {
    return { kind: "Notification", name: "weekly", spec: { ...delivery, ...more } };
  };
  try {
    const recipients = tenants.map(({ name }) => recipient(name));
    await stack.write([...site, ...tenants, weekly({}), ...recipients]);
    await stack.apply();
    const [before] = await items(notifications);
    const list = `${notifications}/${before?.id}/recipients`;
    expect(await items(list)).toHaveLength(2);
    const embedTenant = "acme-stores";
    await stack.write([...site, ...tenants, weekly({ embedTenant }), recipient(embedTenant)]);
    expect(changeSummaries((await stack.plan()).changes)).toEqual([
      "update Notification/weekly /embedTenant",
      "none NotificationEmbedRecipient/acme-stores-jane",
      "delete NotificationEmbedRecipient/globex-stores-jane",
    ]);
    await stack.apply();
    expect(await items(notifications)).toEqual([{ ...before, embedTenantName: embedTenant }]);
    expect(await items(list)).toMatchObject([{ embedTenantName: embedTenant }]);
    expect(changeSummaries((await stack.plan()).changes)).toEqual([]);
    await stack.write([...site, ...tenants, weekly({}), recipient(embedTenant)]);
    await stack.apply();
    expect(await items(notifications)).toEqual([before]);
    expect(await items(list)).toHaveLength(1);
  } finally {
    await stack.dispose();
    await service.close();
  }
});
