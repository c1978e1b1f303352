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
