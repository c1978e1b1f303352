// Finds errors in a query without a server: fields that queries do not have, and members that the declared data model
// does not have.
import { FilterSchema, QuerySchema } from "../api/query-schema.ts";
import type { checkReportQuery } from "../api/reports.ts";
import { isObject, type JsonValue } from "../core/json.ts";
import { modelMemberNames, type ModelMemberNames } from "../core/data-model/model-member-names.ts";
import { memoizePerObject } from "../core/memoize.ts";
import { closestMatch } from "../core/text/naming.ts";
import type { AnswerOf } from "../core/operation/operation.ts";
import { splitPointer } from "../core/pointer.ts";
import { type NamedMember, queryMembers } from "../core/data-model/query-members.ts";
import type { DeclaredObjects, ValueError } from "../core/kind/server-checks.ts";
import { declaredValidator } from "../core/schema/validate.ts";

const namesOf = memoizePerObject(modelMemberNames);
const validateQuery = declaredValidator(QuerySchema);
const validateFilter = declaredValidator(FilterSchema);

/** Returns the members that the stack declares for a deployment; undefined if it has no data model, or one with unknown members. */
export function declaredMembers(
  declared: DeclaredObjects,
  deployment: JsonValue | undefined,
): ModelMemberNames | undefined {
  const files = declared("DataModel", { deployment: deployment ?? null })?.["files"];
  return isObject(files) ? namesOf(files) : undefined;
}

/** Returns a warning for each field that a query cannot have, and for each member that the data model does not have. */
export function queryProblems(
  query: JsonValue | undefined,
  names: ModelMemberNames | undefined,
): readonly ValueError[] {
  const members = names === undefined ? [] : queryMembers(query);
  return [
    ...formProblems(query),
    ...members.flatMap((one): readonly ValueError[] => {
      const message = names && problemOf(one, names);
      return message === undefined ? [] : [{ path: one.path, message }];
    }),
  ];
}

/** Returns the errors that the server found in a query: one for each wrong member, otherwise the first error. */
export function refusalsOf({
  error,
  members = [],
}: AnswerOf<typeof checkReportQuery>): readonly ValueError[] {
  if (error === undefined || members.length > 0) return members;
  return [{ path: "", message: error }];
}

/** Returns the errors of a query, or of several, that do not depend on the data model. */
function formProblems(query: JsonValue | undefined): readonly ValueError[] {
  const queries = Array.isArray(query) ? query : [query];
  return queries.filter(isObject).flatMap((one, index) => {
    const at = Array.isArray(query) ? `/${index}` : "";
    return [
      ...problemsOf(one, at, validateQuery),
      ...filterProblems(one["filters"], `${at}/filters`),
    ];
  });
}

/** Collects the errors of filters and of the groups in them, without recursion: they may nest deep. */
function filterProblems(filters: JsonValue | undefined, path: string): readonly ValueError[] {
  const found: ValueError[] = [];
  const waiting = [{ filters, at: path }];
  // The groups that are added are visited too.
  for (const { filters: list, at } of waiting) {
    for (const [index, filter] of (Array.isArray(list) ? list : []).entries()) {
      found.push(...problemsOf(filter, `${at}/${index}`, validateFilter));
      if (!isObject(filter)) continue;
      for (const name of ["and", "or"])
        waiting.push({ filters: filter[name], at: `${at}/${index}/${name}` });
    }
  }
  return found;
}

function problemsOf(
  value: JsonValue,
  at: string,
  validate: typeof validateQuery,
): readonly ValueError[] {
  return validate(value).map(({ path, message, remedy }) => {
    const name = splitPointer(`${at}${path}`).join(".");
    return {
      path: `${at}${path}`,
      message: `the query cannot be run: ${name === "" ? "it" : name} ${message}`,
      ...(remedy !== undefined && { remedy }),
    };
  });
}

function problemOf({ member, kinds }: NamedMember, names: ModelMemberNames): string | undefined {
  const [owner = "", own = ""] = member.split(".");
  if (!names.has(owner)) return `${noMember(member)}${hint(owner, names.keys(), `.${own}`)}`;
  const members = names.get(owner);
  if (members === undefined) return undefined;
  const kind = members.get(own);
  if (kind === undefined) {
    const full = [...members.keys()].map((name) => `${owner}.${name}`);
    return `${noMember(member)}${hint(member, full)}`;
  }
  return kinds.includes(kind) ? undefined : `${member} is a ${kind}, not a ${kinds.join(" or ")}`;
}

function noMember(member: string): string {
  return `the data model has no member ${member}`;
}

function hint(name: string, candidates: Iterable<string>, rest = ""): string {
  const closest = closestMatch(name, candidates);
  return closest === undefined ? "" : `. Did you mean ${closest}${rest}?`;
}
