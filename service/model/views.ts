// Compiles views: the members that they take from cubes, their folders and policies.
import { suggestion } from "../../core/text/naming.ts";
import {
  type Cube,
  type Declarations,
  declaredSource,
  describe,
  joinTarget,
  type View,
} from "./declarations.ts";
import { compilePolicies, type FilteredMember, type PolicySubject } from "./compile-policies.ts";
import { compileFormat } from "./dimensions.ts";
import { addressName, isAddress, reservedName } from "./links.ts";
import { compileFolders } from "./view-folders.ts";
import { compileViewMembers, type DeclaredViewMember } from "./view-members.ts";
import { type Place, Problems, within } from "./problems.ts";
import { memberKindOf, memberNames, noMember, stageReason } from "./resolve.ts";
import type {
  CompiledHierarchy,
  CompiledView,
  DefaultFilter,
  MemberKind,
  ViewMember,
} from "./types.ts";

type ViewCube = View["cubes"][number];

interface ViewContext {
  readonly view: View;
  readonly declarations: Declarations;
  readonly problems: Problems;
}

/** A view, and what cubes have for the members that it declares. */
interface ViewResult {
  readonly view: CompiledView;
  readonly declared: readonly DeclaredViewMember[];
}

/** Compiles one view and adds its errors to `problems`. */
export function compileView(
  view: View,
  declarations: Declarations,
  problems: Problems,
): ViewResult {
  const { attempts } = problems;
  const context: ViewContext = {
    view,
    declarations,
    problems: view.isPartial ? new Problems() : problems,
  };
  const members = new Map<string, ViewMember>();
  const hierarchies: CompiledHierarchy[] = [];
  if (view.cubes.length === 0) {
    context.problems.add(
      within(view.at, "name"),
      `${view.value.name} has no cubes; list at least one`,
    );
  }
  const reached = new Map<string, string>();
  for (const part of view.cubes) {
    const joined = joinPath(part, context);
    const owner = joined?.path.at(-1);
    if (joined === undefined || owner === undefined) continue;
    const { path, refusal } = joined;
    checkOnePath(part, path, { reached, problems: context.problems });
    for (const member of membersOf(part, { path, refusal, owner, context })) {
      const other = members.get(member.name);
      if (other) {
        context.problems.add(
          part.at,
          `${view.value.name} has two members named ${member.name}: ${origin(other)} and ${origin(member)}; use prefix, alias or excludes`,
        );
      } else members.set(member.name, member);
    }
    hierarchies.push(...hierarchiesOf(part, { path, refusal, owner }, members));
  }
  // What else the view declares names its members, of which errors leave some out.
  const later = {
    ...context,
    problems: problems.attempts === attempts ? context.problems : new Problems(),
  };
  const [first] = view.cubes;
  const cube = declarations.cubes.get(first?.value.join_path.split(".")[0] ?? "");
  const declared = cube
    ? compileViewMembers(view, members, { cube, declarations, problems: later.problems })
    : [];
  for (const { member } of declared) members.set(member.name, member);
  const subject = {
    name: view.value.name,
    has: (name: string) => members.has(name),
    names: () => [...members.keys()],
    resolve: (text: string, at: Place) => resolveViewMember(text, at, { context: later, members }),
    problems: later.problems,
  };
  const policySubject = {
    ...subject,
    resolve: (text: string, at: Place) => {
      const found = subject.resolve(text, at);
      const member = members.get(found?.name.split(".")[1] ?? "");
      const reason = member && stageReason(member, declarations);
      return found && reason !== undefined ? { ...found, reason } : found;
    },
  };
  const compiled = {
    ...describe(view.value),
    members: [...members.values()],
    hierarchies,
    defaultFilters: view.defaultFilters.flatMap((one) => compileDefaultFilter(one, subject)),
    folders: compileFolders(view.folders, { members, context: later, depth: 0 }),
    ...(view.policies && { policies: compilePolicies(view.policies, policySubject) }),
    source: declaredSource(view),
  };
  return { view: compiled, declared };
}

/** Compiles a default filter and adds its errors: it names dimensions and measures of the view, and has literal values. */
function compileDefaultFilter(
  { value, at }: View["defaultFilters"][number],
  { resolve, problems }: Pick<PolicySubject, "resolve" | "problems">,
): readonly DefaultFilter[] {
  const { operator, values = [] } = value;
  const add = (key: string, message: string) => problems.add(within(at, key), message);
  const named = (name: string, place: Place) => {
    const found = resolve(name, place);
    const reason =
      found?.kind === "segment" ? "is a segment, which no filter can use" : found?.reason;
    if (reason !== undefined) problems.add(place, `${name} ${reason}`);
    return found ? [found.name] : [];
  };
  if (operator === "measureFilter") add("operator", "a default filter cannot be a measureFilter");
  const needsValues = operator !== "set" && operator !== "notSet";
  if (needsValues !== values.length > 0)
    add("operator", `a default filter with ${operator} ${needsValues ? "needs" : "has no"} values`);
  if (values.some((one) => typeof one === "string" && /^\{.*\}$/s.test(one)))
    add(
      "values",
      "a default filter has literal values; filter by values of the caller in an access_policy",
    );
  const unless = (value.unless ?? []).flatMap((name, index) =>
    named(name, within(at, "unless", index)),
  );
  return named(value.member, within(at, "member")).map((member) => ({
    member,
    operator,
    values: values.map((one) => (one === null ? null : String(one))),
    unless,
  }));
}

/** Adds an error for a second path to a cube under one root, because a query joins each cube once. */
function checkOnePath(
  { value, at }: ViewCube,
  path: readonly Cube[],
  { reached, problems }: { readonly reached: Map<string, string>; readonly problems: Problems },
): void {
  const names = value.join_path.split(".");
  for (const [index, cube] of path.entries()) {
    const key = JSON.stringify([names[0], cube.value.name]);
    const own = names.slice(0, index + 1).join(".");
    const other = reached.get(key);
    if (other !== undefined && other !== own) {
      const name = cube.aliasOf ?? cube.value.name;
      const message = `${name} is reached as ${other} and as ${own}; name one path, or declare a second cube that extends ${name}`;
      return problems.add(within(at, "join_path"), message);
    }
    reached.set(key, own);
  }
}

function origin({ joinPath: path, member }: ViewMember): string {
  return `${path}.${member}`;
}

/** The cubes of a join path. */
interface JoinPath {
  readonly path: readonly Cube[];
  /** The reason why no query can join them. */
  readonly refusal: string | undefined;
}

/**
 * Returns the cubes of a join path, or undefined after adding an error. A join that no cube declares fails only the queries
 * that need it, so it is a warning.
 */
function joinPath(
  { value, at }: ViewCube,
  { declarations, problems }: ViewContext,
): JoinPath | undefined {
  const place = within(at, "join_path");
  const [first = "", ...rest] = value.join_path.split(".");
  const root = declarations.cubes.get(first);
  if (root === undefined) {
    const reason = declarations.views.has(first)
      ? "is a view; a view takes members of cubes"
      : "is not a cube";
    problems.addMissing(place, `${first} ${reason}${suggestion(first, declarations.cubes.keys())}`);
    return undefined;
  }
  const path: Cube[] = [root];
  let refusal: string | undefined;
  for (const name of rest) {
    const from = path.at(-1) ?? root;
    const join = from.joins.find((one) => (one.value.alias ?? one.value.name) === name);
    const next = join ? joinTarget(declarations, from, join.value) : declarations.cubes.get(name);
    const names = from.joins.map((one) => one.value.alias ?? one.value.name);
    const missing = `${from.value.name} has no join to ${name}${suggestion(name, names)}`;
    if (next === undefined) {
      if (from.isPartial) problems.skip();
      else problems.addMissing(place, missing);
      return undefined;
    }
    if (join === undefined && refusal === undefined) {
      refusal = missing;
      problems.warn(place, "no-join", `${missing}; queries of these members fail`);
    }
    path.push(next);
  }
  return { path, refusal };
}

interface Owner extends JoinPath {
  readonly owner: Cube;
}

function membersOf(
  { value, at }: ViewCube,
  { path, refusal, owner, context }: Owner & { context: ViewContext },
): readonly ViewMember[] {
  const excluded = new Set(value.excludes?.flatMap((name) => withLinks(name, owner)));
  const problems = owner.isPartial ? new Problems() : context.problems;
  if (owner.isPartial) context.problems.skip();
  checkExcluded(value.excludes ?? [], at, { owner, problems });
  const prefix = prefixOf(value);
  const names = path.map((cube) => cube.value.name);
  const all: readonly { name: string; alias?: string; at: Place }[] =
    value.includes === "*"
      ? memberNames(owner).flatMap((name) => (isAddress(name) ? [] : [{ name, at }]))
      : value.includes.flatMap((one, index) => {
          const item = typeof one === "string" ? { name: one } : one;
          const place = within(at, "includes", index);
          const hierarchy = owner.hierarchies.get(item.name);
          // A hierarchy includes its levels.
          if (hierarchy)
            return ownLevels(hierarchy.value.levels, owner).map((name) => ({ name, at: place }));
          return [{ ...item, at: place }];
        });
  const seen = new Set<string>();
  const linked = all.flatMap((one) => [one, ...addressesOf(one, owner)]);
  return linked.flatMap(({ at: place, alias, ...item }): ViewMember[] => {
    const name = `${prefix}${alias ?? item.name}`;
    if (alias !== undefined && isAddress(alias) && !isAddress(item.name))
      problems.add(place, reservedName(alias));
    const kind = memberKindOf(owner, item.name);
    if (kind === undefined) {
      problems.add(place, noMember(owner, item.name));
      return [];
    }
    // A level of an included hierarchy may be listed as well.
    if (excluded.has(item.name) || seen.has(name)) return [];
    seen.add(name);
    compileFormat(item, place, { problems });
    const from = { path: names, refusal, owner, joinPath: value.join_path };
    return [viewMember({ item, name, kind }, from)];
  });
}

/** Returns the addresses of the links of an included dimension, under the name that the view gives it. */
function addressesOf(
  {
    name,
    alias = name,
    at,
  }: { readonly name: string; readonly alias?: string; readonly at: Place },
  owner: Cube,
) {
  const links = owner.dimensions.get(name)?.value.links ?? [];
  return links.map((link) => ({
    name: addressName(name, link.name),
    alias: addressName(alias, link.name),
    at,
  }));
}

/** Returns the name of a member and those of the addresses of its links. */
function withLinks(name: string, owner: Cube): readonly string[] {
  return [name, ...addressesOf({ name, at: owner.at }, owner).map((one) => one.name)];
}

/** Returns the prefix of the names of the members of a cube. */
function prefixOf({ prefix, alias, join_path: path }: ViewCube["value"]): string {
  return prefix === true ? `${alias ?? path.split(".").at(-1) ?? ""}_` : "";
}

function viewMember(
  { item, name, kind }: { item: { readonly name: string }; name: string; kind: MemberKind },
  {
    path,
    refusal,
    owner,
    joinPath: from,
  }: Pick<ViewMember, "path" | "joinPath"> & Omit<Owner, "path">,
): ViewMember {
  const source = declarationOf(owner, item.name);
  const { public: _public, shown: _shown, ...inherited } = source ?? { name: item.name };
  const described = describe({ ...inherited, ...item, name });
  const format = { ...inherited, ...item } as { format?: unknown };
  return {
    ...described,
    title: "title" in item || source?.title === undefined ? described.title : source.title,
    kind,
    path,
    joinPath: from,
    ...(refusal !== undefined && { refusal }),
    member: item.name,
    ...(format.format !== undefined && { format: format.format }),
  };
}

function declarationOf(cube: Cube, name: string) {
  return (cube.dimensions.get(name) ?? cube.measures.get(name) ?? cube.segments.get(name))?.value;
}

function ownLevels(levels: readonly string[], owner: Cube): readonly string[] {
  return levels
    .map((level) => level.split(".").at(-1) ?? "")
    .filter((name) => owner.dimensions.has(name));
}

function checkExcluded(
  names: readonly string[],
  at: Place,
  { owner, problems }: { owner: Cube; problems: Problems },
): void {
  names.forEach((name, index) => {
    if (memberKindOf(owner, name) !== undefined || owner.hierarchies.has(name)) return;
    problems.add(within(at, "excludes", index), noMember(owner, name));
  });
}

/** Returns the hierarchies that a view includes, with its own names of their levels. */
function hierarchiesOf(
  { value }: ViewCube,
  { path, owner }: Owner,
  members: ReadonlyMap<string, ViewMember>,
): readonly CompiledHierarchy[] {
  const chosen = (name: string) =>
    !(value.excludes ?? []).includes(name) &&
    (value.includes === "*" ||
      value.includes.some((one) => (typeof one === "string" ? one : one.name) === name));
  const from = path.map((cube) => cube.value.name).join(".");
  const nameOf = (level: string) =>
    [...members.values()].find((one) => one.member === level && one.path.join(".") === from)?.name;
  return [...owner.hierarchies.values()]
    .filter((one) => chosen(one.value.name))
    .map(({ value: hierarchy }) => {
      const { name: own, title, public: shown } = describe(hierarchy);
      const name = `${prefixOf(value)}${own}`;
      const levels = ownLevels(hierarchy.levels, owner).flatMap((level) => nameOf(level) ?? []);
      return { name, title, public: shown, levels };
    });
}

function resolveViewMember(
  text: string,
  at: Place,
  { context, members }: { context: ViewContext; members: ReadonlyMap<string, ViewMember> },
): FilteredMember | undefined {
  const own = `${context.view.value.name}.`;
  const name = text.startsWith(own) ? text.slice(own.length) : text.replace(/^CUBE\./, "");
  const member = members.get(name);
  if (member) return { name: `${own}${name}`, kind: member.kind, reason: member.refusal };
  const hint = suggestion(name, members.keys());
  context.problems.add(at, `${context.view.value.name} has no member ${name}${hint}`);
  return undefined;
}
