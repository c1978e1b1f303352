// Converts property values between protobuf structs and JSON with secret and unknown values.
import structs, { type Struct, type Value } from "google-protobuf/google/protobuf/struct_pb.js";
import { Failure, invariant } from "../../core/errors.ts";
import { isObject } from "../../core/json.ts";
import { limits } from "../../core/limits/limits.ts";
import { type Inputs, Unknown, type Value as Planned } from "../bridge/unknown-values.ts";
import { formatPropertyPath } from "./property-paths.ts";

/** Key that marks a struct as a special value; the constants are part of Pulumi's wire protocol. */
const signatureKey = "4dabf18193072939515e22adb298388d";
const valueSignatures = {
  secret: "1b47061264138c4ac30d75fd1eb44270",
  output: "d0e6a833031e9bbcd3f4e8bde6ca49a4",
  resource: "5cf8f73096256a8f31e491e813e4eb8e",
} as const;

/** The engine's placeholders for unknown values, one for each type: any, bool, number, string, list, asset, map. */
const unknownSentinels: ReadonlySet<string> = new Set([
  "04da6b54-80e4-46f7-96ec-b56ff0331ba9",
  "1c4a061d-8072-4f0a-a4cb-0ff528b18fe7",
  "3eeb2bf0-c639-47a8-9e75-3b44932eb421",
  "6a19a0b0-7e62-4c92-b797-7f8e31da9cc2",
  "e48ece36-62e2-4504-bad9-02848725956a",
  "030794c1-ac77-496b-92df-f27374a8bd58",
  "dd056dcd-154b-4c76-9bd3-c8f88648b5ff",
]);
const [unknownSentinel = ""] = unknownSentinels;

/** A value that is unknown until another resource has been applied. */
export const unknownValue = new Unknown();

/** A secret value. The engine encrypts it in state and masks it in output. */
export class SecretValue {
  readonly #value: PropertyValue;

  constructor(value: PropertyValue) {
    this.#value = value instanceof SecretValue ? value.reveal() : value;
  }

  /** Returns the value, which may contain more secrets. */
  reveal(): PropertyValue {
    return this.#value;
  }

  toJSON(): string {
    return "•••";
  }

  [Symbol.for("nodejs.util.inspect.custom")](): string {
    return "•••";
  }
}

/** A property value. */
export type PropertyValue =
  | null
  | boolean
  | number
  | string
  | Unknown
  | SecretValue
  | readonly PropertyValue[]
  | PropertyMap;

/** Properties by name. */
export interface PropertyMap {
  readonly [name: string]: PropertyValue;
}

/** Returns true for a map; false for a list, a secret or an unknown value. */
export function isMap(value: PropertyValue | undefined): value is PropertyMap {
  return isObject(value) && !(value instanceof Unknown) && !(value instanceof SecretValue);
}

type Steps = readonly (string | number)[];

/** Decodes a struct; undefined gives no properties. Fails with `invalid` for assets, archives and excessive nesting. */
export function decode(struct: Struct | undefined): PropertyMap {
  return struct === undefined ? {} : decodeStruct(struct, []);
}

function decodeStruct(struct: Struct, steps: Steps): PropertyMap {
  const found: [string, PropertyValue][] = [];
  struct.getFieldsMap().forEach((value: Value, name: string) => {
    found.push([name, decodeValue(value, [...steps, name])]);
  });
  return Object.fromEntries(found);
}

function decodeValue(value: Value, steps: Steps): PropertyValue {
  if (steps.length > limits.depth) {
    throw new Failure("invalid", `${formatPropertyPath(steps.slice(0, 3))} is nested too deeply.`);
  }
  const { KindCase } = structs.Value;
  switch (value.getKindCase()) {
    case KindCase.BOOL_VALUE:
      return value.getBoolValue();
    case KindCase.NUMBER_VALUE:
      return value.getNumberValue();
    case KindCase.STRING_VALUE:
      return unknownSentinels.has(value.getStringValue()) ? unknownValue : value.getStringValue();
    case KindCase.LIST_VALUE:
      return listOf(value).map((item, index) => decodeValue(item, [...steps, index]));
    case KindCase.STRUCT_VALUE:
      return decodeSignedValue(
        decodeStruct(value.getStructValue() ?? new structs.Struct(), steps),
        steps,
      );
    case KindCase.NULL_VALUE:
    case KindCase.KIND_NOT_SET:
      return null;
    default:
      throw new Failure("invalid", `${formatPropertyPath(steps)} has an unsupported type.`);
  }
}

function listOf(value: Value): readonly Value[] {
  return value.getListValue()?.getValuesList() ?? [];
}

/** Converts a marked map to the special value that it stands for. */
function decodeSignedValue(map: PropertyMap, steps: Steps): PropertyValue {
  if (!Object.hasOwn(map, signatureKey)) return map;
  const value = map["value"];
  switch (map[signatureKey]) {
    case valueSignatures.secret:
      return new SecretValue(value ?? null);
    case valueSignatures.output: {
      const inner = value === undefined ? unknownValue : value;
      return map["secret"] === true ? new SecretValue(inner) : inner;
    }
    case valueSignatures.resource:
      return map["id"] === undefined || map["id"] === "" ? unknownValue : map["id"];
    default:
      throw new Failure(
        "invalid",
        `${formatPropertyPath(steps)} is an asset, an archive or another unsupported value`,
        { remedy: "Pass a string, for example from fs.readFileSync." },
      );
  }
}

/** Encodes properties as a struct. */
export function encode(map: PropertyMap): Struct {
  const struct = new structs.Struct();
  const fields = struct.getFieldsMap();
  for (const [name, value] of Object.entries(map)) fields.set(name, encodeValue(value));
  return struct;
}

function encodeValue(value: PropertyValue): Value {
  const encoded = new structs.Value();
  if (value === null) return encoded.setNullValue(structs.NullValue.NULL_VALUE);
  if (typeof value === "boolean") return encoded.setBoolValue(value);
  if (typeof value === "number") return encoded.setNumberValue(value);
  if (typeof value === "string") return encoded.setStringValue(value);
  if (value instanceof Unknown) return encoded.setStringValue(unknownSentinel);
  if (value instanceof SecretValue) {
    return encoded.setStructValue(
      encode({ [signatureKey]: valueSignatures.secret, value: value.reveal() }),
    );
  }
  if (Array.isArray(value)) {
    return encoded.setListValue(new structs.ListValue().setValuesList(value.map(encodeValue)));
  }
  invariant(isMap(value), "a property value is a map");
  return encoded.setStructValue(encode(value));
}

/** Returns true if the value is or contains an unknown value. */
export function hasUnknown(value: PropertyValue | undefined): boolean {
  if (value instanceof SecretValue) return hasUnknown(value.reveal());
  if (Array.isArray(value)) return value.some(hasUnknown);
  return value instanceof Unknown || (isMap(value) && Object.values(value).some(hasUnknown));
}

/** Returns true if the value is or contains a secret. */
export function hasSecret(value: PropertyValue | undefined): boolean {
  if (Array.isArray(value)) return value.some(hasSecret);
  return value instanceof SecretValue || (isMap(value) && Object.values(value).some(hasSecret));
}

/** Returns the value without secret marks, as the bridge takes it. */
export function unwrapSecrets(value: PropertyValue): Planned {
  if (value instanceof SecretValue) return unwrapSecrets(value.reveal());
  if (Array.isArray(value)) return value.map((item: PropertyValue) => unwrapSecrets(item));
  return isMap(value) ? unwrapSecretsInMap(value) : (value as Planned);
}

/** Returns the properties without secret marks. */
export function unwrapSecretsInMap(map: PropertyMap): Inputs {
  return Object.fromEntries(
    Object.entries(map).map(([name, value]) => [name, unwrapSecrets(value)]),
  );
}

/** Marks the parts of a value secret that are secret in `like`. A list with secrets but another length becomes secret as a whole. */
export function markSecretsLike(
  value: PropertyValue,
  like: PropertyValue | undefined,
): PropertyValue {
  if (like instanceof SecretValue) return new SecretValue(value);
  if (Array.isArray(value)) {
    if (!Array.isArray(like) || !hasSecret(like)) return value;
    if (value.length !== like.length) return new SecretValue(value);
    return value.map((item: PropertyValue, index) => markSecretsLike(item, like[index]));
  }
  if (!isMap(value) || !isMap(like)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, markSecretsLike(inner, like[name])]),
  );
}
