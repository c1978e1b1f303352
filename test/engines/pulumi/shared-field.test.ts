// Tests two resources of one program that declare one field of a live object: refused before the second is written.
import { expect, it } from "vitest";
import * as svc from "../../../provider/pulumi/sdk/index.ts";
import { describeWithEngines } from "./each-engine.ts";
import { setUpStackFixture } from "./stack-fixture.ts";

const withEmails = async () => {
  const shop = new svc.Deployment("shop", { name: "shop", region: "aws-us-east-1" });
  const tenant = new svc.EmbedTenant("acme", { name: "acme-stores" });
  const user = { embedTenant: tenant.name, externalId: "jane-1" };
  const jane = new svc.EmbedUser("jane", { ...user, email: "jane@acme.example" });
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
  new svc.NotificationEmbedRecipient(
    "weekly-jane",
    {
      ...user,
      deployment: shop.name,
      notification: weekly.key,
      email: "reports@acme.example",
      securityContext: { store: "Berlin" },
    },
    { dependsOn: [jane] },
  );
  return {};
};

const withGroups = async () => {
  const group = new svc.UserGroup("team", { name: "team" });
  const user = new svc.User("ada", { email: "ada@svc.localhost", username: "ada", groups: [] });
  new svc.GroupMembership("one", { group: group.name, user: user.email });
  return {};
};

describeWithEngines("a field that two resources declare", (open) => {
  const fixture = setUpStackFixture(open);

  it("is refused if they set different values", async () => {
    const { errors } = await fixture.engine.up(withEmails);
    expect(errors.join("\n")).toMatch(
      /EmbedUser\/acme-stores\/jane-1 sets the same field to another value/,
    );
  });

  it("is refused if one is the list and the other an entry of it", async () => {
    const { errors } = await fixture.engine.up(withGroups);
    expect(errors.join("\n")).toMatch(
      /is an entry of groups of User\/ada@svc.localhost, which replaces all entries/,
    );
  });
});
