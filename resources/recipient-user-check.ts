// Checks that the user who is to receive a notification exists, before the first write.
import { listUsers } from "../api/users.ts";
import { isFailure } from "../core/errors.ts";
import type { Reader } from "../core/kind/kind.ts";
import type { ValueCheck } from "../core/kind/server-checks.ts";
import { textOf } from "./field-text.ts";
import { userIds } from "./user-ids.ts";

/** Reports a new recipient whose user is not on the server, which refuses the recipient and all others of the call. */
export const userCheck: ValueCheck<Reader> = {
  what: "the user",
  needs: [listUsers],
  dependsOn: { kind: "User", field: "email", own: "user", required: true },
  run: async (reader, { spec, changed }) => {
    if (changed !== undefined) return { errors: [], errorCount: 0 };
    const email = textOf(spec["user"]);
    try {
      if ((await userIds.read(reader)).get(email) !== undefined)
        return { errors: [], errorCount: 0 };
    } catch (error) {
      if (isFailure(error, "conflict"))
        return { errors: [{ path: "/user", message: error.message }], errorCount: 1 };
      if (!isFailure(error, "forbidden")) throw error;
      return { unknown: "the credential may not list users", ofAll: true };
    }
    const message = `the account has no user ${JSON.stringify(email)}`;
    return { errors: [{ path: "/user", message }], errorCount: 1 };
  },
};
