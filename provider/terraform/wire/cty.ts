// Converts values from and to MessagePack by their schema types. Numbers stay exact.
import { decode, DecodeError, encode, ExtData, ExtensionCodec } from "@msgpack/msgpack";
import { Failure } from "../../../core/errors.ts";
import { isKnownObject, Unknown, type Value } from "../../bridge/unknown-values.ts";

/** A type in the protocol's JSON form. */
export type Type =
  | "string"
  | "number"
  | "bool"
  | readonly ["list" | "set" | "map", Type]
  | readonly ["object", { readonly [name: string]: Type }];

/** An encoded value. */
export interface Dynamic {
  readonly msgpack?: Uint8Array;
  readonly json?: Uint8Array;
}

/** MessagePack extension types: an unknown value, and an unknown value with refinements. */
const plainUnknown = 0;
const refinedUnknown = 12;

const extensions = new ExtensionCodec();
extensions.register({
  type: plainUnknown,
  encode: (value) =>
    value instanceof Unknown && value.payload === undefined ? new Uint8Array([0]) : null,
  decode: () => new Unknown(),
});
extensions.register({
  type: refinedUnknown,
  encode: (value) =>
    value instanceof Unknown && value.payload instanceof Uint8Array ? value.payload : null,
  decode: (payload) => new Unknown(payload.slice()),
});

const options = { extensionCodec: extensions, useBigInt64: true } as const;

/** Decodes a value; `null` if absent. A number that JavaScript cannot represent exactly stays a string. */
export function fromWire(type: Type, dynamic: Dynamic | undefined): Value {
  const { msgpack, json } = dynamic ?? {};
  if (msgpack !== undefined && msgpack.length > 0) return read(type, decodeBytes(msgpack));
  if (json === undefined || json.length === 0) return null;
  return read(type, JSON.parse(Buffer.from(json).toString("utf8")));
}

function decodeBytes(msgpack: Uint8Array): unknown {
  try {
    return decode(msgpack, options);
  } catch (error) {
    // The decoder refuses the key `__proto__`.
    if (!(error instanceof DecodeError)) throw error;
    throw new Failure("usage", `a value cannot be decoded: ${error.message}`, { cause: error });
  }
}

/** Encodes a value. */
export function toWire(type: Type, value: Value): Dynamic {
  return { msgpack: encode(write(type, value), options) };
}

function read(type: Type, raw: unknown): Value {
  if (raw === null || raw === undefined) return null;
  if (raw instanceof Unknown) return raw;
  if (raw instanceof ExtData) return new Unknown();
  if (type === "number") return toExactNumber(raw);
  if (typeof type === "string") return raw as Value;
  if (type[0] === "object") {
    const members = raw as Record<string, unknown>;
    const entries = Object.entries(type[1]).map(([name, inner]) => [
      name,
      read(inner, members[name]),
    ]);
    return Object.fromEntries(entries) as Value;
  }
  if (type[0] !== "map") return (raw as readonly unknown[]).map((item) => read(type[1], item));
  const entries = Object.entries(raw as Record<string, unknown>);
  return Object.fromEntries(entries.map(([name, item]) => [name, read(type[1], item)]));
}

function toExactNumber(raw: unknown): Value {
  if (typeof raw === "bigint") return String(Number(raw)) === String(raw) ? Number(raw) : `${raw}`;
  if (typeof raw !== "string") return raw as number;
  const number = Number(raw);
  return String(number) === raw ? number : raw;
}

function write(type: Type, value: Value | undefined): unknown {
  if (value === null || value === undefined) return null;
  if (value instanceof Unknown) return value;
  // A fraction is sent as a string: Terraform's numbers are decimal, not binary.
  if (type === "number") return Number.isSafeInteger(value) ? value : `${value as number}`;
  if (typeof type === "string") return value;
  if (type[0] === "object") {
    const members = isKnownObject(value) ? value : {};
    const entries = Object.entries(type[1]).map(([name, inner]) => [
      name,
      write(inner, members[name]),
    ]);
    return Object.fromEntries(entries) as unknown;
  }
  if (type[0] !== "map") return (value as readonly Value[]).map((item) => write(type[1], item));
  const entries = Object.entries(isKnownObject(value) ? value : {});
  return Object.fromEntries(entries.map(([name, item]) => [name, write(type[1], item)]));
}
