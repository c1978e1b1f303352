// What a saved plan is refused with once the world has moved: which fields, from what to what, and never a secret.
import { expect, it } from "vitest";
import type { Doc } from "../support/stack.ts";
import { sceneForEach } from "./scene.ts";

const scene = sceneForEach();

const group = (name: string, description: string): Doc => {
  return { kind: "UserGroup", name, spec: { name, description } };
};

it("is told with the fields that moved since", async () => {
  await scene.stack.write([group("north", "one"), group("south", "one")]);
  await scene.stack.apply();
  await scene.stack.write([group("north", "two"), group("south", "one")]);
  const saved = await scene.stack.plan();
  const { body } = await scene.service.send("GET", "/api/v1/user-groups");
  for (const { id, name } of (body as { items: { id: number; name: string }[] }).items) {
    await scene.service.send("PATCH", `/api/v1/user-groups/${id}`, {
      body: { name, description: "behind" },
    });
  }
  const fields = [{ path: "/description", before: "one", now: "behind" }];
  await expect(scene.stack.apply({ saved })).rejects.toMatchObject({
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
