// The test of an operation must send requests to it; naming it is not enough.
import { join } from "node:path";
import { expect, it } from "vitest";
import { operations } from "../api/index.ts";
import { countCalls, operationTests } from "./operation-tests.ts";

const called = (text: string) => Object.fromEntries(countCalls(text, operations));

it("counts requests by method and path, with the constants of the file", () => {
  const text = `
    const base = "/api/v1/deployments/1/folders";
    const one = () => \`\${base}/\${id}\`;
    await service.send("GET", base);
    await service.send("GET", \`\${base}?first=1\`);
    await service.send("PUT", one(), { body });
    await send("DELETE", \`/api/v1/users/\${made.id}\`);
    await send("GET", "/api/v1/users/me");
    await client.call(createUserAttribute, { body });
  `;
  expect(called(text)).toEqual({
    listFolders: 2,
    updateFolder: 1,
    deleteUser: 1,
    getCurrentUser: 1,
    createUserAttribute: 1,
  });
});

it("counts the end of a path that one operation has, and none that several can have", () => {
  const text = `
    await done("POST", \`\${path}/publish\`, {});
    await done("POST", \`\${path}/users\`, {});
    await done("GET", path);
  `;
  expect(called(text)).toEqual({ publishDashboard: 1 });
});

it("counts no comment, text, name or method apart from a path", () => {
  const text = `
    // service.send("GET", "/api/v1/users/me") and getCurrentUser
    it('sends "GET", "/api/v1/users/me"', () => expect(paths["/api/v1/users/me"]).toBe(getCurrentUser));
    expect(operationAt("/api/v1/users/me", "GET")).toBe(1);
  `;
  expect(called(text)).toEqual({});
});

it("names a test of the repository for each operation, mostly a test of its own", () => {
  const testOf = operationTests(join(import.meta.dirname, ".."), operations);
  const files = operations.map((operation) => testOf(operation));
  const own = files.filter((file) => !file.endsWith("/operation-responses.test.ts"));
  expect(own.length).toBeGreaterThan(operations.length * 0.75);
});
