// The limit of requests to one deployment.
import { expect, test } from "vitest";
import { limits } from "../../core/limits/limits.ts";
import { limitRequests } from "./limit-requests.ts";

test("a burst is admitted, then as many as the rate allows, for each deployment apart", () => {
  let time = 0;
  const admit = limitRequests(() => time);
  const admitted = (most: number, deployment = "one", session?: string) => {
    let count = 0;
    for (let sent = 0; sent < most; sent++) {
      try {
        admit({ deployment, session, tenant: "a" });
        count++;
      } catch (error) {
        expect(error).toMatchObject({ code: "rate_limited", retryAfter: 1 });
      }
    }
    return count;
  };
  expect(admitted(1000)).toBe(limits.deploymentBurst);
  expect(admitted(10, "other")).toBe(10);
  time += 500;
  expect(admitted(1000)).toBe(limits.deploymentRequests / 2);
  time += 60_000;
  expect(admitted(1000)).toBe(limits.deploymentBurst);
});

test("a looping session or tenant leaves requests of the deployment to others", () => {
  const admit = limitRequests(() => 0);
  const admitted = (tenant: string, session: string) => {
    for (let sent = 0; sent < 1000; sent++) {
      try {
        admit({ deployment: "one", tenant, session });
      } catch {
        return sent;
      }
    }
    return 1000;
  };
  expect(admitted("a", "a1")).toBe(limits.sessionBurst);
  expect(admitted("a", "a2")).toBe(limits.tenantBurst - limits.sessionBurst);
  expect(admitted("a", "a3")).toBe(0);
  expect(admitted("b", "b1")).toBe(limits.sessionBurst);
});
