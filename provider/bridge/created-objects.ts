// Remembers the objects that a run creates: a second resource with the same key would overwrite the first one's object.
import { Failure } from "../../core/errors.ts";
import { address, scopeText } from "../../core/kind/identity.ts";
import type { ReadTarget } from "./read-target.ts";

/** The objects that a run created. */
export interface CreatedObjects {
  /** Runs a create and records the object if it succeeds. Refuses a create of an object whose create is running. */
  during<T>(target: ReadTarget, create: () => Promise<T>): Promise<T>;
  has(target: ReadTarget): boolean;
  remove(target: ReadTarget): void;
}

/** Creates an empty record. */
export function createCreatedObjects(): CreatedObjects {
  const created = new Set<string>();
  const running = new Set<string>();
  const nameOf = ({ kind, key, scope }: ReadTarget): string =>
    `${address(kind.name, key ?? "")} ${scopeText(scope)}`;
  return {
    during: async (target, create) => {
      const name = nameOf(target);
      if (running.has(name)) throw declaredTwiceFailure(target);
      running.add(name);
      try {
        const result = await create();
        created.add(name);
        return result;
      } finally {
        running.delete(name);
      }
    },
    has: (target) => created.has(nameOf(target)),
    remove: (target) => void created.delete(nameOf(target)),
  };
}

/** Returns the failure of a create of an object that another resource of the run created. */
export function declaredTwiceFailure({ kind, key = "" }: ReadTarget): Failure {
  return new Failure("refused", `${kind.name} ${key} is declared twice.`, {
    remedy: "Another resource of this run creates it. Remove one, or choose another key for it.",
  });
}
