// Runs `svc doctor`.
import { escapeInvisible } from "../../core/text/escape-text.ts";
import { commandJson } from "../../reconciler/report/command-output-schema.ts";
import type { Finding } from "../doctor/finding.ts";
import {
  checkContexts,
  checkInstallation,
  checkNode,
  checkPlugins,
} from "../doctor/installation.ts";
import { checkServer } from "../doctor/server.ts";
import type { ConnectionFlags } from "../shared/connection/connection.ts";
import { exitCodes } from "../shared/exit-codes.ts";
import type { OutputFlags } from "../shared/output/output-options.ts";
import { runAction } from "../shared/run/run-action.ts";

export interface Flags extends ConnectionFlags, OutputFlags {}

/** Runs `svc doctor`. */
export function runDoctor(flags: Flags, version: string): Promise<void> {
  return runAction(flags, async ({ output, signal }) => {
    const findings = [
      checkNode(process.versions.node),
      checkInstallation(process.argv[1] ?? "", process.env["PATH"] ?? ""),
      ...checkPlugins(version),
      checkContexts(),
      ...(await checkServer(flags, signal)),
    ];
    output.result({
      text: () => findings.map(findingText).join("\n"),
      json: () => commandJson("doctor", { version, findings }),
    });
    const isFailed = findings.some(({ status }) => status === "error");
    return isFailed ? exitCodes.failed : exitCodes.done;
  });
}

function findingText({ status, message, remedy }: Finding): string {
  const line = `${status.padEnd(7)}  ${escapeInvisible(message)}`;
  return remedy === undefined ? line : `${line}\n         ${escapeInvisible(remedy)}`;
}
