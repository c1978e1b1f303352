// The example of a Deployment. Tests use it too, so its versions come from the service's built-in catalogue.
import type { Example } from "../core/kind/example.ts";
import type { Spec } from "./deployment.schema.ts";

/** An example with every setting except the settings of single storage providers. */
export const example: Example<Spec> = {
  title: "A production deployment on the release channel",
  name: "production",
  spec: {
    name: "production",
    region: "aws-us-east-1",
    cloudProvider: "svccloud",
    targetPlatform: "aws",
    isManaged: true,
    creationMethod: "github",
    deployMode: "git",
    template: "simpleCluster",
    customDomain: "analytics.example.com",
    deployBranchName: "main",
    deployBranchReadOnly: true,
    deployBranchMergeAllowed: true,
    deployProjectRoot: "model",
    defaultLaunchpadViewGroup: "sales",
    launchpadTabs: ["dashboards", "reports"],
    templateVariables: { currency: "EUR", decimals: 2, beta: false },
    cspsConfig: { enabled: true, storageProvider: "s3", s3Bucket: "extracts" },
    release: { channel: "release" },
  },
  variations: {
    name: "production-eu",
    region: "aws-eu-central-1",
    cloudProvider: "aws",
    targetPlatform: "gcp",
    isManaged: false,
    creationMethod: "upload",
    deployMode: "cli",
    template: "multiCluster",
    customDomain: "bi.example.com",
    deployBranchName: "stable",
    deployBranchReadOnly: false,
    deployBranchMergeAllowed: false,
    deployProjectRoot: "analytics/model",
    defaultLaunchpadViewGroup: "finance",
    launchpadTabs: ["reports", "dashboards", "explore"],
    templateVariables: { currency: "USD", decimals: 2 },
    cspsConfig: { enabled: false, storageProvider: "s3", s3Bucket: "extracts-eu" },
    release: { channel: "latest", version: "1.7.20", hold: true },
  },
};

/** An example with the required settings. */
export const simpleExample: Example<Spec> = {
  title: "A deployment with default settings",
  name: "staging",
  spec: { name: "staging", region: "aws-us-east-1" },
  variations: { name: "test" },
};

/** An example without its own data model, because a GitConnection provides it. */
export const gitExample: Example<Spec> = {
  title: "A deployment whose data model comes from a Git repository",
  name: "warehouse",
  spec: { name: "warehouse", region: "aws-us-east-1", creationMethod: "github" },
  variations: { name: "lake" },
};
