// A server that speaks exactly the calls that svc makes of GitHub, GitLab and Gitea; everything else is a failure of the test.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { GitHostType } from "../../git-hosts/dialects.ts";

/** A comment as the server stores it. */
export interface StoredComment {
  readonly id: number;
  /** ID of its author. */
  readonly author: number;
  body: string;
}

/** A status as the server stores it. */
export interface StoredStatus {
  readonly sha: string;
  readonly state: string;
  readonly context: string;
  readonly description: string;
  readonly target_url?: string;
}

/** An answer in place of the right one; `hang` gives none. */
export type Disturbance =
  | { readonly status: number; readonly headers?: Record<string, string>; readonly body?: object }
  | "hang";

/** A running host. */
export interface GitHostServer {
  /** Address of its API. */
  readonly api: string;
  readonly comments: StoredComment[];
  readonly statuses: StoredStatus[];
  /** `METHOD path` of each request. */
  readonly requests: string[];
  /** Calls that no host has. */
  readonly unknown: string[];
  /** Answers of the next requests, in order. */
  readonly disturbances: Disturbance[];
  close(): Promise<void>;
}

/** The token that the servers accept. */
export const hostToken = "host-token-0123456789";

/** The ID of the user of the token. */
const hostUser = 41;

/** The repository that the servers have; for GitLab, its path in a URL. */
export const hostRepository = "acme/platform";

const authorization: Readonly<Record<GitHostType, readonly [string, string]>> = {
  github: ["authorization", `Bearer ${hostToken}`],
  gitea: ["authorization", `token ${hostToken}`],
  gitlab: ["private-token", hostToken],
};
const states: Readonly<Record<GitHostType, readonly string[]>> = {
  github: ["error", "failure", "pending", "success"],
  gitea: ["error", "failure", "pending", "success", "warning"],
  gitlab: ["pending", "running", "success", "failed", "canceled"],
};

/** Starts a host with pull request 7. GitLab and GitHub list pages; Gitea lists all comments on each. */
export async function startGitHost(type: GitHostType): Promise<GitHostServer> {
  const comments: StoredComment[] = [];
  const statuses: StoredStatus[] = [];
  const requests: string[] = [];
  const unknown: string[] = [];
  const disturbances: Disturbance[] = [];
  const project =
    type === "gitlab"
      ? `/projects/${encodeURIComponent(hostRepository)}`
      : `/repos/${hostRepository}`;
  const list =
    type === "gitlab" ? `${project}/merge_requests/7/notes` : `${project}/issues/7/comments`;
  const one = type === "gitlab" ? list : `${project}/issues/comments`;
  const changes = type === "gitlab" ? "PUT" : "PATCH";

  const answer = (request: IncomingMessage, text: string): [number, unknown] => {
    const url = new URL(`http://host${request.url ?? ""}`);
    const [header, value] = authorization[type];
    if (request.headers[header] !== value) return [401, { message: "Bad credentials" }];
    if (request.headers["user-agent"] === undefined) return [403, { message: "no user agent" }];
    const body = (text === "" ? {} : JSON.parse(text)) as Record<string, string>;
    const call = `${request.method} ${url.pathname}`;
    if (type === "github" && call === "POST /graphql") {
      const isViewer = body["query"] === "{ viewer { databaseId } }";
      return isViewer ? [200, { data: { viewer: { databaseId: hostUser } } }] : [400, {}];
    }
    if (type !== "github" && call === "GET /user") return [200, { id: hostUser }];
    if (call === `GET ${list}`) {
      const size = Number(url.searchParams.get(type === "gitea" ? "limit" : "per_page"));
      const page = Number(url.searchParams.get("page"));
      if (!(size > 0 && size <= 100 && page > 0)) return [422, { message: "no page" }];
      const shown = comments.map(({ author, ...comment }) => {
        return { ...comment, [type === "gitlab" ? "author" : "user"]: { id: author } };
      });
      return [200, type === "gitea" ? shown : shown.slice((page - 1) * size, page * size)];
    }
    const text65536 = type === "gitlab" ? 1_000_000 : 65_536;
    const isComment =
      Object.keys(body).join() === "body" && (body["body"] ?? "").length <= text65536;
    if (call === `POST ${list}`) {
      if (!isComment) return [422, { message: "wrong comment" }];
      const comment = { id: 100 + comments.length, author: hostUser, body: body["body"] ?? "" };
      comments.push(comment);
      return [201, comment];
    }
    const changed = comments.find(({ id }) => call === `${changes} ${one}/${id}`);
    if (changed !== undefined) {
      if (!isComment) return [422, { message: "wrong comment" }];
      changed.body = body["body"] ?? "";
      return [200, changed];
    }
    const [, sha = ""] = /^POST (?:\S+)\/statuses\/([0-9a-f]{40})$/u.exec(call) ?? [];
    if (sha !== "" && call === `POST ${project}/statuses/${sha}`) return setStatus(sha, body);
    unknown.push(call);
    return [404, { message: "Not Found" }];
  };
  const setStatus = (sha: string, body: Record<string, string>): [number, unknown] => {
    const { state = "", context = "", description = "", ...more } = body;
    const isKnown = Object.keys(more).every((name) => name === "target_url");
    if (!isKnown || !states[type].includes(state) || context === "")
      return [422, { message: "wrong status" }];
    if (description.length > (type === "github" ? 140 : 255))
      return [422, { message: "description is too long" }];
    const before = statuses.findLast((status) => status.sha === sha && status.context === context);
    if (type === "gitlab" && state === "pending" && before?.state === "pending") {
      return [
        400,
        { message: "Cannot transition status via :enqueue from :pending (Reason(s): …)" },
      ];
    }
    statuses.push({ sha, state, context, description, ...more });
    return [201, {}];
  };
  const respond = (request: IncomingMessage, response: ServerResponse, text: string): void => {
    requests.push(`${request.method} ${(request.url ?? "").split("?")[0]}`);
    const disturbance = disturbances.shift();
    if (disturbance === "hang") return;
    const [status, body] =
      disturbance === undefined
        ? answer(request, text)
        : [disturbance.status, disturbance.body ?? {}];
    response.writeHead(status, { "content-type": "application/json", ...disturbance?.headers });
    response.end(JSON.stringify(body));
  };
  const server = createServer((request, response) => {
    let text = "";
    request.on("data", (chunk: Buffer) => (text += chunk.toString("utf8")));
    request.on("end", () => respond(request, response, text));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    api: `http://127.0.0.1:${port}`,
    comments,
    statuses,
    requests,
    unknown,
    disturbances,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
