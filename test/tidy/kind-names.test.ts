// Tests that only resources/ and texts for users name a kind.
import { describe, expect, it } from "vitest";
import { kindProblems, switchProblems } from "./kind-names.ts";
import { parseSource } from "./source.ts";
import { kindNames, kindNamesOf, sources } from "./repository-files.ts";

const kinds = ["EmbedUser", "Deployment"];
const problemsOf = (path: string, text: string) => kindProblems(parseSource(path, text), kinds);

describe("kind names", () => {
  it("are known from the files of resources/", () => {
    expect(kindNames()).not.toEqual([]);
    const parsed = [
      parseSource("resources/embed-user.ts", 'f("EmbedUser");'),
      parseSource("resources/shared-fields.ts", "f();"),
      parseSource("resources/embed-user.test.ts", 'f("EmbedUser");'),
    ];
    expect(kindNamesOf(parsed)).toEqual(["EmbedUser"]);
  });

  it("appear in no other source", () => {
    expect(sources().flatMap((source) => kindProblems(source, kindNames()))).toEqual([]);
    expect(sources().flatMap((source) => switchProblems(source, kindNames()))).toEqual([]);
  });

  it.each([
    'f("EmbedUser");',
    'f("EmbedUser/jo");',
    "f(`an EmbedUser`);",
    "new EmbedUser();",
    'f("Deployment");',
  ])("are found: %s", (text) => {
    expect(problemsOf("reconciler/plan.ts", text)).toHaveLength(1);
  });

  it.each([
    ["resources/index.ts", 'f("EmbedUser");'],
    ["reconciler/plan.test.ts", 'f("EmbedUser");'],
    ["test/laws/x.ts", 'f("EmbedUser");'],
    ["reconciler/plan.ts", "// such as EmbedUser\nf(createEmbedUser);"],
    ["api/schemas.ts", "const EmbedUser = object();"],
    ["service/areas/deployments/list.ts", 'const x: Deployment = f("Deployment not found");'],
  ])("are no matter in %s: %s", (path, text) => {
    expect(problemsOf(path, text)).toEqual([]);
  });

  it("are never distinguished by a switch", () => {
    const text = 'switch (kind) { case "EmbedUser": f(); break; case "other": g(); }';
    expect(switchProblems(parseSource("resources/index.ts", text), kinds)).toHaveLength(1);
  });
});
