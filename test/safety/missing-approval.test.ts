// Tests that a function of JavaScript that returns nothing approves no verb.
import { expect, it } from "vitest";
import { history } from "../../reconciler/verbs/history.ts";
import { renameInventory } from "../../reconciler/verbs/inventory-admin.ts";
import { adopt } from "../../reconciler/adopt.ts";
import { apply } from "../../reconciler/apply.ts";
import { makeStack } from "../support/test-stack.ts";
import { setUpFixture } from "./fixture.ts";

const fixture = setUpFixture({ name: "shop", inventory: "service" });
const group = { kind: "UserGroup", name: "north", spec: { name: "north", description: "one" } };

/** An approval as a program without types can write it. */
const nothing = async () => undefined as never;

it("an approval that returns nothing approves neither an apply, an adopt nor a rename", async () => {
  const { stack, service, proxy } = fixture;
  await stack.write([group]);
  const options = { ...stack.options, approve: nothing };
  expect(await apply(options)).toMatchObject({ ok: true, applied: undefined });
  expect((await stack.plan()).changes).toMatchObject([{ action: "create" }]);
  await service.send("POST", "/api/v1/user-groups", { body: group.spec });
  const { adopted } = (await adopt(options)) as { readonly adopted?: readonly string[] };
  expect(adopted).toEqual([]);
  expect(await stack.adopt()).toEqual(["UserGroup/north"]);
  const other = await makeStack({
    url: proxy.url,
    key: service.adminKey,
    name: "store",
    inventory: "service",
  });
  try {
    const renaming = { ...other.options, renamedFrom: "shop", approve: nothing };
    expect(await renameInventory(renaming)).toMatchObject({ ok: true, renamed: undefined });
  } finally {
    await other.dispose();
  }
  const runs = await history(stack.options);
  expect(runs.ok && runs.runs.map(({ verb }) => verb)).toEqual(["adopt"]);
});
