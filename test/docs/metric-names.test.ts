// Tests that every documented metric exists, and that every metric is documented.
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { controllerMetrics } from "../../controller/metrics.ts";
import { startMetricsListener } from "../../service/http/metrics.ts";

const root = join(import.meta.dirname, "../..");

/** Returns the names that an exposition declares. */
function declaredNames(text: string): readonly string[] {
  return [...text.matchAll(/^# TYPE (svc_\S+)/gmu)].map(([, name = ""]) => name);
}

it("documents exactly the metrics that the service and the controller have", async () => {
  const service = await startMetricsListener(0);
  const text = await (await fetch(service.url)).text();
  await service.close();
  const declared = [...declaredNames(text), ...declaredNames(await controllerMetrics().text())];
  const pages = globSync("{README.md,docs/{tutorials,how-to,explanation,reference}/*.md}", {
    cwd: root,
  });
  const named = pages.flatMap((page) =>
    [
      ...readFileSync(join(root, page), "utf8").matchAll(
        /\bsvc_(?:[a-z_]+_(?:seconds|total)|(?:controller|http|store|job)_[a-z_]+)\b/gu,
      ),
    ].map(([name]) => name),
  );
  expect([...new Set(named)].toSorted()).toEqual(declared.toSorted());
});
