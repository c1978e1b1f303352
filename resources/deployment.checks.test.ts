// Tests the checks of a deployment's version for each response of the API.
import { describe, expect, it } from "vitest";
import type { Reader } from "../core/kind/kind.ts";
import { checks } from "./deployment.checks.ts";

/** A reader with answers by operation. */
function readerOf(answers: Readonly<Record<string, unknown>>): Reader {
  return {
    all: async () => [],
    allWithin: async () => [],
    knownText: () => undefined,
    one: async ({ id }) => answers[id] as never,
  };
}

describe("the check of the build", () => {
  const run = (build: object) =>
    checks.build.run(
      readerOf({ getDeploymentSettings: { deployBranchName: "main" }, buildStatus: build }),
      "1",
      "1.7.20",
    );

  it.each([
    [
      { status: "built", version: "1.7.20" },
      { passed: true, message: "built on 1.7.20" },
    ],
    [{ status: "built" }, { passed: true, message: "built on 1.7.20" }],
    [{ status: "built", version: "1.7.15" }, undefined],
    [{ status: "building" }, undefined],
    [
      { status: "failed", errorText: "a.yml:1:1: wrong\nb.yml:1:1: wrong" },
      { passed: false, message: "failed: a.yml:1:1: wrong" },
    ],
    [{ status: "none" }, { passed: false, message: "has no build" }],
  ])("of %j is %j", async (build, result) => {
    expect(await run(build)).toEqual(result);
  });

  it("fails for a deployment that does not exist", async () => {
    expect(await checks.build.run(readerOf({}), "1", "1.7.20")).toMatchObject({ passed: false });
  });
});

describe("the check of the validation", () => {
  const run = (report: object) =>
    checks.validate.run(readerOf({ validateDataModel: report }), "1", "1.7.20");

  it("shows the first error and the number of others", async () => {
    const error = { message: "wrong", fileName: "model/a.yml", line: 3 };
    expect(await run({ valid: false, errors: [error, error, error] })).toEqual({
      passed: false,
      message: "invalid: model/a.yml:3: wrong, and 2 more errors",
    });
    expect(await run({ valid: true, errors: [] })).toEqual({ passed: true, message: "valid" });
  });
});
