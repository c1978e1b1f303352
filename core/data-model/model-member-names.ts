// The members that the YAML of a data model declares, without compiling it: enough to find a name that does not exist.
import { isObject, type JsonObject, type JsonValue } from "../json.ts";
import { isModelFile, isModelYaml } from "./model-path.ts";
import { hasTags } from "./model-template.ts";
import { parseModelYaml } from "./model-yaml.ts";
import { limits } from "../limits/limits.ts";
import type { MemberKind } from "./query-members.ts";
import { snakeCase } from "../text/naming.ts";

/** A declared member. */
interface DeclaredMember {
  readonly kind: MemberKind;
  /** The type of a dimension; undefined if it is not known. */
  readonly type?: string;
  /** The names of its custom granularities. */
  readonly granularities: readonly string[];
  /** Whether no query can name it. */
  readonly isHidden: boolean;
}

/** The members of a cube or view by name. */
type Members = ReadonlyMap<string, DeclaredMember>;

/** The members of each cube and view by name; undefined for one whose members are not known. */
export type ModelMemberNames = ReadonlyMap<string, Members | undefined>;

/** Returns the members that files declare; undefined if a file cannot be read, because it may declare any member. */
export function modelMemberNames(files: JsonObject): ModelMemberNames | undefined {
  const cubes = new Map<string, JsonObject>();
  const views = new Map<string, JsonObject>();
  for (const [path, text] of Object.entries(files)) {
    if (!isModelFile(path)) continue;
    const declared = typeof text === "string" ? declarationsOf(path, text) : undefined;
    if (declared === undefined) return undefined;
    for (const cube of listOf(declared, "cubes")) cubes.set(nameOf(cube), cube);
    for (const view of listOf(declared, "views")) views.set(nameOf(view), view);
  }
  const ofCubes = new Map([...cubes.keys()].map((name) => [name, cubeMembers(name, cubes)]));
  const ofViews = [...views.keys()].map((name) => {
    return [name, viewMembers(name, { views, cubes, ofCubes })] as const;
  });
  return new Map([...ofCubes, ...ofViews]);
}

function declarationsOf(path: string, text: string): JsonObject | undefined {
  if (!isModelYaml(path) || text.length > limits.modelFileBytes || hasTags(text)) return undefined;
  const parsed = parseModelYaml(text);
  if (!("value" in parsed)) return undefined;
  if (parsed.value === null) return {};
  return isObject(parsed.value) ? snakeKeys(parsed.value) : undefined;
}

/** Spells the keys of one object in snake_case, as the compiler does. */
function snakeKeys(value: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [snakeCase(key), inner]));
}

function listOf(value: JsonObject, name: string): readonly JsonObject[] {
  const items = value[name];
  return Array.isArray(items) ? items.filter(isObject).map(snakeKeys) : [];
}

function textsOf(value: JsonObject, name: string): readonly string[] {
  const items = value[name];
  return Array.isArray(items) ? items.filter((one) => typeof one === "string") : [];
}

function nameOf({ name }: JsonObject): string {
  return textOf(name);
}

function textOf(value: JsonValue | undefined): string {
  return typeof value === "string" ? value : "";
}

/** Returns a declaration with those that it extends, itself first; undefined if one is missing or the chain is a cycle. */
function withParents(
  name: string,
  all: ReadonlyMap<string, JsonObject>,
): readonly JsonObject[] | undefined {
  const chain = new Set<JsonObject>();
  for (let next = name; next !== "";) {
    const one = all.get(next);
    if (one === undefined || chain.has(one)) return undefined;
    chain.add(one);
    next = textOf(one["extends"]);
  }
  return [...chain];
}

const memberKinds = ["dimension", "measure", "segment"] as const;

function cubeMembers(name: string, cubes: ReadonlyMap<string, JsonObject>): Members | undefined {
  const chain = withParents(name, cubes);
  // Own members replace those of the cube that is extended.
  const members = chain?.toReversed().flatMap((cube) => declaredIn(cube));
  return chain && members && withVisibility(new Map(members), chain);
}

function declaredIn(owner: JsonObject): readonly (readonly [string, DeclaredMember])[] {
  return memberKinds.flatMap((kind) =>
    listOf(owner, `${kind}s`).map((one) => [nameOf(one), declaredMember(kind, one)] as const),
  );
}

/** Returns members, all of which are hidden if the cube or view that has them is: the first of `chain`, or what that extends. */
function withVisibility(members: Members, chain: readonly JsonObject[]): Members {
  const deciding = chain.find((one) => (one["public"] ?? one["shown"]) !== undefined);
  if (deciding === undefined || !isHidden(deciding)) return members;
  return new Map([...members].map(([name, one]) => [name, { ...one, isHidden: true }]));
}

function declaredMember(kind: MemberKind, one: JsonObject): DeclaredMember {
  const type = snakeCase(textOf(one["type"]));
  const granularities = listOf(one, "granularities").map(nameOf);
  return {
    kind,
    granularities,
    isHidden: isHidden(one),
    ...(kind === "dimension" && type !== "" && { type }),
  };
}

/** Returns whether a declaration says that queries cannot name it, or its members. */
function isHidden({ public: isPublic, shown, primary_key: isKey }: JsonObject): boolean {
  return (isPublic ?? shown ?? isKey !== true) === false;
}

interface Declarations {
  readonly views: ReadonlyMap<string, JsonObject>;
  readonly cubes: ReadonlyMap<string, JsonObject>;
  readonly ofCubes: ModelMemberNames;
}

function viewMembers(name: string, { views, cubes, ofCubes }: Declarations): Members | undefined {
  const chain = withParents(name, views);
  if (chain === undefined) return undefined;
  const found = new Map<string, DeclaredMember>();
  for (const part of chain.flatMap((view) => listOf(view, "cubes"))) {
    const owner = lastOfPath(textOf(part["join_path"]), cubes);
    const own = owner === undefined ? undefined : ofCubes.get(owner);
    const members = own && includedMembers(part, own);
    if (members === undefined) return undefined;
    // What a cube hides, a view that includes it shows.
    for (const [member, declared] of members) found.set(member, { ...declared, isHidden: false });
  }
  const own = chain.toReversed().flatMap((view) => declaredIn(view));
  return withVisibility(new Map([...found, ...own]), chain);
}

/** Returns the cube that a join path leads to; undefined if it leads nowhere. */
function lastOfPath(path: string, cubes: ReadonlyMap<string, JsonObject>): string | undefined {
  const [first = "", ...rest] = path.split(".");
  let at = first;
  for (const step of rest) {
    const joins = withParents(at, cubes)?.flatMap((cube) => listOf(cube, "joins"));
    const join = joins?.find((one) => (one["alias"] ?? one["name"]) === step);
    if (join === undefined) return undefined;
    at = nameOf(join);
  }
  return at;
}

/** Returns the members of a cube under the names that a view gives them; undefined if they are not known. */
function includedMembers(
  part: JsonObject,
  own: Members,
): readonly (readonly [string, DeclaredMember])[] | undefined {
  const { includes, prefix, alias, join_path: path } = part;
  const start =
    prefix === true
      ? `${typeof alias === "string" ? alias : (textOf(path).split(".").at(-1) ?? "")}_`
      : "";
  const excluded = new Set(textsOf(part, "excludes"));
  const listed =
    includes === "*" ? [...own.keys()].map((name): JsonObject => ({ name })) : includedItems(part);
  const found: (readonly [string, DeclaredMember])[] = [];
  for (const item of listed) {
    const declared = own.get(nameOf(item));
    // A hierarchy includes its levels, whose names the compiler finds.
    if (declared === undefined) return undefined;
    const name = typeof item["alias"] === "string" ? item["alias"] : nameOf(item);
    if (!excluded.has(nameOf(item))) found.push([`${start}${name}`, declared]);
  }
  return found;
}

function includedItems(part: JsonObject): readonly JsonObject[] {
  return [...textsOf(part, "includes").map((name) => ({ name })), ...listOf(part, "includes")];
}
