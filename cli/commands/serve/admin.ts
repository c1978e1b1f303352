// `svc admin`: what an operator does with what a server keeps: backup, restore, rotate-key.
import { Command } from "commander";
import { backupCommand, restoreCommand } from "./admin-backup.ts";
import { rotateKey, type Rotation } from "../../../service/rotate.ts";
import { rotateSharedKey } from "../../../service/rotate-shared.ts";
import { databaseHelp, dataHelp, needed, type PlaceFlags, placeOf } from "./place.ts";

/** The command, to be added to the program. */
export function adminCommand(): Command {
  return new Command("admin")
    .description("Look after what a server keeps.")
    .addCommand(backupCommand())
    .addCommand(restoreCommand())
    .addCommand(rotateCommand());
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
