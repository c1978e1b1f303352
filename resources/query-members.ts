// Finds members in a query that a declared data model does not have.
import { isObject, type JsonObject, type JsonValue } from "../core/json.ts";
import { modelMemberNames, type ModelMemberNames } from "../core/data-model/model-member-names.ts";
import { memoizePerObject } from "../core/memoize.ts";
import { closestMatch } from "../core/text/naming.ts";
import type { DeclaredObjects, ValueError } from "../core/kind/server-checks.ts";

const namesOf = memoizePerObject(modelMemberNames);

/** Returns the members that the stack declares for a deployment; undefined if it has no data model, or one with unknown members. */
export function declaredMembers(
  declared: DeclaredObjects,
  deployment: JsonValue | undefined,
): ModelMemberNames | undefined {
  const files = declared("DataModel", { deployment: deployment ?? null })?.["files"];
  return isObject(files) ? namesOf(files) : undefined;
}

/** Returns a warning for each member in a query that the data model does not have. */
export function unknownMembers(
  query: JsonValue | undefined,
  names: ModelMemberNames,
): readonly ValueError[] {
  const queries = Array.isArray(query) ? query : [query];
  return queries.filter(isObject).flatMap((one, index) => {
    const at = Array.isArray(query) ? `/${index}` : "";
    return membersOf(one).flatMap(({ path, member }): readonly ValueError[] => {
      const message = problemOf(member, names);
      return message === undefined ? [] : [{ path: `${at}${path}`, message }];
    });
  });
}

function problemOf(member: string, names: ModelMemberNames): string | undefined {
  const [owner = "", own] = member.split(".");
  // Another shape is an error of the query, which the server reports.
  if (own === undefined) return undefined;
  if (!names.has(owner)) return `${noMember(member)}${hint(owner, names.keys(), `.${own}`)}`;
  const members = names.get(owner);
  if (members === undefined || members.has(own)) return undefined;
  const full = [...members].map((name) => `${owner}.${name}`);
  return `${noMember(member)}${hint(`${owner}.${own}`, full)}`;
}

function noMember(member: string): string {
  return `the data model has no member ${member}`;
}

function hint(name: string, candidates: Iterable<string>, rest = ""): string {
  const closest = closestMatch(name, candidates);
  return closest === undefined ? "" : `. Did you mean ${closest}${rest}?`;
}

interface NamedMember {
  readonly path: string;
  readonly member: string;
}

function membersOf(query: JsonObject): readonly NamedMember[] {
  const listed = ["measures", "dimensions", "segments"].flatMap((list) =>
    itemsOf(query, list).flatMap((item, index) => named(item, `/${list}/${index}`)),
  );
  const times = itemsOf(query, "timeDimensions").flatMap((item, index) =>
    isObject(item) ? named(item["dimension"], `/timeDimensions/${index}/dimension`) : [],
  );
  return [...listed, ...times, ...filterMembers(itemsOf(query, "filters"), "/filters")];
}

/** Collects the members of filters and of the groups in them, without recursion: they may nest deep. */
function filterMembers(filters: readonly JsonValue[], path: string): readonly NamedMember[] {
  const found: NamedMember[] = [];
  const waiting = filters.map((value, index) => ({ value, at: `${path}/${index}` }));
  // The groups that are added are visited too.
  for (const { value, at } of waiting) {
    if (!isObject(value)) continue;
    for (const name of ["member", "dimension"]) found.push(...named(value[name], `${at}/${name}`));
    for (const name of ["and", "or"]) {
      const inner = itemsOf(value, name);
      waiting.push(...inner.map((one, index) => ({ value: one, at: `${at}/${name}/${index}` })));
    }
  }
  return found;
}

function itemsOf(value: JsonObject, name: string): readonly JsonValue[] {
  const items = value[name];
  return Array.isArray(items) ? items : [];
}

function named(member: JsonValue | undefined, path: string): readonly NamedMember[] {
  return typeof member === "string" ? [{ path, member }] : [];
}
