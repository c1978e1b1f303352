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

function value(given: JsonValue, more?: Partial<Scope>): JsonValue {
  const { value: got, errors: refusals } = substitute(given, scope(more));
  expect(refusals).toEqual([]);
  return got;
}

function errorOf(given: JsonValue, more?: Partial<Scope>): string {
  return substitute(given, scope(more))
    .errors.map(({ code, path, summary, remedy }) => `${code} ${path} ${summary}. ${remedy}`)
    .join("\n");
}

describe("what is put in", () => {
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
  ])("%j becomes %j", (given, expected) => {
    expect(value(given)).toEqual(expected);
  });

  it.each(["SVC_API_KEY", "SVC_FINGERPRINT_KEY", "svc_api_key"])(
    "is never svc's own %s, whoever allows it",
    (name) => {
      const open = {
        environment: [name],
        grants: { environment: [name] },
        env: { [name]: "hidden" },
      };
      expect(errorOf(`\${env:${name}}`, open)).toContain("environment-not-allowed");
      expect(errorOf(`\${env:${name}}`, open)).not.toContain("hidden");
      const stack = { ...open, grants: { environment: "stack" } as const };
      expect(errorOf(`\${env:${name}:-x}`, stack)).toContain("svc's own");
    },
  );

  it("takes a granted variable's default where it is not set", () => {
    expect(value("${env:REGION:-us}", { env: {} })).toBe("us");
  });

  it("grants what the Stack allows when the caller says so", () => {
    expect(value("${env:TOKEN}", { grants: { environment: "stack" } })).toBe("hidden-value");
  });
});

describe("what is refused", () => {
  it.each<[JsonValue, string]>([
    ["x ${taem}", 'variable-unset  the variable "taem" has no value. Did you mean "team"? Set it'],
    ["${team", "has no closing brace"],
    ["${}", "does not name a variable"],
    ["${a b}", "does not name a variable"],
    ["${x:-${team}}", "a default cannot hold another substitution"],
    ["all: ${list}", "is a list and cannot stand within text"],
    ["all: ${nothing}", "is null and cannot stand within text"],
    [{ spec: { "${team}": 1 } }, "variable-syntax /spec/${team} nothing is substituted in the key"],
    ["${env:OTHER}", "environment-not-allowed  the Stack does not allow"],
    ["${env:TOKEN}", "pass --allow-env TOKEN."],
    ["${env:PATH:-x}", "environment-not-allowed"],
  ])("%j", (given, expected) => {
    expect(errorOf(given)).toContain(expected);
  });

  it("nothing from the environment is read in the Stack itself", () => {
    expect(errorOf("${env:REGION}", { environment: undefined })).toContain(
      "environment-not-allowed",
    );
  });

  it("no value of the environment is ever told", () => {
    expect(errorOf(["${env:TOKEN}", "${env:OTHER}", "${env:TOKEN"])).not.toContain("hidden-value");
  });

  it("a variable that only a prototype has is unset", () => {
    expect(errorOf("${constructor}")).toContain("variable-unset");
    const grants = { environment: "stack" } as const;
    expect(errorOf("${env:toString}", { environment: ["toString"], grants })).toContain(
      "is not set",
    );
  });
});

describe("laws", () => {
  const text = fc
    .array(fc.constantFrom("$", "{", "}", ":", "-", "a", "team", " "))
    .map((all) => all.join(""));

  it("a text with its openings escaped comes out as it was", () => {
    fc.assert(
      fc.property(text, (given) => {
        expect(value(given.replaceAll("${", () => "$${"))).toBe(given);
      }),
    );
  });

  it("a value without an opening is the same value", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (given) => {
        fc.pre(!JSON.stringify(given).includes("${"));
        expect(substitute(given as JsonValue, scope()).value).toBe(given);
      }),
    );
  });

  it("never throws, and changes no value where it refuses", () => {
    fc.assert(
      fc.property(text, (given) => {
        const { value: got, errors: refusals } = substitute(given, scope());
        if (refusals.length > 0 && given.startsWith("${") && !given.slice(1).includes("$")) {
          expect(got).toBe(given);
        }
      }),
    );
  });
});
