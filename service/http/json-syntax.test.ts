// The position of a JSON syntax error.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cpuMs } from "../../test/support/cpu-time.ts";
import { syntaxErrorAt } from "./json-syntax.ts";

describe("the place of a syntax error", () => {
  it.each([
    ['{"a": x}', 6],
    ["[1,]", 3],
    ['{"a":1,}', 7],
    ["[1 2]", 3],
    ['["abc', 1],
    ['{"a"}', 4],
    ["[1,2]x", 5],
    ["01", 1],
    ["tru", 0],
    ['["\\u12"]', 1],
    ['["a\nb"]', 1],
    ["{", 1],
    ["]", 0],
    ['{"a":[}', 6],
  ])("in %j is %i", (text, at) => {
    expect(syntaxErrorAt(text)).toBe(at);
  });

  it("is absent if JSON.parse succeeds", () => {
    const text = fc.oneof(
      fc.json(),
      fc.string({ unit: fc.constantFrom(...Array.from('[]{},:"\\ 0123456789-+.eEtrufalsn\n')) }),
      fc.tuple(fc.json(), fc.nat(), fc.string({ maxLength: 2 })).map(([json, at, change]) => {
        const index = at % (json.length + 1);
        return json.slice(0, index) + change + json.slice(index + 1);
      }),
    );
    fc.assert(
      fc.property(text, (sample) => {
        const at = Number(syntaxErrorAt(sample));
        expect(at).toBeLessThanOrEqual(sample.length);
        if (parses(sample)) expect(at).toBe(sample.length);
        // The text before the error is valid: parsing it fails only at its end.
        expect(Number(syntaxErrorAt(sample.slice(0, at)))).toBeLessThanOrEqual(at);
      }),
      { numRuns: 2000 },
    );
  });

  it.each([
    ["depth", "[".repeat(4_000_000)],
    ["values", `[${"1,".repeat(2_000_000)}`],
  ])("is not searched beyond the limit of %s", (bound, text) => {
    const took = cpuMs(() => {
      expect(syntaxErrorAt(text, { depth: 64, values: 200_000 })).toBe(bound);
    });
    expect(took).toBeLessThan(1500);
  });

  it("is found quickly in a long text", () => {
    const took = cpuMs(() => {
      expect(syntaxErrorAt(`["${"a".repeat(2_000_000)}"x]`)).toBe(2_000_003);
      expect(syntaxErrorAt(`["${"a".repeat(2_000_000)}`)).toBe(1);
    });
    expect(took).toBeLessThan(5000);
  });
});

function parses(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
