// Whether a place really lies in a folder: links are followed, so that none in a repository leads what svc writes out of it.
import { lstatSync, realpathSync } from "node:fs";
import path from "node:path";

/** True when `place`, or where nothing is there yet its nearest folder that is, lies in `folder` once links are followed. */
export function isInside(place: string, folder: string): boolean {
  const inside = path.relative(realpathSync(folder), realpathSync(nearest(place)));
  return inside !== ".." && !inside.startsWith(`..${path.sep}`) && !path.isAbsolute(inside);
}

/** The place itself, or the nearest folder above it that there is. */
export function nearest(place: string): string {
  const found = lstatSync(place, { throwIfNoEntry: false });
  return found === undefined && place !== path.dirname(place)
    ? nearest(path.dirname(place))
    : place;
}
