// Applies `ignoreChanges` as Pulumi's engine does: restores old input values.
import { type Steps, parsePropertyPath } from "../../../provider/pulumi/property-paths.ts";
import {
  isMap,
  type PropertyMap,
  type PropertyValue,
  SecretValue,
} from "../../../provider/pulumi/property-values.ts";

/** Returns the new inputs with the old values at these paths. Throws if a path does not exist in both. */
export function applyIgnoreChanges(
  paths: readonly string[],
  olds: PropertyMap,
  news: PropertyMap,
): PropertyMap {
  const lost: string[] = [];
  const reset = paths.reduce<PropertyValue>((value, text) => {
    const found = restoreAt(parsePropertyPath(text), olds, value);
    if (found === undefined) lost.push(text);
    return found ?? value;
  }, news);
  if (lost.length === 0) return reset as PropertyMap;
  throw new Error(`cannot ignore changes at ${lost.join(", ")}: a part of the path is missing`);
}

/** Restores the old value at the path; undefined if the path does not exist in one of the values. */
function restoreAt(path: Steps, olds: MaybeValue, news: MaybeValue): MaybeValue {
  if (olds instanceof SecretValue || news instanceof SecretValue) {
    const inner = restoreAt(path, unwrapSecret(olds), unwrapSecret(news));
    return inner === undefined ? undefined : new SecretValue(inner);
  }
  const [step = "", ...rest] = path;
  if (step === "*") return restoreEach(rest, olds, news);
  if (Array.isArray(news) && Array.isArray(olds) && typeof step === "number") {
    const [before, after] = [olds as PropertyValue[], news as PropertyValue[]];
    if (step >= before.length && step >= after.length && rest.length === 0) return news;
    if (step >= before.length || step >= after.length) return undefined;
    const value = rest.length === 0 ? before[step] : restoreAt(rest, before[step], after[step]);
    return value === undefined ? undefined : after.with(step, value);
  }
  if (!isMap(news)) return isMap(olds) && Object.hasOwn(olds, step) ? undefined : news;
  const [before, after] = [isMap(olds) ? olds[step] : undefined, news[step]];
  if (rest.length === 0) {
    const { [step]: _, ...others } = news;
    return before === undefined ? others : { ...others, [step]: before };
  }
  if (before === undefined && after === undefined) return news;
  if (after === undefined) return undefined;
  const value = restoreAt(rest, before, after);
  return value === undefined ? undefined : { ...news, [step]: value };
}

type MaybeValue = PropertyValue | undefined;

/** Applies a wildcard to every item or member that both values have. */
function restoreEach(rest: Steps, olds: MaybeValue, news: MaybeValue): MaybeValue {
  const isList = Array.isArray(olds) && Array.isArray(news);
  if (isList && olds.length !== news.length) return undefined;
  if (!isList && !(isMap(olds) && isMap(news))) return rest.length === 0 ? news : undefined;
  if (rest.length === 0) return olds;
  const names = Object.keys(olds as object);
  const steps = isList ? names.map(Number) : names;
  return steps.reduce<MaybeValue>((value, step) => restoreAt([step, ...rest], olds, value), news);
}

function unwrapSecret(value: MaybeValue): MaybeValue {
  return value instanceof SecretValue ? unwrapSecret(value.reveal()) : value;
}
