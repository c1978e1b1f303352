// `svc admin backup` and `svc admin restore`: one account, or every account of a file, in a folder or a database.
import { join } from "node:path";
import { Command } from "commander";
import { Failure } from "../../core/errors.ts";
import { accountSchema } from "../server/accounts.ts";
import { readAccountsFile } from "../server/accounts-file.ts";
import { backup, type BackupOptions, restore, type RestoreResult } from "../maintenance/backup.ts";
import {
  backupDatabaseAccount,
  restoreDatabaseAccount,
  type DatabaseAccount,
} from "../maintenance/database-backup.ts";
import { defaultSchema } from "../store/stores.ts";
import {
  databaseHelp,
  dataHelp,
  requireOption,
  type StorageFlags,
  storageLocation,
} from "./storage-options.ts";

interface Flags extends StorageFlags {
  accounts?: string;
  schema?: string;
  secretKeyFile?: string;
  backupKeyFile?: string;
  withSecretKey?: true;
  replace?: true;
}

/** One account that the options name, and the folder of its backup. */
interface Account {
  readonly backup: string;
  readonly at: { readonly folder: string } | DatabaseAccount;
  /** What it is called in messages. */
  readonly label: string;
}

/** `svc admin backup`. */
export function backupCommand(): Command {
  return withLocationOptions(
    new Command("backup")
      .description("Write a backup, also while servers work on the account.")
      .argument("<folder>", "where to; it must be empty or missing"),
  )
    .option("--with-secret-key", "put the secret key into the backup, in clear")
    .option("--secret-key-file <file>", "the key file of the database's servers, for that")
    .action(async (folder: string, flags: Flags) => {
      const how = { withKey: flags.withSecretKey === true };
      if (how.withKey && "database" in storageLocation(flags)) {
        requireOption(flags.secretKeyFile, "--secret-key-file");
      }
      for (const account of accountsOf(folder, flags)) await backUpOne(account, how);
      console.log(
        how.withKey
          ? "The secret key lies in it in clear: whoever can read the backup can read every stored secret."
          : "No secret key is in it: keep a copy of the key file apart, or stored secrets are lost.",
      );
    });
}

async function backUpOne(
  { backup: to, at, label: called }: Account,
  how: BackupOptions,
): Promise<void> {
  const about =
    "folder" in at ? await backup(at.folder, to, how) : await backupDatabaseAccount(at, to, how);
  console.log(`Backed up ${called} to ${to} (${about.createdAt}, ${about.schema}).`);
}

/** `svc admin restore`. */
export function restoreCommand(): Command {
  return withLocationOptions(
    new Command("restore")
      .description("Make an account of a backup, once all of the backup has been checked.")
      .argument("<folder>", "the backup"),
  )
    .option(
      "--secret-key-file <file>",
      "into a folder: the key, where it is not in the backup; into a database: the key file of its servers",
    )
    .option(
      "--backup-key-file <file>",
      "into a database: the key of the backup, where it is neither in it nor that of the servers",
    )
    .option("--replace", "put it in place of what is there, which is kept beside it")
    .action(async (folder: string, flags: Flags) => {
      if ("database" in storageLocation(flags))
        requireOption(flags.secretKeyFile, "--secret-key-file");
      else if (flags.backupKeyFile !== undefined) {
        throw new Failure("usage", "--backup-key-file is for a restore into a database");
      }
      for (const account of accountsOf(folder, flags)) await restoreOne(account, flags);
    });
}

async function restoreOne(
  { backup: from, at, label: called }: Account,
  flags: Flags,
): Promise<void> {
  const { secretKeyFile: keyFile, backupKeyFile } = flags;
  const replace = flags.replace === true;
  const { manifest: about, replaced }: RestoreResult =
    "folder" in at
      ? await restore(from, at.folder, { replace, ...(keyFile === undefined ? {} : { keyFile }) })
      : await restoreDatabaseAccount(from, at, { replace, backupKeyFile });
  console.log(`Restored ${called} as it was at ${about.createdAt}.`);
  if (replaced !== undefined) console.log(`What was there before is in ${replaced}.`);
}

function withLocationOptions(command: Command): Command {
  return command
    .option("--data <dir>", `${dataHelp}; with --accounts the folder of their folders`)
    .option("--database <url>", databaseHelp)
    .option("--schema <name>", "schema of the account in the database")
    .option(
      "--accounts <file>",
      "every account of the server's file, each in a folder of its name",
    );
}

function accountsOf(folder: string, flags: Flags): readonly Account[] {
  const place = storageLocation(flags);
  const { accounts: file, schema, secretKeyFile: keyFile } = flags;
  if (schema !== undefined && (file !== undefined || "folder" in place)) {
    throw new Failure("usage", "--schema is for one account in a database");
  }
  if (file === undefined) {
    if ("folder" in place) return [{ backup: folder, at: place, label: place.folder }];
    const at = { ...place, schema: schema ?? defaultSchema, keyFile };
    return [{ backup: folder, at, label: `the schema ${at.schema}` }];
  }
  if ("folder" in place && keyFile !== undefined) {
    throw new Failure("usage", "each account in a folder has a key of its own", {
      remedy: "Restore them one by one with --data, or from backups with their keys in them.",
    });
  }
  return readAccountsFile(file).accounts.map(({ name }) => ({
    backup: join(folder, name),
    at:
      "folder" in place
        ? { folder: join(place.folder, name) }
        : { ...place, schema: accountSchema(name), name, keyFile },
    label: name,
  }));
}
