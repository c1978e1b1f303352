// `svc admin backup` and `svc admin restore`: one account, or every account of a file, in a folder or
// a database.
import { join } from "node:path";
import { Command } from "commander";
import { Failure } from "../../core/errors.ts";
import type { BackupOptions, RestoreResult } from "../maintenance/backup.ts";
import type { DatabaseAccount } from "../maintenance/database-backup.ts";
import { defaultSchema } from "../store/stores.ts";
import { printLine } from "./print-line.ts";
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
  overwrite?: true;
}

/** One selected account and the folder of its backup. */
interface Account {
  readonly backup: string;
  readonly at: { readonly folder: string } | DatabaseAccount;
  /** Name of the account in messages. */
  readonly label: string;
}

/** Returns the `admin backup` command. */
export function backupCommand(): Command {
  return withLocationOptions(
    new Command("backup")
      .description("Write a backup. Servers may keep running.")
      .argument("<folder>", "target folder; it must be empty or missing"),
  )
    .option("--with-secret-key", "include the secret key in the backup, unencrypted")
    .option("--secret-key-file <file>", "key file of the database's servers, for --with-secret-key")
    .action(async (folder: string, flags: Flags) => {
      const how = { withKey: flags.withSecretKey === true };
      if (how.withKey && "database" in storageLocation(flags)) {
        requireOption(flags.secretKeyFile, "--secret-key-file");
      }
      for (const account of await accountsOf(folder, flags)) await backUpOne(account, how);
      printLine(
        how.withKey
          ? "The backup contains the unencrypted secret key: anyone who can read the backup can read " +
              "every stored secret."
          : "The backup does not contain the secret key: keep a separate copy of the key file, or " +
              "stored secrets are lost.",
      );
    });
}

async function backUpOne({ backup: to, at, label }: Account, how: BackupOptions): Promise<void> {
  const [{ backup }, { backupDatabaseAccount }] = await Promise.all([
    import("../maintenance/backup.ts"),
    import("../maintenance/database-backup.ts"),
  ]);
  const about =
    "folder" in at ? await backup(at.folder, to, how) : await backupDatabaseAccount(at, to, how);
  printLine(`Backed up ${label} to ${to} (${about.createdAt}, ${about.schema}).`);
}

/** Returns the `admin restore` command. */
export function restoreCommand(): Command {
  return withLocationOptions(
    new Command("restore")
      .description("Restore an account from a backup. The whole backup is verified first.")
      .argument("<folder>", "backup folder"),
  )
    .option(
      "--secret-key-file <file>",
      "for a folder: the key, if the backup does not contain it; for a database: the key file " +
        "of its servers",
    )
    .option(
      "--backup-key-file <file>",
      "for a database: the key of the backup, if it is neither in the backup nor that of the servers",
    )
    .option("--overwrite", "overwrite existing data, which is kept beside it")
    .action(async (folder: string, flags: Flags) => {
      if ("database" in storageLocation(flags))
        requireOption(flags.secretKeyFile, "--secret-key-file");
      else if (flags.backupKeyFile !== undefined) {
        throw new Failure("usage", "--backup-key-file needs a database");
      }
      for (const account of await accountsOf(folder, flags)) await restoreOne(account, flags);
    });
}

async function restoreOne({ backup: from, at, label }: Account, flags: Flags): Promise<void> {
  const { secretKeyFile, backupKeyFile } = flags;
  const replace = flags.overwrite === true;
  const [{ restore }, { restoreDatabaseAccount }] = await Promise.all([
    import("../maintenance/backup.ts"),
    import("../maintenance/database-backup.ts"),
  ]);
  const { manifest: about, replaced }: RestoreResult =
    "folder" in at
      ? await restore(from, at.folder, {
          replace,
          ...(secretKeyFile === undefined ? {} : { keyFile: secretKeyFile }),
        })
      : await restoreDatabaseAccount(from, at, { replace, backupKeyFile });
  printLine(`Restored ${label} from the backup of ${about.createdAt}.`);
  if (replaced !== undefined) printLine(`The previous data is in ${replaced}.`);
}

function withLocationOptions(command: Command): Command {
  return command
    .option("--data <dir>", `${dataHelp}; with --accounts, the folder that holds their folders`)
    .option("--database <url>", databaseHelp)
    .option("--schema <name>", "schema of the account in the database")
    .option(
      "--accounts <file>",
      "every account in the server's accounts file, each in a folder of its name",
    );
}

async function accountsOf(folder: string, flags: Flags): Promise<readonly Account[]> {
  const place = storageLocation(flags);
  const { accounts, schema, secretKeyFile } = flags;
  if (schema !== undefined && (accounts !== undefined || "folder" in place)) {
    throw new Failure(
      "usage",
      "--schema selects one account of a database and cannot be combined with --accounts",
    );
  }
  if (accounts === undefined) {
    if ("folder" in place) return [{ backup: folder, at: place, label: place.folder }];
    const at = { ...place, schema: schema ?? defaultSchema, keyFile: secretKeyFile };
    return [{ backup: folder, at, label: `the schema ${at.schema}` }];
  }
  if ("folder" in place && secretKeyFile !== undefined) {
    throw new Failure("usage", "each account in a folder has its own key", {
      remedy: "Restore them one by one with --data, or from backups that contain their keys.",
    });
  }
  const [{ readAccountsFile }, { accountSchema }] = await Promise.all([
    import("../server/accounts-file.ts"),
    import("../server/accounts.ts"),
  ]);
  return readAccountsFile(accounts).accounts.map(({ name }) => ({
    backup: join(folder, name),
    at:
      "folder" in place
        ? { folder: join(place.folder, name) }
        : { ...place, schema: accountSchema(name), name, keyFile: secretKeyFile },
    label: name,
  }));
}
