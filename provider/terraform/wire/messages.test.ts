// Encodes messages of the plugin protocol and decodes them, byte by byte where presence matters.
import { describe, expect, it } from "vitest";
import { codec, methodCodecs, methodNames, streamNames } from "./messages.ts";

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex");

describe("a message", () => {
  it("keeps the first position of a list in a path, and the first argument of a function", () => {
    const path = {
      steps: [{ attributeName: "a" }, { elementKeyInt: 0 }, { elementKeyString: "" }],
    };
    expect(hex(codec("AttributePath").encode(path))).toBe("0a030a01610a0218000a021200");
    expect(codec("AttributePath").decode(codec("AttributePath").encode(path))).toEqual(path);
    const error = { text: "no", functionArgument: 0 };
    expect(codec("FunctionError").decode(codec("FunctionError").encode(error))).toEqual(error);
  });

  it("leaves out absent fields and default values of the others", () => {
    const attribute = { name: "", type: Buffer.alloc(0), optional: false, descriptionKind: 0 };
    expect(hex(codec("Attribute").encode({ ...attribute, description: undefined }))).toBe("");
    expect(codec("Attribute").decode(Buffer.alloc(0))).toEqual({});
  });

  it("keeps nested, repeated and mapped messages", () => {
    const { response } = methodCodecs("GetProviderSchema");
    const nested = { attributes: [{ name: "é", type: Buffer.from("[]") }], nesting: 1 };
    const block = { attributes: [{ name: "a", nestedType: nested, writeOnly: true }] };
    const message = {
      provider: { version: 3, block },
      resourceSchemas: { a: { version: 2 ** 40, block: {} }, ["__proto__"]: { version: -1 } },
      diagnostics: [{ severity: 1, summary: "x" }, {}],
    };
    expect(response.decode(response.encode(message))).toEqual(message);
  });

  it("skips unknown fields and takes the last of two values", () => {
    const bytes = Buffer.from("9a0600a006ff010a01610a0162", "hex");
    expect(codec("TypeName").decode(bytes)).toEqual({ typeName: "b" });
  });

  it.each(["0a", "0a05", "0a056162", "0b", "ffffffffffffffffffffff", "0a02080"])(
    "that is damaged (%s) is refused",
    (bytes) => {
      expect(() => codec("AttributePath").decode(Buffer.from(bytes, "hex"))).toThrow();
    },
  );

  it("is declared for each method", () => {
    for (const name of [...methodNames, ...streamNames]) {
      const { request, response } = methodCodecs(name);
      expect(request.decode(request.encode({}))).toEqual({});
      expect(response.decode(response.encode({}))).toEqual({});
    }
  });
});
