// `valueFrom`: secret fields take their value from the environment, a file, one that sops or age decrypts, or a command, each where
// the operator grants it.
import { execFileSync } from "node:child_process";
import { closeSync, openSync, readSync } from "node:fs";
import path from "node:path";
import type { TSchema } from "typebox";
import { containsSecret, isSensitive, membersOf } from "../../core/fields.ts";
import { isObject, type JsonObject, type JsonValue } from "../../core/json.ts";
import type { Kind } from "../../core/kind.ts";
import { limits } from "../../core/limits.ts";
import { joinPointer } from "../../core/pointer.ts";
import { member, variantFor, view } from "../../core/schema.ts";
import { traitsOf } from "../../core/traits.ts";
import {
  isCommandPrefix,
  type CommandGrant,
  coversCommand,
  argumentWildcard,
} from "../operator/grants.ts";
import { covers, realPath } from "../operator/path-containment.ts";
import {
  type SubstitutionResult,
  environmentVariable,
  type SubstitutionError,
  type Scope,
  type SecretSources,
} from "./variables.ts";

/** A spec with its values taken, and what could not be. */
export interface ResolvedValues {
  readonly spec: JsonValue;
  /** Their paths begin with `/spec`. */
  readonly errors: readonly SubstitutionError[];
}

interface ResolutionState {
  readonly scope: Scope;
  readonly errors: SubstitutionError[];
}

/** Takes the values of all secret fields that say where from. What stands elsewhere is left, for the schema to refuse. */
export function resolveValuesFrom(kind: Kind, spec: JsonValue, scope: Scope): ResolvedValues {
  if (!isObject(spec) || !containsSecret(kind.spec)) return { spec, errors: [] };
  const run: ResolutionState = { scope, errors: [] };
  return {
    spec: resolveInObject(run, { schema: kind.spec, value: spec, path: "/spec" }),
    errors: run.errors,
  };
}

interface SchemaValue<Value> {
  readonly schema: TSchema;
  readonly value: Value;
  readonly path: string;
}

function resolveInObject(
  run: ResolutionState,
  { schema, value, path: at }: SchemaValue<JsonObject>,
): JsonObject {
  const fields = new Map(membersOf(schema).map((field) => [field.name, field.schema]));
  const entries = Object.entries(value).map(([name, held]): [string, JsonValue | undefined] => {
    const inner = fields.get(name);
    if (inner === undefined || held === undefined) return [name, held];
    return [
      name,
      resolveInValue(run, { schema: inner, value: held, path: at + joinPointer([name]) }),
    ];
  });
  return Object.fromEntries(entries);
}

function resolveInValue(run: ResolutionState, spot: SchemaValue<JsonValue>): JsonValue {
  const { schema, value, path: at } = spot;
  if (isObject(value)) {
    const source = member(value, "valueFrom");
    const isSource = source !== undefined && Object.keys(value).length === 1;
    if (isSource && isSensitive(traitsOf(schema)))
      return resolveSource(run, { schema, value: source, path: at });
    return resolveInObject(run, { schema: variantFor(schema, value) ?? schema, value, path: at });
  }
  if (!Array.isArray(value)) return value;
  const { items = {} } = view(variantFor(schema, value) ?? schema);
  return value.map((item: JsonValue, index) =>
    resolveInValue(run, { schema: items, value: item, path: at + joinPointer([index]) }),
  );
}

function resolveSource(
  run: ResolutionState,
  { value, path: at }: SchemaValue<JsonValue>,
): JsonValue {
  const got = readSource(value, run.scope);
  if ("value" in got) return got.value;
  run.errors.push({ ...got, path: at, inKey: false });
  return { valueFrom: value };
}

function readSource(source: JsonValue, scope: Scope): SubstitutionResult {
  const [entry, another] = isObject(source) ? Object.entries(source) : [];
  const [form, given] = entry ?? [];
  if (another === undefined && scope.secretSources !== undefined) {
    if (form === "env" && typeof given === "string")
      return environmentVariable(scope, given, undefined);
    if (form === "file" && typeof given === "string") return fromFile(given, scope.secretSources);
    if (form === "command" && isCommand(given)) return fromCommand(given, scope);
    const asked = encryptedFile(form, given, scope.secretSources);
    if (asked !== undefined) return fromEncrypted(asked, scope, scope.secretSources);
  }
  const remedy =
    "Write valueFrom: { env: NAME }, { file: PATH }, { sops: { file: PATH, key: [NAME or NUMBER, ...] } }, { age: { file: PATH, identity: PATH } } or { command: [PROGRAM, ARGUMENT, ...] }.";
  return { code: "variable-syntax", summary: "valueFrom names no source of a value", remedy };
}

type Command = readonly [string, ...string[]];

/** A file that a program decrypts, which runs with nothing but these words and the file. */
interface EncryptedFile {
  readonly program: "sops" | "age";
  readonly args: readonly string[];
  /** As it is written. */
  readonly file: string;
  /** What of files is granted to be decrypted so. */
  readonly granted: readonly string[];
  /** What would be granted for a file. */
  readonly grantFor: (file: string) => JsonValue;
  /** Why the program cannot be asked for this; undefined where it can. */
  readonly unsupported?: string | undefined;
}

/** What an exit code of sops means. What it says besides is not looked at, for it may be of the secret. */
const sopsExitCodes: ExitCodeMeanings = {
  24: "the file was changed since it was encrypted",
  25: "the file was changed since it was encrypted",
  51: "the file was changed since it was encrypted",
  52: "the file was changed since it was encrypted",
  128: "no key that is at hand opens the file",
};

/** Meanings of exit codes. */
type ExitCodeMeanings = Readonly<Record<number, string>>;

/** What a source in the form of `sops` or `age` means; undefined where it has not that form. */
function encryptedFile(
  form: string | undefined,
  source: JsonValue | undefined,
  { folder, grants }: SecretSources,
): EncryptedFile | undefined {
  if (!isObject(source)) return undefined;
  const { file, key, identity, ...others } = source;
  if (typeof file !== "string" || Object.keys(others).length > 0) return undefined;
  if (form === "sops" && identity === undefined && (key === undefined || isKeyPath(key)))
    return sopsFile({ file, key: key ?? [] }, grants.sops);
  if (form !== "age" || typeof identity !== "string" || key !== undefined) return undefined;
  const own = realPath(path.resolve(folder, identity));
  const granted = grants.age.filter((one) => realPath(one.identity) === own);
  return {
    program: "age",
    args: ["--decrypt", "--identity", own],
    file,
    granted: granted.flatMap(({ files }) => files),
    grantFor: (one) => [{ identity: own, files: [one] }],
  };
}

/** sops takes names as they stand, without any escape, up to the next `[`. */
function sopsFile(
  { file, key }: { readonly file: string; readonly key: KeyPath },
  granted: readonly string[],
): EncryptedFile {
  const steps = key
    .map((step) => (typeof step === "string" ? `["${step}"]` : `[${step}]`))
    .join("");
  const isBeyond = key.some((step) => typeof step === "string" && step.includes("["));
  return {
    program: "sops",
    args: ["--decrypt", ...(steps === "" ? [] : ["--extract", steps])],
    file,
    granted,
    grantFor: (one) => [one],
    unsupported: isBeyond ? 'sops finds no key with "[" in its name' : undefined,
  };
}

/** The program gets the real path: it is no option, and no link leads it elsewhere than where it was looked at. */
function fromEncrypted(
  asked: EncryptedFile,
  scope: Scope,
  { folder }: SecretSources,
): SubstitutionResult {
  const { program, args: words, granted } = asked;
  const file = realPath(path.resolve(folder, asked.file));
  if (granted.some((one) => covers(one, file))) {
    if (asked.unsupported === undefined)
      return commandOutput(
        [program, ...words, file],
        scope,
        program === "sops" ? sopsExitCodes : {},
      );
    const remedy = "Give it another name in the file, or keep it in a file of its own.";
    return { code: "source-unreadable", summary: asked.unsupported, remedy };
  }
  const summary = `decrypting the file "${asked.file}" with ${program} was not granted to these manifests`;
  const grant = `${program}: ${JSON.stringify(asked.grantFor(file))}`;
  const remedy = `If you trust them with it, grant it: ${grant} in the grants.`;
  return { code: "source-not-allowed", summary, remedy };
}

/** The way to a value in a structured file: names of members, and numbers of items from 0 on. */
type KeyPath = readonly (string | number)[];

function isKeyPath(given: JsonValue): given is KeyPath {
  return (
    Array.isArray(given) &&
    given.every((one) => typeof one === "string" || (Number.isSafeInteger(one) && Number(one) >= 0))
  );
}

function isStringList(given: JsonValue): given is readonly string[] {
  return Array.isArray(given) && given.every((one) => typeof one === "string");
}

function isCommand(given: JsonValue | undefined): given is Command {
  return given !== undefined && isStringList(given) && given.length > 0;
}

function fromFile(given: string, { folder, grants }: SecretSources): SubstitutionResult {
  const file = path.resolve(folder, given);
  const isGranted = grants.files.some((one) => covers(one, file));
  if (!isGranted) {
    const summary = `reading the file "${given}" was not granted to these manifests`;
    const remedy = `If you trust them with it, grant it: files: ["${file}"] in the grants, or --allow-secret-file.`;
    return { code: "source-not-allowed", summary, remedy };
  }
  try {
    return decodeText(firstBytes(realPath(file)), `the file "${given}"`);
  } catch (error) {
    const { code = "unknown" } = error as NodeJS.ErrnoException;
    const summary = `the file "${given}" cannot be read: ${code}`;
    return { code: "source-unreadable", summary, remedy: "Check the path and its permissions." };
  }
}

function firstBytes(file: string): Buffer {
  const bytes = Buffer.alloc(limits.secretBytes + 1);
  const opened = openSync(file, "r");
  try {
    return bytes.subarray(0, readSync(opened, bytes));
  } finally {
    closeSync(opened);
  }
}

function fromCommand(command: Command, scope: Scope): SubstitutionResult {
  const granted = scope.secretSources?.grants.commands ?? [];
  if (granted.some((one) => coversCommand(one, command))) return commandOutput(command, scope);
  const summary = `running "${command.join(" ")}" was not granted to these manifests`;
  const line = command.length === 1 ? command : [command];
  const beginning = granted.find((one) => isCommandPrefix(one, command));
  const remedy = `If you trust them with it, grant it: commands: ${JSON.stringify(line)} in the grants.`;
  return {
    code: "source-not-allowed",
    summary,
    remedy: beginning === undefined ? remedy : `${remedy} ${exactCommandNote(beginning)}`,
  };
}

/** For grants that were written when a list was how a command begins. */
function exactCommandNote(granted: CommandGrant): string {
  return `${JSON.stringify(granted)} is granted as it stands, with no word after it: a list is a whole command, in which "${argumentWildcard}" stands for one argument of the manifests' choice.`;
}

/** Neither what a command prints nor what it says on its way is ever part of a message: it may be a secret. */
function commandOutput(
  [program, ...args]: Command,
  { secretSources: surroundings, env }: Scope,
  exits: ExitCodeMeanings = {},
): SubstitutionResult {
  try {
    const printed = execFileSync(program, args, {
      cwd: surroundings?.folder,
      env: withoutOwnVariables(env),
      timeout: limits.commandMs,
      // One that does not heed a polite signal would keep the plan waiting for as long as it likes.
      killSignal: "SIGKILL",
      maxBuffer: limits.secretBytes + 1,
      stdio: ["ignore", "pipe", "ignore"],
    });
    return decodeText(printed, `what "${program}" prints`);
  } catch (error) {
    const summary = `"${program}" gave no value: ${failureReason(error, exits)}`;
    return { code: "source-unreadable", summary, remedy: "Run it by hand to see what it says." };
  }
}

/** Our own key is nobody else's business. */
function withoutOwnVariables(env: Scope["env"]): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(env).filter(([name]) => !name.toUpperCase().startsWith("SVC_")),
  );
}

function failureReason(error: unknown, exits: ExitCodeMeanings): string {
  const { code, status, signal } = error as { code?: string; status?: number; signal?: string };
  if (typeof status === "number") return exits[status] ?? `it ended with ${status}`;
  if (code === "ENOENT") return "there is no such program";
  if (code === "ENOBUFS") return `it printed more than ${limits.secretBytes} bytes`;
  if (code === "ETIMEDOUT") return `it took longer than ${limits.commandMs / 1000} seconds`;
  return code ?? signal ?? "it failed";
}

/** Text without the one line end that editors and commands put behind it. */
function decodeText(bytes: Buffer, what: string): SubstitutionResult {
  const code = "source-unreadable";
  if (bytes.length > limits.secretBytes) {
    const summary = `${what} is longer than ${limits.secretBytes} bytes`;
    return { code, summary, remedy: "Name what holds the value and nothing else." };
  }
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes).replace(/\r?\n$/u, "");
    if (text !== "") return { value: text };
    return { code, summary: `${what} is empty`, remedy: "Put the value there." };
  } catch {
    return { code, summary: `${what} is not UTF-8 text`, remedy: "Use text." };
  }
}
