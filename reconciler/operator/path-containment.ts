// Checks whether a path is inside a folder. Follows symbolic links, so that a link cannot redirect a write.
import { lstatSync, realpathSync } from "node:fs";
import path from "node:path";

/** Returns true if `place`, or its nearest existing ancestor, is inside `folder` after following links. */
export function isInside(place: string, folder: string): boolean {
  return isAtOrBelow(realpathSync(folder), realpathSync(nearestExisting(place)));
}

/** Returns true if `inner` is `outer` or below it. Does not follow links. */
export function isAtOrBelow(outer: string, inner: string): boolean {
  const relative = path.relative(outer, inner);
  return relative.split(path.sep)[0] !== ".." && !path.isAbsolute(relative);
}

/** Returns an absolute path and all its ancestors, nearest first. */
export function withAncestors(place: string): readonly string[] {
  const above = path.dirname(place);
  return above === place ? [place] : [place, ...withAncestors(above)];
}

/** Returns the path itself, or its nearest existing ancestor. */
export function nearestExisting(place: string): string {
  const entry = lstatSync(place, { throwIfNoEntry: false });
  return entry === undefined && place !== path.dirname(place)
    ? nearestExisting(path.dirname(place))
    : place;
}

/**
 * Returns true if the granted absolute path covers the file. A grant that ends in a slash covers a whole folder. Links are
 * followed on both sides, so that no link leads out of the grant.
 */
export function covers(granted: string, file: string): boolean {
  const [outer, inner] = [realPath(granted), realPath(file)];
  if (!granted.endsWith("/")) return outer === inner;
  return path.relative(outer, inner) !== "" && isAtOrBelow(outer, inner);
}

/** Returns true if write access to the folder is enough to change the file, also through a link in the folder. */
export function isModifiableFrom(folder: string, file: string): boolean {
  const outer = realPath(folder);
  return withAncestors(path.resolve(file)).some((ancestor) =>
    isAtOrBelow(outer, realPath(ancestor)),
  );
}

/** Returns the path with links followed, or the path itself if it does not exist. */
export function realPath(file: string): string {
  try {
    return realpathSync(file);
  } catch {
    return file;
  }
}
