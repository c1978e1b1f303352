// Tests stacks whose inventory is missing: plans and drift fail instead of reporting a new stack, in every store.
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { drift } from "../../reconciler/drift.ts";
import { startService, type TestService } from "../support/test-service.ts";
import { type Doc, makeStack, type TestStack } from "../support/test-stack.ts";

const group = (name: string, lifecycle: Doc["lifecycle"] = {}): Doc => ({
  kind: "UserGroup",
  name,
  spec: { name },
  lifecycle,
});

let service: TestService;
let stack: TestStack;

beforeEach(async () => {
  service = await startService();
  stack = await makeStack({ url: service.url, key: service.adminKey, name: "shop" });
});
afterEach(async () => {
  await stack.dispose();
  await service.close();
});

const errorsOf = (diagnostics: readonly { code: string; severity: string }[]) =>
  diagnostics.filter(({ severity }) => severity === "error").map(({ code }) => code);

async function driftErrors(): Promise<readonly string[]> {
  const found = await drift(stack.options);
  return errorsOf(found.ok ? found.plan.diagnostics : found.diagnostics);
}

async function planErrors(adopt = false): Promise<readonly string[]> {
  return errorsOf((await stack.plan(adopt ? { adopt: () => true } : {})).diagnostics);
}

describe("a stack whose inventory file is missing", () => {
  it("is an error of plan and drift that names the file and both ways out", async () => {
    await stack.write([group("sellers"), group("buyers")]);
    await stack.apply();
    expect(await driftErrors()).toEqual([]);
    await stack.loseInventory();
    const { diagnostics } = await stack.plan();
    expect(diagnostics.find(({ code }) => code === "inventory-missing")).toMatchObject({
      severity: "error",
      address: "Stack/shop",
      summary: expect.stringMatching(
        /all 2 declared objects exist already.*shop\.inventory\.json/u,
      ),
      remedy: expect.stringMatching(
        /^If.* new, adopt what exists with `svc adopt[^`]*`; otherwise restore/u,
      ),
    });
    await expect(stack.apply()).rejects.toMatchObject({ code: "refused" });
    expect(await driftErrors()).toContain("inventory-missing");
    expect(await stack.adopt()).toHaveLength(2);
    expect(await planErrors()).toEqual([]);
    expect(await driftErrors()).toEqual([]);
  });

  it("counts the declared objects that exist", async () => {
    await service.send("POST", "/api/v1/user-groups", { body: { name: "sellers" } });
    const summaryOf = async (...names: readonly string[]) => {
      await stack.write(names.map((name) => group(name)));
      const { diagnostics } = await stack.plan();
      return diagnostics.find(({ code }) => code === "inventory-missing")?.summary.split(",")[0];
    };
    expect(await summaryOf("sellers")).toBe("the declared object exists already");
    expect(await summaryOf("sellers", "buyers")).toBe("1 of 2 declared objects exists already");
  });

  it("reports no drift even if its objects are deleted too", async () => {
    await stack.write([group("sellers")]);
    expect(await planErrors()).toEqual([]);
    expect(await driftErrors()).toEqual(["inventory-missing"]);
    const { diagnostics } = await drift(stack.options).then((found) =>
      found.ok ? found.plan : found,
    );
    expect(diagnostics.find(({ code }) => code === "inventory-missing")).toMatchObject({
      remedy: expect.stringMatching(/, apply it with `svc apply[^`]*`; otherwise/u),
    });
    // The remedy of the error works.
    await stack.apply();
    expect(await driftErrors()).toEqual([]);
  });

  it("needs none to adopt, or to observe only", async () => {
    await service.send("POST", "/api/v1/user-groups", { body: { name: "sellers" } });
    await stack.write([group("sellers")]);
    expect(await planErrors(true)).toEqual([]);
    await stack.write([group("sellers", { manage: ["observe"] })]);
    expect(await planErrors()).toEqual([]);
    expect(await driftErrors()).toEqual([]);
  });
});
