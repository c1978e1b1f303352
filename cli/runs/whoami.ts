// Runs `svc whoami`: shows the server and the user that commands use.
import { getCurrentUser } from "../../api/users.ts";
import { alignColumns } from "../../core/align-columns.ts";
import { escapeInvisible } from "../../core/escape-text.ts";
import type { ConnectionFlags } from "../shared/connection.ts";
import { exitCodes } from "../shared/exit-codes.ts";
import type { OutputFlags } from "../shared/output-options.ts";
import { runAction } from "../shared/run-action.ts";
import { withClient } from "../shared/with-client.ts";

/** Runs `svc whoami`. */
export function runWhoami(flags: ConnectionFlags & OutputFlags): Promise<void> {
  return runAction(flags, ({ output, signal }) =>
    withClient(flags, signal, async (client) => {
      const user = await client.reader.call(getCurrentUser, {});
      const { id, email, username, isAdmin } = user;
      const shown = { server: client.origin, id, username, email, isAdmin };
      output.result({
        text: () =>
          alignColumns([
            ["server", shown.server],
            ["user", escapeInvisible(username)],
            ["email", escapeInvisible(email)],
            ["administrator", isAdmin ? "yes" : "no"],
          ]).join("\n"),
        json: () => shown,
      });
      return exitCodes.done;
    }),
  );
}
