// Tests with an account in a database that an applied stack has an empty plan, also when it is applied over another stack.
import fc from "fast-check";
import { expect, it } from "vitest";
import { anyStack } from "../../support/arbitrary-stacks.ts";
import { propertyRuns } from "../../support/arbitrary-values.ts";
import { assertProperty } from "../../support/assert-property.ts";
import { prepareAccount } from "../../support/every-kind.ts";
import { hasKeyCycle } from "../../support/expected-state.ts";
import { applyCleanly, skipImplicitConflicts } from "../../support/test-environments.ts";
import { startService } from "../../support/test-service.ts";
import { changeSummaries, makeStack } from "../../support/test-stack.ts";

it("any stack leaves nothing to do once it is applied, over nothing and over another", async () => {
  await assertProperty(
    fc.asyncProperty(anyStack, anyStack, async (first, second) => {
      fc.pre(!hasKeyCycle(first, second));
      const service = await startService();
      await prepareAccount(service);
      const stack = await makeStack({ url: service.url, key: service.adminKey });
      try {
        await applyCleanly({ stack }, first);
        await skipImplicitConflicts({ stack }, second);
        await applyCleanly({ stack }, second);
        const { changes, unchanged } = await stack.plan();
        expect(changeSummaries(changes)).toEqual([]);
        expect(unchanged).toBe(second.length + 1);
      } finally {
        await stack.dispose();
        await service.close();
      }
    }),
    propertyRuns(0.01),
  );
}, 600_000);
