// Applies `ignoreChanges` as Pulumi's engine does (PropertyPath.Reset, since 3.190): restores old input values where a path exists.
import { type Steps, parsePropertyPath } from "../../../provider/pulumi/property-paths.ts";
import {
  isMap,
  type PropertyMap,
  type PropertyValue,
  SecretValue,
} from "../../../provider/pulumi/property-values.ts";

/**
 * Returns the new inputs with the old values at these paths. A partial match restores that part; no match is an error.
 */
export function applyIgnoreChanges(
  paths: readonly string[],
  olds: PropertyMap,
  news: PropertyMap,
): PropertyMap {
  const restored = paths.reduce<PropertyValue>(
    (value, text) => restoreAt(parsePropertyPath(text), olds, value).value ?? value,
    news,
  );
  return restored as PropertyMap;
}

type MaybeValue = PropertyValue | undefined;

/** A value after a restore, and whether the whole path exists in the old and the new value. */
interface Restored {
  readonly value: MaybeValue;
  readonly isMatched: boolean;
}

function restoreAt(path: Steps, olds: MaybeValue, news: MaybeValue): Restored {
  if (olds instanceof SecretValue || news instanceof SecretValue) {
    const inner = restoreAt(path, unwrapSecret(olds), unwrapSecret(news));
    return inner.value === undefined ? inner : { ...inner, value: new SecretValue(inner.value) };
  }
  const [step = "", ...rest] = path;
  if (step === "*") return restoreEach(rest, olds, news);
  if (typeof step === "number") return restoreItem([step, ...rest], olds, news);
  if (rest.length === 0) return restoreMember(step, olds, news);
  if (!isMap(olds) || !isMap(news)) return { value: news, isMatched: !isMap(olds) && !isMap(news) };
  if (!Object.hasOwn(news, step)) return { value: news, isMatched: !Object.hasOwn(olds, step) };
  const inner = restoreAt(rest, olds[step], news[step]);
  return { ...inner, value: { ...news, [step]: inner.value ?? null } };
}

function restoreMember(name: string, olds: MaybeValue, news: MaybeValue): Restored {
  const old = isMap(olds) && Object.hasOwn(olds, name) ? olds[name] : undefined;
  if (!isMap(news)) return { value: news, isMatched: old === undefined };
  const { [name]: _, ...others } = news;
  return { value: old === undefined ? others : { ...others, [name]: old }, isMatched: true };
}

function restoreItem(
  [index, ...rest]: readonly [number, ...Steps],
  olds: MaybeValue,
  news: MaybeValue,
): Restored {
  if (!Array.isArray(olds) || !Array.isArray(news)) {
    return { value: news, isMatched: !Array.isArray(olds) && !Array.isArray(news) };
  }
  const [before, after] = [olds as PropertyValue[], news as PropertyValue[]];
  const isOutside = [before, after].filter(({ length }) => index >= length).length;
  if (isOutside > 0) return { value: news, isMatched: isOutside === 2 && rest.length === 0 };
  if (rest.length === 0)
    return { value: after.with(index, before[index] ?? null), isMatched: true };
  const inner = restoreAt(rest, before[index], after[index]);
  return { ...inner, value: after.with(index, inner.value ?? null) };
}

/** Restores below a wildcard: every member, or the items up to the length of the shorter list. */
function restoreEach(rest: Steps, olds: MaybeValue, news: MaybeValue): Restored {
  const isList = Array.isArray(olds) && Array.isArray(news);
  if (!isList && !(isMap(olds) && isMap(news))) {
    return { value: news, isMatched: rest.length === 0 && (isMap(news) || Array.isArray(news)) };
  }
  if (!isList && rest.length === 0) return { value: olds, isMatched: true };
  const steps: Steps = isList
    ? news.slice(0, olds.length).map((_: PropertyValue, index: number) => index)
    : Object.keys(olds as PropertyMap);
  let result: Restored = { value: news, isMatched: true };
  for (const step of steps) {
    result = restoreAt([step, ...rest], olds, result.value);
    if (!result.isMatched) return result;
  }
  return isList && olds.length !== news.length ? { ...result, isMatched: false } : result;
}

function unwrapSecret(value: MaybeValue): MaybeValue {
  return value instanceof SecretValue ? unwrapSecret(value.reveal()) : value;
}
