// Inspects, writes and removes the files that store generated secrets.
import { accessSync, constants, lstatSync, rmSync } from "node:fs";
import path from "node:path";
import { Failure } from "../../core/errors.ts";
import type { Fingerprints } from "../../core/spec/fingerprints.ts";
import { limits } from "../../core/limits/limits.ts";
import type { Secret } from "../../core/secret.ts";
import { isInside, nearestExisting } from "../operator/path-containment.ts";
import { systemErrorText } from "../../core/system/system-error.ts";
import { makePrivateFolder, readIfExists, writeAtomically } from "../../files/atomic-files.ts";
import type { SecretSink, Stack, DesiredObject } from "../model/index.ts";

/** The state of a sink. */
export interface SecretSinkState {
  /** Keyed fingerprint of the file's content; undefined without a file. */
  readonly storedFingerprint: string | undefined;
  /** Returns whether the file holds a secret that begins with a text and, if it is given, has the length. */
  readonly storedMatches: (prefix: string, length: number | undefined) => boolean;
  /** Why no secret can be written there, regardless of its content. */
  readonly obstacle: string | undefined;
}

/** The sinks of declared objects, by address. */
export type SecretSinkStates = ReadonlyMap<string, SecretSinkState>;

/** Writes and removes secrets of one stack. */
export interface SecretSinks {
  /** Writes the secret durably and returns its fingerprint. Throws a `Failure`. */
  put(file: string, secret: Secret): string;
  /** Removes the file of a secret that is no longer valid, unless its contents have changed. Returns whether no file is left. */
  remove(sink: SecretSink): boolean;
}

type StackPaths = Pick<Stack, "folder" | "inventoryFile">;

/** Inspects the sinks of all declared objects without writing. */
export function inspectSecretSinks(
  desiredObjects: readonly DesiredObject[],
  stack: StackPaths,
  fingerprints: Fingerprints,
): SecretSinkStates {
  const states = new Map<string, SecretSinkState>();
  for (const { address, secretTo } of desiredObjects) {
    if (secretTo !== undefined) states.set(address, stateOf(secretTo, stack, fingerprints));
  }
  return states;
}

/** Opens the sinks of a stack for an apply. */
export function openSecretSinks(stack: StackPaths, fingerprints: Fingerprints): SecretSinks {
  return {
    put: (file, secret) => {
      const { obstacle } = stateOf(file, stack, fingerprints);
      if (obstacle !== undefined) throw secretNotWrittenError(file, obstacle);
      try {
        const place = path.join(stack.folder, file);
        makePrivateFolder(path.dirname(place));
        writeAtomically(place, [secret.reveal()]);
      } catch (error) {
        throw secretNotWrittenError(file, systemErrorText(error), error);
      }
      return fingerprintOf(secret.reveal(), fingerprints);
    },
    remove: ({ file, fingerprint }) => {
      const { storedFingerprint: held, obstacle } = stateOf(file, stack, fingerprints);
      if (fingerprint === undefined || held !== fingerprint || obstacle !== undefined)
        return held === undefined && obstacle === undefined;
      // The secret is no longer valid, so that a failure to remove it does not fail the run.
      rmSync(path.join(stack.folder, file), { force: true });
      return true;
    },
  };
}

function secretNotWrittenError(file: string, why: string, cause?: unknown): Failure {
  return new Failure(
    "unavailable",
    `the object was created, but its secret could not be written to ${file}: ${why}`,
    { cause, remedy: "Fix that and apply again: apply replaces the object." },
  );
}

function stateOf(file: string, stack: StackPaths, fingerprints: Fingerprints): SecretSinkState {
  try {
    const place = path.join(stack.folder, file);
    const obstacle = obstacleAt(place, stack);
    const text = obstacle === undefined ? readIfExists(place) : undefined;
    return {
      storedFingerprint: text === undefined ? undefined : fingerprintOf(text, fingerprints),
      storedMatches: (prefix, length) =>
        text?.startsWith(prefix) === true &&
        // A command that writes the file may end it with a line break.
        (length === undefined || text.trimEnd().length === length),
      obstacle,
    };
  } catch (error) {
    return {
      storedFingerprint: undefined,
      storedMatches: () => false,
      obstacle: systemErrorText(error),
    };
  }
}

/** The targets of linked folders must be in the stack's folder too. */
function obstacleAt(place: string, { folder, inventoryFile }: StackPaths): string | undefined {
  if (place === inventoryFile || place.startsWith(`${inventoryFile}.`)) {
    return "the inventory is stored there";
  }
  const entry = lstatSync(place, { throwIfNoEntry: false });
  if (entry !== undefined && !entry.isFile()) return "it is not a regular file";
  if (entry !== undefined && entry.size > limits.secretBytes) return "a larger file is there";
  const parent = nearestExisting(path.dirname(place));
  if (!isInside(parent, folder)) return "it is outside the stack's folder";
  accessSync(parent, constants.W_OK | constants.X_OK);
  return undefined;
}

function fingerprintOf(secret: string, fingerprints: Fingerprints): string {
  return fingerprints.of(secret, true);
}
