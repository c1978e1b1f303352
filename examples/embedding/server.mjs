// The backend of a page that shows one dashboard to two customers of examples/quickstart. It needs nothing but Node.js.
import { readFileSync } from "node:fs";
import { createServer } from "node:http";

const { SVC_API_URL: url, SVC_API_KEY: key, DEPLOYMENT_ID, PUBLIC_ID, PORT = "3000" } = process.env;

/** Who may sign in to this application, and what each of them may see. */
const users = {
  ada: { tenant: "northwind", externalId: "ada-1001", name: "Ada Marsh", region: "north" },
  ines: { tenant: "bluewater-lines", externalId: "ines-7", name: "Inês Duarte", region: "south" },
};

/** Creates a session for a user. The API key stays here; the browser gets only the ID, which works once. */
async function createSession({ tenant, externalId, name, region }) {
  const response = await fetch(`${url}/api/v1/embed/generate-session`, {
    method: "POST",
    headers: { authorization: `Api-Key ${key}`, "content-type": "application/json" },
    body: JSON.stringify({
      deploymentId: Number(DEPLOYMENT_ID),
      embedTenantName: tenant,
      externalId,
      userProfile: { displayName: name },
      userAttributes: [{ name: "region", value: region }],
    }),
  });
  if (!response.ok) throw new Error(`no session: ${response.status} ${await response.text()}`);
  return (await response.json()).sessionId;
}

const page = readFileSync(new URL("page.html", import.meta.url), "utf8")
  .replaceAll("{url}", url)
  .replaceAll("{publicId}", PUBLIC_ID);

/** Sends the page, and sessions to it. */
async function respond(request, response) {
  try {
    const { pathname, searchParams } = new URL(request.url, "http://localhost");
    // Only for this example: a real application takes the user from its own sign-in, never from the address.
    const name = searchParams.get("user") ?? "";
    const user = Object.hasOwn(users, name) ? users[name] : undefined;
    if (request.method === "POST" && pathname === "/session" && user !== undefined) {
      response.end(await createSession(user));
    } else if (pathname === "/") {
      response.setHeader("content-type", "text/html; charset=utf-8").end(page);
    } else {
      response.writeHead(404).end();
    }
  } catch (error) {
    console.error(error.message);
    response.writeHead(502).end();
  }
}

const server = createServer((request, response) => void respond(request, response));
server.listen(Number(PORT), "localhost", () => {
  console.log(`Open http://localhost:${server.address().port}/?user=ada`);
});
