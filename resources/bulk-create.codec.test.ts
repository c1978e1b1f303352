// Tests the result of a bulk create for each object, in any order that the server returns.
import { expect, it } from "vitest";
import { bulkCreate } from "./bulk-create.codec.ts";

const subjects = ["a", "b", "c", "d"].map((name) => ({ spec: { name } }));
const { outcome } = bulkCreate("name");

it("gives each object its own id, and none to what failed or came back under another name", () => {
  const succeeded = [
    { id: 3, name: "c" },
    { id: 4, name: "D" },
    { id: 1, name: "a" },
  ];
  const failed = [{ index: 1, error: { status: 409, message: "exists" } }];
  expect(outcome({ succeeded, failed }, subjects)).toMatchObject([
    { id: 1 },
    { failure: { code: "conflict" } },
    { id: 3 },
    { id: undefined },
  ]);
});
