// Tests that a security context which the API never returns is cleared when the manifest no longer has it, and only if svc
// set it.
import { expect, it } from "vitest";
import type { JsonObject } from "../../core/json.ts";
import type { Doc } from "../support/test-stack.ts";
import { setUpFixture } from "./fixture.ts";

const fixture = setUpFixture();

const deployment = { external: "main" };
const recipient = { embedTenantName: "acme-stores", externalId: "jane@acme.example" };

function documents(more: JsonObject, lifecycle?: JsonObject): readonly Doc[] {
  return [
    {
      kind: "Workbook",
      name: "sales",
      spec: { deployment, slug: "sales", name: "Sales", dashboard: { title: "Sales" } },
    },
    {
      kind: "Notification",
      name: "weekly",
      spec: { deployment, workbook: "sales", schedule: "0 9 * * 1" },
    },
    { kind: "EmbedTenant", name: "acme-stores", spec: { name: "acme-stores" } },
    {
      kind: "NotificationEmbedRecipient",
      name: "weekly-jane",
      spec: {
        deployment,
        notification: "weekly",
        embedTenant: "acme-stores",
        externalId: recipient.externalId,
        ...more,
      },
      ...(lifecycle && { lifecycle }),
    },
  ];
}

const berlin = { securityContext: { store: "Berlin" } };

/**
 * Adds the recipient again with this context. The list that names it shows whether the context equals the stored one.
 */
async function outcomeOf(more: JsonObject): Promise<string | undefined> {
  const { service } = fixture;
  const { body: found } = await service.send("GET", "/api/v1/deployments");
  const { items } = found as { items: readonly { id: number; name: string }[] };
  const id = items.find(({ name }) => name === "main")?.id;
  const base = `/api/v1/deployments/${id}/notifications`;
  const { body: listed } = await service.send("GET", base);
  const [notification] = (listed as { items: readonly { id: number }[] }).items;
  const { body } = await service.send("POST", `${base}/${notification?.id}/recipients`, {
    body: { recipients: [{ type: "EMBED_USER", ...recipient, ...more }] },
  });
  const lists = Object.entries(body as Record<string, readonly unknown[]>);
  return lists.find(([, list]) => list.length > 0)?.[0];
}

const changedPaths = ({ changes }: Awaited<ReturnType<typeof fixture.stack.plan>>) =>
  changes.flatMap(({ fields }) => fields.map(({ path }) => path));

const isStored = async (context: JsonObject) =>
  (await outcomeOf({ securityContext: context })) === "unchangedRecipients";

it("is cleared once its document no longer declares it", async () => {
  await fixture.stack.write(documents(berlin));
  await fixture.stack.apply();
  expect(await isStored(berlin.securityContext)).toBe(true);
  await fixture.stack.write(documents({}));
  const { changes } = await fixture.stack.plan();
  expect(changes.map(({ action, fields }) => [action, ...fields.map(({ path }) => path)])).toEqual([
    ["update", "/securityContext"],
  ]);
  await fixture.stack.apply();
  expect((await fixture.stack.plan()).changes).toEqual([]);
  expect(await isStored({})).toBe(true);
});

it("is cleared with the groups and attribute values that its document no longer declares", async () => {
  for (const name of ["analysts", "viewers"]) {
    await fixture.service.send("POST", "/api/v1/user-groups", { body: { name } });
  }
  const attribute = { name: "region", type: "string" };
  await fixture.service.send("POST", "/api/v1/user-attributes", { body: attribute });
  const groups = [{ external: "analysts" }, { external: "viewers" }];
  const userAttributes = [{ name: { external: "region" }, value: "EMEA" }];
  await fixture.stack.write(documents({ groups, userAttributes }));
  await fixture.stack.apply();
  const stored = {
    groups: ["analysts", "viewers"],
    userAttributes: [{ name: "region", value: "EMEA" }],
  };
  expect(await outcomeOf(stored)).toBe("unchangedRecipients");
  await fixture.stack.write(documents({ groups }));
  expect(changedPaths(await fixture.stack.plan())).toEqual(["/userAttributes"]);
  await fixture.stack.apply();
  expect(await outcomeOf({ ...stored, userAttributes: [] })).toBe("unchangedRecipients");
  await fixture.stack.write(documents({}));
  expect(changedPaths(await fixture.stack.plan())).toEqual(["/groups"]);
  await fixture.stack.apply();
  expect((await fixture.stack.plan()).changes).toEqual([]);
  expect(await outcomeOf({ groups: [], userAttributes: [] })).toBe("unchangedRecipients");
});

it("is not changed if svc never set it, or if updates are not managed", async () => {
  await fixture.stack.write(documents({}));
  await fixture.stack.apply();
  expect(await outcomeOf(berlin)).toBe("updatedRecipients");
  expect((await fixture.stack.plan()).changes).toEqual([]);
  await fixture.stack.loseInventory();
  await fixture.stack.adopt();
  await fixture.stack.apply();
  expect(await isStored(berlin.securityContext)).toBe(true);

  await fixture.stack.write(documents({ securityContext: { store: "Ulm" } }));
  await fixture.stack.apply();
  await fixture.stack.write(documents({}, { manage: ["observe", "create", "delete"] }));
  await fixture.stack.apply();
  expect(await isStored({ store: "Ulm" })).toBe(true);
});
