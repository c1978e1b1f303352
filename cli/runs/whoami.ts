// Runs `svc whoami`: shows the server and the user that commands use.
import { getCurrentUser } from "../../api/users.ts";
import { alignColumns } from "../../core/text/align-columns.ts";
import { escapeInvisible } from "../../core/text/escape-text.ts";
import { commandJson } from "../../reconciler/report/command-output-schema.ts";
import type { ConnectionFlags } from "../shared/connection/connection.ts";
import { credentialText, limitTexts } from "../shared/connection/credential-text.ts";
import { exitCodes } from "../shared/exit-codes.ts";
import type { OutputFlags } from "../shared/output/output-options.ts";
import { runAction } from "../shared/run/run-action.ts";
import { withClient } from "../shared/connection/with-client.ts";

/** Runs `svc whoami`. */
export function runWhoami(flags: ConnectionFlags & OutputFlags): Promise<void> {
  return runAction(flags, ({ output, signal }) =>
    withClient(flags, signal, async (client, access) => {
      const user = await client.reader.call(getCurrentUser, {});
      const { id, email, username, isAdmin, credential, permissions } = user;
      const { source, context = null } = access;
      const shown = { server: client.origin, context, id, username, email, isAdmin };
      const limits = limitTexts(user);
      output.result({
        text: () =>
          alignColumns([
            ["server", shown.server],
            ["context", context === null ? "none" : escapeInvisible(context)],
            ["credential", credentialText(user, access)],
            ["user", escapeInvisible(username)],
            ["email", escapeInvisible(email)],
            ["administrator", isAdmin ? "yes" : "no"],
            ...(limits.size === 0 ? [["limits", "none: all rights of the user"]] : limits),
          ]).join("\n"),
        json: () =>
          commandJson("whoami", {
            ...shown,
            credential: { ...credential, source },
            limits: { ...permissions?.limits },
          }),
      });
      return exitCodes.done;
    }),
  );
}
