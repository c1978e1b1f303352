// Texts of declared objects, which checks look names up in.
import { describe, expect, it } from "vitest";
import type { Kind } from "../../core/kind/kind.ts";
import { declaredTexts } from "./declared-texts.ts";

const kind = (name: string) => ({ name }) as Kind;

describe("the texts of declared objects", () => {
  const report = kind("Report");
  const textsOf = declaredTexts([
    { kind: report, spec: { deployment: "shop", publicId: "sales" } },
    { kind: report, spec: { deployment: "shop", publicId: "returns" } },
    { kind: report, spec: { deployment: "other", publicId: "sales" } },
    { kind: report, spec: { deployment: "other", publicId: { variable: "id" } } },
    { kind: kind("Deployment"), spec: { name: "shop" } },
  ]);

  it("come from one field of a kind", () => {
    expect([...textsOf("Report", "publicId")]).toEqual(["sales", "returns"]);
    expect([...textsOf("Deployment", "name")]).toEqual(["shop"]);
    expect([...textsOf("Role", "name")]).toEqual([]);
  });

  it("can be limited to the objects in one parent", () => {
    const within = (value: string) => textsOf("Report", "publicId", { field: "deployment", value });
    expect([...within("shop")]).toEqual(["sales", "returns"]);
    expect([...within("other")]).toEqual(["sales"]);
    expect([...within("missing")]).toEqual([]);
  });

  it("are collected once for all checks", () => {
    const within = { field: "deployment", value: "shop" };
    expect(textsOf("Report", "publicId", within)).toBe(textsOf("Report", "publicId", within));
  });
});
