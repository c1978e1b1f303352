// `svc admin`: what an operator does with what a server keeps: backup, restore, rotate-key.
import { Command } from "commander";
import { backupCommand, restoreCommand } from "./admin-backup.ts";
import { rotateKey, type RotationResult } from "../maintenance/key-rotation.ts";
import { rotateDatabaseKey } from "../maintenance/database-key-rotation.ts";
import {
  databaseHelp,
  dataHelp,
  requireOption,
  type StorageFlags,
  storageLocation,
} from "./storage-options.ts";

/** The command, to be added to the program. */
export function adminCommand(): Command {
  return new Command("admin")
    .description("Look after what a server keeps.")
    .addCommand(backupCommand())
    .addCommand(restoreCommand())
    .addCommand(rotateCommand());
}

interface RotateFlags extends StorageFlags {
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
      const place = storageLocation(flags);
      if ("folder" in place) {
        console.log(rotationText(await rotateKey(place.folder, how)));
        return;
      }
      const keyFile = requireOption(flags.secretKeyFile, "--secret-key-file");
      const done = await rotateDatabaseKey({ database: place.database, keyFile }, how);
      console.log(rotationText(done));
      console.log(
        `Accounts under it: ${done.schemas.join(", ")}. Each has a new operator's key, which its servers write into their ready files.`,
      );
      console.log(`Give ${keyFile} to every server of the database before it starts.`);
      if (done.skippedSchemas.length > 0) {
        console.log(
          `Left alone, as they are under another key: ${done.skippedSchemas.join(", ")}.`,
        );
      }
    });
}

function rotationText({ isNewKey, resealed }: RotationResult): string {
  const what = `${resealed} stored ${resealed === 1 ? "secret is" : "secrets are"} sealed anew`;
  return isNewKey
    ? `There is a new key, and ${what}.`
    : `An earlier rotation is finished: ${what}. Run it again for another key.`;
}
