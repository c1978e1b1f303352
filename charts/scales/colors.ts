// The colors of charts in light and dark: categories that color-blind readers tell apart, and scales of magnitude.
import type { ChartSpace } from "../model/model.ts";

/** Colors of categories, in order, with 3:1 against the surface. */
const palettes = {
  light: [
    "#6929c4",
    "#1192e8",
    "#005d5d",
    "#9f1853",
    "#fa4d56",
    "#570408",
    "#198038",
    "#002d9c",
    "#ee538b",
    "#b28600",
    "#009d9a",
    "#012749",
  ],
  dark: [
    "#a56eff",
    "#33b1ff",
    "#08bdba",
    "#ff7eb6",
    "#ff8389",
    "#fff1f1",
    "#6fdc8c",
    "#4589ff",
    "#d12771",
    "#d2a106",
    "#bae6ff",
    "#8a3ffc",
  ],
} as const;

const surfaces = {
  light: {
    text: "#1f2733",
    muted: "#5b6472",
    line: "#e2e5ea",
    surface: "#ffffff",
    other: "#8d96a3",
    sequential: ["#efe6fb", "#b794ec", "#6929c4", "#31135e"],
    diverging: ["#b2182b", "#f4a582", "#f7f7f7", "#92c5de", "#2166ac"],
    good: "#198038",
    bad: "#b42318",
  },
  dark: {
    text: "#eef1f5",
    muted: "#a6afbd",
    line: "#39414e",
    surface: "#1b2028",
    other: "#7c8696",
    sequential: ["#2a1f40", "#5b3aa0", "#a56eff", "#e8daff"],
    diverging: ["#ff8389", "#8a3f47", "#3a3f47", "#2f5f95", "#78a9ff"],
    good: "#6fdc8c",
    bad: "#ff8389",
  },
} as const;

/** The colors of texts, lines and surfaces of a scheme. */
export function surfaceColors({ scheme }: Pick<ChartSpace, "scheme">) {
  return surfaces[scheme === "dark" ? "dark" : "light"];
}

/** Returns the colors of categories of a scheme. */
export function paletteOf({ scheme }: Pick<ChartSpace, "scheme">): readonly string[] {
  return palettes[scheme === "dark" ? "dark" : "light"];
}

/** Returns whether a text is a color that is safe to draw: hexadecimal, or a name. */
export function isColor(text: string): boolean {
  return /^(?:#(?:[\da-f]{3,4}|[\da-f]{6}|[\da-f]{8})|[a-z]{3,20})$/iu.test(text);
}

/**
 * Returns the colors of categories. A name decides on its color, so that it has the same one in each chart, whichever is
 * drawn first. Of several names of a chart that decide on the same color, the first in the alphabet has it, and the others
 * have the next ones that are free.
 */
export function categoryColors(
  names: readonly string[],
  space: Pick<ChartSpace, "scheme">,
): readonly string[] {
  const palette = paletteOf(space);
  const owners = new Map<number, string>();
  const places = new Map<string, number>();
  const own = (name: string) => hashOf(name) % palette.length;
  const give = (name: string, place: number): void => {
    places.set(name, place);
    if (!owners.has(place)) owners.set(place, name);
  };
  const sorted = [...new Set(names)].toSorted();
  for (const name of sorted) if (!owners.has(own(name))) give(name, own(name));
  for (const name of sorted.filter((one) => !places.has(one))) {
    const free = palette.findIndex((_, step) => !owners.has((own(name) + step) % palette.length));
    give(name, (own(name) + Math.max(0, free)) % palette.length);
  }
  return names.map((name) => palette[places.get(name) ?? 0] ?? "");
}

/** Returns a number that depends on each character of a text (FNV-1a). */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) {
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  }
  return hash >>> 0;
}

/** Returns black or white, whichever has more contrast on a background (WCAG 2). */
export function readableOn(background: string): string {
  const [r = 0, g = 0, b = 0] = channelsOf(background);
  const [x, y, z] = [r, g, b].map((one) => {
    const share = one / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  const light = 0.2126 * (x ?? 0) + 0.7152 * (y ?? 0) + 0.0722 * (z ?? 0);
  return light > 0.179 ? "#000000" : "#ffffff";
}

function channelsOf(color: string): readonly number[] {
  const hex = color.slice(1);
  const wide = hex.length < 6 ? hex.replaceAll(/./gu, "$&$&") : hex;
  return [0, 2, 4].map((at) => Number.parseInt(wide.slice(at, at + 2), 16) || 0);
}

/** Returns the color between steps of a scale, at a share from 0 to 1. */
export function colorAt(steps: readonly string[], share: number): string {
  const place = Math.min(1, Math.max(0, share)) * (steps.length - 1);
  const at = Math.min(steps.length - 2, Math.floor(place));
  const [from, to] = [channelsOf(steps[at] ?? "#000000"), channelsOf(steps[at + 1] ?? "#000000")];
  const mixed = from.map((one, index) =>
    Math.round(one + ((to[index] ?? 0) - one) * (place - at))
      .toString(16)
      .padStart(2, "0"),
  );
  return `#${mixed.join("")}`;
}
