// `svc admin`: backup, restore, key rotation and passwords.
import { Command } from "commander";
import { backupCommand, restoreCommand } from "./admin-backup.ts";
import { setPasswordCommand } from "./admin-password.ts";
import type { RotationResult } from "../maintenance/key-rotation.ts";
import { printLine } from "./print-line.ts";
import {
  databaseHelp,
  dataHelp,
  requireOption,
  type StorageFlags,
  storageLocation,
} from "./storage-options.ts";

/** Returns the `admin` command. */
export function adminCommand(): Command {
  return new Command("admin")
    .description("Maintain the data of a server.")
    .addCommand(backupCommand())
    .addCommand(restoreCommand())
    .addCommand(rotateCommand())
    .addCommand(setPasswordCommand());
}

interface RotateFlags extends StorageFlags {
  secretKeyFile?: string;
  endTokens?: true;
}

function rotateCommand(): Command {
  return new Command("rotate-key")
    .description(
      "Create a new secret key and encrypt every stored secret with it. Stop every server " +
        "first. If the command is interrupted, run it again to finish.",
    )
    .option("--data <dir>", dataHelp)
    .option("--database <url>", databaseHelp)
    .option("--secret-key-file <file>", "key file of the database's servers")
    .option("--end-tokens", "discard the old key: embed tokens issued so far stop working")
    .action(async (flags: RotateFlags) => {
      const how = { endTokens: flags.endTokens === true };
      const place = storageLocation(flags);
      if ("folder" in place) {
        const { rotateKey } = await import("../maintenance/key-rotation.ts");
        printLine(rotationText(await rotateKey(place.folder, how)));
        printLine("The account has a new operator key from its next start, in the ready file.");
        return;
      }
      const keyFile = requireOption(flags.secretKeyFile, "--secret-key-file");
      const { rotateDatabaseKey } = await import("../maintenance/database-key-rotation.ts");
      const done = await rotateDatabaseKey({ database: place.database, keyFile }, how);
      printLine(rotationText(done));
      printLine(
        `Accounts under the new key: ${done.schemas.join(", ")}. Each has a new operator key, ` +
          "which its servers write to their ready files.",
      );
      printLine(`Copy ${keyFile} to every server of the database before it starts.`);
      if (done.skippedSchemas.length > 0) {
        printLine(`Skipped, because they use another key: ${done.skippedSchemas.join(", ")}.`);
      }
    });
}

function rotationText({ isNewKey, resealed }: RotationResult): string {
  const what = `${resealed} stored ${resealed === 1 ? "secret was" : "secrets were"} re-encrypted`;
  return isNewKey
    ? `Created a new key; ${what}.`
    : `Finished an interrupted rotation: ${what}. Run the command again for another key.`;
}
