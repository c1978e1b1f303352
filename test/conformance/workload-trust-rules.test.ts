// The rules of a workload trust: manifests and providers refuse what the service would.
import { describe, expect, it } from "vitest";
import { desiredSpecSchema } from "../../core/kind/fields.ts";
import { validator } from "../../core/schema/validate.ts";
import { validateInputs } from "../../provider/bridge/validate-inputs.ts";
import { workloadTrust } from "../../resources/workload-trust.ts";

const github = "https://token.actions.githubusercontent.com";
const repository = { name: "repository_id", value: "4711" };

const errorsOf = (claims: readonly object[], issuer = github) =>
  validator(desiredSpecSchema(workloadTrust))({
    name: "apply",
    audience: "https://acme.example.com",
    owner: "robot",
    issuer,
    claims,
  }).map(({ path, message }) => `${path} ${message}`);

describe("a workload trust in a manifest", () => {
  it("is accepted with claims that name one customer of the issuer", () => {
    expect(errorsOf([repository, { name: "ref", value: "refs/heads/*" }])).toEqual([]);
    expect(errorsOf([{ name: "ref", value: "main" }], "https://git.example.com")).toEqual([]);
  });

  it.each([
    [[{ name: "ref", value: "main" }], github, "one of sub, repository_id"],
    [[{ name: "ref", value: "main" }], `${github}/`, "one of sub, repository_id"],
    [
      [
        { ...repository, value: "4*" },
        { name: "ref", value: "main" },
      ],
      github,
      "exactly",
    ],
    [[{ name: "ref", value: "v*" }], "https://git.example.com", "at least one claim"],
    [[repository, { name: "ref", value: "**" }], github, "leave it out"],
    [[repository, repository], github, "differ from claims\\[0\\].name"],
    [[repository, { name: "sub", value: "repo:*" }], github, "several parts"],
  ])("is refused with %j of %s", (claims, issuer, text) => {
    const errors = errorsOf(claims, issuer);
    expect(errors).toContainEqual(
      expect.stringMatching(new RegExp(`^/claims(?:/1/name)? must .*${text}`)),
    );
  });

  it("is refused in inputs of a provider, as far as they are known", () => {
    const inputs = {
      name: "a",
      audience: "b",
      issuer: github,
      claims: [{ name: "ref", value: "c" }],
    };
    const refused = validateInputs(workloadTrust, { ...inputs, owner: "robot" });
    expect(refused).toContainEqual(expect.objectContaining({ path: "/claims" }));
  });
});
