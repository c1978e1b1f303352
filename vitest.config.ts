// How the tests run: every *.test.ts file, beside its source or under test/.
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    environment: "node",
    include: ["**/*.test.ts"],
    exclude: ["**/node_modules/**", "dist/**"],
    // Two processes on two cores. A process keeps its modules from file to file, which is three times
    // as fast as a fresh one for each; tests leave nothing behind, so nothing carries over.
    pool: "forks",
    maxWorkers: 2,
    isolate: false,
    testTimeout: 20_000,
    hookTimeout: 20_000,
  },
});
