// Tests subscribing recipients with literal requests and responses of the specification, without importing code of the
// project.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type NotificationFixture, startNotificationFixture } from "./notification-fixture.ts";

let fixture: NotificationFixture;
let annId: number;
beforeAll(async () => {
  fixture = await startNotificationFixture();
  annId = await fixture.create("/api/v1/users", { email: "Ann@example.com", username: "ann" });
  await fixture.create("/api/v1/users", { email: "bob@example.com", username: "bob" });
  await fixture.create("/api/v1/user-groups", { name: "everywhere" });
  await fixture.create("/api/v1/user-attributes", { name: "region", type: "string" });
  await fixture.createSessionId({
    externalId: "creator",
    embedTenantName: "acme-stores",
    creatorMode: true,
    groupDefinitions: [{ name: "managers" }],
    userAttributeDefinitions: [{ name: "stores", type: "number_array" }],
  });
});
afterAll(() => fixture.stop());

const empty = { createdRecipients: [], updatedRecipients: [], unchangedRecipients: [] };
const embed = (externalId: string, more: object = {}) => ({
  type: "EMBED_USER",
  embedTenantName: "acme-stores",
  externalId,
  ...more,
});

/** Sends a request that must be refused, and expects that it changed nothing. */
async function expectRejected(...recipients: readonly unknown[]): Promise<string> {
  const before = await fixture.listRecipients();
  const users = await fixture.items("/api/v1/embed-tenants/acme-stores/users");
  const tenants = await fixture.items("/api/v1/embed-tenants");
  const answer = await fixture.addRecipients(recipients);
  expect(answer.status).toBe(400);
  expect(await fixture.listRecipients()).toEqual(before);
  expect(await fixture.items("/api/v1/embed-tenants/acme-stores/users")).toEqual(users);
  expect(await fixture.items("/api/v1/embed-tenants")).toEqual(tenants);
  return answer.body.error;
}

describe("the request and its answer", () => {
  it("endpoint row POST recipients: 200 with the three lists", async () => {
    const answer = await fixture.addRecipients([{ type: "USER", userId: annId }]);
    expect(answer.status).toBe(200);
    expect(answer.json).toEqual({
      ...empty,
      createdRecipients: [
        { type: "USER", userId: annId, username: "ann", email: "Ann@example.com" },
      ],
    });
    const nowhere = `${fixture.base}/999999/recipients`;
    const body = { recipients: [{ type: "USER", userId: annId }] };
    expect((await fixture.call("POST", nowhere, { body })).status).toBe(404);
  });

  it("endpoint row POST recipients: its description names the operation and its tag", async () => {
    const { json } = await fixture.call("GET", "/api/v1/spec");
    const { paths } = json as { paths: Record<string, Record<string, unknown>> };
    const path = "/api/v1/deployments/{deploymentId}/notifications/{id}/recipients";
    expect(paths[path]?.["post"]).toMatchObject({
      operationId: "addRecipients",
      tags: ["Notifications"],
    });
  });

  it("service item 5: users and embed users are subscribed, channels are not", async () => {
    const { createdRecipients } = await fixture.addRecipientsOk([
      { type: "USER", email: "bob@example.com" },
      embed("item-5@acme.example"),
    ]);
    expect(createdRecipients.map((one) => one["type"])).toEqual(["USER", "EMBED_USER"]);
    const types = new Set((await fixture.listRecipients()).map((one) => String(one["type"])));
    expect([...types].toSorted()).toEqual(["EMBED_USER", "USER"]);
  });

  it("limits recipients per request: 1 to 1000", async () => {
    await expectRejected();
    const many = Array.from({ length: 1001 }, (_, n) => embed(`many-${n}@acme.example`));
    await expectRejected(...many);
    const lists = await fixture.addRecipientsOk(many.slice(0, 1000));
    expect(lists.createdRecipients).toHaveLength(1000);
    const body = {
      recipients: lists.createdRecipients.map((one) => ({
        type: "EMBED_USER",
        id: one["embedUserId"],
      })),
    };
    const path = `${fixture.base}/${fixture.notificationId}/recipients`;
    expect((await fixture.call("DELETE", path, { body })).status).toBe(204);
  });

  it("NotificationRecipientInput row type: required, one of three", async () => {
    await expectRejected({ userId: annId });
    await expectRejected({ type: "user", userId: annId });
    await expectRejected({ type: null, userId: annId });
  });

  it("NotificationRecipientInput row userId: an integer or null, of type USER only", async () => {
    await expectRejected({ type: "USER", userId: String(annId) });
    await expectRejected({ type: "USER", userId: null });
    await expectRejected(embed("a@acme.example", { userId: annId }));
    await fixture.addRecipientsOk([{ type: "USER", userId: annId, email: null }]);
  });

  it("NotificationRecipientInput row email: names a user, or says where to deliver to an embed user", async () => {
    await fixture.addRecipientsOk([{ type: "USER", userId: null, email: "ANN@example.com" }]);
    const { createdRecipients } = await fixture.addRecipientsOk([
      embed("by-email", { email: "deliver@acme.example" }),
    ]);
    expect(createdRecipients).toMatchObject([
      { externalId: "by-email", email: "deliver@acme.example" },
    ]);
    expect(await fixture.user("acme-stores", "by-email")).toMatchObject({
      email: "deliver@acme.example",
    });
  });

  it("NotificationRecipientInput row embedTenantName: needed with EMBED_USER, in its form", async () => {
    await expectRejected({ type: "EMBED_USER", externalId: "a@acme.example" });
    await expectRejected(embed("a@acme.example", { embedTenantName: "Not A Name" }));
    await expectRejected({ type: "USER", userId: annId, embedTenantName: "acme-stores" });
  });

  it("NotificationRecipientInput row externalId: needed with EMBED_USER, lowercase and trimmed", async () => {
    await expectRejected({ type: "EMBED_USER", embedTenantName: "acme-stores" });
    await expectRejected(embed("Upper@acme.example"));
    await expectRejected(embed(" a@acme.example"));
  });

  it("NotificationRecipientInput row groups: all in the tenant, or all account-wide; each has to exist", async () => {
    const message = await expectRejected(
      embed("g@acme.example", { groups: ["managers", "unknown", "none"] }),
    );
    expect(message).toContain("Groups with names none, unknown not found");
    await expectRejected({ type: "USER", userId: annId, groups: ["everywhere"] });
    for (const groups of [["managers"], ["everywhere"]]) {
      const { createdRecipients } = await fixture.addRecipientsOk([
        embed(`${groups[0]}@acme.example`, { groups }),
      ]);
      expect(createdRecipients).toHaveLength(1);
    }
    // Groups of another tenant are not accessible, also when the same request names that tenant.
    await expectRejected(
      {
        type: "EMBED_USER",
        embedTenantName: "other-tenant",
        externalId: "g@other.example",
        groups: ["managers"],
      },
      embed("managers@acme.example", { groups: ["managers"] }),
    );
  });

  it("refuses names of both catalogues for one recipient, also beside names that it keeps", async () => {
    const ofAccount = { groups: ["everywhere"] };
    const ofTenant = { userAttributes: [{ name: "stores", value: [1] }] };
    const mixed = "all names of a recipient must be of the same one";
    const of = (more: object) => embed("mixed@acme.example", more);
    expect(await expectRejected(of({ groups: ["managers", "everywhere"] }))).toContain(mixed);
    expect(await expectRejected(of({ ...ofAccount, ...ofTenant }))).toContain(mixed);
    await fixture.addRecipientsOk([of(ofAccount)]);
    expect(await expectRejected(of(ofTenant))).toContain(mixed);
    await fixture.addRecipientsOk([of({ groups: [], ...ofTenant })]);
    expect((await fixture.addRecipientsOk([of({})])).unchangedRecipients).toHaveLength(1);
    expect(await expectRejected(of(ofAccount))).toContain(mixed);
    await fixture.addRecipientsOk([of({ groups: ["managers"] })]);
  });

  it("NotificationRecipientInput row securityContext: any object", async () => {
    await expectRejected(embed("s@acme.example", { securityContext: ["x"] }));
    await expectRejected({ type: "USER", userId: annId, securityContext: {} });
    const securityContext = { store: { ids: [1, 2] }, deep: [null, true] };
    const first = await fixture.addRecipientsOk([embed("s@acme.example", { securityContext })]);
    expect(first.createdRecipients).toHaveLength(1);
    const turned = { deep: [null, true], store: { ids: [1, 2] } };
    const again = await fixture.addRecipientsOk([
      embed("s@acme.example", { securityContext: turned }),
    ]);
    expect(again.unchangedRecipients).toHaveLength(1);
  });

  it("NotificationRecipientInput row userAttributes: each has to be defined, each once", async () => {
    const desired = (userAttributes: unknown) => embed("v@acme.example", { userAttributes });
    expect(await expectRejected(desired([{ name: "shoe size", value: 43 }]))).toContain(
      "User attributes not found",
    );
    await expectRejected(
      desired([
        { name: "region", value: "a" },
        { name: "region", value: "b" },
      ]),
    );
    const values = [{ name: "stores", value: [1, 2] }];
    expect((await fixture.addRecipientsOk([desired(values)])).createdRecipients).toHaveLength(1);
  });

  it("UserAttributeInput row name: required", async () => {
    await expectRejected(embed("n@acme.example", { userAttributes: [{ value: "x" }] }));
  });

  it("UserAttributeInput row value: of the attribute's type, or null", async () => {
    for (const value of [1, true, ["x"], { a: 1 }]) {
      await expectRejected(
        embed("n@acme.example", { userAttributes: [{ name: "region", value }] }),
      );
    }
    await expectRejected(
      embed("n@acme.example", { userAttributes: [{ name: "stores", value: ["one"] }] }),
    );
    for (const cleared of [{ name: "region", value: null }, { name: "stores" }])
      await fixture.addRecipientsOk([embed("n@acme.example", { userAttributes: [cleared] })]);
  });

  it("NotificationRecipientInput row channelId: belongs to SLACK, which is not supported", async () => {
    await expectRejected({ type: "SLACK", channelId: "C0123" });
    await expectRejected({ type: "USER", userId: annId, channelId: "C0123" });
  });

  it("NotificationRecipientInput row channelName: belongs to SLACK, which is not supported", async () => {
    await expectRejected({ type: "SLACK", channelId: "C0123", channelName: "sales" });
    await expectRejected(embed("c@acme.example", { channelName: "sales" }));
  });

  it.each(["type", "userId", "username", "email", "embedUserId", "embedTenantName", "externalId"])(
    "a recipient as it is returned has %s in its place",
    async (name) => {
      const lists = await fixture.addRecipientsOk([
        { type: "USER", userId: annId },
        embed("returned@acme.example"),
      ]);
      const all = Object.values(lists).flat() as Record<string, unknown>[];
      const user = { type: "USER", userId: annId, username: "ann", email: "Ann@example.com" };
      const id = (await fixture.user("acme-stores", "returned@acme.example"))?.id;
      const external = {
        type: "EMBED_USER",
        username: "returned@acme.example",
        email: "returned@acme.example",
        embedUserId: id,
        embedTenantName: "acme-stores",
        externalId: "returned@acme.example",
      };
      for (const expected of [user, external] as Record<string, unknown>[]) {
        const found = all.find((one) => one["type"] === expected["type"]);
        expect(found?.[name]).toEqual(expected[name]);
      }
    },
  );

  it("NotificationRecipient row type: the answer and the list say the same", async () => {
    const lists = await fixture.addRecipientsOk([{ type: "USER", userId: annId }]);
    const [shown] = Object.values(lists).flat() as Record<string, unknown>[];
    expect(await fixture.listRecipients()).toContainEqual(shown);
  });
  it("NotificationRecipient row userId: there for the account's own users only", async () => {
    for (const one of await fixture.listRecipients()) {
      expect("userId" in one).toBe(one["type"] === "USER");
    }
  });
  it("NotificationRecipient row username: present for every recipient", async () => {
    for (const one of await fixture.listRecipients())
      expect(one["username"]).toEqual(expect.any(String));
  });
  it("NotificationRecipient row email: present for every recipient", async () => {
    for (const one of await fixture.listRecipients()) expect(one["email"]).toContain("@");
  });
  it("NotificationRecipient row embedUserId: there for embed users only", async () => {
    for (const one of await fixture.listRecipients()) {
      expect("embedUserId" in one).toBe(one["type"] === "EMBED_USER");
    }
  });
  it("NotificationRecipient row embedTenantName: there for embed users only", async () => {
    for (const one of await fixture.listRecipients()) {
      expect("embedTenantName" in one).toBe(one["type"] === "EMBED_USER");
    }
  });
  it("NotificationRecipient row externalId: there for embed users only", async () => {
    for (const one of await fixture.listRecipients()) {
      expect("externalId" in one).toBe(one["type"] === "EMBED_USER");
    }
  });
  it("NotificationRecipient row channelId: nowhere, as no channel is subscribed", async () => {
    for (const one of await fixture.listRecipients()) expect("channelId" in one).toBe(false);
  });
  it("NotificationRecipient row channelName: nowhere, as no channel is subscribed", async () => {
    for (const one of await fixture.listRecipients()) expect("channelName" in one).toBe(false);
  });
});
