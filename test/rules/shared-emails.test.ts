// Tests that SCIM accepts users who share an email, and that nobody is found by such an email.
import { afterAll, beforeAll, expect, it } from "vitest";
import { resolveRecipients } from "../../service/areas/notifications/resolve-recipients.ts";
import { signInByEmail } from "../../service/identity/external-sign-in.ts";
import { setPassword } from "../../service/maintenance/set-password.ts";
import { inTransaction } from "../../service/store/transaction.ts";
import { patchBody, scimClient } from "../support/scim-client.ts";
import { Browser } from "../support/sign-in.ts";
import { startService, type TestService } from "../support/test-service.ts";
import { makeStack } from "../support/test-stack.ts";

const email = "team@example.com";
const passwordOf = (username: string) => `correct horse battery ${username === "ann" ? 1 : 2}`;

let service: TestService;
let ids: readonly string[];
const { send, createUser, patch } = scimClient(() => service);

beforeAll(async () => {
  service = await startService();
  await service.send("PUT", "/api/v1/tenant/settings", { body: { scimEnabled: true } });
  const emails = [{ value: email, type: "work", primary: true }];
  const users = [
    await createUser({ userName: "ann", emails }),
    await createUser({ userName: "bob", emails: [{ ...emails[0], value: "Team@Example.com" }] }),
  ];
  ids = users.map(({ id }) => id);
});
afterAll(async () => service.close());

const bothUsers = () =>
  expect.stringContaining(`"ann" (ID ${ids[0]}) and "bob" (ID ${ids[1]})`) as string;

it("refuses a member of a group, and a recipient, by the email", async () => {
  const group = await service.send("POST", "/api/v1/user-groups", { body: { name: "g" } });
  const { id } = group.body as { readonly id: number };
  const members = `/api/v1/user-groups/${id}/users`;
  for (const method of ["POST", "DELETE"] as const) {
    const refused = await service.send(method, members, { body: { members: [{ email }] } });
    expect([refused.status, refused.text]).toEqual([400, expect.stringContaining("ID")]);
    expect(refused.body).toMatchObject({ error: bothUsers() });
  }
  const added = { members: [{ userId: Number(ids[1]) }] };
  expect((await service.send("POST", members, { body: added })).status).toBe(200);
  const users = [{ at: 0, userId: undefined, email }];
  await expect(resolveRecipients(service.db, { users, embedUsers: [] })).rejects.toMatchObject({
    code: "invalid",
    message: bothUsers(),
  });
});

it("refuses a sign-in with the email, and names the users to whom knows a password only", async () => {
  for (const username of ["ann", "bob"]) {
    await setPassword(service.db, { username, password: passwordOf(username) });
  }
  const browser = new Browser(service.url);
  const wrong = await browser.signIn(email, "wrong wrong wrong");
  expect([wrong.status, wrong.text]).toEqual([400, expect.not.stringContaining("bob")]);
  for (const username of ["ann", "bob"]) {
    const right = passwordOf(username);
    const refused = await browser.signIn(email, right);
    expect(refused.status).toBe(400);
    expect(refused.text).toContain(`(ID ${ids[0]})`);
    expect(refused.text).toContain(`(ID ${ids[1]})`);
    expect((await new Browser(service.url).signIn(username, right)).status).toBe(303);
  }
  const external = inTransaction(service.db, (tx) => signInByEmail(tx, email, new Date()));
  await expect(external).rejects.toMatchObject({ code: "invalid", message: bothUsers() });
});

it("signs in the only active user with the email", async () => {
  const active = (isActive: boolean) =>
    patch(`/Users/${ids[1]}`, { op: "replace", path: "active", value: isActive });
  expect((await active(false)).status).toBe(200);
  const signedIn = await new Browser(service.url).signIn(email, passwordOf("ann"));
  expect(signedIn.status).toBe(303);
  const external = inTransaction(service.db, (tx) => signInByEmail(tx, email, new Date()));
  expect(await external).toBe(Number(ids[0]));
  expect((await active(true)).status).toBe(200);
});

it("refuses manifests that name a user by the email", async () => {
  const stack = await makeStack({ url: service.url, key: service.adminKey });
  try {
    const documents = [
      { kind: "User", name: "team", spec: { email, username: "ann" } },
      {
        kind: "RoleAssignment",
        name: "team",
        spec: { role: { external: "Viewer" }, user: { external: email } },
      },
    ];
    for (const one of documents) {
      await stack.write([one]);
      expect(await stack.diagnostics()).toContainEqual(
        expect.objectContaining({
          code: "ambiguous-live",
          summary: expect.stringMatching(/ids (?:2, 3|3, 2)/u) as string,
        }),
      );
    }
  } finally {
    await stack.dispose();
  }
});

it("refuses a user of other clients with the email", async () => {
  const body = { username: "carl", email };
  expect((await service.send("POST", "/api/v1/users", { body })).status).toBe(409);
});

it("changes an email by a path with a filter as a member of a value", async () => {
  const path = `/Users/${ids[0]}`;
  const value = { 'emails[type eq "work"].value': "ann@example.com", active: true };
  expect(await patch(path, { op: "Replace", value })).toMatchObject({
    status: 200,
    body: { emails: [{ value: "ann@example.com", type: "work", primary: true }] },
  });
  const unknown = patchBody({ op: "replace", value: { 'emails[type eq "work"].bogus': "x" } });
  expect((await send("PATCH", path, unknown)).status).toBe(400);
  const name = "ann@example.com";
  expect((await new Browser(service.url).signIn(name, passwordOf("ann"))).status).toBe(303);
});

it("shows a name of the first administrator", async () => {
  const { body } = await send("GET", "/Users?count=1");
  expect(body.Resources[0]).toMatchObject({
    userName: "admin",
    name: { givenName: "Administrator", familyName: "Administrator" },
  });
});
