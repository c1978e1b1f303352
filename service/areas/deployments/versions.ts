// Deployment versions: the list of available versions, how an update selects one, and the record of versions that ran.
import type { updateDeployment } from "../../../api/deployments.ts";
import type { RequestOf } from "../../../core/operation/operation.ts";
import { releaseChannels } from "../../../api/deployments.ts";
import { fieldError } from "../shared/field-error.ts";
import type { Db, Row } from "../../store/schema.ts";
import {
  type Catalogue,
  type PlatformVersion,
  type Release,
  type ReleaseChannel,
  versionRank,
} from "../../accounts/version-catalogue.ts";

/** A version that a deployment can run. `id` orders the list. */
export interface ListedVersion extends PlatformVersion {
  readonly id: number;
}

/** The members of an update that select a version. */
export type ReleaseUpdate = Pick<
  RequestOf<typeof updateDeployment>["body"],
  "releaseChannel" | "releaseChannelVersion" | "releaseChannelVersionHold"
>;

/** Lists the newest version of each channel and every version that the account ran, newest first. */
export async function listVersions(db: Db, catalogue: Catalogue): Promise<ListedVersion[]> {
  const rows = await db.selectFrom("versions_run").selectAll().execute();
  const ran = rows.map((row) => ({
    version: row.version,
    channel: row.release_channel as ReleaseChannel,
  }));
  const heads = releaseChannels.map((channel) => catalogue.newest(channel));
  const byRank = new Map(
    [...ran, ...heads].map(({ version, channel }) => {
      const id = versionRank({ version, channel });
      return [id, { id, version, channel }];
    }),
  );
  return [...byRank.values()].toSorted((left, right) => right.id - left.id);
}

/** Converts an available version to the API form for the deployment in `row`. */
export function showVersion(
  { version, channel }: ListedVersion,
  { row, catalogue }: { row: Row<"deployments">; catalogue: Catalogue },
) {
  return {
    releaseChannelVersion: `${catalogue.image}:v${version}`,
    version,
    releaseChannel: channel,
    isLatestInChannel: catalogue.newest(channel).version === version,
    isCurrent: row.version === version && row.release_channel === channel,
  };
}

/**
 * Resolves the version members of an update. A pinned version must be available. The name of a channel in place of a
 * version selects the newest version of that channel. A channel alone selects its newest
 * version. With neither, a deployment that is not pinned moves to the newest patch release. Throws `invalid` for an
 * unavailable version.
 */
export async function nextRelease(
  db: Db,
  current: Release,
  { update, catalogue }: { update: ReleaseUpdate; catalogue: Catalogue },
): Promise<Release> {
  const { releaseChannel, releaseChannelVersion, releaseChannelVersionHold } = update;
  const hold = releaseChannelVersionHold ?? current.hold;
  const named = releaseChannels.find((channel) => channel === releaseChannelVersion);
  if (named !== undefined) {
    requireSameChannel(named, releaseChannel ?? named);
    return { ...catalogue.newest(named), hold };
  }
  if (releaseChannelVersion != null) {
    const pinned = await pinnedVersion(db, current, {
      text: releaseChannelVersion,
      channel: releaseChannel ?? undefined,
      catalogue,
    });
    const isNewest = catalogue.newest(pinned.channel).version === pinned.version;
    return { ...pinned, hold: isNewest ? hold : (releaseChannelVersionHold ?? true) };
  }
  if (releaseChannel != null) return { ...catalogue.newest(releaseChannel), hold };
  return hold ? { ...current, hold } : { ...catalogue.newestPatch(current), hold };
}

/** Throws `invalid` if the version is the name of a channel other than the given one. */
function requireSameChannel(named: ReleaseChannel, given: ReleaseChannel): void {
  if (named === given) return;
  const what = `releaseChannelVersion names the channel ${named}, but releaseChannel is ${given}; send only one of them`;
  throw fieldError("releaseChannelVersion", ["invalid", what]);
}

interface PinnedVersionInput {
  readonly text: string;
  readonly channel: ReleaseChannel | undefined;
  readonly catalogue: Catalogue;
}

/** Finds an available version by its text: in the given channel, otherwise in the current one, otherwise in any. */
async function pinnedVersion(
  db: Db,
  current: Release,
  { text, channel, catalogue }: PinnedVersionInput,
): Promise<PlatformVersion> {
  const version = parseVersion(text, catalogue.image);
  const found = (await listVersions(db, catalogue)).filter(
    (one) => one.version === version && (channel === undefined || one.channel === channel),
  );
  const chosen = found.find((one) => one.channel === current.channel) ?? found[0];
  if (chosen) return { version: chosen.version, channel: chosen.channel };
  const where = channel === undefined ? "" : ` in the channel ${channel}`;
  const what = `the version ${JSON.stringify(text)} is not available${where}; use one from the deployment's list of versions`;
  throw fieldError("releaseChannelVersion", ["invalid", what]);
}

/** Returns `1.2.3` for `1.2.3`, `v1.2.3` and `<image>:v1.2.3`, and undefined for anything else. */
function parseVersion(text: string, image: string): string | undefined {
  const match = /^(?:(?<name>[^:]+):v|v)?(?<version>\d+\.\d+\.\d+)$/.exec(text);
  const { name = image, version } = match?.groups ?? {};
  return name === image ? version : undefined;
}

/** Records that the account runs a version. */
export async function recordVersionRun(
  db: Db,
  { version, channel }: PlatformVersion,
): Promise<void> {
  await db
    .insertInto("versions_run")
    .values({ version, release_channel: channel })
    .onConflict((on) => on.columns(["version", "release_channel"]).doNothing())
    .execute();
}

/** Sets the newest version of their channel on deployments that were created before versions existed. */
export async function assignMissingVersions(db: Db, catalogue: Catalogue): Promise<void> {
  const without = await db
    .selectFrom("deployments")
    .select(["id", "release_channel"])
    .where("version", "is", null)
    .execute();
  for (const { id, release_channel } of without) {
    const newest = catalogue.newest(release_channel as ReleaseChannel);
    await db
      .updateTable("deployments")
      .set({ version: newest.version })
      .where("id", "=", id)
      .execute();
    await recordVersionRun(db, newest);
  }
}
