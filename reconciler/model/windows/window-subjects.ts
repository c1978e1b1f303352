// As what rules on names and labels know an object: what its document says, and what it said when the object was written last.
import { equal } from "../../../core/json.ts";
import type { Change, Entry, ObjectMetadata } from "../index.ts";
import { isWrite } from "../plan-filters.ts";
import type { WindowSubject } from "./maintenance-window.ts";

/** As what an object was written last; an inventory of an older version knows its name alone. */
export function recordedMetadata({ knownAs, name }: Entry): ObjectMetadata {
  return knownAs ?? { name };
}

/** True where a document calls or labels its object otherwise than it was known; what nobody knows is no difference. */
export function isMetadataChanged(
  was: ObjectMetadata,
  {
    name = was.name,
    labels = was.labels,
  }: { [P in keyof ObjectMetadata]?: ObjectMetadata[P] | undefined },
): boolean {
  const isRenamed = was.name !== undefined && was.name !== name;
  return isRenamed || (was.labels !== undefined && !equal(was.labels, labels));
}

/**
 * What the inventory is to keep once a change is carried out. Only a write tells what was not known: taking over by itself asks
 * no rule, so it must not make anything known either.
 */
export function metadataAfter(change: Change): ObjectMetadata | undefined {
  const { metadata: knownAs, previousMetadata: was } = change;
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
export function windowSubjectsOf(change: Change): readonly WindowSubject[] {
  const {
    kind,
    action,
    abandoned: released,
    metadata: knownAs,
    previousMetadata: was,
    cascadedMetadata: takenAs = [],
  } = change;
  const [now, then] = [knownAs, was].map((one): WindowSubject[] => {
    return one === undefined ? [] : [{ kind, name: one.name, labels: one.labels }];
  });
  const along = takenAs.map(({ kind: taken, name, labels }): WindowSubject => {
    return { kind: taken, name, labels, cascadedFrom: change.address };
  });
  if (isWrite(change)) return [...(now ?? []), ...(then ?? []), ...along];
  const leaves = action === "none" && was !== undefined && isMetadataChanged(was, knownAs ?? {});
  return released === true || leaves ? (then ?? []) : [];
}
