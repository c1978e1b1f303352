// Tests whose turn the queries of a stored viewer take.
import { expect, it } from "vitest";
import { viewerOf } from "../areas/dashboard-exports/viewer.ts";
import { turnOf } from "../data-plane/queries.ts";
import type { Principal } from "../security/principal.ts";
import { turnOfViewer } from "./viewer.ts";

const user: Principal = {
  credentialType: "api-key",
  credentialId: "key:1",
  userId: 1,
  deactivations: 0,
  isAdmin: false,
  grants: [],
  limits: {},
  blockedReason: undefined,
};
const session = {
  isExternal: true,
  isCreatorMode: false,
  deploymentId: 1,
  roles: undefined,
  dashboardPublicId: undefined,
};

it("the queries of an export take the turn of the session that asked for it", () => {
  const viewers: readonly Principal[] = [
    user,
    { ...user, credentialId: "session:7", session: { ...session, tenantId: 3 } as never },
    { ...user, credentialId: "session:8", session: { ...session, isExternal: false } as never },
  ];
  const stored = viewers.map((one) => JSON.parse(JSON.stringify(viewerOf(one))));
  expect(stored.map(turnOfViewer)).toEqual([
    { tenant: "", session: undefined },
    { tenant: "3", session: "session:7" },
    { tenant: "", session: "session:8" },
  ]);
  expect(stored.map(turnOfViewer)).toEqual(viewers.map(turnOf));
});
