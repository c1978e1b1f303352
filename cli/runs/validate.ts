// Runs `svc validate DEPLOYMENT`: compiles the data model of a branch on the server and prints its errors.
import { existsSync } from "node:fs";
import { validateDataModel } from "../../api/data-model.ts";
import { sanitize } from "../../client/sanitize.ts";
import { Failure, isFailure } from "../../core/errors.ts";
import { shellQuote } from "../../core/text/shell-quote.ts";
import type { AnswerOf } from "../../core/operation/operation.ts";
import { modelErrorText } from "../../core/data-model/model-error-text.ts";
import type { ConnectionFlags } from "../shared/connection/connection.ts";
import { deploymentOf } from "../shared/lookup/deployment-argument.ts";
import { exitCodes } from "../shared/exit-codes.ts";
import type { OutputFlags } from "../shared/output/output-options.ts";
import { commandJson } from "../../reconciler/report/command-output-schema.ts";
import { pluralize } from "../../core/text/escape-text.ts";
import { runAction } from "../shared/run/run-action.ts";
import { withClient } from "../shared/connection/with-client.ts";

export interface Flags extends ConnectionFlags, OutputFlags {
  readonly branch?: string;
  readonly devMode?: true;
}

/** Runs `svc validate`. */
export function runValidate(deployment: string, flags: Flags): Promise<void> {
  return runAction(flags, async ({ output, signal }) => {
    return withClient(flags, signal, async (client) => {
      const { id: deploymentId, name } = await deploymentOf(client, deployment).catch((error) => {
        throw withLintHint(error, deployment);
      });
      const query = {
        ...(flags.branch !== undefined && { branchName: flags.branch }),
        ...(flags.devMode === true && { devMode: true }),
      };
      const report = await client.reader.call(validateDataModel, {
        params: { deploymentId },
        query,
      });
      for (const error of report.errors) output.warn(() => sanitize(modelErrorText(error)));
      for (const { code, ...warning } of report.warnings ?? []) {
        output.warn(() => sanitize(`warning: ${modelErrorText(warning)} (${code})`));
      }
      output.result({
        text: () => [summary(name, report), ...(flags.verbose ? usesOf(report) : [])].join("\n"),
        json: () => commandJson("validate", report),
      });
      return report.valid ? exitCodes.done : exitCodes.failed;
    });
  });
}

/** Adds the command for manifests to an unknown deployment that is the path of a file or folder. */
function withLintHint(error: unknown, given: string): unknown {
  if (!isFailure(error, "not_found") || !existsSync(given)) return error;
  const { code, message } = error;
  const remedy = `To check the manifests there, run \`svc lint ${shellQuote(given)}\`.`;
  return new Failure(code, message, { remedy, cause: error });
}

/** Returns a line for each pre-aggregation. */
function usesOf({ preAggregations = [] }: Report): readonly string[] {
  return preAggregations.map(({ name, reason, lastFailure }) => {
    const use = reason === undefined ? "queries can use it" : `no query can use it: ${reason}`;
    const failure = lastFailure === undefined ? "" : `; its last build failed: ${lastFailure}`;
    return sanitize(`${name}: ${use}${failure}`);
  });
}

type Report = AnswerOf<typeof validateDataModel>;

function summary(
  deployment: string,
  { valid, branchName, errors, cubesCount = 0 }: Report,
): string {
  const place = sanitize(`${deployment}, branch ${branchName}`);
  if (valid) return `${place}: valid, ${pluralize(cubesCount, "cube or view", "cubes and views")}`;
  return `${place}: ${pluralize(errors.length, "error")}`;
}
