// The catalogue of platform versions: data that comes with the service and that its operator extends.
import { readFileSync } from "node:fs";
import { Type, type Static } from "typebox";
import { releaseChannels } from "../../api/deployments.ts";
import { Failure } from "../../core/errors.ts";
import type { JsonValue } from "../../core/json.ts";
import { oneOf } from "../../core/traits.ts";
import { validator } from "../../core/validate.ts";
import shipped from "./platform-versions.json" with { type: "json" };

/** One of the update channels. */
export type ReleaseChannel = (typeof releaseChannels)[number];

/** A version as a channel offers it. */
export interface PlatformVersion {
  /** `1.2.3`. */
  readonly version: string;
  readonly channel: ReleaseChannel;
}

/** The versions there are. */
export interface Catalogue {
  /** The container image that every version is a tag of. */
  readonly image: string;
  /** The newest version of a channel. */
  newest(channel: ReleaseChannel): PlatformVersion;
  /** The newest version of the same channel that differs in the last number alone; the given one where there is none. */
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

/**
 * The catalogue that comes with the service, with the operator's file over it: its versions are added, its image takes the
 * place of ours. Fails with `usage` where the file cannot be read or is no catalogue.
 */
export function loadCatalogue(file?: string): Catalogue {
  const ours = parseCatalogue(shipped, "the catalogue that comes with the service");
  const theirs =
    file === undefined ? { versions: [] } : parseCatalogue(readCatalogueFile(file), file);
  return catalogueOf(theirs.image ?? ours.image ?? "", [...ours.versions, ...theirs.versions]);
}

/** A number that orders versions; of two channels with one version, each has a number of its own. */
export function versionRank({ version, channel }: PlatformVersion): number {
  const [major = 0, minor = 0, patch = 0] = version.split(".").map(Number);
  const number = (major * 1000 + minor) * 1000 + patch;
  // No row's id is 0.
  return number * releaseChannels.length + releaseChannels.indexOf(channel) + 1;
}

function catalogueOf(image: string, versions: readonly PlatformVersion[]): Catalogue {
  const sorted = versions.toSorted((left, right) => versionRank(right) - versionRank(left));
  const byChannel = Map.groupBy(sorted, ({ channel }) => channel);
  const newest = (channel: ReleaseChannel): PlatformVersion => {
    const [first] = byChannel.get(channel) ?? [];
    if (first !== undefined) return first;
    throw new Failure("usage", `the catalogue of versions has none in the channel ${channel}`);
  };
  for (const channel of releaseChannels) newest(channel);
  return {
    image,
    newest,
    newestPatch: (of) => {
      const candidates = byChannel.get(of.channel) ?? [];
      const patch = candidates.find(
        ({ version }) => releaseLine(version) === releaseLine(of.version),
      );
      return patch !== undefined && versionRank(patch) > versionRank(of) ? patch : of;
    },
  };
}

/** What a patch leaves as it is: `1.2` of `1.2.3`. */
function releaseLine(version: string): string {
  return version.slice(0, version.lastIndexOf("."));
}

function readCatalogueFile(file: string): JsonValue {
  try {
    return JSON.parse(readFileSync(file, "utf8")) as JsonValue;
  } catch (cause) {
    const what = cause instanceof SyntaxError ? "is not valid JSON" : "cannot be read";
    throw new Failure("usage", `the catalogue of versions ${file} ${what}`, { cause });
  }
}

function parseCatalogue(value: unknown, name: string): CatalogueFile {
  const [violation] = validator(CatalogueFile)(value);
  if (violation === undefined) return value as CatalogueFile;
  const where = violation.path === "" ? "it" : violation.path;
  throw new Failure("usage", `${name} is no catalogue of versions: ${where} ${violation.message}`, {
    remedy:
      'Write { "versions": [{ "version": "1.2.3", "channel": "release", "released": "2026-01-31" }] }.',
  });
}
