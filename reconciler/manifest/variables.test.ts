// The laws and the refusals of substitution.
import { describe, expect, it } from "vitest";
import fc from "fast-check";
import type { JsonValue } from "../../core/json.ts";
import { type Scope, substitute } from "./variables.ts";

const variables: Readonly<Record<string, JsonValue>> = {
  team: "growth",
  count: 5,
  on: true,
  list: ["a", "b"],
  nothing: null,
  empty: "",
  sly: "${team}",
};

function scope(more: Partial<Scope> = {}): Scope {
  return {
    variables: new Map(Object.entries(variables)),
    environment: ["REGION", "TOKEN"],
    grants: { environment: ["REGION", "OTHER"] },
    env: { REGION: "eu", TOKEN: "hidden-value", OTHER: "hidden-value" },
    ...more,
  };
}

function value(written: JsonValue, more?: Partial<Scope>): JsonValue {
  const { value: got, errors: refusals } = substitute(written, scope(more));
  expect(refusals).toEqual([]);
  return got;
}

function errorOf(written: JsonValue, more?: Partial<Scope>): string {
  return substitute(written, scope(more))
    .errors.map(({ code, path, summary, remedy }) => `${code} ${path} ${summary}. ${remedy}`)
    .join("\n");
}

describe("substitution", () => {
  it.each<[JsonValue, JsonValue]>([
    ["${team}", "growth"],
    ["${count}", 5],
    ["${on}", true],
    ["${list}", ["a", "b"]],
    ["${nothing}", null],
    ["a-${team}-${count}-${on}", "a-growth-5-true"],
    ["${missing:-x y}", "x y"],
    ["${missing:-}", ""],
    ["${empty:-x}", "x"],
    ["${empty}", ""],
    ["${env:REGION}", "eu"],
    ["$${team} and ${team}", "${team} and growth"],
    ["$team $$ $", "$team $$ $"],
    ["${sly}!", "${team}!"],
    [{ a: ["${count}", { b: "${team}" }] }, { a: [5, { b: "growth" }] }],
  ])("%j becomes %j", (written, expected) => {
    expect(value(written)).toEqual(expected);
  });

  it.each(["SVC_API_KEY", "SVC_FINGERPRINT_KEY", "svc_api_key"])(
    "never reads svc's own %s, even if granted",
    (name) => {
      const open = {
        environment: [name],
        grants: { environment: [name] },
        env: { [name]: "hidden" },
      };
      expect(errorOf(`\${env:${name}}`, open)).toContain("environment-not-allowed");
      expect(errorOf(`\${env:${name}}`, open)).not.toContain("hidden");
      const stack = { ...open, grants: { environment: "stack" } as const };
      expect(errorOf(`\${env:${name}:-x}`, stack)).toContain("reserved for svc");
    },
  );

  it("uses the default of a granted variable that is not set", () => {
    expect(value("${env:REGION:-us}", { env: {} })).toBe("us");
  });

  it("takes an empty environment variable for one without a value, unless a default permits it", () => {
    const env = { REGION: "" };
    expect(value("${env:REGION:-us}", { env })).toBe("us");
    expect(value("${env:REGION:-}", { env })).toBe("");
    expect(errorOf("in ${env:REGION}", { env })).toContain(
      'variable-unset  the environment variable "REGION" is empty. Set it, or add a default: ${env:REGION:-default}, or an empty value: ${env:REGION:-}.',
    );
  });

  it("reads what the Stack lists if the operator grants all of that", () => {
    expect(value("${env:TOKEN}", { grants: { environment: "stack" } })).toBe("hidden-value");
  });
});

describe("refusals", () => {
  it.each<[JsonValue, string]>([
    ["x ${taem}", 'variable-unset  the variable "taem" has no value. Did you mean "team"? Set it'],
    ["${team", "has no closing brace"],
    ["${}", "the variable name is invalid"],
    ["${a b}", "the variable name is invalid"],
    ["${x:-${team}}", "a default cannot contain a substitution"],
    ["all: ${list}", "is a list and cannot be part of a text"],
    ["all: ${nothing}", "is null and cannot be part of a text"],
    [
      { spec: { "${team}": 1 } },
      'variable-syntax /spec/${team} the key "${team}" cannot contain a substitution',
    ],
    ["${env:OTHER}", "environment-not-allowed  the Stack does not list"],
    [
      "${env:NEITHER}",
      "spec.environment. If you trust its authors, pass --grant environment=NEITHER",
    ],
    [
      "${env:TOKEN}",
      "pass --grant environment=TOKEN, or add it to `environment` in the grants file.",
    ],
    ["${env:PATH:-x}", "environment-not-allowed"],
  ])("%j", (written, expected) => {
    expect(errorOf(written)).toContain(expected);
  });

  it("the Stack document itself reads no environment variables", () => {
    expect(errorOf("${env:REGION}", { environment: undefined })).toContain(
      "environment-not-allowed",
    );
  });

  it("no message contains a value of the environment", () => {
    expect(errorOf(["${env:TOKEN}", "${env:OTHER}", "${env:TOKEN"])).not.toContain("hidden-value");
  });

  it("a name of Object.prototype is an unset variable", () => {
    expect(errorOf("${constructor}")).toContain("variable-unset");
    const grants = { environment: "stack" } as const;
    expect(errorOf("${env:toString}", { environment: ["toString"], grants })).toContain(
      "is not set",
    );
  });
});

describe("properties", () => {
  const text = fc
    .array(fc.constantFrom("$", "{", "}", ":", "-", "a", "team", " "))
    .map((all) => all.join(""));

  it("an escaped text is substituted to itself", () => {
    fc.assert(
      fc.property(text, (written) => {
        expect(value(written.replaceAll("${", () => "$${"))).toBe(written);
      }),
    );
  });

  it("a value without a substitution is unchanged", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (written) => {
        fc.pre(!JSON.stringify(written).includes("${"));
        expect(substitute(written as JsonValue, scope()).value).toBe(written);
      }),
    );
  });

  it("never throws, and leaves refused values unchanged", () => {
    fc.assert(
      fc.property(text, (written) => {
        const { value: got, errors: refusals } = substitute(written, scope());
        if (refusals.length > 0 && written.startsWith("${") && !written.slice(1).includes("$")) {
          expect(got).toBe(written);
        }
      }),
    );
  });
});
