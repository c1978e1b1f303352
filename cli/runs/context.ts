// Runs `svc context list` and `svc context use`.
import { activateContext, readContexts } from "../../client/context-file.ts";
import { escapeInvisible } from "../../core/text/escape-text.ts";
import { commandJson } from "../../reconciler/report/command-output-schema.ts";
import { exitCodes } from "../shared/exit-codes.ts";
import type { OutputFlags } from "../shared/output/output-options.ts";
import { runAction } from "../shared/run/run-action.ts";
import { tableText } from "../shared/output/table-output.ts";
import { configurationFile } from "./login.ts";

/** Runs `svc context list`. */
export function runContextList(flags: OutputFlags): Promise<void> {
  return runAction(flags, async ({ output }) => {
    const { active, contexts } = readContexts(configurationFile());
    const shown = contexts.map(({ name, url, refreshToken }) => ({
      name,
      url,
      credential: refreshToken === undefined ? ("API key" as const) : ("sign-in" as const),
      isActive: name === active,
    }));
    const row = ({ name, url, credential, isActive }: (typeof shown)[number]) => [
      isActive ? "*" : "",
      escapeInvisible(name),
      escapeInvisible(url),
      credential,
    ];
    output.result({
      text: () =>
        shown.length === 0
          ? "No contexts; create one with `svc login`."
          : tableText([["", "NAME", "URL", "CREDENTIAL"], ...shown.map(row)], {}),
      json: () => commandJson("context list", { contexts: shown }),
    });
    return exitCodes.done;
  });
}

/** Runs `svc context use`. */
export function runContextUse(name: string): Promise<void> {
  return runAction({ output: "text" }, async ({ output }) => {
    await activateContext(configurationFile(), name);
    output.print(() => `Commands use the context ${name}.`);
    return exitCodes.done;
  });
}
