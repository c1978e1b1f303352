// Tests that an object passes from one stack to another only after the first abandons it in a plan of its own.
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../core/json.ts";
import { liveState } from "../support/live-state.ts";
import { startService } from "../support/test-service.ts";
import { setUpFixture } from "./fixture.ts";
import { type Doc, changeSummaries, makeStack, type TestStack } from "../support/test-stack.ts";

function group(name: string, lifecycle?: JsonObject): Doc {
  return { kind: "UserGroup", name, spec: { name }, ...(lifecycle && { lifecycle }) };
}

/** Creates another stack in the same folder, so that both share an inventory store. `write` adds its documents. */
async function renameStack(stack: TestStack, name: string): Promise<void> {
  const file = join(stack.folder, "stack.yaml");
  const document = JSON.parse(await readFile(file, "utf8")) as JsonObject;
  await writeFile(file, JSON.stringify({ ...document, metadata: { name } }));
}

it("is refused also with adopt, then abandoned by one stack and adopted by the other", async () => {
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

describe("a Removed document", () => {
  const fixture = setUpFixture({ policy: { prune: true } });
  const removed = (...from: readonly string[]): Doc => {
    return { kind: "Removed", name: "done", spec: { from } };
  };

  it("stops managing an object without deleting it, also the last one", async () => {
    const { stack, service } = fixture;
    await stack.write([group("kept"), group("given-up")]);
    await stack.apply();
    const document = removed("UserGroup/given-up", "UserGroup/never-there");
    await stack.write([group("kept"), document]);
    expect((await stack.plan()).changes).toMatchObject([
      { action: "forget", address: "UserGroup/given-up", abandoned: true },
    ]);
    await stack.apply();
    expect((await stack.plan()).changes).toEqual([]);
    await stack.write([removed("UserGroup/given-up", "UserGroup/kept")]);
    await stack.apply();
    expect(Object.keys(await liveState(service))).toEqual(
      expect.arrayContaining(["UserGroup/given-up", "UserGroup/kept"]),
    );
    await stack.write([group("given-up")]);
    expect((await stack.plan()).diagnostics).toMatchObject([{ code: "not-owned" }]);
  });

  it("warns about an address that matches no owned object while one of its kind is deleted", async () => {
    const { stack } = fixture;
    await stack.write([group("first"), group("sales-team")]);
    await stack.apply();
    await stack.write([group("first"), removed("UserGroup/sales-taem", "EmbedTenant/gone-before")]);
    expect((await stack.plan()).diagnostics).toMatchObject([
      {
        code: "removed-unused",
        severity: "warning",
        path: "/spec/from/0",
        summary:
          "UserGroup/sales-taem matches no object that the stack owns, and the plan deletes UserGroup/sales-team",
        remedy:
          "Did you mean UserGroup/sales-team? Fix the address, or remove it if its object was released before.",
      },
    ]);
    await stack.write([group("first"), removed("UserGroup/sales-team")]);
    expect((await stack.plan()).diagnostics).toEqual([]);
  });

  it("is refused for an unknown kind, with the nearest one", async () => {
    const { stack } = fixture;
    await stack.write([group("kept"), removed("UserGrop/given-up")]);
    expect(await stack.manifestDiagnostics()).toMatchObject([
      {
        code: "unknown-kind",
        severity: "error",
        address: "Removed/done",
        path: "/spec/from/0",
        summary: 'UserGrop/given-up has the unknown kind "UserGrop"',
        remedy: 'Did you mean "UserGroup"?',
      },
    ]);
  });

  it("does not lift protection", async () => {
    const { stack } = fixture;
    await stack.write([group("guarded", { protect: true })]);
    await stack.apply();
    await stack.write([group("other"), removed("UserGroup/guarded")]);
    expect((await stack.plan()).diagnostics[0]).toMatchObject({
      code: "protected",
      remedy: expect.stringContaining("svc protect --off"),
    });
  });

  it("is refused for an address that is declared, and for what is no address", async () => {
    const { stack } = fixture;
    await stack.write([group("kept"), removed("UserGroup/kept")]);
    expect(await stack.manifestDiagnostics()).toMatchObject([
      { code: "duplicate-address", address: "Removed/done", path: "/spec/from/0" },
    ]);
    await stack.write([removed("kept")]);
    expect(await stack.manifestDiagnostics()).toMatchObject([
      { code: "out-of-bounds", path: "/spec/from/0" },
    ]);
  });
});
