// Tests two resources of one program that set the email of one external user: the owner's value stays, and no update reverts
// another.
import { expect, it } from "vitest";
import * as svc from "../../../provider/pulumi/sdk/index.ts";
import { describeWithEngines } from "./each-engine.ts";
import { setUpStackFixture } from "./stack-fixture.ts";
import { stepNames } from "./step-names.ts";

const owned = "jane@acme.example";
const program = (store: string) => async () => {
  const shop = new svc.Deployment("shop", { name: "shop", region: "aws-us-east-1" });
  const tenant = new svc.EmbedTenant("acme", { name: "acme-stores" });
  const user = { embedTenant: tenant.name, externalId: "jane-1" };
  new svc.EmbedUser("jane", { ...user, email: owned });
  const sales = new svc.Workbook("sales", {
    deployment: shop.name,
    slug: "sales",
    name: "Sales",
    dashboard: { title: "Sales" },
  });
  const weekly = new svc.Notification("weekly", {
    deployment: shop.name,
    workbook: sales.slug,
    schedule: "0 9 * * 1",
  });
  new svc.NotificationEmbedRecipient("weekly-jane", {
    ...user,
    deployment: shop.name,
    notification: weekly.key,
    email: "reports@acme.example",
    securityContext: { store },
  });
  return {};
};

describeWithEngines("a field that two resources set", (open) => {
  const fixture = setUpStackFixture(open);
  const email = async (): Promise<unknown> => {
    const { body } = await fixture.service.send("GET", "/api/v1/embed-tenants/acme-stores/users");
    const { items } = body as { items: readonly { externalId: string; email?: string }[] };
    return items.find(({ externalId }) => externalId === "jane-1")?.email;
  };

  it("belongs to the resource of the object, and settles after one refresh", async () => {
    const { engine } = fixture;
    await engine.up(program("Berlin"));
    await engine.refresh();
    await engine.up(program("Berlin"));
    await engine.refresh();
    expect([stepNames(await engine.preview(program("Berlin"))), await email()]).toEqual([
      [],
      owned,
    ]);
    const changed = await engine.up(program("Bremen"));
    expect(stepNames(changed)).toEqual(["update weekly-jane"]);
    await engine.refresh();
    expect([stepNames(await engine.preview(program("Bremen"))), await email()]).toEqual([
      [],
      owned,
    ]);
  });
});
