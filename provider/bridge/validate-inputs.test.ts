// Inputs with unknown values: what is certainly wrong is told, what may turn out right is not.
import { Type } from "typebox";
import { describe, expect, it } from "vitest";
import { defineKind, defineObserve } from "../../core/kind.ts";
import { field } from "../../core/traits.ts";
import { validateInputs } from "./validate-inputs.ts";
import { diffInputs } from "./diff-inputs.ts";
import { emptyTextAsNull, type Inputs, Unknown, unknownPointers } from "./unknown-values.ts";

const text = Type.String({ minLength: 1, maxLength: 5 });
const kind = defineKind(
  {
    name: "Boat",
    plural: "boats",
    doc: "A boat.",
    shape: "item",
    key: ["name"],
    scope: [],
    spec: Type.Object({
      name: field(text, { doc: "Name.", onChange: "replace" }),
      motto: Type.Optional(field(text, { doc: "Motto." })),
      flag: Type.Optional(field(text, { doc: "Flag.", neverCleared: true })),
      code: Type.Optional(field(text, { doc: "Code.", sensitive: true, writeOnly: true })),
      old: Type.Optional(field(text, { doc: "Old.", deprecated: "use motto" })),
      crew: Type.Optional(
        field(
          Type.Array(
            Type.Object({ who: text, age: Type.Optional(Type.Integer({ minimum: 0 })) }, closed()),
            { maxItems: 2, minItems: 1, uniqueItems: true },
          ),
          { doc: "Crew.", order: "list" },
        ),
      ),
      rig: Type.Optional(
        field(
          Type.Object(
            {
              sails: Type.Integer(),
              colour: Type.Optional(field(text, { doc: "Colour." })),
            },
            closed(),
          ),
          { doc: "Rig." },
        ),
      ),
    }),
    status: Type.Object({}),
    examples: [],
  },
  () => ({
    observe: defineObserve({ cost: "list", needs: [], read: async () => [] }),
    create: [],
    update: [],
    delete: [],
  }),
);

function closed() {
  return { additionalProperties: false };
}

const told = (inputs: Inputs) =>
  validateInputs(kind, inputs).map(({ code, path }) => `${code} ${path}`);

describe("check", () => {
  it("finds nothing wrong with what may turn out right", () => {
    expect(
      told({ name: "Ann", crew: [{ who: new Unknown(), age: 3 }], rig: new Unknown() }),
    ).toEqual([]);
    expect(told({ name: new Unknown(), motto: null, rig: { sails: 1, colour: null } })).toEqual([]);
  });

  it.each([
    [{}, "missing-field /name"],
    [{ name: "too long" }, "out-of-bounds /name"],
    [{ name: 5 }, "wrong-type /name"],
    [{ name: "Ann", nme: 1 }, "unknown-field /nme"],
    [{ name: "Ann", crew: [{ who: "Bo", age: -1 }] }, "out-of-bounds /crew/0/age"],
    [{ name: "Ann", crew: [{ who: new Unknown(), agee: 1 }] }, "unknown-field /crew/0/agee"],
    [{ name: "Ann", crew: [{ age: new Unknown() }] }, "missing-field /crew/0/who"],
    [{ name: "Ann", crew: [] }, "out-of-bounds /crew"],
    [{ name: "Ann", crew: [new Unknown(), new Unknown(), new Unknown()] }, "out-of-bounds /crew"],
    [
      { name: "Ann", rig: { sails: new Unknown(), colour: "much too long" } },
      "out-of-bounds /rig/colour",
    ],
    [{ name: "Ann", flag: null }, "wrong-type /flag"],
    [{ name: "Ann", old: "x" }, "deprecated /old"],
  ] as [Inputs, string][])("tells %j", (inputs, finding) => {
    expect(told(inputs)).toEqual([finding]);
  });

  it("never repeats the value", () => {
    const said = JSON.stringify(validateInputs(kind, { name: "Ann", code: "hunter2-hunter2" }));
    expect(said).toContain("/code");
    expect(said).not.toContain("hunter2");
  });

  it("does not take two unknown items for equal", () => {
    expect(told({ name: "Ann", crew: [new Unknown(), new Unknown()] })).toEqual([]);
  });
});

describe("clearing", () => {
  it("reads an empty text as null only where the field can be cleared", () => {
    const inputs = { name: "", motto: "", flag: "", rig: { sails: 1, colour: "" } };
    expect(emptyTextAsNull(kind, inputs)).toEqual({
      name: "",
      motto: null,
      flag: "",
      rig: { sails: 1, colour: null },
    });
  });
});

describe("delta", () => {
  it("tells what is unknown apart, with its consequence, and never shows a secret", () => {
    const found = diffInputs(
      kind,
      { name: new Unknown(), motto: "hoy", code: "s3cr" },
      { name: "Ann", motto: "ahoy" },
    );
    expect(found.map(({ path, unknown, replaces }) => [path, unknown, replaces])).toEqual([
      ["/name", true, true],
      ["/motto", false, false],
      ["/code", false, false],
    ]);
    expect(JSON.stringify(found)).not.toContain("s3cr");
  });

  it("is empty for a wish that is met", () => {
    expect(diffInputs(kind, { name: "Ann" }, { name: "Ann", motto: "ahoy" })).toEqual([]);
  });
});

it("places of unknown values are pointers", () => {
  expect(unknownPointers({ a: [1, { "b/c": new Unknown() }], d: new Unknown() })).toEqual([
    "/a/1/b~1c",
    "/d",
  ]);
});
