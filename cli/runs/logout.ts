// Runs `svc logout`: revokes the tokens of a context and removes it.
import {
  contextRemedy,
  readContexts,
  removeContext,
  unknownContext,
} from "../../client/context-file.ts";
import { oauthClientOf, revokeToken } from "../../client/oauth.ts";
import { Failure, isFailure } from "../../core/errors.ts";
import { exitCodes } from "../shared/exit-codes.ts";
import { runAction } from "../shared/run/run-action.ts";
import { configurationFile } from "./login.ts";

export interface Flags {
  readonly name?: string;
}

/** Runs `svc logout`. */
export function runLogout({ name: given }: Flags): Promise<void> {
  return runAction({ output: "text" }, async ({ output, signal }) => {
    const path = configurationFile();
    const { active, contexts } = readContexts(path);
    const name = given ?? active;
    if (name === undefined) {
      throw new Failure("usage", "no context is active", {
        remedy: contextRemedy(contexts),
      });
    }
    const context = contexts.find((one) => one.name === name);
    if (context === undefined) throw unknownContext(name, contexts);
    const { url, refreshToken } = context;
    if (refreshToken !== undefined) {
      const access = { url, client: oauthClientOf(process.env), signal };
      // The context is removed in any case. A token that was not revoked expires.
      await revokeToken(access, refreshToken).catch((error: unknown) => {
        if (!isFailure(error)) throw error;
        output.warn(() => `warning: the tokens were not revoked: ${error.message}`);
      });
    }
    await removeContext(path, name);
    output.print(() => `Removed the context ${name} of ${url}.`);
    return exitCodes.done;
  });
}
