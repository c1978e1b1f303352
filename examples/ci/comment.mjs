// Puts a Markdown report of svc on a pull request: replaces the comment of an earlier run, or creates the first one.
// The first line of the comment names the report's file and STACK, so that the report of a later run, or of a failure
// before the Stack was read, replaces it. `node comment.mjs REPORT.md`, with what GitHub (GITHUB_TOKEN, PULL_REQUEST)
// or GitLab (GITLAB_TOKEN) give a job.
import { readFileSync } from "node:fs";
import { basename } from "node:path";

const pagesMax = 50;
const perPage = 100;
const { env } = process;

/** Returns the address of this pull request's comments, the credentials, and the method that changes a comment. */
function forge() {
  if (env.GITLAB_TOKEN) {
    const project = `${need("CI_API_V4_URL")}/projects/${need("CI_PROJECT_ID")}`;
    const comments = `${project}/merge_requests/${need("CI_MERGE_REQUEST_IID")}/notes`;
    return {
      comments,
      headers: { "PRIVATE-TOKEN": env.GITLAB_TOKEN },
      change: (id) => ["PUT", `${comments}/${id}`],
    };
  }
  const repository = `${need("GITHUB_API_URL")}/repos/${need("GITHUB_REPOSITORY")}/issues`;
  return {
    comments: `${repository}/${need("PULL_REQUEST")}/comments`,
    headers: { authorization: `Bearer ${need("GITHUB_TOKEN")}` },
    change: (id) => ["PATCH", `${repository}/comments/${id}`],
  };
}

function need(name) {
  const value = env[name];
  if (value) return value;
  process.stderr.write(`comment.mjs: ${name} is not set\n`);
  process.exit(64);
}

async function send(method, url, { headers, body }) {
  const answer = await fetch(url, {
    method,
    redirect: "error",
    signal: AbortSignal.timeout(30_000),
    headers: { ...headers, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify({ body }) }),
  });
  if (!answer.ok) throw new Error(`${method} ${url} answered ${answer.status}`);
  return answer.json();
}

/** Returns the ID of the comment that begins with the marker; undefined if there is none. */
async function commentWith(marker, { comments, headers }) {
  for (let page = 1; page <= pagesMax; page++) {
    const url = `${comments}?per_page=${perPage}&page=${page}`;
    const found = await send("GET", url, { headers });
    const one = found.find(({ body }) => typeof body === "string" && body.startsWith(marker));
    if (one !== undefined) return one.id;
    if (found.length < perPage) return undefined;
  }
  return undefined;
}

const file = process.argv[2] ?? need("a report's file");
const marker = `<!-- svc report ${encodeURIComponent(basename(file, ".md"))} ${encodeURIComponent(env.STACK || ".")} -->`;
const body = `${marker}\n${readFileSync(file, "utf8")}`;
const at = forge();
const id = await commentWith(marker, at);
const [method, url] = id === undefined ? ["POST", at.comments] : at.change(id);
await send(method, url, { headers: at.headers, body });
