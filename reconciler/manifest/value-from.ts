// `valueFrom`: reads maps of files from a folder, and secret fields from the environment, a file, sops, age or a command, if the operator grants it.
import { execFileSync } from "node:child_process";
import { closeSync, existsSync, openSync, readSync } from "node:fs";
import path from "node:path";
import type { TSchema } from "typebox";
import { containsSecret, isFileMap, isSensitive, membersOf } from "../../core/kind/fields.ts";
import { isObject, type JsonObject, type JsonValue } from "../../core/json.ts";
import type { Kind } from "../../core/kind/kind.ts";
import { limits } from "../../core/limits/limits.ts";
import { didYouMean, orList, quoted, sentences } from "../../core/text/naming.ts";
import { joinPointer } from "../../core/pointer.ts";
import { member, variantFor, view } from "../../core/schema/schema.ts";
import { unstorableTextReason } from "../../core/text/storable-text.ts";
import { traitsOf } from "../../core/schema/traits.ts";
import { systemErrorText } from "../../core/system/system-error.ts";
import { filesFrom, type FolderResult, hasFileMap, type ReadFolder } from "./folder-source.ts";
import {
  isCommandPrefix,
  type CommandGrant,
  coversCommand,
  argumentWildcard,
  grantRemedy,
} from "../operator/grants.ts";
import { covers, realPath } from "../operator/path-containment.ts";
import type { UnresolvedValue } from "../model/index.ts";
import {
  type SubstitutionResult,
  environmentVariable,
  type SubstitutionError,
  type Scope,
  type SecretSources,
} from "./variables.ts";

/** A spec with its secret values, and the errors of those that could not be read. */
export interface ResolvedValues {
  readonly spec: JsonValue;
  /** Their paths begin with `/spec`. */
  readonly errors: readonly SubstitutionError[];
  /** Folders that were read. */
  readonly folders: readonly ReadFolder[];
  /** Files that values were read from, absolute. */
  readonly valueFiles: readonly string[];
  /** JSON Pointers to values that were not read, because secrets are not read. They begin with `/spec`. */
  readonly unread: readonly string[];
  /** Values that only an apply needs and that cannot be read here. They are among `unread` too. */
  readonly unresolved: readonly UnresolvedValue[];
}

interface ResolutionState {
  readonly scope: Scope;
  readonly errors: SubstitutionError[];
  readonly folders: ReadFolder[];
  readonly valueFiles: string[];
  readonly unread: string[];
  readonly unresolved: UnresolvedValue[];
}

/** Reads the values of all secret fields and maps of files with `valueFrom`. Leaves it in other fields, where the schema refuses it. */
export function resolveValuesFrom(kind: Kind, spec: JsonValue, scope: Scope): ResolvedValues {
  const mayRead = containsSecret(kind.spec) || hasFileMap(kind);
  const state = { errors: [], folders: [], valueFiles: [], unread: [], unresolved: [] };
  if (!isObject(spec) || !mayRead) return { spec, ...state };
  const whole = { schema: kind.spec, value: spec, path: "/spec" };
  return { spec: resolveInObject({ scope, ...state }, whole), ...state };
}

interface SchemaValue<Value> {
  readonly schema: TSchema;
  readonly value: Value;
  readonly path: string;
}

function resolveInObject(
  state: ResolutionState,
  { schema, value, path: pointer }: SchemaValue<JsonObject>,
): JsonObject {
  const fields = new Map(membersOf(schema).map((field) => [field.name, field.schema]));
  const entries = Object.entries(value).map(([name, inner]): [string, JsonValue | undefined] => {
    const field = fields.get(name);
    if (field === undefined || inner === undefined) return [name, inner];
    return [
      name,
      resolveInValue(state, { schema: field, value: inner, path: pointer + joinPointer([name]) }),
    ];
  });
  return Object.fromEntries(entries);
}

function resolveInValue(state: ResolutionState, target: SchemaValue<JsonValue>): JsonValue {
  const { schema, value, path: pointer } = target;
  if (isObject(value)) {
    const source = member(value, "valueFrom");
    const isSource = source !== undefined && Object.keys(value).length === 1;
    if (isSource && (isSensitive(traitsOf(schema)) || (isFileMap(schema) && isObject(source))))
      return resolveSource(state, { schema, value: source, path: pointer });
    return resolveInObject(state, {
      schema: variantFor(schema, value) ?? schema,
      value,
      path: pointer,
    });
  }
  if (!Array.isArray(value)) return value;
  const { items = {} } = view(variantFor(schema, value) ?? schema);
  return value.map((item: JsonValue, index) =>
    resolveInValue(state, { schema: items, value: item, path: pointer + joinPointer([index]) }),
  );
}

function resolveSource(
  state: ResolutionState,
  { schema, value, path: pointer }: SchemaValue<JsonValue>,
): JsonValue {
  const { secretSources } = state.scope;
  const result: FolderResult =
    isFileMap(schema) && secretSources !== undefined
      ? filesFrom(value, secretSources)
      : readSource(value, state.scope);
  if (result.read !== undefined) state.folders.push({ ...result.read, path: pointer });
  const file = fileOf(value);
  if (file !== undefined && secretSources !== undefined)
    state.valueFiles.push(path.resolve(secretSources.folder, file));
  if ("value" in result) {
    if (secretSources?.areRead === false && !isFileMap(schema)) state.unread.push(pointer);
    return result.value;
  }
  if (isOnlyMissingHere(value, state.scope) && !isFileMap(schema)) {
    state.unread.push(pointer);
    state.unresolved.push({ path: pointer, reason: result.summary, remedy: result.remedy });
    return unreadValue;
  }
  state.errors.push({ ...result, path: pointer, inKey: false });
  return { valueFrom: value };
}

/** Returns whether a comparison can go on without the value of a source: the source is valid, and its value is not here. */
function isOnlyMissingHere(source: JsonValue, scope: Scope): boolean {
  const { purpose, secretSources } = scope;
  if (purpose !== "compare" || secretSources === undefined) return false;
  return (
    "value" in readSource(source, { ...scope, secretSources: { ...secretSources, areRead: false } })
  );
}

/** Returns the file of a source: its own, or one that sops or age decrypts. */
function fileOf(source: JsonValue): string | undefined {
  if (!isObject(source)) return undefined;
  const { file, sops, age } = source;
  const written = file ?? [sops, age].filter(isObject).map((program) => program["file"])[0];
  return typeof written === "string" ? written : undefined;
}

function readSource(source: JsonValue, scope: Scope): SubstitutionResult {
  const [entry, another] = isObject(source) ? Object.entries(source) : [];
  const [form, written] = entry ?? [];
  const { secretSources: sources } = scope;
  if (another === undefined && sources !== undefined) {
    if (form === "env" && typeof written === "string") {
      const from = sources.areRead ? scope : withVariable(scope, written);
      return environmentVariable(from, written, { takesDefault: false });
    }
    const read = sourceReader(form, written, { scope, sources });
    if (read !== undefined) return sources.areRead ? read() : { value: unreadValue };
  }
  return noSource(form);
}

const sourceForms = {
  env: "{ env: NAME }",
  file: "{ file: PATH }",
  sops: "{ sops: { file: PATH, key: [NAME or NUMBER, ...] } }",
  age: "{ age: { file: PATH, identity: PATH } }",
  command: "{ command: [PROGRAM, ARGUMENT, ...] }",
} as const;

function noSource(form: string | undefined): SubstitutionResult {
  const isUnknown = form !== undefined && !Object.hasOwn(sourceForms, form);
  const hint = isUnknown ? didYouMean(form, Object.keys(sourceForms), quoted) : undefined;
  const forms = orList(Object.values(sourceForms));
  const remedy = sentences(hint, `Write valueFrom: ${forms}.`);
  return { code: "variable-syntax", summary: "valueFrom has no valid source", remedy };
}

/** Returns a function that reads a source other than the environment. Undefined if it is invalid. */
function sourceReader(
  form: string | undefined,
  written: JsonValue | undefined,
  { scope, sources }: { readonly scope: Scope; readonly sources: SecretSources },
): (() => SubstitutionResult) | undefined {
  if (form === "file" && typeof written === "string") return () => fromFile(written, sources);
  if (form === "command" && isCommand(written)) return () => fromCommand(written, scope);
  const encrypted = encryptedFile(form, written, sources);
  return encrypted && (() => fromEncrypted(encrypted, scope, sources));
}

/** The value of a secret that is not read. No further errors are reported where it is. */
const unreadValue = "(not read)";

/** Returns a scope that has the variable and its grant, so that only the list of the Stack is checked. */
function withVariable(scope: Scope, name: string): Scope {
  return { ...scope, grants: { environment: "stack" }, env: { [name]: unreadValue } };
}

type Command = readonly [string, ...string[]];

/** A file that a program decrypts, with a fixed command line. */
interface EncryptedFile {
  readonly program: "sops" | "age";
  readonly args: readonly string[];
  /** The path as written in the manifest. */
  readonly file: string;
  /** The granted files. */
  readonly granted: readonly string[];
  /** Returns the grant that would permit a file, for the remedy. */
  readonly grantFor: (file: string) => JsonValue;
  /** Why the program cannot read this value. Undefined if it can. */
  readonly unsupported?: string | undefined;
}

/** The meanings of sops' exit codes. Its output is ignored, because it may contain the secret. */
const sopsExitCodes: ExitCodeMeanings = {
  24: "the file was modified after it was encrypted",
  25: "the file was modified after it was encrypted",
  51: "the file was modified after it was encrypted",
  52: "the file was modified after it was encrypted",
  128: "no available key decrypts the file",
};

/** Meanings of exit codes. */
type ExitCodeMeanings = Readonly<Record<number, string>>;

/** Returns the file of a `sops` or `age` source. Undefined for any other source. */
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
  const identityFile = realPath(path.resolve(folder, identity));
  const granted = grants.age.filter((grant) => realPath(grant.identity) === identityFile);
  return {
    program: "age",
    args: ["--decrypt", "--identity", identityFile],
    file,
    granted: granted.flatMap(({ files }) => files),
    grantFor: (target) => [{ identity: identityFile, files: [target] }],
  };
}

/** Builds the sops command. sops has no escape for `[` in names. */
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
    grantFor: (target) => [target],
    unsupported: isBeyond ? 'sops cannot extract a key with "[" in its name' : undefined,
  };
}

/** Passes the real path to the program, so that it cannot be an option or a link to another file. */
function fromEncrypted(
  encrypted: EncryptedFile,
  scope: Scope,
  { folder }: SecretSources,
): SubstitutionResult {
  const { program, args: words, granted } = encrypted;
  const file = realPath(path.resolve(folder, encrypted.file));
  if (granted.some((pattern) => covers(pattern, file))) {
    if (!existsSync(file)) {
      const missing = `the file "${encrypted.file}" does not exist`;
      return { code: "source-unreadable", summary: missing, remedy: "Correct the path." };
    }
    if (encrypted.unsupported === undefined)
      return commandOutput(
        [program, ...words, file],
        scope,
        program === "sops" ? sopsExitCodes : {},
      );
    const remedy = "Rename the key, or store the value in a separate file.";
    return { code: "source-unreadable", summary: encrypted.unsupported, remedy };
  }
  const summary = `decrypting the file "${encrypted.file}" with ${program} is not granted`;
  const grant = `${program}: ${JSON.stringify(encrypted.grantFor(file))}`;
  const remedy =
    program === "sops"
      ? grantRemedy("sops", file)
      : `If you trust its authors, grant it: ${grant} in the grants file.`;
  return { code: "source-not-allowed", summary, remedy };
}

/** The path to a value in a structured file: names of members and indexes of items. */
type KeyPath = readonly (string | number)[];

function isKeyPath(value: JsonValue): value is KeyPath {
  return (
    Array.isArray(value) &&
    value.every(
      (step) => typeof step === "string" || (Number.isSafeInteger(step) && Number(step) >= 0),
    )
  );
}

function isStringList(value: JsonValue): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}

function isCommand(value: JsonValue | undefined): value is Command {
  return value !== undefined && isStringList(value) && value.length > 0;
}

function fromFile(written: string, { folder, grants }: SecretSources): SubstitutionResult {
  const file = path.resolve(folder, written);
  const isGranted = grants.files.some((pattern) => covers(pattern, file));
  if (!isGranted) {
    const summary = `reading the file "${written}" is not granted`;
    const remedy = grantRemedy("files", file);
    return { code: "source-not-allowed", summary, remedy };
  }
  try {
    return decodeText(firstBytes(realPath(file)), `the file "${written}"`);
  } catch (error) {
    const summary = `the file "${written}" cannot be read: ${systemErrorText(error)}`;
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
  if (granted.some((allowed) => coversCommand(allowed, command)))
    return commandOutput(command, scope);
  const summary = `running "${command.join(" ")}" is not granted`;
  const line = command.length === 1 ? command : [command];
  const beginning = granted.find((allowed) => isCommandPrefix(allowed, command));
  const remedy = `If you trust its authors, grant it: commands: ${JSON.stringify(line)} in the grants file.`;
  return {
    code: "source-not-allowed",
    summary,
    remedy: beginning === undefined ? remedy : `${remedy} ${exactCommandNote(beginning)}`,
  };
}

/** Explains that a granted list is a whole command, not a prefix. */
function exactCommandNote(granted: CommandGrant): string {
  return `${JSON.stringify(granted)} grants only this exact command; "${argumentWildcard}" stands for one argument that the manifest chooses.`;
}

/** Runs a command and returns its output. No message contains its output or errors, which may be secret. */
function commandOutput(
  [program, ...args]: Command,
  { secretSources: sources, env }: Scope,
  exits: ExitCodeMeanings = {},
): SubstitutionResult {
  try {
    const printed = execFileSync(program, args, {
      cwd: sources?.folder,
      env: withoutOwnVariables(env),
      timeout: limits.commandMs,
      // A command that ignores SIGTERM would block the plan.
      killSignal: "SIGKILL",
      maxBuffer: limits.secretBytes + 1,
      stdio: ["ignore", "pipe", "ignore"],
    });
    return decodeText(printed, `the output of "${program}"`);
  } catch (error) {
    const summary = `"${program}" failed: ${failureReason(error, exits)}`;
    return { code: "source-unreadable", summary, remedy: "Run it by hand to see its output." };
  }
}

/** Removes the variables of svc, which include its API key. */
function withoutOwnVariables(env: Scope["env"]): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(env).filter(([name]) => !name.toUpperCase().startsWith("SVC_")),
  );
}

function failureReason(error: unknown, exits: ExitCodeMeanings): string {
  const { code, status, signal } = error as { code?: string; status?: number; signal?: string };
  if (typeof status === "number") return exits[status] ?? `exit code ${status}`;
  if (code === "ENOENT") return "the program does not exist";
  if (code === "ENOBUFS") return `it printed more than ${limits.secretBytes} bytes`;
  if (code === "ETIMEDOUT") return `it took longer than ${limits.commandMs / 1000} seconds`;
  return code ?? signal ?? "it failed";
}

/** Decodes UTF-8 text and removes one trailing line end. */
function decodeText(bytes: Buffer, what: string): SubstitutionResult {
  const code = "source-unreadable";
  if (bytes.length > limits.secretBytes) {
    const summary = `${what} is longer than ${limits.secretBytes} bytes`;
    return { code, summary, remedy: "Use a source that contains only the value." };
  }
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes).replace(/\r?\n$/u, "");
    if (text === "") return { code, summary: `${what} is empty`, remedy: "Provide the value." };
    const reason = unstorableTextReason(text);
    if (reason === undefined) return { value: text };
    return { code, summary: `${what} ${reason}`, remedy: "Use text." };
  } catch {
    return { code, summary: `${what} is not UTF-8 text`, remedy: "Use text." };
  }
}
