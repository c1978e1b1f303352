// What a job of a CI system tells about its repository, commit and pull request.
import { readFileSync } from "node:fs";
import { Failure } from "../core/errors.ts";
import { isObject, type JsonObject } from "../core/json.ts";
import { Secret } from "../core/secret.ts";
import type { GitHostType } from "./dialects.ts";
import type { GitHostOptions } from "./git-host.ts";

/** A job. Members that its CI system does not tell are undefined. */
export interface Job {
  readonly host: Omit<Partial<GitHostOptions>, "token">;
  /** The commit that was pushed, also where the job runs on a merge of it. */
  readonly commit: string | undefined;
  /** Number of the pull request. */
  readonly request: number | undefined;
  /** Address of its page. */
  readonly link: string | undefined;
}

type Env = Readonly<Record<string, string | undefined>>;

/** Reads the variables of GitHub, Gitea and GitLab, and the event file of the first two. */
export function jobFromEnvironment(env: Env): Job {
  if (env["GITLAB_CI"]) {
    return {
      host: { type: "gitlab", api: env["CI_API_V4_URL"], ...repositoryOf(env["CI_PROJECT_ID"]) },
      commit: env["CI_MERGE_REQUEST_SOURCE_BRANCH_SHA"] || env["CI_COMMIT_SHA"],
      request: numberOf(env["CI_MERGE_REQUEST_IID"]),
      link: env["CI_JOB_URL"],
    };
  }
  if (!env["GITHUB_ACTIONS"])
    return { host: {}, commit: undefined, request: undefined, link: undefined };
  const type: GitHostType = env["GITEA_ACTIONS"] ? "gitea" : "github";
  const { pull_request: request } = eventOf(env["GITHUB_EVENT_PATH"]);
  const { number, head } = isObject(request) ? request : {};
  const sha = isObject(head) ? head["sha"] : undefined;
  return {
    host: { type, api: env["GITHUB_API_URL"], ...repositoryOf(env["GITHUB_REPOSITORY"]) },
    commit: typeof sha === "string" ? sha : env["GITHUB_SHA"],
    request: numberOf(number),
    link: runLink(type, env),
  };
}

/** Returns the address of a run of GitHub's or Gitea's actions; Gitea has its number there, not its ID. */
function runLink(type: GitHostType, env: Env): string | undefined {
  const run = env[type === "gitea" ? "GITHUB_RUN_NUMBER" : "GITHUB_RUN_ID"];
  const { GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: repository } = env;
  return server && repository && run ? `${server}/${repository}/actions/runs/${run}` : undefined;
}

/** Returns the token of the job. Fails with `unauthenticated` if there is none. */
export function tokenOfJob(env: Env): Secret {
  const token = env["SVC_GIT_TOKEN"] || env["GITLAB_TOKEN"] || env["GITHUB_TOKEN"];
  if (token) return new Secret(token);
  throw new Failure("unauthenticated", "there is no token for the Git host", {
    remedy: "Set SVC_GIT_TOKEN, GITHUB_TOKEN or GITLAB_TOKEN.",
  });
}

function repositoryOf(repository: string | undefined): { repository?: string } {
  return repository ? { repository } : {};
}

function numberOf(value: unknown): number | undefined {
  const number = Number(value ?? Number.NaN);
  return Number.isSafeInteger(number) && number > 0 ? number : undefined;
}

/** Returns the event that started the job; without a file, an empty one. */
function eventOf(file: string | undefined): JsonObject {
  try {
    const event: unknown = JSON.parse(readFileSync(file ?? "", "utf8"));
    return isObject(event) ? event : {};
  } catch {
    return {};
  }
}
