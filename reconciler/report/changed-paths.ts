// Finds the changes inside a large value, such as the widgets of a dashboard.
import { equal, isObject, type JsonValue } from "../../core/json.ts";
import { limits } from "../../core/limits/limits.ts";
import { joinPointer, readablePointer } from "../../core/pointer.ts";
import { escapeInvisible, pluralize } from "../../core/text/escape-text.ts";
import { fitsIn, itemTexts, pairText } from "../model/value-text.ts";

/** A nested value that differs; undefined on a side without the value. */
interface PathChange {
  readonly path: string;
  readonly before: JsonValue | undefined;
  readonly after: JsonValue | undefined;
}

/** How changed values are shown. */
export interface ChangedPathsOptions {
  /** Columns of a line. */
  readonly room: number;
  /** Set to show all of them. */
  readonly isWhole: boolean;
}

/**
 * Returns a line for each value that differs inside two lists or objects, or undefined if their items are short or are not at
 * the same places: then a diff of the items shows more.
 */
export function changedPathLines(
  before: JsonValue,
  after: JsonValue,
  { room, isWhole }: ChangedPathsOptions,
): readonly string[] | undefined {
  if (!isAligned(before, after) || !hasLongChange(before, after)) return undefined;
  const changes = changesIn({ path: "", before, after });
  const shown = isWhole ? changes : changes.slice(0, limits.textLinesShown);
  const lines = shown.map((change) => pathLine(change, room));
  const left = changes.length - shown.length;
  return left === 0
    ? lines
    : [...lines, `… ${pluralize(left, "more changed value")}; --verbose shows all`];
}

function pathLine({ path, before, after }: PathChange, room: number): string {
  const name = `${escapeInvisible(readablePointer(path))}: `;
  const [old, fresh] = pairText(before, after, room - name.length);
  return `${name}${old} → ${fresh}`;
}

/** Returns whether a changed item is longer than a diff of items shows. */
function hasLongChange(before: JsonValue, after: JsonValue): boolean {
  const [old = [], fresh = []] = [itemTexts(before), itemTexts(after)];
  const kept = new Set(old.map(({ key }) => key));
  return fresh.some(({ key, text }) => !kept.has(key) && text.length > limits.valueCharacters);
}

/** Returns whether parts of two values can be compared: members of objects by name, and items of lists of one length. */
function isAligned(before: JsonValue | undefined, after: JsonValue | undefined): boolean {
  if (Array.isArray(before)) return Array.isArray(after) && before.length === after.length;
  return isObject(before) && isObject(after);
}

function changesIn({ path, before, after }: PathChange): readonly PathChange[] {
  if (before !== undefined && after !== undefined && equal(before, after)) return [];
  const isShort = fitsIn([before, after], shortValue);
  if ((isShort && path !== "") || !isAligned(before, after)) return [{ path, before, after }];
  const [old, fresh] = [partsOf(before), partsOf(after)];
  return [...new Set([...fresh.keys(), ...old.keys()])].flatMap((name) =>
    changesIn({
      path: path + joinPointer([name]),
      before: old.get(name),
      after: fresh.get(name),
    }),
  );
}

/** Columns of two values that are shown whole, not by their parts. */
const shortValue = 60;

function partsOf(value: JsonValue | undefined): ReadonlyMap<string, JsonValue | undefined> {
  return new Map(Object.entries(isObject(value) || Array.isArray(value) ? value : {}));
}
