// Whether a place really lies in a folder: links are followed, so that none in a repository leads what svc writes out of it.
import { lstatSync, realpathSync } from "node:fs";
import path from "node:path";

/** True when `place`, or where nothing is there yet its nearest folder that is, lies in `folder` once links are followed. */
export function isInside(place: string, folder: string): boolean {
  return isAtOrBelow(realpathSync(folder), realpathSync(nearestExisting(place)));
}

/** True where the second path is the first or lies below it, as both are written: links are not followed. */
export function isAtOrBelow(outer: string, inner: string): boolean {
  const relative = path.relative(outer, inner);
  return relative.split(path.sep)[0] !== ".." && !path.isAbsolute(relative);
}

/** An absolute path and every folder above it, the nearest first. */
export function withAncestors(place: string): readonly string[] {
  const above = path.dirname(place);
  return above === place ? [place] : [place, ...withAncestors(above)];
}

/** The place itself, or the nearest folder above it that there is. */
export function nearestExisting(place: string): string {
  const found = lstatSync(place, { throwIfNoEntry: false });
  return found === undefined && place !== path.dirname(place)
    ? nearestExisting(path.dirname(place))
    : place;
}

/**
 * True where the grant, an absolute path, covers the file. One that ends in a slash is a folder with all that is in it. Links
 * are followed on both sides, so that none leads out of what is granted.
 */
export function covers(granted: string, file: string): boolean {
  const [outer, inner] = [realPath(granted), realPath(file)];
  if (!granted.endsWith("/")) return outer === inner;
  return path.relative(outer, inner) !== "" && isAtOrBelow(outer, inner);
}

/** True where whoever can change what lies in the folder can change the file: a link there is as easily changed as a file, wherever it leads. */
export function isModifiableFrom(folder: string, file: string): boolean {
  const outer = realPath(folder);
  return withAncestors(path.resolve(file)).some((one) => isAtOrBelow(outer, realPath(one)));
}

/** The path with its links followed; of what is not there, itself. */
export function realPath(file: string): string {
  try {
    return realpathSync(file);
  } catch {
    return file;
  }
}
