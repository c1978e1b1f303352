// The fetch queue: hosts that do not respond delay no other host.
import { expect, it } from "vitest";
import { limits } from "../core/limits.ts";
import { createFetchQueue } from "./fetch-queue.ts";

it("limits each host, and leaves slots for other hosts", async () => {
  const queue = createFetchQueue();
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
  for (const url of hung)
    expect(started.filter((one) => one === url)).toHaveLength(limits.controllerFetchesPerHost);
});
