// Tests of `--grant`.
import { describe, expect, it } from "vitest";
import { grantMembers, grantRemedy, noGrants } from "../operator/grants.ts";
import { withGrantOptions } from "./grant-option.ts";

const granted = (...given: readonly string[]) => {
  const { environment, files, sops, promotion, skipStages, checks } = withGrantOptions(
    noGrants,
    given,
    "/somewhere",
  );
  return { environment, files, sops, promotion, skipStages, checks };
};

describe("--grant", () => {
  it("adds values to every member", () => {
    const given = [
      "environment=STAGE",
      "environment=TEAM",
      "files=secrets/",
      "files=/run/a=b",
      "sops=all.yaml",
      "promotion=dev",
      "skipStages=production",
      "checks.origins=https://*.example.com",
      "checks.commands=smoke=./smoke.sh",
    ];
    expect(granted(...given)).toEqual({
      environment: ["STAGE", "TEAM"],
      files: ["/somewhere/secrets/", "/run/a=b"],
      sops: ["/somewhere/all.yaml"],
      promotion: ["dev"],
      skipStages: ["production"],
      checks: { origins: ["https://*.example.com"], commands: { smoke: "/somewhere/smoke.sh" } },
    });
    const members = new Set(given.map((one) => one.slice(0, one.indexOf("="))));
    expect([...members].toSorted()).toEqual(Object.keys(grantMembers).toSorted());
  });

  it("keeps what the file grants", () => {
    const file = {
      ...noGrants,
      environment: "stack",
      checks: { origins: ["https://a.example"] },
    } as const;
    const given = ["environment=X", "checks.commands=a=b", "checks.origins=https://b.example"];
    expect(withGrantOptions(file, given, "/")).toMatchObject({
      environment: "stack",
      checks: { origins: ["https://a.example", "https://b.example"], commands: { a: "/b" } },
    });
  });

  it.each([
    ["enviroment=A", 'there is no grant "enviroment"', /^Did you mean environment\? Use one of/u],
    ["commands=sh", 'there is no grant "commands"', /--grants FILE/u],
    ["environment", "--grant environment has no valid value", /^Use environment=NAME\.$/u],
    ["environment=A B", "--grant environment=A B has no valid value", /NAME/u],
    ["files=", "--grant files= has no valid value", /files=PATH/u],
    ["checks.commands=x", "--grant checks.commands=x has no valid value", /NAME=FILE/u],
    ["checks.origins=a.b/c", "--grant checks.origins=a.b/c has no valid value", /https:/u],
    ["__proto__=a", 'there is no grant "__proto__"', /^Use one of/u],
  ])("refuses %s", (text, message, remedy) => {
    expect(() => granted(text)).toThrow(
      expect.objectContaining({ code: "usage", message, remedy: expect.stringMatching(remedy) }),
    );
  });

  it("is what remedies name, quoted for a shell", () => {
    expect(grantRemedy("files", "/a b")).toBe(
      "If you trust its authors, pass --grant 'files=/a b', or add it to `files` in the grants file.",
    );
  });
});
