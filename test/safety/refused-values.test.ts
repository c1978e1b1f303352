// Tests that lint and plan report values that the server would refuse, each at its place, before anything is written.
import { expect, it } from "vitest";
import type { JsonObject } from "../../core/json.ts";
import type { Doc } from "../support/test-stack.ts";
import { setUpFixture } from "./fixture.ts";

const fixture = setUpFixture();

const deployment = { external: "main" };
const tenant: Doc = { kind: "EmbedTenant", name: "acme-stores", spec: { name: "acme-stores" } };
const workbook: Doc = {
  kind: "Workbook",
  name: "sales",
  spec: { deployment, slug: "sales", name: "Sales", dashboard: { title: "Sales" } },
};
const weekly = (schedule = "0 9 * * 1"): Doc => ({
  kind: "Notification",
  name: "weekly",
  spec: { deployment, workbook: "sales", schedule },
});
const recipient = (more: JsonObject): Doc => ({
  kind: "NotificationEmbedRecipient",
  name: "jane",
  spec: { deployment, notification: "weekly", embedTenant: "acme-stores", ...more },
});
const attribute = (type: string): Doc => ({
  kind: "UserAttribute",
  name: "store",
  spec: { name: "store", type },
});
const embedUser = (email?: string): Doc => ({
  kind: "EmbedUser",
  name: "jane",
  spec: { embedTenant: "acme-stores", externalId: "jane", ...(email !== undefined && { email }) },
});

/** Returns the places and messages of errors. */
async function errors(...documents: readonly Doc[]): Promise<readonly string[]> {
  await fixture.stack.write(documents);
  return (await fixture.stack.diagnostics())
    .filter(({ severity }) => severity === "error")
    .map(({ code, path, summary }) => `${code} ${path} ${summary}`);
}

it("reports a schedule whose dates do not exist", async () => {
  expect(await errors(workbook, weekly("0 9 30 2 *"))).toEqual([
    expect.stringMatching(/ \/spec\/schedule .*a date that exists/u),
  ]);
  expect(await errors(workbook, weekly("0 9 29 2 *"))).toEqual([]);
});

it("reports a value of another type than its attribute, in the stack and on the server", async () => {
  const values = (value: JsonObject[string]) =>
    recipient({
      externalId: "jane@acme.example",
      userAttributes: [{ name: "store", value: value ?? null }],
    });
  const others = [tenant, workbook, weekly()];
  const mismatch =
    "value-refused /spec/userAttributes/0/value the value must be a number, because UserAttribute/store has the type number";
  expect(await errors(...others, attribute("number"), values("Berlin"))).toEqual([mismatch]);
  expect(await errors(...others, attribute("number"), values([3]))).toEqual([mismatch]);
  expect(await errors(...others, attribute("number"), values(3))).toEqual([]);
  expect(await errors(...others, attribute("number_array"), values([3]))).toEqual([]);
  await fixture.service.send("POST", "/api/v1/user-attributes", {
    body: { name: "store", type: "number" },
  });
  const external = (value: string | number) =>
    recipient({
      externalId: "jane@acme.example",
      userAttributes: [{ name: { external: "store" }, value }],
    });
  expect(await errors(...others, external("Berlin"))).toEqual([mismatch]);
  expect(await errors(...others, external(3))).toEqual([]);
});

it("reports a recipient without an address, unless its user has one", async () => {
  const others = [tenant, workbook, weekly()];
  const jane = recipient({ externalId: "jane" });
  const message =
    "value-refused /spec/externalId jane has no email address; declare email here or in its EmbedUser";
  expect(await errors(...others, jane)).toEqual([message]);
  expect(
    await errors(...others, recipient({ externalId: "jane", email: "j@acme.example" })),
  ).toEqual([]);
  expect(await errors(...others, jane, embedUser("jane@acme.example"))).toEqual([]);
  await fixture.stack.write([tenant, embedUser()]);
  await fixture.stack.apply();
  expect(await errors(...others, jane, embedUser())).toEqual([message]);
  await fixture.stack.write([tenant, embedUser("jane@acme.example")]);
  await fixture.stack.apply();
  expect(await errors(...others, jane, embedUser("jane@acme.example"))).toEqual([]);
});
