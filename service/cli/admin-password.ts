// `svc admin set-password`: sets a user's password in the store.
import { readFileSync } from "node:fs";
import { Command } from "commander";
import { refuseOpenFile } from "../../files/secret-file.ts";
import { Failure } from "../../core/errors.ts";
import { defaultSchema } from "../store/stores.ts";
import { printLine } from "./print-line.ts";
import { databaseHelp, dataHelp, type StorageFlags, storageLocation } from "./storage-options.ts";

interface Flags extends StorageFlags {
  schema?: string;
  user: string;
  passwordFile: string;
}

/** Returns the `admin set-password` command. */
export function setPasswordCommand(): Command {
  return new Command("set-password")
    .description(
      "Set a user's password, such as the first administrator's. Stop the server of a data " +
        "folder first. The user's browser sessions and OAuth tokens end.",
    )
    .option("--data <dir>", dataHelp)
    .option("--database <url>", databaseHelp)
    .option("--schema <name>", "schema of the account in the database", defaultSchema)
    .option("--user <username>", "the user", "admin")
    .requiredOption("--password-file <file>", "file with the password, - for standard input")
    .action(async ({ user: username, passwordFile, schema = defaultSchema, ...flags }: Flags) => {
      const place = storageLocation(flags);
      const wanted = { username, password: readPassword(passwordFile) };
      const { setDatabasePassword, setFolderPassword } =
        await import("../maintenance/set-password.ts");
      if ("folder" in place) await setFolderPassword(place.folder, wanted);
      else await setDatabasePassword({ ...place, schema }, wanted);
      printLine(`Set the password of ${username}.`);
    });
}

/** Returns the first line of a file. */
function readPassword(file: string): string {
  if (file !== "-") refuseOpenFile(file);
  try {
    const text = readFileSync(file === "-" ? 0 : file, "utf8");
    return text.replace(/\r?\n[^]*$/, "");
  } catch (cause) {
    throw new Failure("usage", `the password file ${file} cannot be read`, { cause });
  }
}
