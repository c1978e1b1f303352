// Declares the commands of operations: an area, its verbs, and how each calls its operation.
import type { Client } from "../../client/types.ts";
import { membersOf } from "../../core/kind/fields.ts";
import type { AnswerOf, AnyInput, Operation, RequestOf } from "../../core/operation/operation.ts";
import type { JsonObject, JsonValue } from "../../core/json.ts";
import type { Examples } from "../shared/help/examples.ts";
import type { Lookup } from "../shared/lookup/lookup.ts";
import type { Output } from "../shared/output/output.ts";

/** A member of the query or the body of a request. */
export type MemberOf<O> = Extract<
  keyof RequestOf<O>["query"] | keyof RequestOf<O>["body"] | keyof RequestOf<O>["params"],
  string
>;

/** Columns by title: a member of the answer, or a function of it. */
export type Columns<Item> = Readonly<
  Record<string, Extract<keyof Item, string> | ((item: Item) => unknown)>
>;

/** A flag of a member of the request. */
export interface FlagOptions {
  /** Name without dashes (default: the member in kebab-case). */
  readonly name?: string;
  readonly doc?: string;
  /** Value that the flag sets. Without it, the flag takes a value, or is a boolean. */
  readonly value?: boolean;
  /** Whether the value is read as text, although the member can be of other types. */
  readonly isText?: true;
  /** Whether the command needs the flag, or the member in --data, although the request can omit it. */
  readonly isRequired?: true;
  /** The option without which the command needs the flag. */
  readonly requiredUnless?: string;
  /** Another member whose value a required member has by default. */
  readonly sameAs?: string;
}

/** An argument or option that is not a member of the request. */
export interface ExtraInput {
  /** As commander writes it: `<path>`, `[paths...]` or `--file <path>`. */
  readonly syntax: string;
  readonly doc: string;
  readonly parse?: (text: string, before: unknown) => unknown;
}

/** The parts of the command line besides the members of the request: arguments in order, and options by name. */
export interface ExtraValues {
  readonly args: readonly (string | readonly string[])[];
  readonly options: Readonly<Record<string, unknown>>;
}

/** A command that runs, with the request that its command line means. */
export interface RunContext {
  readonly client: Client;
  readonly signal: AbortSignal;
  readonly request: CommandRequest;
  readonly extra: ExtraValues;
  readonly output: Pick<Output, "isQuiet" | "info">;
}

/** The result of a command. */
export interface Outcome {
  /** The answer in JSON. */
  readonly answer: JsonValue;
  /** Bytes to print unless the output is JSON, in place of the answer. */
  readonly content?: Buffer;
  /** Whether the command failed although its calls succeeded. */
  readonly isFailed?: boolean;
  /** Why the command failed, for a line on standard error. */
  readonly failure?: string;
}

/** The parts of a request. */
export interface CommandRequest {
  readonly params: Readonly<Record<string, string | number>>;
  readonly query: JsonObject;
  readonly body: JsonObject | undefined;
}

/** The parsed command line of a command. */
export interface CommandLine {
  /** Arguments in order. */
  readonly values: readonly unknown[];
  /** Options by the names of commander. */
  readonly flags: Readonly<Record<string, unknown>>;
}

/** Parts of a command that its operation does not declare. */
export interface CommandOptions<O> {
  /** Help (default: the description of the operation). */
  readonly description?: string;
  /** Members of the query or body that are arguments, after the path's members. */
  readonly arguments?: readonly MemberOf<O>[];
  /** Columns of the table (default: the simple members of the answer). */
  readonly columns?: Columns<AnswerOf<O>>;
  /** Flags that differ from the default; `false` for none, so that only `--data` sets the member. */
  readonly flags?: Partial<Record<MemberOf<O>, FlagOptions | false>>;
  /** Members that hold IDs, for which names are accepted too. */
  readonly lookups?: Partial<Record<MemberOf<O>, Lookup>>;
  /** Examples (default: one from the arguments and required flags). */
  readonly examples?: Examples;
  /**
   * Whether to ask before the call (default: for DELETE), with the title and the arguments. A function returns the
   * question without its mark, or undefined for no question.
   */
  readonly confirm?:
    | boolean
    | ((request: CommandRequest, commandLine: CommandLine) => string | undefined);
  /** Whether the members of `--data` win over flags. */
  readonly dataWins?: boolean;
  /** Members of the query or the body that the command always sends. */
  readonly fixed?: JsonObject;
  readonly extraArguments?: readonly ExtraInput[];
  readonly extraOptions?: readonly ExtraInput[];
  /** Whether `--data` sets members too, although the command completes the body. */
  readonly takesData?: true;
  /** Whether a list is read whole: no `--limit`, `--first` and `--after`. */
  readonly isWhole?: true;
  /** Completes the request from the extra arguments and options. */
  readonly complete?: (given: ExtraValues) => Promise<Pick<AnyInput, "query" | "body">>;
  /** Whether the command prints {@link Outcome.content}, which has only its own form and JSON. */
  readonly printsContent?: true;
  /** Converts the answer to the rows of the table. */
  readonly rows?: (answer: never) => readonly object[];
  /** Runs the command in place of one call. */
  readonly run?: (context: RunContext) => Promise<Outcome>;
}

/** A command that calls one operation. */
export interface OperationCommand extends Omit<
  CommandOptions<Operation>,
  "columns" | "flags" | "lookups" | "arguments"
> {
  /** Words of the command after its area, such as `list` or `groups list`. Empty for the only command of an area. */
  readonly verb: string;
  readonly operation: Operation;
  readonly arguments: readonly string[];
  readonly columns: Columns<Readonly<Record<string, unknown>>> | undefined;
  readonly flags: Readonly<Record<string, FlagOptions | false>>;
  readonly lookups: Readonly<Record<string, Lookup>>;
}

/** Declares a command of an operation. */
export function command<O extends Operation>(
  verb: string,
  operation: O,
  options: CommandOptions<O> = {},
): OperationCommand {
  return {
    arguments: [],
    flags: {},
    lookups: {},
    ...(options as Partial<OperationCommand>),
    columns: options.columns as OperationCommand["columns"],
    verb,
    operation,
  };
}

/** The commands of one area: `svc AREA VERB`. */
export interface Area {
  readonly name: string;
  readonly description: string;
  readonly commands: readonly OperationCommand[];
  /** Summaries of the commands that hold verbs, such as `users` for `users list`; each needs one. */
  readonly groups?: Readonly<Record<string, string>>;
}

/** Returns whether a command asks for confirmation, at least for some requests. */
export function asksFirst({ confirm, operation }: OperationCommand): boolean {
  return typeof confirm === "function" || (confirm ?? operation.method === "DELETE");
}

/** Returns whether the operation answers with a list of SCIM, whose items are `Resources`. */
export function isScimList({ protocol, answer: { schema } }: Operation): boolean {
  return (
    protocol === "scim" &&
    schema !== undefined &&
    membersOf(schema).some(({ name }) => name === "Resources")
  );
}

/** Returns whether a command reads a list, of which `--limit` prints the first items. */
export function readsList({ operation, run, isWhole }: OperationCommand): boolean {
  if (isWhole === true) return false;
  return run === undefined && (operation.list !== undefined || isScimList(operation));
}

/** Returns whether a command prints a table by default. */
export function hasTable(declared: OperationCommand): boolean {
  return declared.rows !== undefined || declared.isWhole === true || readsList(declared);
}

/** Returns whether `--data` sets members of the body. */
export function takesData({ operation, complete, takesData: isTaken }: OperationCommand): boolean {
  return operation.body !== undefined && (complete === undefined || isTaken === true);
}

/** Returns the summary of a command in a line, without a full stop. */
export function titleOf({ description, operation }: OperationCommand): string {
  const [first = operation.summary] = (description ?? operation.summary).split(/\.(?:\s|$)/u);
  return first;
}

/** Returns whether a command changes what flags and `--data` name. */
export function isUpdate({ operation, complete, fixed }: OperationCommand): boolean {
  const { method, body, bodyOptional } = operation;
  const isWrite = method === "PUT" || method === "PATCH";
  return isWrite && body !== undefined && !bodyOptional && complete === undefined && !fixed;
}
