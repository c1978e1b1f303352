// Lists the accounts that a secret key file has opened in a database next to the file, so that a lost account is
// detected.
import { Failure } from "../../core/errors.ts";
import { appendPrivate, readPrivate } from "../store/private-files.ts";
import { makeSealer } from "./seal.ts";
import type { KeyRing } from "./secret-key.ts";

/** An account in a database, and the key file that opens it. */
export interface KeyedAccount {
  readonly keyFile: string;
  readonly schema: string;
  /** The keys of the account. */
  readonly ring: KeyRing;
}

/** Returns the file that lists the accounts of a key file. */
export function keyAccountsPath(keyFile: string): string {
  return `${keyFile}.accounts`;
}

/** Returns true if one of the keys has opened the account before. */
export function isKeyAccount({ keyFile, schema, ring }: KeyedAccount): boolean {
  const listed = readLines(keyFile);
  return [ring.current, ...ring.earlier].some((root) =>
    listed.includes(accountLine(schema, makeSealer(root).prefix)),
  );
}

/** Lists the account beside the key file. Throws `unavailable` if the file cannot be written. */
export function listKeyAccount({ keyFile, schema, ring }: KeyedAccount): void {
  const line = accountLine(schema, makeSealer(ring.current).prefix);
  if (!readLines(keyFile).includes(line)) appendPrivate(keyAccountsPath(keyFile), `${line}\n`);
}

/** Returns the error for a schema without the account that the key has opened before. */
export function lostAccountError({ keyFile, schema }: KeyedAccount): Failure {
  return new Failure(
    "refused",
    `the database has no account in the schema ${schema}, but the secret key ${keyFile} has opened one there before`,
    {
      remedy:
        "Check the address of the database, or restore a backup with `svc admin restore`. " +
        "To create a new account, pass another file with --secret-key-file.",
    },
  );
}

function readLines(keyFile: string): readonly string[] {
  return (readPrivate(keyAccountsPath(keyFile)) ?? "").split("\n");
}

/** Returns the line of an account. The prefix of encrypted values identifies the key without revealing it. */
function accountLine(schema: string, prefix: string): string {
  return `${schema} ${prefix}`;
}
