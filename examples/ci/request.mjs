// Opens a pull request: `node request.mjs BRANCH BASE TITLE BODY.md`, with what GitHub (GITHUB_TOKEN) or GitLab (GITLAB_TOKEN)
// give a job.
import { readFileSync } from "node:fs";

const { env } = process;
const [branch, base, title, file] = process.argv.slice(2);

function need(name) {
  const value = env[name];
  if (value) return value;
  process.stderr.write(`request.mjs: ${name} is not set\n`);
  process.exit(64);
}

function request(body) {
  if (env.GITLAB_TOKEN) {
    return {
      url: `${need("CI_API_V4_URL")}/projects/${need("CI_PROJECT_ID")}/merge_requests`,
      headers: { "PRIVATE-TOKEN": env.GITLAB_TOKEN },
      sent: { source_branch: branch, target_branch: base, title, description: body },
    };
  }
  return {
    url: `${need("GITHUB_API_URL")}/repos/${need("GITHUB_REPOSITORY")}/pulls`,
    headers: { authorization: `Bearer ${need("GITHUB_TOKEN")}` },
    sent: { head: branch, base, title, body },
  };
}

if (file === undefined) {
  process.stderr.write("usage: request.mjs BRANCH BASE TITLE BODY.md\n");
  process.exit(64);
}
const { url, headers, sent } = request(readFileSync(file, "utf8"));
const answer = await fetch(url, {
  method: "POST",
  redirect: "error",
  signal: AbortSignal.timeout(30_000),
  headers: { ...headers, "content-type": "application/json" },
  body: JSON.stringify(sent),
});
if (!answer.ok) throw new Error(`POST ${url} answered ${answer.status}`);
