// The calls of GitHub, GitLab and Gitea that report on commits and pull requests.
import type { JsonObject } from "../core/json.ts";

/** What a host runs. Forgejo speaks the API of Gitea. */
export const gitHostTypes = ["github", "gitlab", "gitea"] as const;

/** What a host runs. */
export type GitHostType = (typeof gitHostTypes)[number];

/** The state of a commit. */
export type CommitState = "pending" | "success" | "failure";

/** What a host shows beside a commit. A later one of the same context replaces it. */
export interface CommitStatus {
  readonly commit: string;
  readonly state: CommitState;
  /** Name of the check, such as `svc/northwind`. */
  readonly context: string;
  /** One line. The host's limit cuts it. */
  readonly description: string;
  /** Address of the details. */
  readonly link?: string | undefined;
}

/** A call, with its path below the address of the API. */
export interface HostCall {
  readonly method: "GET" | "POST" | "PUT" | "PATCH";
  readonly path: string;
  readonly body?: JsonObject;
}

/** The API of a host. */
export interface Dialect {
  /** The API of the public host; undefined if there is none. */
  readonly api: string | undefined;
  readonly headers: (token: string) => Readonly<Record<string, string>>;
  readonly status: (repository: string, status: CommitStatus) => HostCall;
  readonly comments: (repository: string, request: number) => CommentCalls;
  /** Asks for the user of the token; also for the bot that the token of a job or an app stands for. */
  readonly user: HostCall;
  /** The place of the ID in that answer, and of the ID of its author in a comment. */
  readonly userAt: string;
  readonly authorAt: string;
  /** Characters of a description, and of a comment. */
  readonly descriptionLength: number;
  readonly commentLength: number;
  /** Whether a refused status is set already. */
  readonly isSet: (status: CommitStatus, answer: { status: number; text: string }) => boolean;
}

/** The comments of a pull request. */
export interface CommentCalls {
  readonly list: (page: number) => HostCall;
  readonly create: (body: string) => HostCall;
  readonly change: (id: number, body: string) => HostCall;
}

function statusBody({ state, context, description, link }: CommitStatus): JsonObject {
  return { state, context, description, ...(link !== undefined && { target_url: link }) };
}

/** The calls that GitHub and Gitea share. */
const repositories = {
  status: (repository: string, status: CommitStatus): HostCall => ({
    method: "POST",
    path: `/repos/${repository}/statuses/${status.commit}`,
    body: statusBody(status),
  }),
  comments: (repository: string, request: number): CommentCalls => {
    const issues = `/repos/${repository}/issues`;
    return {
      // Gitea calls the size of a page `limit`.
      list: (page) => ({
        method: "GET",
        path: `${issues}/${request}/comments?per_page=50&limit=50&page=${page}`,
      }),
      create: (body) => ({ method: "POST", path: `${issues}/${request}/comments`, body: { body } }),
      change: (id, body) => ({ method: "PATCH", path: `${issues}/comments/${id}`, body: { body } }),
    };
  },
  user: { method: "GET", path: "/user" } as const,
  userAt: "/id",
  authorAt: "/user/id",
  isSet: () => false,
};

/** The API of each type of host. */
export const dialects: Readonly<Record<GitHostType, Dialect>> = {
  github: {
    ...repositories,
    api: "https://api.github.com",
    // REST has no user for tokens of apps and jobs. GraphQL is beside `/api/v3` of an own server.
    user: { method: "POST", path: "/../graphql", body: { query: "{ viewer { databaseId } }" } },
    userAt: "/data/viewer/databaseId",
    headers: (token) => ({
      accept: "application/vnd.github+json",
      authorization: `Bearer ${token}`,
      "x-github-api-version": "2022-11-28",
    }),
    descriptionLength: 140,
    commentLength: 65_536,
  },
  gitea: {
    ...repositories,
    api: undefined,
    headers: (token) => ({ authorization: `token ${token}` }),
    descriptionLength: 255,
    commentLength: 65_536,
  },
  gitlab: {
    api: "https://gitlab.com/api/v4",
    headers: (token) => ({ "private-token": token }),
    status: (repository, status) => ({
      method: "POST",
      path: `/projects/${encodeURIComponent(repository)}/statuses/${status.commit}`,
      body: { ...statusBody(status), state: status.state === "failure" ? "failed" : status.state },
    }),
    comments: (repository, request) => {
      const notes = `/projects/${encodeURIComponent(repository)}/merge_requests/${request}/notes`;
      return {
        list: (page) => ({ method: "GET", path: `${notes}?per_page=50&page=${page}` }),
        create: (body) => ({ method: "POST", path: notes, body: { body } }),
        change: (id, body) => ({ method: "PUT", path: `${notes}/${id}`, body: { body } }),
      };
    },
    user: { method: "GET", path: "/user" },
    userAt: "/id",
    authorAt: "/author/id",
    descriptionLength: 255,
    commentLength: 1_000_000,
    // GitLab refuses the step from pending to pending.
    isSet: ({ state }, { status, text }) =>
      state === "pending" && status === 400 && text.includes("from :pending"),
  },
};
