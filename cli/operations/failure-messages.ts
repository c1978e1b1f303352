// Phrases refusals of the server in the words of the command line: flags and names in place of members and IDs.
import { Failure, isFailure } from "../../core/errors.ts";
import { membersOf } from "../../core/kind/fields.ts";
import { kebabCase } from "../../core/text/naming.ts";
import { stackCommand } from "../../reconciler/model/shell-command.ts";
import type { CommandRequest } from "./command.ts";
import type { Member, RequestMembers } from "./members.ts";

/** The command line and the request that it became. */
interface RequestContext {
  readonly members: RequestMembers;
  readonly commandLine: { readonly values: readonly unknown[] };
  readonly request: CommandRequest;
}

/** Returns a failure with a message in the words of the command line; any other error unchanged. */
export function failureInWords(error: unknown, context: RequestContext): unknown {
  if (!isFailure(error)) return error;
  const { code, message, details, retryAfter, remedy, validationErrors } = error;
  const labelled = withLabels(message, context.members);
  // The flags make the body, so the message names only them.
  const plain = labelled.replace(/\bbody must have exactly one of (?=--)/u, "pass exactly one of ");
  const text = withNames(plain, context);
  const next = remedy ?? listRemedy(message, context);
  if (text === message && next === remedy) return error;
  return new Failure(code, text, {
    cause: error,
    validationErrors,
    ...(details !== undefined && { details }),
    ...(retryAfter !== undefined && { retryAfter }),
    ...(next !== undefined && { remedy: next }),
  });
}

/** Replaces `body.folderId`, `folderId` and the like by the flag or the argument. Plain words stay. */
function withLabels(message: string, { arguments: positional, flags }: RequestMembers): string {
  let text = message;
  for (const member of [...positional, ...flags.filter(({ value }) => value === undefined)]) {
    const label = member.label.startsWith("-") ? member.label : `<${member.label}>`;
    const isWord = !/[A-Z_]/u.test(member.name);
    const part = "(?:(?:path|params|query|body)\\.)";
    // The braces of a path are not the user's words.
    const prefix = `(?<![\\w."'{-])${part}${isWord ? "" : "?"}`;
    const name = new RegExp(`${prefix}${member.name}(?![\\w"'-]|\\.\\w)`, "gu");
    text = text.replace(name, label);
  }
  return text;
}

/** Replaces `deployment 1` by `deployment "main"`, if the command line names it so. */
function withNames(message: string, { members, commandLine, request }: RequestContext): string {
  let text = message;
  for (const [at, member] of members.arguments.entries()) {
    const name = commandLine.values[at];
    const id = idIn(request, member);
    if (member.lookup === undefined || typeof name !== "string" || id === name) continue;
    const named = new RegExp(`\\b${member.lookup.label} ${id}(?!\\w)`, "gu");
    text = text.replace(named, () => `${member.lookup?.label} ${JSON.stringify(name)}`);
  }
  return text;
}

/** Names the command that lists the objects, if the server does not have the one that the request names by its ID. */
function listRemedy(message: string, { members, request }: RequestContext): string | undefined {
  const missing = [...members.flags, ...members.arguments].find((member) => {
    const { lookup, part, name } = member;
    if (lookup === undefined || request[part]?.[name] === undefined) return false;
    const named = `\\bno (?:[\\w-]+ )*${lookup.label} ${idIn(request, member)}(?!\\w)`;
    return new RegExp(named, "u").test(message);
  });
  if (missing?.lookup === undefined) return undefined;
  const { list, listCommand, listQuery = {} } = missing.lookup;
  const scope = membersOf(list.params).map(({ name }) => String(request.params[name] ?? ""));
  const flags = Object.keys(listQuery).map((name) => `--${kebabCase(name)}`);
  const command = stackCommand({}, ...listCommand.split(" "), ...scope, ...flags);
  return `\`${command}\` lists what exists.`;
}

function idIn(request: CommandRequest, { part, name }: Member): string {
  const id = request[part]?.[name];
  return typeof id === "string" ? id : JSON.stringify(id ?? null);
}
