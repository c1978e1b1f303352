// Tests commands in a checkout with errors: history, unlock, undo and protection work from the inventory.
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { history } from "../../reconciler/verbs/history.ts";
import { fileInventory } from "../../reconciler/inventory/file.ts";
import { unlock } from "../../reconciler/verbs/inventory-admin.ts";
import { protect } from "../../reconciler/verbs/protect.ts";
import { undo } from "../../reconciler/undo.ts";
import { plan } from "../../reconciler/plan.ts";
import { liveState } from "../support/live-state.ts";
import type { Doc } from "../support/test-stack.ts";
import { setUpFixture } from "./fixture.ts";

const group = (name: string, description: string, lifecycle?: Doc["lifecycle"]): Doc => ({
  kind: "UserGroup",
  name,
  spec: { name, description },
  ...(lifecycle && { lifecycle }),
});

describe("with a broken checkout", () => {
  const scene = setUpFixture({ name: "shop" });

  /** Writes documents, one of them with an unknown kind, and a file that is not YAML. */
  const breakIt = async (documents: readonly Doc[]): Promise<void> => {
    await scene.stack.write([...documents, { kind: "UserGrup", name: "interrupted", spec: {} }]);
    await writeFile(join(scene.stack.folder, "half.yaml"), "<<<<<<< HEAD\nkind: [UserGroup\n");
    expect((await plan(scene.stack.options)).ok).toBe(false);
  };
  const runs = async () => {
    const reported = await history(scene.stack.options);
    if (!reported.ok) throw new Error(JSON.stringify(reported.diagnostics));
    return reported.runs;
  };

  it("the history is reported, and nothing is said of other documents", async () => {
    await scene.stack.write([group("sellers", "who sell")]);
    await scene.stack.apply({ author: { by: "jo" } });
    await breakIt([]);
    const reported = await history(scene.stack.options);
    expect(reported).toMatchObject({ ok: true, diagnostics: [], runs: [{ by: "jo" }] });
  });

  it("a lock is broken", async () => {
    await scene.stack.write([group("sellers", "who sell")]);
    await scene.stack.apply();
    await breakIt([]);
    const file = join(scene.stack.folder, ".svc/shop.inventory.json");
    const held = await fileInventory(file, "shop").lock("apply");
    const broken = await unlock({ ...scene.stack.options, id: held.info.id, force: true });
    expect(broken).toMatchObject({ ok: true, stack: "shop" });
    await (await fileInventory(file, "shop").lock("apply")).release();
  });

  it("a run is undone, under the rules that can still be read", async () => {
    await scene.stack.write([group("sellers", "who sell"), group("kept", "is kept")]);
    await scene.stack.apply();
    await scene.stack.write([group("sellers", "who sell more"), group("kept", "is changed")]);
    await scene.stack.apply();
    const [last] = await runs();
    await breakIt([group("kept", "is changed", { manage: ["observe", "create"] })]);
    const done = await undo({
      ...scene.stack.options,
      run: last?.id ?? "",
      approve: async () => true,
    });
    if (!done.ok) throw new Error(JSON.stringify(done.diagnostics));
    expect(done.diagnostics).toMatchObject([
      { code: "errors-ignored", severity: "warning", place: { file: expect.any(String) } },
    ]);
    expect(done.applied?.outcomes).toMatchObject([{ address: "UserGroup/sellers" }]);
    expect(Object.values(await liveState(scene.service))).toContainEqual(
      expect.objectContaining({ name: "sellers", description: "who sell" }),
    );
    expect(done.plan.diagnostics).toMatchObject([
      { code: "cannot-undo", address: "UserGroup/kept" },
    ]);
  });

  it("rules count one by one, also of a document with an error in another", async () => {
    await scene.stack.write([group("made", "is new")]);
    await scene.stack.apply();
    const [last] = await runs();
    const wrong = { ...group("made", "is new", { protect: true, onRemoval: "burn" }) };
    await breakIt([wrong]);
    const before = await liveState(scene.service);
    const done = await undo({
      ...scene.stack.options,
      run: last?.id ?? "",
      approve: async () => true,
    });
    expect(done).toMatchObject({ ok: true, plan: { changes: [] } });
    expect(await liveState(scene.service)).toEqual(before);
  });

  it("an object is protected, and the other document that says so is named", async () => {
    await scene.stack.write([group("sellers", "who sell")]);
    await scene.stack.apply();
    await breakIt([group("sellers", "who sell", { protect: true })]);
    const addresses = ["UserGroup/sellers"];
    expect(await protect({ ...scene.stack.options, addresses, protect: true })).toMatchObject({
      changed: addresses,
      diagnostics: [{ code: "errors-ignored" }],
    });
    const lifted = await protect({ ...scene.stack.options, addresses, protect: false });
    expect(lifted).toMatchObject({ changed: addresses, stillDeclared: addresses });
  });

  it("a Stack document that is wrong itself is reported, and nothing is done", async () => {
    await scene.stack.write([group("sellers", "who sell")]);
    await scene.stack.apply();
    await writeFile(
      join(scene.stack.folder, "stack.yaml"),
      JSON.stringify({ apiVersion: "svc/v1", kind: "Stack", metadata: { name: "a b" }, spec: {} }),
    );
    for (const done of [
      await history(scene.stack.options),
      await unlock({ ...scene.stack.options, id: "x" }),
      await undo({ ...scene.stack.options, run: "x", approve: async () => true }),
    ]) {
      expect(done).toMatchObject({ ok: false, diagnostics: [{ code: "invalid-name" }] });
    }
  });
});
