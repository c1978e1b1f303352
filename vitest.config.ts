// How the tests run: every *.test.ts file, beside its source or under test/.
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    environment: "node",
    include: ["**/*.test.ts"],
    exclude: ["**/node_modules/**", "dist/**"],
    testTimeout: 20_000,
    hookTimeout: 20_000,
  },
});
