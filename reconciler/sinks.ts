// The files that minted secrets go to: looked at before planning, written as soon as there is a secret, removed with its object.
import { accessSync, constants, lstatSync, rmSync } from "node:fs";
import path from "node:path";
import { Failure } from "../core/errors.ts";
import type { Fingerprints } from "../core/fingerprints.ts";
import { limits } from "../core/limits.ts";
import type { Secret } from "../core/secret.ts";
import { isInside, nearest } from "./caller/inside.ts";
import { codeOf, makeFolder, readIfThere, writeWhole } from "./inventory/durable.ts";
import type { Sink, Stack, Wish } from "./model.ts";

/** A sink as it is found. */
export interface SinkState {
  /** Keyed fingerprint of what the file holds; undefined where there is none. */
  readonly held: string | undefined;
  /** Why no secret can be written there, whatever it holds. */
  readonly obstacle: string | undefined;
}

/** The sinks of wishes, by address. */
export type SinkStates = ReadonlyMap<string, SinkState>;

/** Writes and removes secrets of one stack. */
export interface Sinks {
  /** Puts the secret into the file, whole and on disk before it returns, and answers its mark; throws a `Failure`. */
  put(file: string, secret: Secret): string;
  /** Removes the file of a secret that is good for nothing any more; one that holds something else stays. */
  remove(sink: Sink): void;
}

type Place = Pick<Stack, "folder" | "inventoryFile">;

/** Looks at the sinks of all wishes that have one; writes nothing. */
export function lookAtSinks(
  wishes: readonly Wish[],
  stack: Place,
  fingerprints: Fingerprints,
): SinkStates {
  const states = new Map<string, SinkState>();
  for (const { address, secretTo } of wishes) {
    if (secretTo !== undefined) states.set(address, stateOf(secretTo, stack, fingerprints));
  }
  return states;
}

/** The sinks of a stack, for an apply. */
export function openSinks(stack: Place, fingerprints: Fingerprints): Sinks {
  return {
    put: (file, secret) => {
      const { obstacle } = stateOf(file, stack, fingerprints);
      if (obstacle !== undefined) throw unwritten(file, obstacle);
      try {
        const place = path.join(stack.folder, file);
        makeFolder(place);
        writeWhole(place, [secret.reveal()], () => undefined);
      } catch (error) {
        throw unwritten(file, codeOf(error), error);
      }
      return markOf(secret.reveal(), fingerprints);
    },
    remove: ({ file, mark }) => {
      const { held, obstacle } = stateOf(file, stack, fingerprints);
      if (mark === undefined || held !== mark || obstacle !== undefined) return;
      // What stays opens nothing any more; that it could not be removed is no reason to fail.
      rmSync(path.join(stack.folder, file), { force: true });
    },
  };
}

function unwritten(file: string, why: string, cause?: unknown): Failure {
  return new Failure(
    "unavailable",
    `the object was made, but its secret could not be written to ${file}: ${why}`,
    { cause, remedy: "mend that, and run it again: the object is then made anew" },
  );
}

function stateOf(file: string, stack: Place, fingerprints: Fingerprints): SinkState {
  try {
    const place = path.join(stack.folder, file);
    const obstacle = obstacleAt(place, stack);
    const text = obstacle === undefined ? readIfThere(place) : undefined;
    return { held: text === undefined ? undefined : markOf(text, fingerprints), obstacle };
  } catch (error) {
    return { held: undefined, obstacle: codeOf(error) || "it cannot be read" };
  }
}

/** Links are followed for folders: what they lead to has to lie in the stack's folder as well. */
function obstacleAt(place: string, { folder, inventoryFile }: Place): string | undefined {
  if (place === inventoryFile || place.startsWith(`${inventoryFile}.`)) {
    return "the inventory is kept there";
  }
  const found = lstatSync(place, { throwIfNoEntry: false });
  if (found !== undefined && !found.isFile()) return "something that is no plain file is there";
  if (found !== undefined && found.size > limits.secretBytes) return "a larger file is there";
  const parent = nearest(path.dirname(place));
  if (!isInside(parent, folder)) return "it lies outside the stack's folder";
  accessSync(parent, constants.W_OK | constants.X_OK);
  return undefined;
}

function markOf(secret: string, fingerprints: Fingerprints): string {
  return fingerprints.of(secret, true);
}
