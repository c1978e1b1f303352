// Keys and addresses as text: encoding, decoding and rejection.
import { namePattern } from "../text/text-patterns.ts";
import { Type } from "typebox";
import { describe, expect, it } from "vitest";
import {
  address,
  keyOf,
  keyOfNamed,
  parseAddress,
  parseKey,
  scopeOf,
  scopeText,
} from "./identity.ts";
import { fingerprint } from "../spec/fingerprint.ts";
import { defineKind, defineObserve } from "./kind.ts";

const kind = defineKind(
  {
    name: "Thing",
    plural: "things",
    doc: "A thing.",
    shape: "item",
    key: ["room", "number"],
    scope: ["room"],
    spec: Type.Object({ room: Type.String(), number: Type.Integer() }),
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

const options = { default: "" };
const tenanted = {
  ...kind,
  key: ["room", "tenant"],
  spec: Type.Object({ room: Type.String(), tenant: Type.Optional(Type.String(options)) }),
};

describe("identity", () => {
  it("leaves out a last part that is empty, where its field may be", () => {
    expect(keyOf(tenanted, { room: "a", tenant: "" })).toBe("a");
    expect(keyOf(tenanted, { room: "a" })).toBe("a");
    expect(parseKey(tenanted, "a")).toEqual({ room: "a", tenant: "" });
    expect(parseKey(tenanted, "a/b")).toEqual({ room: "a", tenant: "b" });
    expect(parseKey(tenanted, "a/b/c")).toBeUndefined();
    expect(keyOfNamed({ ...tenanted, scope: [] }, "a", {})).toBe("a");
  });

  it("joins the fields of a key with slashes, and escapes what would be ambiguous", () => {
    expect(keyOf(kind, { room: "café-1", number: 7 })).toBe("café-1/7");
    expect(keyOf(kind, { room: "a/b 50%", number: 7 })).toBe("a%2Fb%2050%25/7");
    expect(() => keyOf(kind, { room: "a" })).toThrow("bug");
  });

  it("parses keys by the types of their fields, and rejects other text", () => {
    expect(parseKey(kind, "a%2Fb/7")).toEqual({ room: "a/b", number: 7 });
    for (const text of ["a", "a/b/7", "a/x", "a/07", "a/7.5", "50%/7", "a%FF/7", "a/"]) {
      expect(parseKey(kind, text)).toBeUndefined();
    }
  });

  it("writes scopes as sorted pairs, and escapes their values", () => {
    expect(scopeText(scopeOf(kind, { room: "a=b,c", number: 1 }))).toBe("room=a%3Db%2Cc");
    expect(scopeText({})).toBe("");
    expect(scopeText({ b: "1", a: "2" })).toBe("a=2,b=1");
  });

  it("joins and splits addresses", () => {
    expect(parseAddress(address("Thing", "a.b"))).toEqual({ kind: "Thing", name: "a.b" });
    for (const text of ["Thing", "Thing/", "/a", "thing/a"]) {
      expect(parseAddress(text)).toBeUndefined();
    }
  });

  it("allows names that are safe in files, URLs and commands", () => {
    const allowed = new RegExp(namePattern, "u");
    for (const name of ["a", "acme-viewers", "v1.2_x", "A".repeat(253)]) {
      expect(name).toMatch(allowed);
    }
    for (const name of ["", "-a", "a-", "a b", "a/b", "ä", "A".repeat(254)]) {
      expect(name).not.toMatch(allowed);
    }
  });
});

describe("fingerprints", () => {
  it("are equal for equal values with one key, and start with the format version", () => {
    expect(fingerprint({ a: 1, b: [2] }, "k")).toBe(fingerprint({ b: [2], a: 1 }, "k"));
    expect(fingerprint("x", "k")).toMatch(/^v1:[\w-]{43}$/);
    expect(fingerprint("x", "k")).not.toBe(fingerprint("x", "other"));
    expect(fingerprint("1", "k")).not.toBe(fingerprint(1, "k"));
  });
});
