// Tests that a field which a manifest no longer declares keeps its value on the server, and that the plan says so.
import { afterAll, beforeAll, expect, it } from "vitest";
import { changeLines } from "../../reconciler/report/change-text.ts";
import { startService, type TestService } from "../support/test-service.ts";
import { type Doc, makeStack, type TestStack } from "../support/test-stack.ts";

let service: TestService;
let stack: TestStack;

beforeAll(async () => {
  service = await startService();
  stack = await makeStack({ url: service.url, key: service.adminKey });
});
afterAll(async () => {
  await stack.dispose();
  await service.close();
});

const ann = { email: "ann@corp.example", username: "ann" };
const user = (spec: Doc["spec"]): Doc => ({ kind: "User", name: "ann", spec });

it("is named by the plan, of a change with other fields too, and then forgotten", async () => {
  await stack.write([user({ ...ann, firstName: "Ann" })]);
  await stack.apply();
  const lines = async () =>
    (await stack.plan()).changes.flatMap((change) =>
      changeLines(change, { color: false, width: 80 }),
    );
  await stack.write([user(ann)]);
  expect(await lines()).toEqual([
    "· User/ann  (matches the manifest; only the inventory changes)",
    "    no longer managed, keeps its value: firstName",
  ]);
  await stack.write([user({ ...ann, title: "Head" })]);
  expect(await lines()).toContain("    no longer managed, keeps its value: firstName");
  await stack.apply();
  expect(await lines()).toEqual([]);
  const { body } = await service.send("GET", "/api/v1/users");
  expect(body).toMatchObject({
    items: expect.arrayContaining([
      expect.objectContaining({ ...ann, title: "Head", firstName: "Ann" }),
    ]),
  });
});
