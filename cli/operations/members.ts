// The members of an operation's request: which are arguments, which are flags, and which only --data can set.
import type { TSchema } from "typebox";
import { type FieldInfo, membersOf } from "../../core/kind/fields.ts";
import { kebabCase } from "../../core/text/naming.ts";
import { nonNull, typesOf, view } from "../../core/schema/schema.ts";
import { traitsOf } from "../../core/schema/traits.ts";
import type { Lookup } from "../shared/lookup/lookup.ts";
import type { OperationCommand } from "./command.ts";

/** How the text of a value is read. `json` is JSON if it parses, otherwise a text. */
type ValueType = "text" | "integer" | "number" | "boolean" | "json";

/** A member of the request that an argument or a flag sets. */
export interface Member {
  readonly name: string;
  readonly part: "params" | "query" | "body";
  readonly type: ValueType;
  /** Whether it is a list, and the flag repeatable. */
  readonly isList: boolean;
  readonly choices: readonly string[] | undefined;
  readonly isRequired: boolean;
  readonly lookup: Lookup | undefined;
  /** Name of an argument, or flag with its dashes. */
  readonly label: string;
  readonly doc: string;
  /** Value that a flag without a value sets. */
  readonly value: boolean | undefined;
  /** Another member of the body whose value it has by default. */
  readonly sameAs: string | undefined;
  /** The option that replaces a required flag. */
  readonly requiredUnless: string | undefined;
}

/** The members of a command's request. */
export interface RequestMembers {
  readonly arguments: readonly Member[];
  readonly flags: readonly Member[];
  /** Members of the body that only `--data` can set. */
  readonly dataOnly: readonly string[];
  /** Those of them that are required. */
  readonly requiredData: readonly string[];
  /** Members of the body that repeat an argument of the path. */
  readonly fromPath: readonly string[];
}

/** Names that the command line uses for members. */
const shortNames: Readonly<Record<string, string>> = {
  deploymentId: "deployment",
  branchName: "branch",
  embedTenantName: "tenant",
};

/** Set by `--first` and `--after`, deprecated, or named instead. */
const withoutFlag = ["first", "after", "offset", "limit", "branchId"];

/** A member before it is known to be an argument or a flag. */
interface RequestField extends FieldInfo {
  readonly part: Member["part"];
}

/** Returns the members of a command's request. */
export function requestMembers(command: OperationCommand): RequestMembers {
  const { operation, arguments: names, fixed = {} } = command;
  const fields = (part: Member["part"]): readonly RequestField[] => {
    const schema = operation[part];
    return schema === undefined ? [] : membersOf(schema).map((field) => ({ ...field, part }));
  };
  const path = fields("params");
  const isInPath = ({ name }: RequestField): boolean => path.some((one) => one.name === name);
  const body = fields("body");
  const content = [...fields("query"), ...body].filter((field) => !isInPath(field));
  const positional = names.flatMap((name) => content.filter((field) => field.name === name));
  const rest = content.filter(
    ({ name }) =>
      !names.includes(name) && !withoutFlag.includes(name) && !Object.hasOwn(fixed, name),
  );
  // Command lines are visible to other users.
  const hasFlag = ({ name, schema, traits }: RequestField): boolean =>
    command.flags[name] !== false && simpleType(schema) !== undefined && traits.sensitive !== true;
  const dataOnly = rest.filter((field) => !hasFlag(field));
  return {
    arguments: [...path, ...positional].map((field) => argumentOf(command, field)),
    flags: rest.filter(hasFlag).map((field) => flagOf(command, field)),
    dataOnly: dataOnly.map(({ name }) => name),
    requiredData: dataOnly.filter(({ required }) => required).map(({ name }) => name),
    fromPath: body.filter(isInPath).map(({ name }) => name),
  };
}

function argumentOf(command: OperationCommand, field: RequestField): Member {
  const member = memberOf(command, field);
  const { lookup } = member;
  const named = lookup?.typeMember === undefined ? lookup?.label : undefined;
  const label = named ?? shortNames[field.name] ?? kebabCase(field.name);
  return { ...member, label: label.replaceAll(" ", "-").toLowerCase() };
}

function flagOf(command: OperationCommand, field: RequestField): Member {
  const member = memberOf(command, field);
  const chosen = command.flags[field.name] || {};
  const { name = shortNames[field.name] ?? kebabCase(field.name), doc, value, sameAs } = chosen;
  const { requiredUnless } = chosen;
  return {
    ...member,
    ...(chosen.isText === true && { type: "text" as const }),
    ...((chosen.isRequired === true || requiredUnless !== undefined) && { isRequired: true }),
    label: `--${name}`,
    doc: doc ?? member.doc,
    value,
    sameAs,
    requiredUnless,
  };
}

function memberOf(
  { lookups }: OperationCommand,
  { name, part, schema, required }: RequestField,
): Member {
  const item = itemOf(schema);
  const { enum: choices } = view(onlyVariant(item ?? schema) ?? schema);
  return {
    name,
    part,
    type: simpleType(schema) ?? "json",
    isList: item !== undefined,
    choices: choices?.map(String),
    isRequired: required,
    lookup: lookups[name],
    label: name,
    doc: docOf(schema),
    value: undefined,
    sameAs: undefined,
    requiredUnless: undefined,
  };
}

/** Returns the only alternative of a schema other than `null`. */
function onlyVariant(schema: TSchema): TSchema | undefined {
  const all = nonNull(schema);
  return all.length === 1 ? all[0] : undefined;
}

/** Returns the schema of the items of a list of simple values. */
function itemOf(schema: TSchema): TSchema | undefined {
  const only = onlyVariant(schema);
  const items = only === undefined ? undefined : view(only).items;
  return items === undefined || scalarType(items) === undefined ? undefined : items;
}

/** Returns how a flag's text is read; undefined for objects, maps and lists of them. */
function simpleType(schema: TSchema): ValueType | undefined {
  return scalarType(itemOf(schema) ?? schema);
}

const valueTypes: Readonly<Record<string, ValueType>> = {
  string: "text",
  integer: "integer",
  number: "number",
  boolean: "boolean",
};

function scalarType(schema: TSchema): ValueType | undefined {
  const types = new Set(nonNull(schema).flatMap(typesOf));
  const [only] = types;
  if (types.size === 1 && only !== undefined) return valueTypes[only];
  // A union of values, such as the value of an attribute.
  return types.size > 1 && !types.has("object") ? "json" : undefined;
}

function docOf(schema: TSchema): string {
  const own = traitsOf(schema).doc;
  const inner = onlyVariant(schema);
  return own === "" && inner !== undefined ? traitsOf(inner).doc : own;
}
