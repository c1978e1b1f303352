// An object passes from one stack to another: refused, until the first abandons it in a plan of its own.
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { JsonObject } from "../../core/json.ts";
import { liveState } from "../support/live-state.ts";
import { startService } from "../support/test-service.ts";
import { type Doc, changeSummaries, makeStack, type TestStack } from "../support/test-stack.ts";

function group(name: string, lifecycle?: JsonObject): Doc {
  return { kind: "UserGroup", name, spec: { name }, ...(lifecycle && { lifecycle }) };
}

/** Another stack in the same folder, so that both share an inventory store; its documents follow with `write`. */
async function renameStack(stack: TestStack, name: string): Promise<void> {
  const file = join(stack.folder, "stack.yaml");
  const document = JSON.parse(await readFile(file, "utf8")) as JsonObject;
  await writeFile(file, JSON.stringify({ ...document, metadata: { name } }));
}

it("is refused with adopt too, then abandons by the one and adopted by the other", async () => {
  const service = await startService();
  const stack = await makeStack({ url: service.url, key: service.adminKey, name: "giver" });
  try {
    const left = group("left-here");
    await stack.write([left, group("passed-on", { onRemoval: "orphan" })]);
    await stack.apply();

    await renameStack(stack, "taker");
    await stack.write([group("passed-on")]);
    const refused = await stack.plan({ adopt: () => true });
    expect(refused.diagnostics).toMatchObject([
      { code: "owned-by-other-stack", severity: "error" },
    ]);
    await expect(stack.apply({ adopt: () => true })).rejects.toMatchObject({ code: "refused" });
    expect(await stack.adopt()).toEqual([]);

    await renameStack(stack, "giver");
    await stack.write([left]);
    expect((await stack.plan()).changes).toMatchObject([
      { action: "forget", address: "UserGroup/passed-on", abandoned: true },
    ]);
    await stack.apply();

    await renameStack(stack, "taker");
    await stack.write([group("passed-on")]);
    expect((await stack.plan()).diagnostics).toMatchObject([
      { code: "inventory-missing" },
      { code: "not-owned" },
    ]);
    expect(changeSummaries((await stack.plan({ adopt: () => true })).changes)).toEqual([
      "adopt UserGroup/passed-on",
    ]);
    await stack.apply({ adopt: () => true });
    expect((await stack.plan()).changes).toEqual([]);

    await renameStack(stack, "giver");
    await stack.write([left, group("passed-on")]);
    expect((await stack.plan({ adopt: () => true })).diagnostics).toMatchObject([
      { code: "owned-by-other-stack" },
    ]);
    expect(Object.keys(await liveState(service))).toEqual(
      expect.arrayContaining(["UserGroup/left-here", "UserGroup/passed-on"]),
    );
  } finally {
    await stack.dispose();
    await service.close();
  }
});
