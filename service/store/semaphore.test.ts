// Tests how long a user of a resource waits for a permit.
import { afterEach, expect, it, vi } from "vitest";
import { Semaphore } from "./semaphore.ts";

afterEach(() => void vi.useRealTimers());

it("measures the wait by the time that passes, whatever the date becomes", async () => {
  for (const jumpMs of [-3_600_000, 3_600_000]) {
    const permits = new Semaphore(1);
    await permits.acquire(5);
    const [late, inTime] = [permits.acquire(5), permits.acquire(60_000)];
    await new Promise((resolve) => setTimeout(resolve, 20));
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + jumpMs });
    permits.release();
    await expect(late).rejects.toMatchObject({ code: "unavailable", retryAfter: 1 });
    await inTime;
    vi.useRealTimers();
  }
});

it("can get fewer permits while all are taken, and more while others wait", async () => {
  const permits = new Semaphore(2);
  await permits.acquire(5);
  await permits.acquire(5);
  permits.resize(-1);
  let isServed = false;
  const third = permits.acquire(60_000).then(() => void (isServed = true));
  permits.release();
  await new Promise(setImmediate);
  expect(isServed).toBe(false);
  permits.resize(1);
  await third;
  expect(isServed).toBe(true);
});
