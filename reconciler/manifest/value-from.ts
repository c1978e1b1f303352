// `valueFrom`: secret fields take their value from the environment, a file, one that sops or age decrypts, or a command, each where
// the operator grants it.
import { execFileSync } from "node:child_process";
import { closeSync, openSync, readSync } from "node:fs";
import path from "node:path";
import type { TSchema } from "typebox";
import { holdsSecret, isSensitive, membersOf } from "../../core/fields.ts";
import { isObject, type JsonObject, type JsonValue } from "../../core/json.ts";
import type { Kind } from "../../core/kind.ts";
import { limits } from "../../core/limits.ts";
import { joinPointer } from "../../core/pointer.ts";
import { member, variantFor, view } from "../../core/schema.ts";
import { traitsOf } from "../../core/traits.ts";
import { beginsCommand, type CommandGrant, coversCommand, freeArgument } from "../caller/grants.ts";
import { covers, realPath } from "../caller/inside.ts";
import {
  type Answer,
  environment,
  type Refusal,
  type Scope,
  type Surroundings,
} from "./variables.ts";

/** A spec with its values taken, and what could not be. */
export interface Taken {
  readonly spec: JsonValue;
  /** Their paths begin with `/spec`. */
  readonly refusals: readonly Refusal[];
}

interface Run {
  readonly scope: Scope;
  readonly refusals: Refusal[];
}

/** Takes the values of all secret fields that say where from. What stands elsewhere is left, for the schema to refuse. */
export function takeValues(kind: Kind, spec: JsonValue, scope: Scope): Taken {
  if (!isObject(spec) || !holdsSecret(kind.spec)) return { spec, refusals: [] };
  const run: Run = { scope, refusals: [] };
  return {
    spec: inObject(run, { schema: kind.spec, value: spec, path: "/spec" }),
    refusals: run.refusals,
  };
}

interface Spot<Value> {
  readonly schema: TSchema;
  readonly value: Value;
  readonly path: string;
}

function inObject(run: Run, { schema, value, path: at }: Spot<JsonObject>): JsonObject {
  const fields = new Map(membersOf(schema).map((field) => [field.name, field.schema]));
  const entries = Object.entries(value).map(([name, held]): [string, JsonValue | undefined] => {
    const inner = fields.get(name);
    if (inner === undefined || held === undefined) return [name, held];
    return [name, inValue(run, { schema: inner, value: held, path: at + joinPointer([name]) })];
  });
  return Object.fromEntries(entries);
}

function inValue(run: Run, spot: Spot<JsonValue>): JsonValue {
  const { schema, value, path: at } = spot;
  if (isObject(value)) {
    const source = member(value, "valueFrom");
    const isSource = source !== undefined && Object.keys(value).length === 1;
    if (isSource && isSensitive(traitsOf(schema)))
      return taken(run, { schema, value: source, path: at });
    return inObject(run, { schema: variantFor(schema, value) ?? schema, value, path: at });
  }
  if (!Array.isArray(value)) return value;
  const { items = {} } = view(variantFor(schema, value) ?? schema);
  return value.map((item: JsonValue, index) =>
    inValue(run, { schema: items, value: item, path: at + joinPointer([index]) }),
  );
}

function taken(run: Run, { value, path: at }: Spot<JsonValue>): JsonValue {
  const got = answerOf(value, run.scope);
  if ("value" in got) return got.value;
  run.refusals.push({ ...got, path: at, inKey: false });
  return { valueFrom: value };
}

function answerOf(source: JsonValue, scope: Scope): Answer {
  const [entry, another] = isObject(source) ? Object.entries(source) : [];
  const [form, given] = entry ?? [];
  if (another === undefined && scope.surroundings !== undefined) {
    if (form === "env" && typeof given === "string") return environment(scope, given, undefined);
    if (form === "file" && typeof given === "string") return fromFile(given, scope.surroundings);
    if (form === "command" && isCommand(given)) return fromCommand(given, scope);
    const asked = encrypted(form, given, scope.surroundings);
    if (asked !== undefined) return fromEncrypted(asked, scope, scope.surroundings);
  }
  const remedy =
    "Write valueFrom: { env: NAME }, { file: PATH }, { sops: { file: PATH, key: [NAME or NUMBER, ...] } }, { age: { file: PATH, identity: PATH } } or { command: [PROGRAM, ARGUMENT, ...] }.";
  return { code: "variable-syntax", summary: "valueFrom names no source of a value", remedy };
}

type Command = readonly [string, ...string[]];

/** A file that a program decrypts, which runs with nothing but these words and the file. */
interface Encrypted {
  readonly program: "sops" | "age";
  readonly words: readonly string[];
  /** As it is written. */
  readonly file: string;
  /** What of files is granted to be decrypted so. */
  readonly granted: readonly string[];
  /** What would be granted for a file. */
  readonly grantFor: (file: string) => JsonValue;
  /** Why the program cannot be asked for this; undefined where it can. */
  readonly beyond?: string | undefined;
}

/** What an exit code of sops means. What it says besides is not looked at, for it may be of the secret. */
const exitsOfSops: Exits = {
  24: "the file was changed since it was encrypted",
  25: "the file was changed since it was encrypted",
  51: "the file was changed since it was encrypted",
  52: "the file was changed since it was encrypted",
  128: "no key that is at hand opens the file",
};

/** Meanings of exit codes. */
type Exits = Readonly<Record<number, string>>;

/** What a source in the form of `sops` or `age` means; undefined where it has not that form. */
function encrypted(
  form: string | undefined,
  source: JsonValue | undefined,
  { folder, grants }: Surroundings,
): Encrypted | undefined {
  if (!isObject(source)) return undefined;
  const { file, key, identity, ...others } = source;
  if (typeof file !== "string" || Object.keys(others).length > 0) return undefined;
  if (form === "sops" && identity === undefined && (key === undefined || isKey(key)))
    return bySops({ file, key: key ?? [] }, grants.sops);
  if (form !== "age" || typeof identity !== "string" || key !== undefined) return undefined;
  const own = realPath(path.resolve(folder, identity));
  const granted = grants.age.filter((one) => realPath(one.identity) === own);
  return {
    program: "age",
    words: ["--decrypt", "--identity", own],
    file,
    granted: granted.flatMap(({ files }) => files),
    grantFor: (one) => [{ identity: own, files: [one] }],
  };
}

/** sops takes names as they stand, without any escape, up to the next `[`. */
function bySops(
  { file, key }: { readonly file: string; readonly key: Key },
  granted: readonly string[],
): Encrypted {
  const steps = key
    .map((step) => (typeof step === "string" ? `["${step}"]` : `[${step}]`))
    .join("");
  const isBeyond = key.some((step) => typeof step === "string" && step.includes("["));
  return {
    program: "sops",
    words: ["--decrypt", ...(steps === "" ? [] : ["--extract", steps])],
    file,
    granted,
    grantFor: (one) => [one],
    beyond: isBeyond ? 'sops finds no key with "[" in its name' : undefined,
  };
}

/** The program gets the real path: it is no option, and no link leads it elsewhere than where it was looked at. */
function fromEncrypted(asked: Encrypted, scope: Scope, { folder }: Surroundings): Answer {
  const { program, words, granted } = asked;
  const file = realPath(path.resolve(folder, asked.file));
  if (granted.some((one) => covers(one, file))) {
    if (asked.beyond === undefined)
      return printedBy([program, ...words, file], scope, program === "sops" ? exitsOfSops : {});
    const remedy = "Give it another name in the file, or keep it in a file of its own.";
    return { code: "source-unreadable", summary: asked.beyond, remedy };
  }
  const summary = `decrypting the file "${asked.file}" with ${program} was not granted to these manifests`;
  const grant = `${program}: ${JSON.stringify(asked.grantFor(file))}`;
  const remedy = `If you trust them with it, grant it: ${grant} in the grants.`;
  return { code: "source-not-allowed", summary, remedy };
}

/** The way to a value in a structured file: names of members, and numbers of items from 0 on. */
type Key = readonly (string | number)[];

function isKey(given: JsonValue): given is Key {
  return (
    Array.isArray(given) &&
    given.every((one) => typeof one === "string" || (Number.isSafeInteger(one) && Number(one) >= 0))
  );
}

function isTexts(given: JsonValue): given is readonly string[] {
  return Array.isArray(given) && given.every((one) => typeof one === "string");
}

function isCommand(given: JsonValue | undefined): given is Command {
  return given !== undefined && isTexts(given) && given.length > 0;
}

function fromFile(given: string, { folder, grants }: Surroundings): Answer {
  const file = path.resolve(folder, given);
  const isGranted = grants.files.some((one) => covers(one, file));
  if (!isGranted) {
    const summary = `reading the file "${given}" was not granted to these manifests`;
    const remedy = `If you trust them with it, grant it: files: ["${file}"] in the grants, or --allow-secret-file.`;
    return { code: "source-not-allowed", summary, remedy };
  }
  try {
    return textIn(firstBytes(realPath(file)), `the file "${given}"`);
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

function fromCommand(command: Command, scope: Scope): Answer {
  const granted = scope.surroundings?.grants.commands ?? [];
  if (granted.some((one) => coversCommand(one, command))) return printedBy(command, scope);
  const summary = `running "${command.join(" ")}" was not granted to these manifests`;
  const line = command.length === 1 ? command : [command];
  const beginning = granted.find((one) => beginsCommand(one, command));
  const remedy = `If you trust them with it, grant it: commands: ${JSON.stringify(line)} in the grants.`;
  return {
    code: "source-not-allowed",
    summary,
    remedy: beginning === undefined ? remedy : `${remedy} ${nowWhole(beginning)}`,
  };
}

/** For grants that were written when a list was how a command begins. */
function nowWhole(granted: CommandGrant): string {
  return `${JSON.stringify(granted)} is granted as it stands, with no word after it: a list is a whole command, in which "${freeArgument}" stands for one argument of the manifests' choice.`;
}

/** Neither what a command prints nor what it says on its way is ever part of a message: it may be a secret. */
function printedBy(
  [program, ...args]: Command,
  { surroundings, env }: Scope,
  exits: Exits = {},
): Answer {
  try {
    const printed = execFileSync(program, args, {
      cwd: surroundings?.folder,
      env: withoutOurs(env),
      timeout: limits.commandMs,
      // One that does not heed a polite signal would keep the plan waiting for as long as it likes.
      killSignal: "SIGKILL",
      maxBuffer: limits.secretBytes + 1,
      stdio: ["ignore", "pipe", "ignore"],
    });
    return textIn(printed, `what "${program}" prints`);
  } catch (error) {
    const summary = `"${program}" gave no value: ${whyNot(error, exits)}`;
    return { code: "source-unreadable", summary, remedy: "Run it by hand to see what it says." };
  }
}

/** Our own key is nobody else's business. */
function withoutOurs(env: Scope["env"]): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(env).filter(([name]) => !name.toUpperCase().startsWith("SVC_")),
  );
}

function whyNot(error: unknown, exits: Exits): string {
  const { code, status, signal } = error as { code?: string; status?: number; signal?: string };
  if (typeof status === "number") return exits[status] ?? `it ended with ${status}`;
  if (code === "ENOENT") return "there is no such program";
  if (code === "ENOBUFS") return `it printed more than ${limits.secretBytes} bytes`;
  if (code === "ETIMEDOUT") return `it took longer than ${limits.commandMs / 1000} seconds`;
  return code ?? signal ?? "it failed";
}

/** Text without the one line end that editors and commands put behind it. */
function textIn(bytes: Buffer, what: string): Answer {
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
