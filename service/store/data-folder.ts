// Checks that a data folder is empty or complete before it is opened, and marks it during its first start.
import { existsSync, readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { Failure } from "../../core/errors.ts";
import { limits } from "../../core/limits/limits.ts";
import { systemErrorText } from "../../core/system/system-error.ts";
import { writePrivate } from "./private-files.ts";

/** The database of an account, in its data folder. */
export const databaseFile = "account.db";

/** The secret key of an account, in its data folder. */
export const secretKeyFile = "secret.key";

/** Present until the first start has created every file: an interrupted start can then be repeated. */
const markerFile = "initializing";

/**
 * Checks a locked data folder. Returns true if this start creates the account in it: the folder is empty, or an earlier
 * first start was interrupted. Throws `corrupt` if only the database or only the secret key exists, since a new one
 * would not match the other.
 */
export function beginStart(folder: string): boolean {
  if (existsSync(join(folder, markerFile))) return true;
  const hasDatabase = hasContent(join(folder, databaseFile));
  const hasKey = existsSync(join(folder, secretKeyFile));
  if (hasDatabase && hasKey) return false;
  if (hasDatabase) throw incompleteError(folder, { has: databaseFile, lacks: secretKeyFile });
  if (hasKey) throw incompleteError(folder, { has: secretKeyFile, lacks: databaseFile });
  writePrivate(join(folder, markerFile), "");
  return true;
}

/** Returns true if a data folder has neither a database nor a secret key. */
export function isEmptyDataFolder(folder: string): boolean {
  return ![databaseFile, secretKeyFile].some((name) => hasContent(join(folder, name)));
}

/** Removes the marker of the first start. */
export function completeStart(folder: string): void {
  rmSync(join(folder, markerFile), { force: true });
}

/** Throws `corrupt` unless the folder has both a database and a secret key. */
export function requireComplete(folder: string): void {
  for (const [has, lacks] of [
    [databaseFile, secretKeyFile],
    [secretKeyFile, databaseFile],
  ] as const) {
    if (!hasContent(join(folder, lacks))) throw incompleteError(folder, { has, lacks });
  }
}

/**
 * Throws if the folder of accounts contains a single account from an earlier start, which would be ignored silently.
 */
export function refuseSingleAccountFolder(folder: string): void {
  if (!existsSync(join(folder, databaseFile))) return;
  throw new Failure(
    "refused",
    `${folder} contains a single account, which the accounts file does not name`,
    {
      remedy: `Choose another folder, or move its content into ${folder}/NAME, where NAME is its name in the accounts file.`,
    },
  );
}

/**
 * Throws if the folder of a single account contains only folders of accounts, because the account would be created next
 * to them.
 */
export function refuseFolderOfAccounts(folder: string): void {
  if (!isEmptyDataFolder(folder)) return;
  const names = foldersIn(folder).filter((name) => !isEmptyDataFolder(join(folder, name)));
  if (names.length === 0) return;
  const shown = names.slice(0, limits.diagnosticsShown).join(", ");
  throw new Failure("refused", `${folder} contains the folders of other accounts: ${shown}`, {
    remedy: "Pass their accounts file with --accounts FILE, or choose another folder.",
  });
}

function foldersIn(folder: string): readonly string[] {
  try {
    const entries = existsSync(folder) ? readdirSync(folder, { withFileTypes: true }) : [];
    return entries.filter((entry) => !entry.isFile()).map(({ name }) => name);
  } catch (cause) {
    throw cannotReadError(folder, cause);
  }
}

function hasContent(path: string): boolean {
  try {
    return (statSync(path, { throwIfNoEntry: false })?.size ?? 0) > 0;
  } catch (cause) {
    throw cannotReadError(path, cause);
  }
}

function cannotReadError(path: string, cause: unknown): Failure {
  return new Failure("unavailable", `${path} cannot be read: ${systemErrorText(cause)}`, { cause });
}

function incompleteError(
  folder: string,
  { has, lacks }: { readonly has: string; readonly lacks: string },
): Failure {
  return new Failure(
    "corrupt",
    `the data folder ${folder} has ${has}, but ${lacks} is missing or empty`,
    {
      remedy:
        `Put back the ${lacks} that belongs to it, or restore the account with \`svc admin restore\`. ` +
        "To create a new account, use an empty folder.",
    },
  );
}
