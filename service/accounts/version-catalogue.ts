// The catalogue of platform versions: built-in data that the operator can extend.
import { readFileSync } from "node:fs";
import { Type, type Static } from "typebox";
import { releaseChannels } from "../../api/deployments.ts";
import { Failure, invariant } from "../../core/errors.ts";
import type { JsonValue } from "../../core/json.ts";
import { oneOf } from "../../core/schema/traits.ts";
import { systemErrorText } from "../../core/system/system-error.ts";
import { jsonErrorPosition } from "../../core/text/json-error.ts";
import { validator } from "../../core/schema/validate.ts";
import type { Row } from "../store/schema.ts";
import shipped from "./platform-versions.json" with { type: "json" };

/** An update channel. */
export type ReleaseChannel = (typeof releaseChannels)[number];

/** One version in one channel. */
export interface PlatformVersion {
  /** `1.2.3`. */
  readonly version: string;
  readonly channel: ReleaseChannel;
}

/** The versions that are released at the time of the call. */
export interface Catalogue {
  /** The container image; every version is one of its tags. */
  readonly image: string;
  /** Returns the newest version of a channel. */
  newest(channel: ReleaseChannel): PlatformVersion;
  /**
   * Returns the newest patch release of a version in the same channel, or the version itself if there is no newer
   * patch.
   */
  newestPatch(of: PlatformVersion): PlatformVersion;
}

const CatalogueFile = Type.Object(
  {
    image: Type.Optional(Type.String({ maxLength: 200, pattern: "^[a-z0-9]+([._/-][a-z0-9]+)*$" })),
    versions: Type.Array(
      Type.Object(
        {
          version: Type.String({
            pattern: "^(0|[1-9][0-9]{0,2})\\.(0|[1-9][0-9]{0,2})\\.(0|[1-9][0-9]{0,2})$",
          }),
          channel: oneOf(releaseChannels),
          // The first day on which the channel has the version, in UTC.
          released: Type.String({ format: "date" }),
        },
        { additionalProperties: false },
      ),
      { maxItems: 10_000 },
    ),
  },
  { additionalProperties: false },
);

type CatalogueFile = Static<typeof CatalogueFile>;

type CatalogueEntry = CatalogueFile["versions"][number];

/**
 * Loads the built-in catalogue and merges the operator's file into it. The file adds versions, and its image replaces
 * the built-in one. A version is in its channel from the date of its release, by the clock `now`. Throws `usage` if
 * the file cannot be read or is not a valid catalogue.
 */
export function loadCatalogue(file?: string, now: () => number = Date.now): Catalogue {
  const ours = parseCatalogue(shipped, "the built-in version catalogue");
  const theirs =
    file === undefined ? { versions: [] } : parseCatalogue(readCatalogueFile(file), file);
  const image = theirs.image ?? ours.image ?? "";
  return catalogueOf(image, [...ours.versions, ...theirs.versions], now);
}

/** Returns a number that orders versions. The same version in two channels gets two different numbers. */
export function versionRank({ version, channel }: PlatformVersion): number {
  const [major = 0, minor = 0, patch = 0] = version.split(".").map(Number);
  const number = (major * 1000 + minor) * 1000 + patch;
  // Row ids start at 1.
  return number * releaseChannels.length + releaseChannels.indexOf(channel) + 1;
}

function catalogueOf(
  image: string,
  versions: readonly CatalogueEntry[],
  now: () => number,
): Catalogue {
  const sorted = versions.toSorted((left, right) => versionRank(right) - versionRank(left));
  const byChannel = Map.groupBy(sorted, ({ channel }) => channel);
  const releasedIn = (channel: ReleaseChannel): readonly CatalogueEntry[] => {
    const today = new Date(now()).toISOString().slice(0, "2025-01-31".length);
    const all = byChannel.get(channel) ?? [];
    const released = all.filter((one) => one.released <= today);
    // Before its first release, a channel has its oldest version.
    return released.length > 0 ? released : all.slice(-1);
  };
  return {
    image,
    newest: (channel) => {
      const [first] = releasedIn(channel);
      invariant(first, "the built-in catalogue has a version in every channel");
      return { version: first.version, channel };
    },
    newestPatch: (of) => {
      const patch = releasedIn(of.channel).find(
        ({ version }) => releaseLine(version) === releaseLine(of.version),
      );
      if (patch === undefined || versionRank(patch) <= versionRank(of)) return of;
      return { version: patch.version, channel: of.channel };
    },
  };
}

/** Returns the part of a version that patch releases share: `1.2` for `1.2.3`. */
function releaseLine(version: string): string {
  return version.slice(0, version.lastIndexOf("."));
}

function readCatalogueFile(file: string): JsonValue {
  const text = readText(file);
  const problem = jsonErrorPosition(text);
  if (problem === undefined) return JSON.parse(text) as JsonValue;
  throw new Failure("usage", `the version catalogue ${file} ${problem}`, {
    remedy: `${catalogueRemedy} JSON has no comments.`,
  });
}

function readText(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (cause) {
    const message = `the version catalogue ${file} cannot be read: ${systemErrorText(cause)}`;
    throw new Failure("usage", message, { cause });
  }
}

const catalogueRemedy =
  'Write { "versions": [{ "version": "1.2.3", "channel": "release", "released": "2026-01-31" }] }.';

function parseCatalogue(value: unknown, name: string): CatalogueFile {
  const [violation] = validator(CatalogueFile)(value);
  if (violation === undefined) return value as CatalogueFile;
  const where = violation.path === "" ? "it" : violation.path;
  throw new Failure(
    "usage",
    `${name} is not a valid version catalogue: ${where} ${violation.message}`,
    { remedy: catalogueRemedy },
  );
}

/** The version that a deployment runs, and whether automatic upgrades skip it. */
export interface Release extends PlatformVersion {
  readonly hold: boolean;
}

/** Returns the effective version and channel. */
export function releaseOf(row: Row<"deployments">, catalogue: Catalogue): Release {
  const channel = row.release_channel as ReleaseChannel;
  const version = row.version ?? catalogue.newest(channel).version;
  return { channel, version, hold: row.version_hold === 1 };
}
