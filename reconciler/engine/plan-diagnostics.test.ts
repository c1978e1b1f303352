// Tests of the messages for changes that are refused or incomplete.
import { describe, expect, it } from "vitest";
import { desiredObject, house, town } from "../../test/support/plan-fixtures.ts";
import {
  ambiguousError,
  keyTakenError,
  notManagedErrors,
  notOwnedError,
  otherStackError,
} from "./plan-diagnostics.ts";

const ulm = desiredObject(town, "ulm", { spec: { name: "Ulm" } });
const home = desiredObject(house, "home", { spec: { town: "Ulm", name: "Home" } });

it("points at the document, and names the command that adopts its object in this stack", () => {
  expect(notOwnedError(ulm, { displayPath: "stacks/a.yaml" })).toMatchObject({
    severity: "error",
    code: "not-owned",
    address: "Town/ulm",
    place: { file: "test.yaml", line: 1, column: 1 },
    remedy: expect.stringContaining("stacks/a.yaml") as string,
  });
});

it("distinguishes a key of this stack from one that the stack did not create", () => {
  expect(keyTakenError(ulm, "Town/bonn")).toMatchObject({ code: "not-supported" });
  expect(keyTakenError(ulm, "Town/bonn").summary).toContain("but Town/bonn has that key");
  expect(keyTakenError(ulm, undefined)).toMatchObject({ code: "not-owned" });
});

describe("an object of another stack", () => {
  const remedy = (owner: string | undefined, isNew: boolean, ...path: (string | undefined)[]) => {
    const [displayPath] = path.length === 0 ? ["stacks/shop"] : path;
    return otherStackError(ulm, owner, { displayPath, stackName: "shop", isNew }).remedy ?? "";
  };

  it("is handed over by a command in the other stack", () => {
    const command = "`svc inventory move ADDRESS PATH --to stacks/shop`";
    expect(remedy("base", false)).toContain(`${command}: PATH is the folder of stack "base"`);
    expect(remedy(undefined, false)).toContain("PATH is the folder of the stack that owns it");
  });

  it("is handed over to the current folder, or by the name of a stack without a folder", () => {
    expect(remedy("base", false, "")).toContain("PATH --to .`");
    expect(remedy("base", false, undefined)).toContain("PATH --to shop`");
  });

  it("has a remedy of sentences", () => {
    for (const isNew of [true, false]) {
      expect(remedy("base", isNew)).toMatch(/[^.]\.$/u);
    }
  });

  it("may be this stack's under its former name, if it has no inventory yet", () => {
    expect(remedy("base", true)).toContain("--renamed-from base");
    expect(remedy("base", false)).not.toContain("--renamed-from");
    expect(remedy(undefined, true)).not.toContain("--renamed-from");
  });
});

it("names the IDs that are ambiguous, and what identifies the type", () => {
  const { summary, remedy } = ambiguousError(home, ["4", "7"]);
  expect(summary).toContain("ids 4, 7");
  expect(remedy).toContain("by its town and name alone");
});

it.each([
  ["create", ["create"], []],
  ["create", ["update"], ["does not exist, and its document does not let svc create it"]],
  ["replace", ["create"], ["must be replaced, and its document does not let svc delete it"]],
  ["replace", [], ["does not let svc delete or create it"]],
  ["update", [], []],
] as const)("a %s with manage: %j has the errors %j", (action, manage, texts) => {
  const errors = notManagedErrors(action, { ...ulm, rules: { manage: [...manage] } });
  expect(errors.map(({ summary }) => summary)).toEqual(
    texts.map((text) => expect.stringContaining(text) as string),
  );
});
