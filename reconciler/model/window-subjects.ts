// The names and labels by which window rules match an object: from its document, and from the last write.
import { equal } from "../../core/json.ts";
import type { Change, Entry, ObjectMetadata } from "./index.ts";
import { isWrite } from "./plan-filters.ts";
import type { WindowSubject } from "./windows/maintenance-window.ts";

/** Returns the metadata of the last write. An inventory written by an older version has only the name. */
export function recordedMetadata({ metadata, name }: Entry): ObjectMetadata {
  return metadata ?? { name };
}

/** Returns true if a document changes the name or labels of its object. Unknown metadata counts as unchanged. */
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
 * Returns the metadata that the inventory keeps after a change. Only a write may add metadata that was unknown: an adopt without
 * a write is not checked against any rule.
 */
export function metadataAfter(change: Change): ObjectMetadata | undefined {
  const { metadata, previousMetadata: previous } = change;
  if (metadata === undefined || previous === undefined) return metadata;
  if (isWrite(change)) return { ...previous, ...metadata };
  const { name, labels } = metadata;
  return {
    ...(previous.name !== undefined && name !== undefined && { name }),
    ...(previous.labels !== undefined && { labels: labels ?? previous.labels }),
  };
}

/**
 * Returns the subjects that rules must allow for a change: the object with the metadata of its document and,
 * separately, with the metadata of the last write. So neither this change nor an earlier one can move the object out of
 * a rule: if a change renames, relabels or abandons an object, the rules that the object leaves must allow the change.
 * Cascaded objects are subjects too.
 */
export function windowSubjectsOf(change: Change): readonly WindowSubject[] {
  const { kind, action, address, metadata, previousMetadata: previous } = change;
  const subjectOf = (one: ObjectMetadata | undefined): WindowSubject[] => {
    return one === undefined ? [] : [{ kind, name: one.name, labels: one.labels }];
  };
  const cascaded = (change.cascadedMetadata ?? []).map((one): WindowSubject => {
    return { kind: one.kind, name: one.name, labels: one.labels, cascadedFrom: address };
  });
  if (isWrite(change)) return [...subjectOf(metadata), ...subjectOf(previous), ...cascaded];
  const isRelabelled =
    action === "none" && previous !== undefined && isMetadataChanged(previous, metadata ?? {});
  return change.abandoned === true || isRelabelled ? subjectOf(previous) : [];
}
