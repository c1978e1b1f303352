// Tests for explaining kinds and fields, with sample kinds and real ones.
import { Type } from "typebox";
import { describe, expect, it } from "vitest";
import { defineKind, defineObserve } from "../../core/kind/kind.ts";
import { field } from "../../core/schema/traits.ts";
import { kinds } from "../../resources/index.ts";
import { explainJson } from "../report/explain-json.ts";
import { explain, explainText, kindList } from "./explain.ts";

const ship = defineKind(
  {
    name: "CargoShip",
    plural: "cargo-ships",
    doc: "A ship. It carries `cargo`.",
    shape: "item",
    key: ["name"],
    scope: [],
    status: Type.Object({}),
    unsupported: { delete: "ships are kept" },
    examples: [],
    spec: Type.Object({
      name: field(Type.String(), { doc: "What is painted on it.", onChange: "replace" }),
      flag: Type.Optional(
        field(Type.String({ default: "DE" }), { doc: "Its flag.", whenOmitted: "default" }),
      ),
      home: Type.Optional(field(Type.String(), { doc: "Its port.", refersTo: "Port" })),
      radio: Type.Optional(field(Type.String(), { doc: "Its code.", writeOnly: true })),
      holds: Type.Optional(
        field(Type.Array(Type.Object({ size: field(Type.Number(), { doc: "Tons." }) })), {
          doc: "Where cargo goes.",
          order: "set",
        }),
      ),
    }),
  },
  () => ({
    observe: defineObserve({ cost: "list", needs: [], read: () => Promise.resolve([]) }),
    create: [],
    update: [],
    delete: [],
  }),
);

function text(path: string): string {
  const found = explain([ship], path);
  return "unknown" in found ? found.unknown : explainText(found, 80);
}

describe("explain", () => {
  it.each(["CargoShip", "cargoship", "cargo-ship", "cargo-ships"])("finds %s", (name) => {
    expect(text(name)).toContain("A ship. It carries cargo.");
  });

  it("describes every trait of a field", () => {
    expect(text("CargoShip.name")).toMatch(/required[^]*forces replacement/);
    expect(text("CargoShip.flag")).toContain('Defaults to "DE".');
    expect(text("CargoShip.home")).toMatch(/reference to Port[^]*is kept[^]*null clears it/);
    expect(text("CargoShip.radio")).toContain("does not return the value");
    expect(text("CargoShip.spec.holds.size")).toContain("Tons.");
    expect(text("CargoShip")).toContain("Cannot delete: ships are kept");
  });

  it("has a JSON form", () => {
    const found = explain([ship], "CargoShip.holds");
    expect("unknown" in found ? found : explainJson(found)).toMatchObject({
      kind: "CargoShip",
      fields: [{ path: "holds", required: false, fields: [{ path: "holds.size" }] }],
    });
  });

  it.each([
    ["CargoShp", "CargoShip"],
    ["CargoShip.nmae", "CargoShip.name"],
    ["CargoShip.holds.sise", "CargoShip.holds.size"],
    ["Xyzzyxyzzy", undefined],
  ])("suggests a name for %s", (path, meant) => {
    expect(explain([ship], path)).toMatchObject({ meant });
  });

  it("fits the width of the terminal", () => {
    for (const kind of kinds) {
      const found = explain(kinds, kind.name);
      const lines = "unknown" in found ? [] : explainText(found, 60).split("\n");
      expect(lines.filter((line) => line.length > 60 && line.trim().includes(" "))).toEqual([]);
    }
  });

  it("lists one kind per line", () => {
    expect(kindList(kinds).split("\n")).toHaveLength(kinds.length);
  });
});

describe("a kind with a generated secret", () => {
  it("names the secret, and the file that the document has to name", () => {
    const found = explain(kinds, "api-keys");
    if ("unknown" in found) throw new Error(found.unknown);
    const explained = explainText(found, 100).replaceAll(/\s+/g, " ");
    expect(explained).toContain(
      "The service generates a secret when it creates the object, the token:",
    );
    expect(explained).toContain("secretTo: { file: secrets/NAME }");
    expect(explainJson(found)).toMatchObject({ generatedSecret: { name: "token" } });
  });
});

describe("a path through a list", () => {
  it.each([
    "CargoShip.holds[].size",
    "CargoShip.spec.holds[0].size",
    "CargoShip.holds.0.size",
    "CargoShip/spec/holds/0/size",
  ])("%s names a field of its items", (path) => {
    expect(explain([ship], path)).toMatchObject({ field: { path: "holds.size" } });
  });

  it("may end with a slash, and begins with the resource type", () => {
    expect(explain([ship], "CargoShip/spec/holds/")).toMatchObject({ field: { path: "holds" } });
    expect(explain([ship], "/spec/holds/0/size")).toMatchObject({
      unknown: '"/spec/holds/0/size" does not begin with a resource type',
    });
  });

  it("suggests the field that is meant", () => {
    expect(explain([ship], "CargoShip.holds[].sise")).toMatchObject({
      meant: "CargoShip.holds.size",
    });
  });
});
