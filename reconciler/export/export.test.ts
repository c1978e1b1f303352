// Tests the selection of resource types for an export, and the requests that it refuses before any read.
import { describe, expect, it } from "vitest";
import { Secret } from "../../core/secret.ts";
import { townKinds } from "../../test/support/plan-fixtures.ts";
import { type ExportOptions, exportStack, selectedKinds } from "./export.ts";

const names = (only?: readonly string[]) => [...selectedKinds({ kinds: townKinds, only })];

describe("the selected types", () => {
  it("are all if none is named, otherwise the named ones, each once", () => {
    expect(names()).toEqual(["Town", "House"]);
    expect(names([])).toEqual(["Town", "House"]);
    expect(names(["House", "House"])).toEqual(["House"]);
  });

  it.each([
    ["town", { remedy: "Did you mean Town?" }],
    ["Towns", { remedy: "Did you mean Town?" }],
    ["Workbook", { remedy: "The resource types are Town, House." }],
    ["", { remedy: "The resource types are Town, House." }],
    ["__proto__", { remedy: "The resource types are Town, House." }],
  ])("fail for the unknown name %j", (name, expected) => {
    expect(() => names(["House", name])).toThrow(
      expect.objectContaining({
        code: "usage",
        message: `unknown resource type "${name}"`,
        ...expected,
      }),
    );
  });
});

describe("an export", () => {
  // Nothing listens there: a call would fail with another code.
  const connection = { url: "http://127.0.0.1:1", credential: new Secret("key") };
  const exported = (more: Partial<ExportOptions>) =>
    exportStack({ connection, kinds: townKinds, split: "kind", ...more });

  it.each(["", "a/b", "../shop", "shop ", "-shop"])(
    "calls nothing for the invalid name %j of a Stack",
    async (stack) => {
      await expect(exported({ stack })).rejects.toMatchObject({
        code: "usage",
        message: `invalid Stack name ${JSON.stringify(stack)}`,
      });
    },
  );

  it("calls nothing for an unknown type", async () => {
    await expect(exported({ only: ["Castle"] })).rejects.toMatchObject({ code: "usage" });
  });
});
