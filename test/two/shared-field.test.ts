// Tests two stacks that set one field of an external user to different values: the owner's value stays, and no apply reverts
// the other's.
import { afterEach, beforeEach, expect, it } from "vitest";
import { startService, type TestService } from "../support/test-service.ts";
import { type Doc, makeStack, type TestStack } from "../support/test-stack.ts";

let service: TestService;
let people: TestStack;
let reports: TestStack;
beforeEach(async () => {
  service = await startService();
  const options = { url: service.url, key: service.adminKey, inventory: "service" };
  people = await makeStack({ ...options, name: "people" });
  reports = await makeStack({ ...options, name: "reports" });
});
afterEach(async () => {
  await people.dispose();
  await reports.dispose();
  await service.close();
});

const user = { embedTenant: "acme-stores", externalId: "jane-1", email: "jane@acme.example" };
const deployment = { external: "main" };
const reportDocuments = (store: string): readonly Doc[] => [
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
  {
    kind: "NotificationEmbedRecipient",
    name: "weekly-jane",
    spec: {
      deployment,
      notification: "weekly",
      embedTenant: { external: "acme-stores" },
      externalId: user.externalId,
      email: "reports@acme.example",
      securityContext: { store },
    },
  },
];

const email = async (): Promise<unknown> => {
  const { body } = await service.send("GET", "/api/v1/embed-tenants/acme-stores/users");
  const { items } = body as { items: readonly { externalId: string; email?: string }[] };
  return items.find(({ externalId }) => externalId === user.externalId)?.email;
};

it("settles on the email of the stack that declares the EmbedUser", async () => {
  await people.write([
    { kind: "EmbedTenant", name: "acme-stores", spec: { name: "acme-stores" } },
    { kind: "EmbedUser", name: "jane", spec: user },
  ]);
  await reports.write(reportDocuments("Berlin"));
  const written: number[] = [];
  for (const stack of [people, reports, people, reports, people, reports]) {
    written.push((await stack.apply()).outcomes.length);
  }
  // The first write of the recipient may set the email; the owner sets it back once, and then nothing is left to do.
  expect(written.slice(3)).toEqual([0, 0, 0]);
  expect(await email()).toBe(user.email);
  // A later change of the recipient leaves the email alone.
  await reports.write(reportDocuments("Bremen"));
  expect((await reports.apply()).outcomes).toHaveLength(1);
  expect((await people.plan()).changes).toEqual([]);
  expect(await email()).toBe(user.email);
});
