// Tests the rules for recipients with literal requests: permissions, how recipients are resolved, and refusals of all or of
// one.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type NotificationFixture, startNotificationFixture } from "./notification-fixture.ts";

let fixture: NotificationFixture;
let annId: number;
beforeAll(async () => {
  fixture = await startNotificationFixture();
  annId = await fixture.create("/api/v1/users", { email: "ann@example.com", username: "ann" });
  await fixture.create("/api/v1/user-groups", { name: "readers" });
  await fixture.create("/api/v1/user-groups", { name: "writers" });
});
afterAll(() => fixture.stop());

const embed = (externalId: string, more: object = {}) => ({
  type: "EMBED_USER",
  embedTenantName: "acme-stores",
  externalId,
  ...more,
});
const path = () => `${fixture.base}/${fixture.notificationId}/recipients`;

describe("who may subscribe recipients", () => {
  it("recipients rule 1: only an administrator", async () => {
    const body = { name: "not an admin's", ownerUserId: annId };
    const created = await fixture.call("POST", "/api/v1/api-keys", { body });
    const authorization = `Bearer ${created.body.token}`;
    const recipients = { recipients: [{ type: "USER", userId: annId }] };
    const answer = await fixture.call("POST", path(), { body: recipients, authorization });
    expect(answer.status).toBe(403);
    expect(await fixture.listRecipients()).toEqual([]);
    const list = await fixture.call("GET", path(), { authorization });
    expect(list.status).toBe(403);
  });

  it("recipients rule 1: neither a visitor with an embed token nor no credential", async () => {
    const sessionId = await fixture.createSessionId({ externalId: "visitor" });
    const token = await fixture.call("POST", "/api/v1/embed/session/token", {
      body: { sessionId },
    });
    const recipients = { recipients: [{ type: "USER", userId: annId }] };
    const authorization = `Bearer ${token.body.token}`;
    expect((await fixture.call("POST", path(), { body: recipients, authorization })).status).toBe(
      403,
    );
    const none = { body: recipients, authorization: null };
    expect((await fixture.call("POST", path(), none)).status).toBe(401);
  });
});

describe("the recipients of a request", () => {
  it("recipients rule 2: a user by userId or by email, who has to exist", async () => {
    const byId = await fixture.addRecipientsOk([{ type: "USER", userId: annId }]);
    expect(byId.createdRecipients).toMatchObject([{ userId: annId }]);
    const byEmail = await fixture.addRecipientsOk([{ type: "USER", email: "ann@example.com" }]);
    expect(byEmail.unchangedRecipients).toMatchObject([{ userId: annId }]);
    for (const who of [{}, { userId: annId, email: "ann@example.com" }, { userId: 99_999 }]) {
      expect((await fixture.addRecipients([{ type: "USER", ...who }])).status).toBe(400);
    }
    const unknown = await fixture.addRecipients([{ type: "USER", email: "unknown@example.com" }]);
    expect(unknown.status).toBe(400);
  });

  it("recipients rule 3: an embed user is created with its tenant where missing", async () => {
    expect((await fixture.call("GET", "/api/v1/embed-tenants/fresh-tenant/users")).status).toBe(
      404,
    );
    const desired = embed("kim@fresh.example", { embedTenantName: "fresh-tenant" });
    const { createdRecipients } = await fixture.addRecipientsOk([desired]);
    const user = await fixture.user("fresh-tenant", "kim@fresh.example");
    expect(createdRecipients).toMatchObject([{ embedUserId: user?.id }]);
    // An embed user is not a user of type USER.
    expect((await fixture.addRecipients([{ type: "USER", userId: user?.id }])).status).toBe(400);
  });

  it("recipients rule 3: data for rendering is stored, kept if omitted, and replaced if sent again", async () => {
    const addWith = (more: object) => fixture.addRecipientsOk([embed("stored@acme.example", more)]);
    const context = { securityContext: { store: 1 }, groups: ["readers"] };
    expect((await addWith(context)).createdRecipients).toHaveLength(1);
    expect((await addWith({})).unchangedRecipients).toHaveLength(1);
    expect(
      (await addWith({ groups: null, securityContext: null })).unchangedRecipients,
    ).toHaveLength(1);
    expect((await addWith(context)).unchangedRecipients).toHaveLength(1);
    expect((await addWith({ groups: ["readers", "writers"] })).updatedRecipients).toHaveLength(1);
    expect((await addWith({ groups: ["writers", "readers"] })).unchangedRecipients).toHaveLength(1);
    expect((await addWith({ securityContext: { store: 2 } })).updatedRecipients).toHaveLength(1);
    expect((await addWith({ groups: [] })).updatedRecipients).toHaveLength(1);
    expect((await addWith({ groups: [] })).unchangedRecipients).toHaveLength(1);
  });

  it("limits external users per account: apply to recipients, and nothing is created", async () => {
    const small = await startNotificationFixture(["--external-users", "2"]);
    try {
      const three = ["a", "b", "c"].map((name) => embed(`${name}@acme.example`));
      expect((await small.addRecipients(three)).status).toBe(429);
      expect(await small.listRecipients()).toEqual([]);
      expect(await small.items("/api/v1/embed-tenants")).toEqual([]);
      expect((await small.addRecipientsOk(three.slice(0, 2))).createdRecipients).toHaveLength(2);
    } finally {
      await small.stop();
    }
  });
});

describe("a request that is refused as a whole", () => {
  const good = () => [{ type: "USER", userId: annId }, embed("good@acme.example")];
  const untouched = async (recipients: readonly unknown[]) => {
    const before = await fixture.listRecipients();
    const answer = await fixture.addRecipients(recipients);
    expect(answer.status).toBe(400);
    expect(await fixture.listRecipients()).toEqual(before);
    expect(await fixture.user("acme-stores", "good@acme.example")).toBeUndefined();
    return answer;
  };

  it("recipients rule 4: a request with any SLACK recipient", async () => {
    await untouched([...good(), { type: "SLACK", channelId: "C0123" }]);
  });

  it("errors 400 SLACK recipient: the message says what is not supported", async () => {
    const answer = await untouched([{ type: "SLACK", channelId: "C0123" }, ...good()]);
    expect(answer.body.error).toContain("SLACK");
    expect(answer.body["statusCode"]).toBe(400);
  });

  it("recipients rule 5: a request with any recipient who has no email", async () => {
    await fixture.createSessionId({ externalId: "no-email", embedTenantName: "acme-stores" });
    await untouched([...good(), embed("no-email")]);
    await untouched([...good(), embed("not-made-yet")]);
    for (const externalId of ["a@b", "@acme.example", "a b@acme.example", "a@acme..example"]) {
      await untouched([...good(), embed(externalId)]);
    }
    await untouched([...good(), embed("x", { email: "no address" })]);
  });

  it("errors 400 unresolved email: nothing is written, and the place is named", async () => {
    const answer = await untouched([...good(), embed("nameless")]);
    expect(answer.body.error).toContain("recipients[2]");
  });

  it("recipients rule 5: the embed user's own email counts, and so does an externalId that is one", async () => {
    await fixture.createSessionId({
      externalId: "with-email",
      embedTenantName: "acme-stores",
      email: "mail@acme.example",
    });
    const { createdRecipients } = await fixture.addRecipientsOk([
      embed("with-email"),
      embed("shaped@acme.example"),
    ]);
    expect(createdRecipients.map((one) => one["email"])).toEqual([
      "mail@acme.example",
      "shaped@acme.example",
    ]);
  });
});

describe("the data of each recipient", () => {
  const everybody = (lists: object) => Object.values(lists).flat() as { externalId: string }[];

  it("recipients rule 6: each is in exactly one list, and a second time all are unchanged", async () => {
    const people = ["1", "2", "3"].map((n) => embed(`six-${n}@acme.example`));
    await fixture.addRecipientsOk([people[0]]);
    const changed = { ...people[0], securityContext: { changed: true } };
    const mixed = await fixture.addRecipientsOk([
      changed,
      ...people.slice(1),
      { type: "USER", userId: annId },
    ]);
    expect(everybody(mixed)).toHaveLength(4);
    expect(mixed.updatedRecipients).toHaveLength(1);
    expect(mixed.createdRecipients).toHaveLength(2);
    expect(mixed.unchangedRecipients).toHaveLength(1);
    const again = await fixture.addRecipientsOk([changed, ...people.slice(1)]);
    expect([again.createdRecipients, again.updatedRecipients]).toEqual([[], []]);
    expect(again.unchangedRecipients).toHaveLength(3);
  });

  it("recipients rule 6: named twice in one request is one recipient, unless its data differs", async () => {
    const twice = [embed("twice@acme.example"), embed("twice@acme.example")];
    expect(everybody(await fixture.addRecipientsOk(twice))).toHaveLength(1);
    const user = [
      { type: "USER", userId: annId },
      { type: "USER", email: "ann@example.com" },
    ];
    expect(everybody(await fixture.addRecipientsOk(user))).toHaveLength(1);
    const differently = [twice[0], embed("twice@acme.example", { groups: [] })];
    expect((await fixture.addRecipients(differently)).status).toBe(400);
  });

  it("NotificationRecipientsMutationResponse row createdRecipients: who was not there", async () => {
    const lists = await fixture.addRecipientsOk([embed("row-1@acme.example")]);
    expect(lists).toEqual({
      createdRecipients: [expect.objectContaining({ externalId: "row-1@acme.example" })],
      updatedRecipients: [],
      unchangedRecipients: [],
    });
  });

  it("NotificationRecipientsMutationResponse row updatedRecipients: whose properties changed", async () => {
    await fixture.addRecipientsOk([embed("row-2@acme.example")]);
    const lists = await fixture.addRecipientsOk([
      embed("row-2@acme.example", { email: "new@acme.example" }),
    ]);
    expect(lists).toEqual({
      createdRecipients: [],
      updatedRecipients: [expect.objectContaining({ email: "new@acme.example" })],
      unchangedRecipients: [],
    });
  });

  it("NotificationRecipientsMutationResponse row unchangedRecipients: who was left as they were", async () => {
    await fixture.addRecipientsOk([embed("row-3@acme.example")]);
    expect(await fixture.addRecipientsOk([embed("row-3@acme.example")])).toEqual({
      createdRecipients: [],
      updatedRecipients: [],
      unchangedRecipients: [expect.objectContaining({ externalId: "row-3@acme.example" })],
    });
  });

  it("recipients rule 6: twenty concurrent requests double nothing", async () => {
    const people = Array.from({ length: 50 }, (_, n) =>
      embed(`crowd-${n}@crowd.example`, { embedTenantName: "crowded" }),
    );
    const all = await Promise.all(
      Array.from({ length: 20 }, () => fixture.addRecipientsOk(people)),
    );
    for (const lists of all) {
      const reported = everybody(lists).map(({ externalId }) => externalId);
      expect(reported).toHaveLength(50);
      expect(new Set(reported).size).toBe(50);
    }
    expect(all.flatMap(({ createdRecipients }) => createdRecipients)).toHaveLength(50);
    expect(all.flatMap(({ updatedRecipients }) => updatedRecipients)).toEqual([]);
    const seen = (await fixture.listRecipients()).map((one) => one["externalId"]);
    expect(seen.filter((id) => String(id).endsWith("@crowd.example"))).toHaveLength(50);
    expect(await fixture.items("/api/v1/embed-tenants/crowded/users")).toHaveLength(50);
  });
});

it("a notification of an embed tenant has only its users as recipients, and is deleted with it", async () => {
  const schedule = { scheduleType: "DAILY", hour: 9, dashboardId: fixture.dashboard.id };
  const body = { ...schedule, embedTenantName: "globex-stores" };
  expect((await fixture.call("POST", fixture.base, { body })).status).toBe(404);
  const jane = { ...embed("jane"), embedTenantName: "globex-stores", email: "jane@example.com" };
  expect((await fixture.addRecipients([jane])).status).toBe(200);
  const id = await fixture.create(fixture.base, body);
  const own = `${fixture.base}/${id}`;
  const subscribe = (recipients: readonly unknown[]) =>
    fixture.call("POST", `${own}/recipients`, { body: { recipients } });
  for (const other of [
    embed("jim", { email: "jim@example.com" }),
    { type: "USER", userId: annId },
  ]) {
    const refused = await subscribe([jane, other]);
    expect([refused.status, refused.body.error]).toEqual([
      400,
      expect.stringContaining("globex-stores"),
    ]);
  }
  expect(await fixture.items(`${own}/recipients`)).toEqual([]);
  expect((await subscribe([jane])).status).toBe(200);
  expect((await fixture.call("GET", own, {})).json).toMatchObject({
    embedTenantName: "globex-stores",
  });
  await fixture.call("DELETE", "/api/v1/embed-tenants/globex-stores", {});
  expect((await fixture.call("GET", own, {})).status).toBe(404);
});
