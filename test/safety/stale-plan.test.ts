// Tests the error of a saved plan after a live object changed: it shows the fields with their old and new values, without
// secrets.
import { expect, it } from "vitest";
import type { Doc } from "../support/test-stack.ts";
import { setUpFixture } from "./fixture.ts";

const fixture = setUpFixture();

const group = (name: string, description: string): Doc => {
  return { kind: "UserGroup", name, spec: { name, description } };
};

it("is reported with the fields that moved since", async () => {
  await fixture.stack.write([group("north", "one"), group("south", "one")]);
  await fixture.stack.apply();
  await fixture.stack.write([group("north", "two"), group("south", "one")]);
  const saved = await fixture.stack.plan();
  const { body } = await fixture.service.send("GET", "/api/v1/user-groups");
  for (const { id, name } of (body as { items: { id: number; name: string }[] }).items) {
    await fixture.service.send("PATCH", `/api/v1/user-groups/${id}`, {
      body: { name, description: "behind" },
    });
  }
  const fields = [{ path: "/description", before: "one", now: "behind" }];
  await expect(fixture.stack.apply({ savedPlan: saved })).rejects.toMatchObject({
    code: "stale",
    message:
      'changed since the plan was made: UserGroup/north (/description: "one" → "behind"), ' +
      'UserGroup/south (nothing → update; /description: "one" → "behind")',
    details: {
      moved: [
        { address: "UserGroup/north", fields },
        { address: "UserGroup/south", action: { planned: "nothing", now: "update" }, fields },
      ],
    },
  });
});
