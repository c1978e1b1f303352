// Every read of every operation goes along an index: no sorting, and no walk through a table of which a page is shown.
import Sqlite from "better-sqlite3";
import { afterEach, describe, expect, it, vi } from "vitest";
import { operations } from "../../api/index.ts";
import { startService } from "../support/service.ts";
import { samples } from "./samples.ts";

/** Tables that are small, or whose list is the whole table in the order of its key. */
const whole =
  /^SCAN (?:account|regions|versions_run|deployments|embed_tenants|api_keys|users USING INDEX users_own)$/;

afterEach(() => vi.restoreAllMocks());

describe("the queries of", () => {
  it.each(operations.map(({ id, method }) => [id, method] as const))("%s", async (id, method) => {
    const service = await startService();
    const sample = await samples[id]?.(service);
    const seen = new Map<string, Sqlite.Database>();
    const prepare: (this: Sqlite.Database, text: string) => Sqlite.Statement =
      Object.getOwnPropertyDescriptor(Sqlite.prototype, "prepare")?.value;
    vi.spyOn(Sqlite.prototype, "prepare").mockImplementation(function (
      this: Sqlite.Database,
      text,
    ) {
      if (/^(?:select|with)/i.test(text)) seen.set(text, this);
      return prepare.call(this, text);
    });
    await service.send(method, sample?.path ?? "", { body: sample?.body });
    const slow = [...seen].flatMap(([text, database]) => {
      const plan = database.prepare(`explain query plan ${text}`);
      const given = Array.from(text.matchAll(/\?/g), () => null);
      const steps = (plan.all(given) as { detail: string }[]).map(({ detail }) => detail);
      return steps.filter((step) => /^SCAN|TEMP B-TREE/.test(step) && !whole.test(step));
    });
    expect(slow).toEqual([]);
    await service.close();
  });
});
