// As what rules on names and labels know an object: what its document says, and what it said when the object was written last.
import { equal } from "../../core/json.ts";
import type { Change, Entry, KnownAs } from "../model.ts";
import { isWrite } from "../planning/parts.ts";
import type { Subject } from "./opening.ts";

/** As what an object was written last; an inventory of an older version knows its name alone. */
export function knownBy({ knownAs, name }: Entry): KnownAs {
  return knownAs ?? { name };
}

/** True where a document calls or labels its object otherwise than it was known; what nobody knows is no difference. */
export function isOtherwise(
  was: KnownAs,
  { name = was.name, labels = was.labels }: { [P in keyof KnownAs]?: KnownAs[P] | undefined },
): boolean {
  const isRenamed = was.name !== undefined && was.name !== name;
  return isRenamed || (was.labels !== undefined && !equal(was.labels, labels));
}

/**
 * What the inventory is to keep once a change is carried out. Only a write tells what was not known: taking over by itself asks
 * no rule, so it must not make anything known either.
 */
export function knownAfter(change: Change): KnownAs | undefined {
  const { knownAs, wasKnownAs: was } = change;
  if (knownAs === undefined || was === undefined) return knownAs;
  if (isWrite(change)) return { ...was, ...knownAs };
  const { name, labels } = knownAs;
  return {
    ...(was.name !== undefined && name !== undefined && { name }),
    ...(was.labels !== undefined && { labels: labels ?? was.labels }),
  };
}

/**
 * What rules have to let pass for a change to be made: the object as its document has it today and, apart, as it was written
 * last. So a change cannot take its own object out of a rule, nor can one before it: to call or label an object otherwise, and
 * to let go of it, asks the rules that it leaves. What goes along with it is asked about as well.
 */
export function subjectsOf(change: Change): readonly Subject[] {
  const { kind, action, released, knownAs, wasKnownAs: was, takenAs = [] } = change;
  const [now, then] = [knownAs, was].map((one): Subject[] => {
    return one === undefined ? [] : [{ kind, name: one.name, labels: one.labels }];
  });
  const along = takenAs.map(({ kind: taken, name, labels }): Subject => {
    return { kind: taken, name, labels, goesWith: change.address };
  });
  if (isWrite(change)) return [...(now ?? []), ...(then ?? []), ...along];
  const leaves = action === "none" && was !== undefined && isOtherwise(was, knownAs ?? {});
  return released === true || leaves ? (then ?? []) : [];
}
