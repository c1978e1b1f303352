// Runs `svc publish`: puts reports on a pull request, and a status beside its commit.
import { setTimeout as wait } from "node:timers/promises";
import { parseEndpoint } from "../../client/request-url.ts";
import { Failure, isFailure } from "../../core/errors.ts";
import { limits } from "../../core/limits/limits.ts";
import { commentBody, commentMarker } from "../../git-hosts/comment.ts";
import type { CommitState, GitHostType } from "../../git-hosts/dialects.ts";
import { isTransient, openGitHost } from "../../git-hosts/git-host.ts";
import { jobFromEnvironment, tokenOfJob } from "../../git-hosts/job.ts";
import { commandJson } from "../../reconciler/report/command-output-schema.ts";
import { exitCodes } from "../shared/exit-codes.ts";
import type { OutputFlags } from "../shared/output/output-options.ts";
import { readTextFile } from "../../files/text-file.ts";
import { runAction } from "../shared/run/run-action.ts";

export interface Flags extends OutputFlags {
  readonly name: string;
  readonly state?: CommitState;
  readonly description?: string;
  readonly link?: string;
  readonly host?: GitHostType;
  readonly hostApi?: string;
  readonly repository?: string;
  readonly request?: string;
  readonly commit?: string;
}

/** Runs `svc publish`. */
export function runPublish(reports: readonly string[], flags: Flags): Promise<void> {
  return runAction(flags, async ({ output, signal }) => {
    const { name, state, description = "" } = flags;
    if (reports.length === 0 && state === undefined)
      throw new Failure("usage", "name reports to comment, or a --state to set");
    const job = jobFromEnvironment(process.env);
    const link = flags.link ?? job.link;
    const texts = reports.map((file) => readTextFile(file));
    const host = openGitHost({
      type: needed("--host", flags.host ?? job.host.type),
      api: flags.hostApi ?? job.host.api,
      repository: needed("--repository", flags.repository ?? job.host.repository),
      token: tokenOfJob(process.env),
    });
    const request =
      reports.length === 0
        ? undefined
        : needed("--request", numberOf(flags.request) ?? job.request);
    const commit = state === undefined ? undefined : needed("--commit", flags.commit ?? job.commit);
    if (commit !== undefined && !/^[0-9a-f]{40}(?:[0-9a-f]{24})?$/u.test(commit))
      throw new Failure("usage", "--commit must be the whole hash of a commit, in lowercase");
    const place = link === undefined ? undefined : parseEndpoint("--link", link);
    let replaced: boolean | undefined;
    if (request !== undefined) {
      const marker = commentMarker(name);
      const body = commentBody(texts, host.commentLength - marker.length - 1);
      replaced = await repeat(signal, () => host.upsertComment({ request, marker, body }, signal));
    }
    if (commit !== undefined && state !== undefined) {
      const status = { commit, state, context: `svc/${name}`, description, link: place };
      await repeat(signal, () => host.setStatus(status, signal));
    }
    output.result({
      text: () =>
        [
          ...(replaced === undefined
            ? []
            : [`${replaced ? "Replaced" : "Created"} the comment ${name} on ${request}.`]),
          ...(state === undefined ? [] : [`Set svc/${name} of ${commit} to ${state}.`]),
        ].join("\n"),
      json: () =>
        commandJson("publish", {
          ...(request !== undefined && { request, replaced: replaced === true }),
          ...(commit !== undefined && state !== undefined && { commit, state }),
        }),
    });
    return exitCodes.done;
  });
}

function needed<T>(option: string, value: T | undefined): T {
  if (value !== undefined && value !== "") return value;
  throw new Failure("usage", `pass ${option}: this job does not tell it`);
}

function numberOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^[1-9]\d{0,9}$/u.test(text)) return Number(text);
  throw new Failure("usage", "--request must be the number of a pull request");
}

/** Repeats what a host refuses for the moment only, with growing pauses, and no longer than it asks to wait. */
async function repeat<T>(signal: AbortSignal, attempt: () => Promise<T>): Promise<T> {
  for (let attempts = 1; ; attempts++) {
    try {
      return await attempt();
    } catch (error) {
      const isOver = attempts === limits.gitHostAttempts;
      if (!isFailure(error) || isOver || !isTransient(error)) throw error;
      const seconds = Math.max(2 ** (attempts - 1), error.retryAfter ?? 0);
      if (seconds * 1000 > limits.gitHostWaitMs) throw error;
      await wait(seconds * 1000, undefined, { signal });
    }
  }
}
