// More policies on one object than the server accepts, of groups, users and all users together.
import { expect, it } from "vitest";
import type { Kind } from "../../core/kind/kind.ts";
import { limits } from "../../core/limits/limits.ts";
import { dashboardEmbedAccess } from "../../resources/dashboard-embed-access.ts";
import { allTenantsEmbedAccess } from "../../resources/all-tenants-embed-access.ts";
import {
  folderAccess,
  folderAllUsersAccess,
  folderUserAccess,
} from "../../resources/folder-access.ts";
import { workbookAccess } from "../../resources/workbook-access.ts";
import { excessObjects } from "./object-limits.ts";

const deployment = "production";
const of = (kind: Kind, count: number, spec: (index: number) => object) =>
  Array.from({ length: count }, (_, index) => ({
    kind,
    address: `${kind.name}/${index}`,
    spec: { deployment, ...spec(index) },
  }));

const excess = (...objects: ReturnType<typeof of>) =>
  excessObjects(objects).map(({ object, count, limit }) => [object.address, count, limit.max]);

it("counts the policies of all subjects on one object, and those on other objects apart", () => {
  const folder = "sales";
  const most = limits.resourcePolicies - 2;
  const accepted = [
    ...of(folderAccess, most, (index) => ({ folder, group: `group-${index}` })),
    ...of(folderUserAccess, 1, () => ({ folder, user: "jane" })),
    ...of(folderAllUsersAccess, 1, () => ({ folder })),
    ...of(folderAllUsersAccess, 1, () => ({ folder: "other" })),
    ...of(workbookAccess, 1, () => ({ workbook: folder, group: "group" })),
  ];
  expect(excess(...accepted)).toEqual([]);
  const another = of(folderUserAccess, 1, () => ({ folder, user: "sam" }));
  const max = limits.resourcePolicies;
  expect(excess(...accepted, ...another)).toEqual([["FolderUserAccess/0", max + 1, max]]);
});

it("counts the access of embed tenants to one workbook", () => {
  const workbook = "sales";
  const max = limits.embedAccess;
  const accepted = of(dashboardEmbedAccess, max, (index) => ({
    workbook,
    embedTenant: `tenant-${index}`,
  }));
  expect(excess(...accepted)).toEqual([]);
  const all = of(allTenantsEmbedAccess, 1, () => ({ workbook }));
  expect(excess(...accepted, ...all)).toEqual([["AllTenantsEmbedAccess/0", max + 1, max]]);
});
