// Finds errors in a query without a server: fields that queries do not have, and members that the declared data model
// does not have.
import { queryFormErrors } from "../api/query-schema.ts";
import { checkReportQuery } from "../api/reports.ts";
import { isObject, type JsonObject, type JsonValue } from "../core/json.ts";
import { modelMemberNames, type ModelMemberNames } from "../core/data-model/model-member-names.ts";
import { type ErrorCode, Failure } from "../core/errors.ts";
import type { Reader } from "../core/kind/kind.ts";
import { memoizePerObject } from "../core/memoize.ts";
import type { AnswerOf } from "../core/operation/operation.ts";
import {
  granularityError,
  hiddenMember,
  unknownCube,
  unknownMember,
  wrongKind,
} from "../core/data-model/query-errors.ts";
import { type NamedMember, queryMembers } from "../core/data-model/query-members.ts";
import type { DeclaredObjects, LastingFindings, ValueError } from "../core/kind/server-checks.ts";

const namesOf = memoizePerObject(modelMemberNames);

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
  return [...formProblems(query), ...memberProblems(query, names)];
}

/** Returns a warning for each member of a query that the data model does not have. */
export function memberProblems(
  query: JsonValue | undefined,
  names: ModelMemberNames | undefined,
): readonly ValueError[] {
  if (names === undefined) return [];
  return queryMembers(query).flatMap((one) => problemsOf(one, names).map(withRemedy));
}

/** Returns the errors that the server found in a query: one for each wrong member, otherwise the first error. */
export function refusalsOf({
  error,
  members = [],
}: AnswerOf<typeof checkReportQuery>): readonly ValueError[] {
  if (error === undefined || members.length > 0) return members.map(withRemedy);
  return [{ path: "", message: error }];
}

/** Separates the suggestion that a message of the service ends with; otherwise says how to list the members. */
function withRemedy({ path, message: text }: ValueError): ValueError {
  const [message = text, hint] = text.split(/\. (?=Did you mean )/u);
  return { path, message, remedy: hint ?? listRemedy };
}

const listRemedy =
  "`svc meta DEPLOYMENT` lists the cubes and views, and with the name of one its members.";

/** Returns the errors of a query, or of several, that do not depend on the data model. */
function formProblems(query: JsonValue | undefined): readonly ValueError[] {
  if (!Array.isArray(query)) return isObject(query) ? queryFormErrors(query) : [];
  return query.flatMap((one, index) =>
    queryFormErrors(one).map((error) => ({ ...error, path: `/${index}${error.path}` })),
  );
}

function problemsOf(
  { path, member, kinds, granularity }: NamedMember,
  names: ModelMemberNames,
): readonly ValueError[] {
  const [owner = "", own = ""] = member.split(".");
  if (!names.has(owner)) return [{ path, message: unknownCube(member, names.keys()) }];
  const members = names.get(owner);
  if (members === undefined) return [];
  const found = members.get(own);
  if (found === undefined) return [{ path, message: unknownMember(member, members.keys()) }];
  const { kind, type, granularities, isHidden } = found;
  if (isHidden) return [{ path, message: hiddenMember(member) }];
  if (!kinds.includes(kind)) return [{ path, message: wrongKind(member, kind, kinds) }];
  if (granularity === undefined || type === undefined) return [];
  const message = granularityError(granularity.name, member, { type, own: granularities });
  return message === undefined ? [] : [{ path: granularity.path, message }];
}

/** Reasons why a server does not check queries. */
const reasons: ReadonlySet<ErrorCode> = new Set(["unavailable", "not_offered", "forbidden"]);

/** Returns warnings, or why the server did not check. */
export async function findingsOf(
  what: string,
  find: () => Promise<readonly ValueError[]>,
): Promise<LastingFindings> {
  try {
    return { warnings: await find() };
  } catch (error) {
    if (!(error instanceof Failure) || !reasons.has(error.code)) throw error;
    return { warnings: [], unchecked: [{ what, why: error.message }] };
  }
}

/** Returns a function that asks the server what is wrong in a query, given the data model of production. */
export function queryAsker(reader: Reader, deploymentId: number) {
  return async (query: JsonObject): Promise<AnswerOf<typeof checkReportQuery>> => {
    const body = { jsonQuery: JSON.stringify(query) };
    const answer = await reader.one(checkReportQuery, { params: { deploymentId }, body });
    if (answer?.unknown !== undefined) throw new Failure("unavailable", answer.unknown);
    return answer ?? {};
  };
}
