// Property values of Pulumi's engine: between protobuf structs and JSON that may hold secrets and values not known yet.
import structs, { type Struct, type Value } from "google-protobuf/google/protobuf/struct_pb.js";
import { Failure, invariant } from "../../core/errors.ts";
import { isObject } from "../../core/json.ts";
import { limits } from "../../core/limits.ts";
import { type Inputs, Unknown, type Value as Planned } from "../bridge/unknown-values.ts";
import { formatPropertyPath } from "./property-paths.ts";

/** Marks an object of a struct as something else than a map; the wire's own constants. */
const signatureKey = "4dabf18193072939515e22adb298388d";
const valueSignatures = {
  secret: "1b47061264138c4ac30d75fd1eb44270",
  output: "d0e6a833031e9bbcd3f4e8bde6ca49a4",
  resource: "5cf8f73096256a8f31e491e813e4eb8e",
} as const;

/** What the engine writes for a value that it does not know yet, by the type it will have: any, bool, number, text, list, asset, map. */
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

/** A value that is known only once something else was applied. */
export const unknownValue = new Unknown();

/** A secret with what it hides; the engine encrypts it in its state and never shows it. */
export class SecretValue {
  readonly #value: PropertyValue;

  constructor(value: PropertyValue) {
    this.#value = value instanceof SecretValue ? value.reveal() : value;
  }

  /** What it hides; there may be secrets inside it. */
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

/** Anything that a property can be. */
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

/** True for maps: not a list, a secret or a value not known yet. */
export function isMap(value: PropertyValue | undefined): value is PropertyMap {
  return isObject(value) && !(value instanceof Unknown) && !(value instanceof SecretValue);
}

type Steps = readonly (string | number)[];

/** The properties of a struct; none where there is no struct. Fails with `invalid` for assets, archives and nesting without end. */
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
      throw new Failure(
        "invalid",
        `${formatPropertyPath(steps)} is of a form that is not understood.`,
      );
  }
}

function listOf(value: Value): readonly Value[] {
  return value.getListValue()?.getValuesList() ?? [];
}

/** A map that is marked as something else becomes that. */
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
        `${formatPropertyPath(steps)} is an asset, an archive or another value that has no place here.`,
        { remedy: "Give text, for example with fs.readFileSync." },
      );
  }
}

/** The struct of these properties. */
export function encode(map: PropertyMap): Struct {
  const struct = new structs.Struct();
  const fields = struct.getFieldsMap();
  for (const [name, value] of Object.entries(map)) fields.set(name, encodeValue(value));
  return struct;
}

function encodeValue(value: PropertyValue): Value {
  const made = new structs.Value();
  if (value === null) return made.setNullValue(structs.NullValue.NULL_VALUE);
  if (typeof value === "boolean") return made.setBoolValue(value);
  if (typeof value === "number") return made.setNumberValue(value);
  if (typeof value === "string") return made.setStringValue(value);
  if (value instanceof Unknown) return made.setStringValue(unknownSentinel);
  if (value instanceof SecretValue) {
    return made.setStructValue(
      encode({ [signatureKey]: valueSignatures.secret, value: value.reveal() }),
    );
  }
  if (Array.isArray(value)) {
    return made.setListValue(new structs.ListValue().setValuesList(value.map(encodeValue)));
  }
  invariant(isMap(value), "a property value of no known form");
  return made.setStructValue(encode(value));
}

/** True when the value, or anything in it, is not known yet. */
export function hasUnknown(value: PropertyValue | undefined): boolean {
  if (value instanceof SecretValue) return hasUnknown(value.reveal());
  if (Array.isArray(value)) return value.some(hasUnknown);
  return value instanceof Unknown || (isMap(value) && Object.values(value).some(hasUnknown));
}

/** True when the value, or anything in it, is secret. */
export function hasSecret(value: PropertyValue | undefined): boolean {
  if (Array.isArray(value)) return value.some(hasSecret);
  return value instanceof SecretValue || (isMap(value) && Object.values(value).some(hasSecret));
}

/** The value without the marks of secrets: as the bridge takes it. */
export function unwrapSecrets(value: PropertyValue): Planned {
  if (value instanceof SecretValue) return unwrapSecrets(value.reveal());
  if (Array.isArray(value)) return value.map((item: PropertyValue) => unwrapSecrets(item));
  return isMap(value) ? unwrapSecretsInMap(value) : (value as Planned);
}

/** As {@link unwrapSecrets}, of properties. */
export function unwrapSecretsInMap(map: PropertyMap): Inputs {
  return Object.fromEntries(
    Object.entries(map).map(([name, value]) => [name, unwrapSecrets(value)]),
  );
}

/** The value with secrets where `like` has them; a list of another length than a list with secrets is secret as a whole. */
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
