// Inputs with unknown values: validation reports certain errors and accepts values that may be valid.
import { Type } from "typebox";
import { describe, expect, it } from "vitest";
import { defineKind, defineObserve } from "../../core/kind/kind.ts";
import { field } from "../../core/schema/traits.ts";
import { kinds } from "../../resources/index.ts";
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
      sailors: Type.Optional(
        field(
          Type.Array(
            Type.Object({ who: text, age: Type.Optional(Type.Integer({ minimum: 0 })) }, closed()),
            { maxItems: 2, minItems: 1, uniqueItems: true },
          ),
          { doc: "Sailors.", order: "list" },
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

const errorsOf = (inputs: Inputs) =>
  validateInputs(kind, inputs).map(({ code, path }) => `${code} ${path}`);

describe("validateInputs", () => {
  it("accepts values that may be valid", () => {
    expect(
      errorsOf({ name: "Ann", sailors: [{ who: new Unknown(), age: 3 }], rig: new Unknown() }),
    ).toEqual([]);
    expect(errorsOf({ name: new Unknown(), motto: null, rig: { sails: 1, colour: null } })).toEqual(
      [],
    );
  });

  it.each([
    [{}, "missing-field /name"],
    [{ name: "too long" }, "out-of-bounds /name"],
    [{ name: 5 }, "wrong-type /name"],
    [{ name: "Ann", nme: 1 }, "unknown-field /nme"],
    [{ name: "Ann", sailors: [{ who: "Bo", age: -1 }] }, "out-of-bounds /sailors/0/age"],
    [{ name: "Ann", sailors: [{ who: new Unknown(), agee: 1 }] }, "unknown-field /sailors/0/agee"],
    [{ name: "Ann", sailors: [{ age: new Unknown() }] }, "missing-field /sailors/0/who"],
    [{ name: "Ann", sailors: [] }, "out-of-bounds /sailors"],
    [
      { name: "Ann", sailors: [new Unknown(), new Unknown(), new Unknown()] },
      "out-of-bounds /sailors",
    ],
    [
      { name: "Ann", rig: { sails: new Unknown(), colour: "much too long" } },
      "out-of-bounds /rig/colour",
    ],
    [{ name: "Ann", flag: null }, "wrong-type /flag"],
    [{ name: "Ann", sailors: [{ who: "Bo", age: 2 ** 53 }] }, "out-of-bounds /sailors/0/age"],
    [{ name: "Ann", old: "x" }, "deprecated /old"],
  ] as [Inputs, string][])("reports the error in %j", (inputs, finding) => {
    expect(errorsOf(inputs)).toEqual([finding]);
  });

  it("refuses what no dashboard draws, unless it is unknown", () => {
    const workbook = kinds.find(({ name }) => name === "Workbook");
    if (workbook === undefined) throw new Error("there is no Workbook");
    const position = { x: 0, y: 0, w: 6, h: 4 };
    const query = { measures: ["orders.count"] };
    const found = (stacking: Inputs[string]) => {
      const config = { chart: "bar", stacking, query };
      const widgets = [{ id: "sales", type: "CHART", position, config }];
      const inputs = { deployment: "shop", slug: "sales", dashboard: { widgets } };
      return validateInputs(workbook, inputs).map(({ path, message }) => `${path} ${message}`);
    };
    expect(found("yes")).toEqual([
      '/dashboard/widgets/0/config/stacking of widget sales must be none, stacked or percent: "yes"',
    ]);
    expect(found(new Unknown())).toEqual([]);
  });

  it("never contains the value", () => {
    const findings = JSON.stringify(validateInputs(kind, { name: "Ann", code: "hunter2-hunter2" }));
    expect(findings).toContain("/code");
    expect(findings).not.toContain("hunter2");
  });

  it("treats two unknown items as different", () => {
    expect(errorsOf({ name: "Ann", sailors: [new Unknown(), new Unknown()] })).toEqual([]);
  });
});

describe("emptyTextAsNull", () => {
  it("reads an empty string as null only if the field can be cleared", () => {
    const inputs = { name: "", motto: "", flag: "", rig: { sails: 1, colour: "" } };
    expect(emptyTextAsNull(kind, inputs)).toEqual({
      name: "",
      motto: null,
      flag: "",
      rig: { sails: 1, colour: null },
    });
  });
});

describe("diffInputs", () => {
  it("marks unknown fields with their consequence and never shows a secret", () => {
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

  it("is empty if the object is as desired", () => {
    expect(diffInputs(kind, { name: "Ann" }, { name: "Ann", motto: "ahoy" })).toEqual([]);
  });
});

it("clears a field whose pattern depends on a sibling", () => {
  const userAttribute = kinds.find(({ name }) => name === "UserAttribute");
  if (userAttribute === undefined) throw new Error("unknown kind UserAttribute");
  const inputs = { name: "region", type: "string", defaultValue: "" };
  expect(() => emptyTextAsNull(userAttribute, inputs)).not.toThrow();
});

it("returns JSON Pointers to unknown values", () => {
  expect(unknownPointers({ a: [1, { "b/c": new Unknown() }], d: new Unknown() })).toEqual([
    "/a/1/b~1c",
    "/d",
  ]);
});
