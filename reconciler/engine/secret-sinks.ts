// The files that minted secrets go to: looked at before planning, written as soon as there is a secret, removed with its object.
import { accessSync, constants, lstatSync, rmSync } from "node:fs";
import path from "node:path";
import { Failure } from "../../core/errors.ts";
import type { Fingerprints } from "../../core/fingerprints.ts";
import { limits } from "../../core/limits.ts";
import type { Secret } from "../../core/secret.ts";
import { isInside, nearestExisting } from "../operator/path-containment.ts";
import { codeOf, makeFolder, readIfExists, writeAtomically } from "../operator/atomic-write.ts";
import type { SecretSink, Stack, DesiredObject } from "../model/index.ts";

/** A sink as it is found. */
export interface SecretSinkState {
  /** Keyed fingerprint of what the file holds; undefined where there is none. */
  readonly storedFingerprint: string | undefined;
  /** Why no secret can be written there, whatever it holds. */
  readonly obstacle: string | undefined;
}

/** The sinks of wishes, by address. */
export type SecretSinkStates = ReadonlyMap<string, SecretSinkState>;

/** Writes and removes secrets of one stack. */
export interface SecretSinks {
  /** Puts the secret into the file, whole and on disk before it returns, and answers its mark; throws a `Failure`. */
  put(file: string, secret: Secret): string;
  /** Removes the file of a secret that is good for nothing any more; one that holds something else stays. */
  remove(sink: SecretSink): void;
}

type StackPaths = Pick<Stack, "folder" | "inventoryFile">;

/** Looks at the sinks of all wishes that have one; writes nothing. */
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

/** The sinks of a stack, for an apply. */
export function openSecretSinks(stack: StackPaths, fingerprints: Fingerprints): SecretSinks {
  return {
    put: (file, secret) => {
      const { obstacle } = stateOf(file, stack, fingerprints);
      if (obstacle !== undefined) throw secretNotWrittenError(file, obstacle);
      try {
        const place = path.join(stack.folder, file);
        makeFolder(place);
        writeAtomically(place, [secret.reveal()], () => undefined);
      } catch (error) {
        throw secretNotWrittenError(file, codeOf(error), error);
      }
      return fingerprintOf(secret.reveal(), fingerprints);
    },
    remove: ({ file, mark }) => {
      const { storedFingerprint: held, obstacle } = stateOf(file, stack, fingerprints);
      if (mark === undefined || held !== mark || obstacle !== undefined) return;
      // What stays opens nothing any more; that it could not be removed is no reason to fail.
      rmSync(path.join(stack.folder, file), { force: true });
    },
  };
}

function secretNotWrittenError(file: string, why: string, cause?: unknown): Failure {
  return new Failure(
    "unavailable",
    `the object was made, but its secret could not be written to ${file}: ${why}`,
    { cause, remedy: "mend that, and run it again: the object is then made anew" },
  );
}

function stateOf(file: string, stack: StackPaths, fingerprints: Fingerprints): SecretSinkState {
  try {
    const place = path.join(stack.folder, file);
    const obstacle = obstacleAt(place, stack);
    const text = obstacle === undefined ? readIfExists(place) : undefined;
    return {
      storedFingerprint: text === undefined ? undefined : fingerprintOf(text, fingerprints),
      obstacle,
    };
  } catch (error) {
    return { storedFingerprint: undefined, obstacle: codeOf(error) || "it cannot be read" };
  }
}

/** Links are followed for folders: what they lead to has to lie in the stack's folder as well. */
function obstacleAt(place: string, { folder, inventoryFile }: StackPaths): string | undefined {
  if (place === inventoryFile || place.startsWith(`${inventoryFile}.`)) {
    return "the inventory is kept there";
  }
  const found = lstatSync(place, { throwIfNoEntry: false });
  if (found !== undefined && !found.isFile()) return "something that is no plain file is there";
  if (found !== undefined && found.size > limits.secretBytes) return "a larger file is there";
  const parent = nearestExisting(path.dirname(place));
  if (!isInside(parent, folder)) return "it lies outside the stack's folder";
  accessSync(parent, constants.W_OK | constants.X_OK);
  return undefined;
}

function fingerprintOf(secret: string, fingerprints: Fingerprints): string {
  return fingerprints.of(secret, true);
}
