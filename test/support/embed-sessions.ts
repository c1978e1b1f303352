// Embed sessions of a service: what they open, how they are created, and their tokens.
import { expect } from "vitest";
import type { TestResponse, TestService } from "./test-service.ts";

/** Calls that create embed sessions and give them access. */
export interface EmbedSessions {
  readonly publishDashboard: (
    allowEmbed: boolean,
  ) => Promise<{ publicId: string; workbook: number }>;
  /** Sets the embed access of a workbook. */
  readonly setAccess: (id: number, body: object) => Promise<TestResponse>;
  readonly createSession: (options: object) => Promise<TestResponse>;
  /** Creates a session and returns its token. */
  readonly tokenOf: (options: object) => Promise<string>;
}

/** Returns the calls. `given` returns the service, which starts later. */
export function embedSessions(given: () => TestService): EmbedSessions {
  async function publishDashboard(
    allowEmbed: boolean,
  ): Promise<{ publicId: string; workbook: number }> {
    const workbooks = "/api/v1/deployments/1/workbooks";
    const { body } = await given().send("POST", workbooks, { body: {} });
    const { id } = body as { id: number };
    const content = { workbookId: id, title: "Sales", allowEmbed };
    const published = await given().send("POST", `${workbooks}/${id}/publish`, { body: content });
    return { publicId: (published.body as { publicId: string }).publicId, workbook: id };
  }

  const setAccess = (id: number, body: object): Promise<TestResponse> =>
    given().send("PUT", `/api/v1/deployments/1/workbooks/${id}/embed-access`, { body });

  const createSession = (options: object): Promise<TestResponse> =>
    given().send("POST", "/api/v1/embed/generate-session", {
      body: { deploymentId: 1, externalId: "viewer", ...options },
    });

  async function tokenOf(options: object): Promise<string> {
    const session = await createSession(options);
    expect([session.status, session.text]).toEqual([200, expect.any(String)]);
    const exchanged = await given().send("POST", "/api/v1/embed/session/token", {
      key: null,
      body: session.body,
    });
    return (exchanged.body as { token: string }).token;
  }
  return { publishDashboard, setAccess, createSession, tokenOf };
}
