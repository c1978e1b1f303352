// The bindings that a server supports: first offered bindings, shared updates, and missing operations.
import { Type } from "typebox";
import { describe, expect, it } from "vitest";
import { capability, isUnavailable, assignFields } from "./capability.ts";
import { defineKind, defineObserve, type Kind } from "./kind.ts";
import { defineOperation, type Operation } from "../operation/operation.ts";
import { field } from "../schema/traits.ts";

const write = (id: string) =>
  defineOperation({
    id,
    area: "things",
    method: "POST",
    path: `/api/v1/${id}`,
    summary: id,
    source: "proposed",
    effect: "write",
    permission: { action: "All", scope: "account" },
    body: Type.Object({}),
  });
const list = defineOperation({
  id: "list",
  area: "things",
  method: "GET",
  path: "/api/v1/things",
  summary: "list",
  source: "public",
  effect: "read",
  permission: { action: "All", scope: "account" },
  answer: Type.Object({}),
  list: "cursor",
});
const [make, define, patch, rename, remove] = ["make", "define", "patch", "rename", "remove"].map(
  write,
) as [Operation, Operation, Operation, Operation, Operation];

const text = (doc: string) => Type.Optional(field(Type.String(), { doc }));
const given = { operation: list, read: async () => 1, missingMessage: "there is none" };

function kindThat(cannot: Kind["unsupported"] = {}): Kind {
  return defineKind(
    {
      name: "Thing",
      plural: "things",
      doc: "A thing.",
      shape: "item",
      key: ["name"],
      scope: [],
      unsupported: cannot,
      spec: Type.Object({
        name: field(Type.String(), { doc: "Name.", onChange: "replace" }),
        title: text("Title."),
        note: text("Note."),
      }),
      status: Type.Object({}),
      examples: [],
    },
    (binding) => ({
      observe: defineObserve({ cost: "list", needs: [list], read: async () => [] }),
      create: [
        binding.perObject(make, () => ({}), { covers: ["name"] }),
        binding.perObject(define, () => ({})),
      ],
      update: [
        binding.perObject(define, () => ({}), { prerequisite: given, cannotClear: ["note"] }),
        binding.perObject(patch, () => ({}), { covers: ["note"] }),
        binding.perObject(rename, () => ({}), { covers: ["title"] }),
      ],
      delete: [binding.perObject(remove, () => ({}))],
    }),
  );
}

const ids = (found: unknown) =>
  Array.isArray(found)
    ? found.map((binding: { operation: Operation }) => binding.operation.id)
    : found;
const offering =
  (...offered: readonly Operation[]) =>
  (operation: Operation) =>
    offered.includes(operation);

describe("capability", () => {
  it("uses the first offered binding of each verb and completes a create with updates", () => {
    const { create, observe, delete: end } = capability(kindThat(), () => true);
    expect(observe).toEqual([]);
    if (isUnavailable(create) || isUnavailable(end)) throw new Error("all is offered");
    expect(create.binding.operation).toBe(make);
    expect(ids(create.followUps)).toEqual(["define"]);
    expect(create.uncovered).toEqual([]);
    expect(end.binding.operation).toBe(remove);
  });

  it("falls back to another binding, which requires its prerequisite too", () => {
    const { create } = capability(kindThat(), offering(list, define));
    expect(isUnavailable(create) ? create : create.binding.operation).toBe(define);
    const { update } = capability(kindThat(), offering(define));
    expect(update(["title"])).toMatchObject({ uncovered: ["title"], needs: [list, rename] });
  });

  it("divides an update among bindings, and skips one that cannot clear the field", () => {
    const { update, cannotClear } = capability(kindThat(), () => true);
    expect(ids(update(["title", "note"]))).toEqual(["define"]);
    expect(ids(update(["note"], new Set(["note"])))).toEqual(["patch"]);
    expect(ids(update(["title", "note"], new Set(["note"])))).toEqual(["define", "patch"]);
    expect(ids(update([]))).toEqual([]);
    expect([...cannotClear]).toEqual([]);
  });

  it("lists the fields that cannot be cleared", () => {
    const { update, cannotClear } = capability(kindThat(), offering(list, define));
    expect([...cannotClear]).toEqual(["note"]);
    const found = update(["note", "title"], new Set(["note"]));
    expect(found).toMatchObject({ uncovered: ["note"], needs: [patch] });
  });

  it("lists missing operations, with the kind's reason", () => {
    const none = capability(kindThat({ delete: "the API keeps things" }), () => false);
    expect(none.observe).toEqual([list]);
    expect(none.create).toEqual({ missing: [make, define], reason: undefined });
    expect(none.delete).toEqual({ missing: [], reason: "the API keeps things" });
    const fixed = capability(kindThat({ update: "things stay" }), () => true);
    expect(fixed.update(["note"])).toEqual({
      uncovered: ["note"],
      needs: [],
      reason: "things stay",
    });
  });

  it("assigns fields to bindings", () => {
    const updates = kindThat().bindings.update;
    const portions = assignFields(updates, ["title", "note"], new Set(["note"]));
    expect([...portions.values()].map((fields) => [...fields])).toEqual([["title"], ["note"]]);
  });
});
