// Tests sessions on the command line for the contents of an account: content, notifications, users, access, keys and
// settings.
import { expect, it } from "vitest";
import { slowTest, useCommandSessions } from "./command-sessions.ts";

const { svc, done, json, failed } = useCommandSessions();

it(
  "client session folders, workbooks, reports, workspace: create to delete, by name",
  slowTest,
  async () => {
    await done("folders create main board");
    await done("folders create main team --parent-id board");
    await done("folders update main team --name squad");
    expect(await done("folders list main --recursive --columns name,path")).toContain(
      "board / squad",
    );
    expect(await done("folders ancestors main squad --columns name")).toBe("NAME\nboard\nsquad\n");
    await done("workbooks create main revenue --folder-id squad");
    await done("workbooks update main revenue --name sales");
    const config = JSON.stringify({ config: { title: "Sales" } });
    const dashboard = await json("workbooks publish main sales --data -", { input: config });
    expect(dashboard).toMatchObject({ status: "published" });
    await done(`embed dashboards enable ${String(dashboard["publicId"])}`);
    await done(`embed dashboards disable ${String(dashboard["publicId"])}`);
    await done("reports create main weekly --workbook-id sales");
    await done("reports update main weekly --name monthly");
    await done("reports disconnect main monthly");
    expect(await json("reports get main monthly")).not.toHaveProperty("workbookId");
    expect(await done("workspace list main --columns type,name")).toMatch(/^FOLDER +board$/mu);
    const { id } = await json("workbooks get main sales");
    await done(`workspace move main WORKBOOK ${String(id)} --folder-id /`);
    expect(await json("workbooks get main sales")).not.toHaveProperty("folderId");
    await done("reports delete main monthly --yes");
    await done("workbooks delete main sales --yes");
    await done("folders delete main squad --yes");
    await done("folders delete main board --yes");
    expect(await failed("folders get main squad")).toEqual([1, expect.stringContaining("squad")]);
  },
);

it("client session embed: what creates a missing tenant says so", slowTest, async () => {
  const create = "embed sessions create main --external-id jane --tenant acme-stores";
  const first = await svc(create);
  expect([first.code, first.err]).toEqual([
    0,
    'created the embed tenant "acme-stores"; if the name is wrong, `svc embed tenants delete acme-stores` deletes it\n',
  ]);
  const again = await svc(create);
  expect([again.code, again.err]).toEqual([0, ""]);
  const other = await svc("embed users provision acme-store jane");
  expect([other.code, other.err]).toEqual([
    0,
    expect.stringContaining('created the embed tenant "acme-store"'),
  ]);
});

it(
  "client session notifications: a schedule, its recipients by email, and its end",
  slowTest,
  async () => {
    await done("workbooks create main source");
    const config = JSON.stringify({ config: { title: "Source" } });
    const create = "notifications create main DAILY --dashboard-id source --hour 6";
    expect(await failed(create)).toEqual([
      1,
      expect.stringContaining("has no published dashboard"),
    ]);
    await done("workbooks publish main source --data -", { input: config });
    const created = await json(create);
    const one = `main ${String(created["id"])}`;
    expect(await done("notifications list main --columns schedule")).toContain(
      "Every day at 06:00",
    );
    await done(`notifications update ${one} --hour 7`);
    expect(await json(`notifications get ${one}`)).toMatchObject({ cronExpression: "0 7 * * *" });
    await done(`notifications recipients add ${one} --email admin@svc.localhost`);
    const list = `notifications recipients list ${one} --columns userId,email`;
    expect(await done(list)).toMatch(/^1 +admin@svc\.localhost$/mu);
    await done(`notifications recipients remove ${one} --user-id 1 --yes`);
    expect(await done(list)).not.toContain("admin@");
    await done(`notifications delete ${one} --yes`);
  },
);

it(
  "client session users, groups, attributes, policies: access of a new user",
  slowTest,
  async () => {
    await done("users create eve@example.com --username eve --role AIBIViewer");
    await done("users update eve --first-name Eve");
    expect(await done("users list --columns username,name")).toMatch(/^eve +Eve$/mu);
    await done("groups create night");
    await done("groups users add night eve@example.com");
    expect(await done("groups users list night --columns username")).toBe("USERNAME\neve\n");
    await done("attributes create zone string");
    await done("attributes values set eve zone --value 7");
    expect(await done("attributes values list eve --columns name,value")).toMatch(/^zone +7$/mu);
    await done("policies set-user Deployment main --user eve --action DeploymentRead");
    await done("policies set-group Deployment main night --action DeploymentRead");
    const policies = await done("policies list Deployment main --columns name,action");
    expect(policies).toBe(
      "NAME             ACTION\neve@example.com  DeploymentRead\nnight            DeploymentRead\n",
    );
    const set = "policies set-user Deployment main --user eve";
    expect(await failed(set)).toEqual([64, expect.stringContaining("missing --action")]);
    const both = await failed(`${set} --action All --remove`);
    expect(both).toEqual([64, expect.stringContaining("pass one of them")]);
    const removal = await svc(`${set} --remove`);
    expect([removal.code, removal.err]).toEqual([
      5,
      expect.stringContaining("svc did not remove the policy of user eve on Deployment main"),
    ]);
    const ofAll = await svc("policies set-user Deployment main --remove");
    expect(ofAll.err).toContain("svc did not remove the policy of all users on Deployment main");
    expect(await done("policies list Deployment main")).toContain("eve@");
    await done(`${set} --remove --yes`);
    expect(await done("policies list Deployment main")).not.toContain("eve@");
    await done("attributes delete zone --yes");
    await done("groups delete night --yes");
    await done("users delete eve --yes");
  },
);

it("client session scim: users as an identity provider provisions them", slowTest, async () => {
  expect(await failed("scim users list")).toEqual([77, expect.stringContaining("scimEnabled")]);
  await done("tenant settings update --scim-enabled");
  const user = { userName: "cy", emails: [{ value: "cy@example.com", primary: true }] };
  const schemas = ["urn:ietf:params:scim:schemas:core:2.0:User"];
  const input = JSON.stringify({ schemas, ...user });
  const { id } = await json("scim users create --data -", { input });
  const pages = await json("scim users list");
  expect(pages["Resources"]).toHaveLength(Number(pages["totalResults"]));
  expect(await done("scim users list --limit 1")).toMatch(/^ID +USER NAME +ACTIVE.*\n1 .*\n$/u);
  expect(
    await done('scim users search --data {"filter":"userName\\u0020eq\\u0020\\"cy\\""}'),
  ).toContain("cy");
  await done(`scim users delete ${String(id)} --yes`);
  expect(await done("scim resource-types list --columns id")).toBe("ID\nUser\nGroup\n");
  await done("tenant settings update --no-scim-enabled");
});

it(
  "client session api-keys, tenant, app, environments, variables, regions: settings",
  slowTest,
  async () => {
    const created = await json("api-keys create ci --deployment main --permission DeploymentRead");
    expect(created["token"]).toEqual(expect.stringMatching(/^sk-/u));
    const keys = await done("api-keys list --columns name,deployments,permissions");
    expect(keys).toMatch(/^ci +1 +DeploymentRead$/mu);
    await done("api-keys update ci --name pipeline");
    await done("api-keys delete pipeline --yes");
    expect(await json("tenant settings")).toMatchObject({ embeddingEnabled: true });
    await done("app config update --apply-theme-globally");
    expect(await json("app theme")).toMatchObject({ applyThemeGlobally: true });
    expect(await done("environments list main --columns type,branch")).toMatch(
      /^production +main$/mu,
    );
    const scope = '{"security_context":{"team":"a"}}';
    const { data } = await json(`environments tokens create main 1 --data ${scope}`);
    const { token } = data as { readonly token: string };
    expect(token).toContain(".");
    for (const form of ["", " --columns scopes,token", " --json"]) {
      const listed = await done(`environments tokens list main 1${form}`);
      expect(listed).not.toContain(token.split(".").at(-1));
      if (form !== "") expect(listed).toContain("[HIDDEN]");
    }
    await done("variables set main REGION=EMEA");
    expect(await done("variables list main")).toMatch(/^REGION +EMEA$/mu);
    await done("variables delete main REGION --yes");
    expect(await done("regions --columns name")).toContain("aws-us-east-1");
  },
);

it("client session oidc, integrations: tokens of deployments and of users", slowTest, async () => {
  await done("oidc create AWS --name aws");
  expect(await json("oidc token aws main")).toMatchObject({ token: expect.any(String) });
  await done("oidc update aws --no-is-enabled");
  expect(await done("oidc list --columns name,enabled")).toBe("NAME  ENABLED\naws   false\n");
  await done("oidc delete aws --yes");
  const urls = ["auth", "token"].map((one) => `--${one}-url https://login.example.com/${one}`);
  const create = `integrations create drive --type drive ${urls.join(" ")} --client-id svc --redirect-uri https://svc.example.com/back`;
  expect(await failed(create)).toEqual([64, expect.stringContaining("clientSecret with --data")]);
  await done(`${create} --data -`, { input: '{"clientSecret":"hidden"}' });
  expect(await done("integrations list")).not.toContain("hidden");
  await done("integrations delete drive --yes");
});
