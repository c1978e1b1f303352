// Runs the command of an operation: reads its input, asks for confirmation, calls, and prints the answer.
import { Option } from "commander";
import type { Client } from "../../client/types.ts";
import { Failure } from "../../core/errors.ts";
import { membersOf } from "../../core/kind/fields.ts";
import { isObject, type JsonObject, type JsonValue } from "../../core/json.ts";
import { reportUnconfirmed } from "../shared/run/confirmation.ts";
import type { ConnectionFlags } from "../shared/connection/connection.ts";
import { errorText } from "../shared/error-text.ts";
import { exitCodes } from "../shared/exit-codes.ts";
import { idOf, isId } from "../shared/lookup/lookup.ts";
import type { Output } from "../shared/output/output.ts";
import { confirmInRun } from "../shared/run/prompt.ts";
import { objectOf, readBody } from "../shared/options/request-body.ts";
import { type CommandContext, runAction } from "../shared/run/run-action.ts";
import { isInteractive } from "../shared/streams.ts";
import { withClient } from "../shared/connection/with-client.ts";
import { escapeInvisible, escapeLines } from "../../core/text/escape-text.ts";
import { lowerFirst } from "../../core/text/naming.ts";
import { jsonText } from "../../reconciler/report/json-text.ts";
import { printTable, tableForm } from "../shared/output/table-output.ts";
import { answerTable, shownAnswer } from "./answer-table.ts";
import { failureInWords } from "./failure-messages.ts";
import { callOperation } from "./call-operation.ts";
import {
  asksFirst,
  type CommandLine,
  type CommandRequest,
  type ExtraValues,
  hasTable,
  isUpdate,
  type OperationCommand,
  type Outcome,
  titleOf,
} from "./command.ts";
import { type Member, requestMembers, type RequestMembers } from "./members.ts";

/** Runs a command to its exit code. */
export function runOperation(declared: OperationCommand, commandLine: CommandLine): Promise<void> {
  const { flags } = commandLine;
  return runAction(tableForm(flags), (context) =>
    withClient(flags as ConnectionFlags, context.signal, async (client) => {
      const members = requestMembers(declared);
      const extra = {
        args: commandLine.values.slice(members.arguments.length) as ExtraValues["args"],
        options: flags,
      };
      const request = await requestOf(declared, { commandLine, client, members, extra });
      const approval = await approve(declared, { commandLine, request, context });
      if (approval !== undefined) return approval;
      const limit = flags["limit"] as number | undefined;
      const run =
        declared.run ??
        (({ request: input }) => callOperation(client, declared.operation, { ...input, limit }));
      const outcome = await run({ ...context, client, request, extra }).catch((error: unknown) => {
        throw failureInWords(error, { members, commandLine, request });
      });
      const shown = { ...outcome, answer: shownAnswer(declared, outcome.answer) };
      printOutcome(declared, { outcome: shown, flags, output: context.output });
      const { failure } = outcome;
      if (failure !== undefined) {
        context.output.warn(() => errorText("failed", escapeInvisible(failure)));
      }
      return outcome.isFailed === true ? exitCodes.failed : exitCodes.done;
    }),
  );
}

/** Prints an outcome in the form that the flags request. */
function printOutcome(
  declared: OperationCommand,
  { outcome, flags, output }: { outcome: Outcome; flags: CommandLine["flags"]; output: Output },
): void {
  const { answer, content } = outcome;
  if (content !== undefined && !output.isJson) return printContent(content);
  const isTable = flags["output"] === "table" || hasTable(declared);
  if (isTable) printTable(output, flags, answerTable(declared, answer));
  else output.result({ text: () => jsonText(answer), json: () => answer });
  const next = isObject(answer) && isObject(answer["pageInfo"]) ? answer["pageInfo"] : {};
  if (output.isJson || next["hasNextPage"] !== true) return;
  const cursor = next["endCursor"];
  const flag =
    typeof cursor === "string" ? `--after ${escapeInvisible(cursor)}` : "a larger --limit";
  output.info(() => `There are more: pass ${flag}`);
}

/** Prints bytes unchanged; to a terminal, without characters that control it. */
function printContent(content: Buffer): void {
  if (!process.stdout.isTTY) {
    process.stdout.write(content);
    return;
  }
  process.stdout.write(`${escapeLines(content.toString("utf8"))}\n`);
}

interface ApprovalRequest {
  readonly commandLine: CommandLine;
  readonly request: CommandRequest;
  readonly context: CommandContext;
}

/** Asks for confirmation; returns the exit code if it is not given. */
async function approve(
  declared: OperationCommand,
  { commandLine, request, context }: ApprovalRequest,
): Promise<number | undefined> {
  if (!asksFirst(declared) || commandLine.flags["yes"] === true) return undefined;
  const { confirm } = declared;
  const what =
    typeof confirm === "function"
      ? confirm(request, commandLine)
      : titleWithArguments(declared, commandLine);
  if (what === undefined) return undefined;
  const shown = escapeInvisible(what);
  const isApproved = isInteractive() && (await confirmInRun(`${shown}?`, context));
  if (isApproved && !context.signal.aborted) return undefined;
  return reportUnconfirmed(context, { consequence: `svc did not ${lowerFirst(shown)}` });
}

/** Returns the title of a command with its arguments: `Delete a role: viewer`. */
function titleWithArguments(declared: OperationCommand, { values }: CommandLine): string {
  const named = values.flat().filter((value) => value !== undefined);
  const words = named.map((one) => (typeof one === "string" ? one : JSON.stringify(one)));
  return `${titleOf(declared)}: ${words.join(", ")}`;
}

/** The parts of a request, while it is built. */
interface Parts {
  readonly params: Record<string, string | number>;
  readonly query: Record<string, JsonValue>;
  readonly body: Record<string, JsonValue>;
}

/** The inputs of a request. */
interface RequestParts {
  readonly commandLine: CommandLine;
  readonly client: Client;
  readonly members: RequestMembers;
  readonly extra: ExtraValues;
}

/** Builds the request of a command line. Fails with `usage`, and with `not_found` for an unknown name. */
async function requestOf(
  declared: OperationCommand,
  { commandLine, client, members, extra }: RequestParts,
): Promise<CommandRequest> {
  // Input is read before the first request is sent.
  const more = (await declared.complete?.(extra)) ?? {};
  const data = await dataOf(commandLine);
  const parts: Parts = { params: {}, query: {}, body: {} };
  for (const [member, given] of givenValues(members, commandLine)) {
    const { part, name } = member;
    parts[part as "body"][name] = await resolved(client, { member, given, parts });
  }
  const ofQuery = membersOf(declared.operation.query).map(({ name }) => name);
  for (const [name, value] of Object.entries(declared.fixed ?? {})) {
    parts[ofQuery.includes(name) ? "query" : "body"][name] = value as JsonValue;
  }
  for (const name of ["first", "after"]) {
    const given = commandLine.flags[name];
    if (declared.operation.list !== undefined && given !== undefined)
      parts.query[name] = given as JsonValue;
  }
  const body: Record<string, JsonValue | undefined> = {
    ...Object.fromEntries(members.fromPath.map((name) => [name, parts.params[name] ?? null])),
    ...(declared.dataWins === true ? { ...parts.body, ...data } : { ...data, ...parts.body }),
    ...(more.body as JsonObject | undefined),
  };
  for (const { name, sameAs } of members.flags) {
    const other = sameAs === undefined ? undefined : body[sameAs];
    if (other !== undefined) body[name] ??= other;
  }
  requireMembers(declared, members, { body, query: parts.query });
  const hasBody = declared.operation.body !== undefined;
  const isOmitted = declared.operation.bodyOptional && Object.keys(body).length === 0;
  return {
    params: parts.params,
    query: { ...parts.query, ...(more.query as JsonObject | undefined) },
    body: hasBody && !isOmitted ? body : undefined,
  };
}

/** Returns the members that the command line sets, with their values. */
function givenValues(
  { arguments: positional, flags }: RequestMembers,
  commandLine: CommandLine,
): readonly (readonly [Member, JsonValue])[] {
  const named = positional.map((member, at) => [member, commandLine.values[at]] as const);
  const optional = flags.map((member) => {
    const given = commandLine.flags[new Option(member.label).attributeName()];
    return [member, given === true ? (member.value ?? true) : given] as const;
  });
  return [...named, ...optional].flatMap(([member, value]) =>
    value === undefined ? [] : [[member, value as JsonValue] as const],
  );
}

/** Replaces names by IDs. */
async function resolved(
  client: Client,
  { member, given, parts }: { member: Member; given: JsonValue; parts: Parts },
): Promise<JsonValue> {
  const { lookup, type, isList } = member;
  if (lookup === undefined) return given;
  const { typeMember, root, label } = lookup;
  const others = { ...parts.query, ...parts.body };
  const one = async (text: JsonValue): Promise<JsonValue> => {
    if (root !== undefined && text === root) return null;
    const name = typeof text === "string" ? text : JSON.stringify(text);
    const objectType = typeMember === undefined ? label : others[typeMember];
    const hasName =
      typeof objectType === "string" && objectType.toLowerCase() === label.toLowerCase();
    if (!hasName && !isId(name)) {
      throw new Failure(
        "usage",
        `<${member.label}> must be an ID: only a ${label} has a name here`,
      );
    }
    const id = await idOf(client, lookup, { given: name, params: parts.params });
    return type === "text" ? String(id) : id;
  };
  return isList && Array.isArray(given) ? Promise.all((given as JsonValue[]).map(one)) : one(given);
}

async function dataOf({ flags }: CommandLine): Promise<JsonObject> {
  const { data } = flags;
  if (typeof data !== "string") return {};
  return objectOf(await readBody(data, flags), "the body of --data", '{"name": "Sales"}');
}

/** Fails with `usage` if the request lacks a required member or changes nothing, before anything is asked or sent. */
function requireMembers(
  declared: OperationCommand,
  { flags, requiredData }: RequestMembers,
  given: { readonly body: JsonObject; readonly query: JsonObject },
): void {
  const { operation } = declared;
  if (isUpdate(declared) && Object.keys(given.body).length === 0) {
    throw new Failure("usage", "nothing to change", {
      remedy: "Pass a flag, or members of the body with --data.",
    });
  }
  const isMissing = ({ part, isRequired, name }: Member): boolean =>
    isRequired &&
    (part === "query" || (part === "body" && !operation.bodyOptional)) &&
    given[part][name] === undefined;
  const missing = flags
    .filter(isMissing)
    .map(({ label, requiredUnless: other }) =>
      other === undefined ? label : `${label} or ${other}`,
    );
  const missingData = operation.bodyOptional
    ? []
    : requiredData.filter((name) => given.body[name] === undefined);
  const all = [...missing, ...missingData];
  if (all.length === 0) return;
  throw new Failure("usage", `missing ${all.join(", ")}`, {
    remedy:
      missingData.length === 0
        ? "Pass the flags, or the members of the body with --data."
        : `Pass ${missingData.join(", ")} with --data: JSON, @file, or - for standard input.`,
  });
}
