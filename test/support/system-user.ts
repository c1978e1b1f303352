// The user as which servers of the tests run that refuse to run as root.
import { readFileSync } from "node:fs";

/** A user and its group. */
export interface SystemUser {
  readonly uid: number;
  readonly gid: number;
}

/** The user without rights of Unix systems. */
const unknownUserId = "65534";

/** Returns another user if this is root: the named one, or the one without rights. */
export function unprivilegedUser(name: string): SystemUser | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const users = readFileSync("/etc/passwd", "utf8")
    .split("\n")
    .map((line) => line.split(":"));
  const user =
    users.find(([other]) => other === name) ?? users.find(([, , uid]) => uid === unknownUserId);
  const [, , uid, gid] = user ?? [];
  if (uid !== undefined && gid !== undefined) return { uid: Number(uid), gid: Number(gid) };
  throw new Error(`the server does not run as root, and there is no user ${name}; create it`);
}
