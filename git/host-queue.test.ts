// The queue of hosts: those that do not respond delay no other.
import { expect, it } from "vitest";
import { createHostQueue } from "./host-queue.ts";

it("limits each host, and leaves slots for other hosts", async () => {
  const queue = createHostQueue({ total: 32, perHost: 2 });
  const started: string[] = [];
  const hung = [
    "https://a.example",
    "ssh://git@b.example",
    "git@c.example:x",
    "https://d.example:8443",
  ];
  for (const url of hung)
    for (let index = 0; index < 10; index++) {
      void queue(`${url}/repository-${index}`, () => {
        started.push(url);
        return new Promise(() => undefined);
      });
    }
  expect(await queue("https://e.example/x", () => Promise.resolve("fetched"))).toBe("fetched");
  for (const url of hung) expect(started.filter((one) => one === url)).toHaveLength(2);
});

it("keeps the limit of a host after operations that ended, and failed", async () => {
  const queue = createHostQueue({ total: 32, perHost: 2 });
  const url = "https://a.example/x";
  let running = 0;
  let most = 0;
  const runs = Array.from({ length: 10 }, (_, index) =>
    queue(url, async () => {
      most = Math.max(most, ++running);
      await new Promise((resolve) => setTimeout(resolve, index));
      running--;
      if (index % 2 === 1) throw new Error("failed");
    }),
  );
  const results = await Promise.allSettled(runs);
  expect(results.filter(({ status }) => status === "rejected")).toHaveLength(5);
  expect(most).toBe(2);
  await expect(queue(url, async () => "again")).resolves.toBe("again");
});

it("leaves slots of a host for other URLs", async () => {
  const queue = createHostQueue({ total: 32, perHost: 2, perUrl: 1 });
  const started: string[] = [];
  for (let index = 0; index < 10; index++)
    void queue("https://a.example/hung", () => {
      started.push("hung");
      return new Promise(() => undefined);
    });
  expect(await queue("https://a.example/x", () => Promise.resolve("fetched"))).toBe("fetched");
  expect(started).toHaveLength(1);
});
