// `svc admin`: what an operator does with what a server keeps: backup, restore, rotate-key.
import { Command } from "commander";
import { backup, restore } from "../../../service/backup.ts";
import { rotateKey, type Rotation } from "../../../service/rotate.ts";
import { rotateSharedKey } from "../../../service/rotate-shared.ts";
import { needed, type PlaceFlags, placeOf } from "./place.ts";

const dataHelp = "data folder of one account, the one that holds account.db";
const databaseHelp = "PostgreSQL database instead; better told in SVC_DATABASE_URL";

/** The command, to be added to the program. */
export function adminCommand(): Command {
  return new Command("admin")
    .description("Look after what a server keeps.")
    .addCommand(backupCommand())
    .addCommand(restoreCommand())
    .addCommand(rotateCommand());
}

function backupCommand(): Command {
  return new Command("backup")
    .description("Write a backup, also while a server works on the data folder.")
    .argument("<folder>", "where to; it must be empty or missing")
    .requiredOption("--data <dir>", dataHelp)
    .option("--with-secret-key", "put the secret key into the backup, in clear")
    .action(async (folder: string, flags: { data: string; withSecretKey?: true }) => {
      const withKey = flags.withSecretKey === true;
      const { createdAt, schema } = await backup(flags.data, folder, { withKey });
      console.log(`Backed up ${flags.data} to ${folder} (${createdAt}, ${schema}).`);
      console.log(
        withKey
          ? "The secret key lies in it in clear: whoever can read the backup can read every stored secret."
          : `The secret key is not in it: keep a copy of ${flags.data}/secret.key apart, or stored secrets are lost.`,
      );
    });
}

function restoreCommand(): Command {
  return new Command("restore")
    .description("Make a data folder of a backup, once all of the backup has been checked.")
    .argument("<folder>", "the backup")
    .requiredOption("--data <dir>", "data folder to make; it must be empty or missing")
    .option("--secret-key-file <file>", "the secret key, where it is not in the backup")
    .option("--replace", "put it in place of what the data folder holds, which is kept beside it")
    .action(
      async (folder: string, flags: { data: string; secretKeyFile?: string; replace?: true }) => {
        const { about, replaced } = await restore(folder, flags.data, {
          replace: flags.replace === true,
          ...(flags.secretKeyFile === undefined ? {} : { keyFile: flags.secretKeyFile }),
        });
        console.log(`Restored ${flags.data} as it was at ${about.createdAt}.`);
        if (replaced !== undefined) console.log(`What it held before is in ${replaced}.`);
      },
    );
}

interface RotateFlags extends PlaceFlags {
  secretKeyFile?: string;
  endTokens?: true;
}

function rotateCommand(): Command {
  return new Command("rotate-key")
    .description(
      "Make a new secret key and seal every stored secret under it. Stop every server first. A run that was " +
        "killed is finished by the next.",
    )
    .option("--data <dir>", dataHelp)
    .option("--database <url>", databaseHelp)
    .option("--secret-key-file <file>", "the key file of the database's servers")
    .option("--end-tokens", "throw the old key away at once: embed tokens made so far stop working")
    .action(async (flags: RotateFlags) => {
      const how = { endTokens: flags.endTokens === true };
      const place = placeOf(flags);
      if ("folder" in place) {
        console.log(toldOf(await rotateKey(place.folder, how)));
        return;
      }
      const keyFile = needed(flags.secretKeyFile, "--secret-key-file");
      const done = await rotateSharedKey({ database: place.database, keyFile }, how);
      console.log(toldOf(done));
      console.log(
        `Accounts under it: ${done.schemas.join(", ")}. Each has a new operator's key, which its servers write into their ready files.`,
      );
      console.log(`Give ${keyFile} to every server of the database before it starts.`);
      if (done.others.length > 0) {
        console.log(`Left alone, as they are under another key: ${done.others.join(", ")}.`);
      }
    });
}

function toldOf({ isNewKey, resealed }: Rotation): string {
  const what = `${resealed} stored ${resealed === 1 ? "secret is" : "secrets are"} sealed anew`;
  return isNewKey
    ? `There is a new key, and ${what}.`
    : `An earlier rotation is finished: ${what}. Run it again for another key.`;
}
