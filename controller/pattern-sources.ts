// The sources of patterns: one for each folder that matches, which are saved for commands and for the next start.
import { type Static, Type } from "typebox";
import type { Diagnostic } from "../core/diagnostics.ts";
import { Failure } from "../core/errors.ts";
import { equal } from "../core/json.ts";
import { limits } from "../core/limits/limits.ts";
import { declaredValidator } from "../core/schema/validate.ts";
import { systemErrorText } from "../core/system/system-error.ts";
import { namePattern } from "../core/text/text-patterns.ts";
import { digest } from "../reconciler/sessions.ts";
import type { ControllerConfig, Source } from "./config.ts";
import { cyclesOf } from "./dependencies.ts";
import { isPattern, matched, writeTarget } from "./source-patterns.ts";
import { controllerDocuments } from "./state-store.ts";

const savedSchema = Type.Record(Type.String(), Type.Array(Type.String()));

declaredValidator(savedSchema);

const patternsDocument = { name: "patterns", schema: savedSchema } as const;

/** The sources of a pattern, and why folders have none. */
export interface PatternSources {
  readonly sources: readonly Source[];
  readonly errors: readonly Diagnostic[];
}

/** Returns the sources of a pattern for folders, beside other sources, which keep their names and the stacks that they write. */
export function sourcesOfPattern(
  entry: Source,
  folders: readonly string[],
  others: readonly Source[],
): PatternSources {
  const names = new Set(others.map(({ name }) => name));
  const writers = new Map(
    others.flatMap((other) =>
      other.mode === "plan" || isPattern(other) ? [] : [[writeTarget(other), other.name]],
    ),
  );
  const errors: Diagnostic[] = [];
  const sources: Source[] = [];
  const git = entry.git;
  if (git === undefined) return { sources, errors };
  for (const folder of folders) {
    const stack = matched(git.path, folder) ?? "";
    const name = `${entry.name}-${stack}`;
    const source = {
      ...entry,
      name,
      digest: digest([entry.digest, folder]),
      stack,
      git: { ...git, path: folder },
      pattern: entry.name,
    };
    const target = entry.mode === "plan" ? undefined : writeTarget(source);
    const writer = target === undefined ? undefined : writers.get(target);
    const problem = ((): string | undefined => {
      if (!isName(stack)) return `${stack} is no name of a Stack`;
      if (name.length > 63) return `${name} has more than 63 characters`;
      if (names.has(name)) return `another source is called ${name}`;
      if (writer !== undefined)
        return `the source ${writer} applies the stack ${stack} to the same server`;
      const isFull = others.length + sources.length >= limits.controllerSources;
      return isFull ? `a controller has at most ${limits.controllerSources} sources` : undefined;
    })();
    if (problem === undefined) {
      sources.push(source);
      names.add(name);
      if (target !== undefined) writers.set(target, name);
    } else errors.push(ignoredFolder(folder, problem));
  }
  const cycles = cyclesOf([...others.filter((other) => !isPattern(other)), ...sources]);
  for (const { name, git: place } of sources) {
    const cycle = cycles.get(name);
    if (cycle !== undefined)
      errors.push(ignoredFolder(place?.path ?? "", `sources wait for each other: ${cycle}`));
  }
  return { sources: sources.filter(({ name }) => !cycles.has(name)), errors };
}

function isName(text: string): boolean {
  return new RegExp(namePattern, "u").test(text);
}

function ignoredFolder(folder: string, why: string): Diagnostic {
  return {
    code: "folder-without-source",
    severity: "error",
    summary: `the folder ${folder} has no source: ${why}`,
    remedy: "Rename the folder, or change the configuration.",
  };
}

/** Returns the warnings about sources that a pattern no longer has. */
export function removedWarnings(removed: readonly Source[], commit: string): readonly Diagnostic[] {
  return removed.map(({ name, stack, git }) => ({
    code: "source-removed",
    severity: "warning",
    summary: `${name} is no longer reconciled, because commit ${commit.slice(0, 12)} has no folder ${git?.path}; the objects of the Stack ${stack} stay`,
    remedy:
      "To delete them, restore the folder, remove the documents other than the Stack, and approve the plan; then remove the folder.",
  }));
}

/** Returns a configuration with the sources that patterns had when a controller last looked. */
export async function withSavedSources(config: ControllerConfig): Promise<ControllerConfig> {
  const entries = config.sources.filter(({ pattern }) => pattern === undefined);
  const patterns = entries.filter(isPattern);
  if (patterns.length === 0) return config;
  const saved: Static<typeof savedSchema> =
    (await controllerDocuments(config).read(patternsDocument)) ?? {};
  const sources: Source[] = [];
  for (const entry of patterns) {
    const folders = saved[entry.name] ?? [];
    sources.push(...sourcesOfPattern(entry, folders, [...entries, ...sources]).sources);
  }
  return { ...config, sources: [...entries, ...sources] };
}

/** Saves the folders of a pattern if others are saved. Fails with `unavailable`. */
export async function savePattern(
  config: Pick<ControllerConfig, "store">,
  name: string,
  sources: readonly Source[],
): Promise<void> {
  const folders = sources.map(({ git }) => git?.path ?? "");
  const documents = controllerDocuments(config);
  try {
    if (equal((await documents.read(patternsDocument))?.[name] ?? [], folders)) return;
    await documents.change(patternsDocument, (saved) => ({ ...saved, [name]: folders }));
  } catch (cause) {
    const message = `the sources of patterns cannot be saved: ${systemErrorText(cause)}`;
    throw new Failure("unavailable", message, { cause });
  }
}
