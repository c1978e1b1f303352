// Remedies are sentences, wherever they are printed.
import { describe, expect, it } from "vitest";
import { remedyProblems } from "./remedies.ts";
import { sources } from "./repository-files.ts";
import { parseSource } from "./source.ts";

const problemsOf = (text: string) => remedyProblems(parseSource("reconciler/plan.ts", text));

describe("remedies", () => {
  it("are sentences", () => {
    expect(sources().flatMap(remedyProblems)).toEqual([]);
  });

  it.each([
    'f({ remedy: "check the address." });',
    'f({ remedy: "Check the address" });',
    "const remedy = `check ${file}.`;",
    'const loginRemedy = isNew ? "Run it." : "run it again";',
    'f({ remedy: given ?? "Check" + " it" });',
  ])("are found if they are not: %s", (text) => {
    expect(problemsOf(text)).not.toEqual([]);
  });

  it.each([
    'f({ remedy: "Check the address." });',
    'f({ remedy: "`svc history` lists the runs." });',
    "f({ remedy: `Run it to confirm: ${command}` });",
    'f({ remedy: "Pass the folder of the stack: --to FOLDER" });',
    "const remedy = `${guess}Use another file.`;",
    'f({ remedy: undefined, other: "check" });',
  ])("may be written so: %s", (text) => {
    expect(problemsOf(text)).toEqual([]);
  });
});
