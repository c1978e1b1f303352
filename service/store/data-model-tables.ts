// The tables of data models as Kysely types; see schema.ts.
import type { Generated } from "kysely";

/** Contents of files of data models, by hash. */
interface ModelContentTable {
  id: Generated<number>;
  /** SHA-256, hexadecimal: the identity of the content. */
  sha256: string;
  /** SHA-1, hexadecimal, by which clients compare files. */
  sha1: string;
  bytes: number;
  /** `utf8`, or `base64` for a file that is not text. */
  encoding: string;
  content: string;
  /** Time of the last write that used it. An unused content is deleted a day later. */
  used_at: string;
}

/** Sets of files. A tree never changes. */
interface ModelTreeTable {
  id: Generated<number>;
  deployment_id: number;
  /** SHA-1 over paths and contents, hexadecimal. */
  hash: string;
  /** Time of the last write that used it. An unused tree is deleted a day later. */
  used_at: string;
}

/** The files of trees. */
interface ModelTreeFileTable {
  tree_id: number;
  path: string;
  content_id: number;
}

/** Commits of data models. A parent has a smaller id than its children. */
interface ModelCommitTable {
  id: Generated<number>;
  deployment_id: number;
  /** Null once no merge can need it any more. */
  tree_id: number | null;
  first_parent_id: number | null;
  /** The merged commit. */
  second_parent_id: number | null;
  message: string;
  /** Null for commits of the service. */
  user_id: number | null;
  created_at: string;
  /** A commit of the Git remote with these files, hexadecimal; null if there is none. */
  remote_commit: string | null;
}

/** Branches of data models. */
interface BranchTable {
  id: Generated<number>;
  deployment_id: number;
  name: string;
  /** The files; on a dev-mode branch with its uncommitted changes. */
  tree_id: number;
  /** The last commit. */
  head_id: number;
  /** Null for a branch without a parent, such as the deploy branch. */
  parent_id: number | null;
  /** The user of a personal dev-mode branch; null for a shared branch. */
  dev_user_id: number | null;
  /** 1 if the staging environment of a shared branch is always active. */
  staging_enabled: Generated<number>;
  /** Null for the first branch of a deployment, and for branches of older versions. */
  created_at: string | null;
  /** Tree of the last upload; null without one. */
  upload_tree_id: Generated<number | null>;
}

/** The branch that a credential works on. */
interface DevSessionTable {
  deployment_id: number;
  /** The credential's id. */
  credential: string;
  branch_id: number;
}

/** Uploads that were not finished. */
interface UploadTable {
  id: string;
  deployment_id: number;
  branch_id: number;
  /** The credential that started the upload. */
  credential: string;
  /** Tree of the branch at the start. */
  base_tree_id: number;
  expires_at: string;
  /** Number of its files in `upload_files`, and their bytes. */
  file_count: Generated<number>;
  file_bytes: Generated<number>;
}

/** Files of uploads. */
interface UploadFileTable {
  upload_id: string;
  path: string;
  content_id: number;
}

/** Builds of trees; the newest ones of each branch. */
interface BuildTable {
  id: Generated<number>;
  branch_id: number;
  tree_id: number;
  /** Platform version of the deployment. */
  version: string;
  /** `queued`, `building`, `built`, `failed` or `cancelled`. */
  status: string;
  attempts: number;
  /** End of the builder's lease; null if not building. */
  leased_until: string | null;
  error_text: string | null;
  updated_at: string;
}

/** Git remotes of deployments, at most one each. */
interface GitConnectionTable {
  id: Generated<number>;
  deployment_id: number;
  /** Without a password. */
  remote_url: string;
  username: string | null;
  known_hosts: string | null;
  /** Installation of the GitHub App; its tokens are requested when needed. */
  installation_id: number | null;
  /** Commit of the remote that the deploy branch stays at; null if it follows the remote. */
  pinned_commit: string | null;
  /** Webhooks since the last pull; 0 if there is nothing to pull. */
  pull_requested: number;
  /** Failed attempts since the last success. */
  attempts: number;
  next_attempt_at: string | null;
  synced_at: string | null;
  /** JSON, encrypted for its deployment. */
  sealed_secrets: string;
}

/** The common state of shared branches and the remote. */
interface GitBranchTable {
  branch_id: number;
  /** The commit of the branch, and the commit of the remote with the same files; null before the first push. */
  commit_id: number | null;
  remote_commit: string | null;
  /** A push whose outcome is not known; null if there is none. */
  pushing_commit_id: number | null;
  pushing_remote_commit: string | null;
  /** `conflict` or `failed`; null if the last attempt succeeded. */
  problem: string | null;
  error_text: string | null;
}

/** Tokens of environments. They are signed again when they are listed. */
interface EnvironmentTokenTable {
  id: Generated<number>;
  branch_id: number;
  user_id: number;
  /** The credential that created it. */
  credential: string;
  /** JSON; null if the token has none. */
  security_context: string | null;
  /** JSON; null if the token is not limited. */
  scopes: string | null;
  /** Seconds since 1970. */
  issued_at: number;
  expires_at: string;
}

/** The newest log lines of deployments. */
interface LogLineTable {
  id: Generated<number>;
  deployment_id: number;
  /** `production` or `dev`. */
  source: string;
  pod: string;
  container: string;
  logged_at: string;
  message: string;
}

/** Integrations of transformation projects, at most one for each deployment. */
interface TransformIntegrationTable {
  id: Generated<number>;
  deployment_id: number;
  /** Without a password. */
  repo_url: string;
  /** Branch or tag; null for the remote's default branch. */
  branch: string | null;
  project_root: string;
  manifest_path: string;
  output_path: string;
  username: string | null;
  known_hosts: string | null;
  /** JSON, encrypted for its deployment. */
  sealed_secrets: string;
}

/** Syncs of transformation projects; the newest ones of each deployment. */
interface SyncRunTable {
  id: Generated<number>;
  deployment_id: number;
  /** ID for callers. */
  job_id: string;
  /** `RUNNING`, `COMPLETED`, `FAILED` or `CANCELLED`. */
  status: string;
  /** Last stage that it reached. */
  stage: string;
  trigger_name: string;
  /** `git` or `manifest`. */
  source: string;
  /** `branch` or `files`. */
  output: string;
  output_path: string;
  branch_name: string;
  git_ref: string | null;
  /** Commit of the ref; null before it is known. */
  head_sha: string | null;
  /** Manifest of the request, as JSON, until the sync ends. */
  manifest: string | null;
  user_id: number | null;
  attempts: number;
  /** End of the runner's lease; null if no server runs it. */
  leased_until: string | null;
  started_at: string;
  updated_at: string;
  completed_at: string | null;
  duration_ms: number | null;
  failed_phase: string | null;
  error_text: string | null;
  /** JSON: the ended phases. */
  phases: string;
  /** JSON: counts of the manifest. */
  stats: string | null;
  /** JSON: the generated paths. */
  paths: string | null;
  /** The generated files with `output: files`. They are readable for a shorter time than unused trees are kept. */
  tree_id: number | null;
}

/** All tables of data models. */
export interface DataModelTables {
  transform_integrations: TransformIntegrationTable;
  sync_runs: SyncRunTable;
  model_contents: ModelContentTable;
  model_trees: ModelTreeTable;
  model_tree_files: ModelTreeFileTable;
  model_commits: ModelCommitTable;
  branches: BranchTable;
  dev_sessions: DevSessionTable;
  uploads: UploadTable;
  upload_files: UploadFileTable;
  builds: BuildTable;
  git_connections: GitConnectionTable;
  git_branches: GitBranchTable;
  environment_tokens: EnvironmentTokenTable;
  log_lines: LogLineTable;
}
