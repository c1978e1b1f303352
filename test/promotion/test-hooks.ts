// Sets up a new scene for each test of promotions, and provides shared helpers.
import { afterAll, afterEach, beforeEach } from "vitest";
import { createRepository, type TestRepository } from "./git-repository.ts";
import { closePromotionFixtures, openPromotionFixture, type PromotionFixture } from "./fixture.ts";

/** Milliseconds of an hour. */
export const hour = 3_600_000;

/** Every step writes and syncs files, and test machines are busy. */
export const slowTest = { timeout: 60_000 };

/** Confirms every question. */
export const approveAll = () => Promise.resolve(true);

/** Options to promote by commits that are not pushed. */
export const commitOnly = { push: false, dryRun: false };

/** Runs one promotion by commits. */
export function promoteByCommit(
  scene: PromotionFixture,
  { env }: TestRepository,
  more: object = {},
) {
  return scene.promote({ mode: commitOnly, env, ...more });
}

/** Gives every test of a file a separate scene. */
export function setUpFixture(
  begin: (scene: PromotionFixture) => void,
  open: () => Promise<PromotionFixture> = openPromotionFixture,
): void {
  let scene: PromotionFixture | undefined;
  beforeEach(async () => {
    scene = await open();
    begin(scene);
  });
  afterEach(() => scene?.close());
  afterAll(closePromotionFixtures);
}

/** Does the same with the stack in Git and with pinned versions. */
export function setUpRepository(
  begin: (scene: PromotionFixture, repository: TestRepository) => void,
): void {
  let repository: TestRepository | undefined;
  setUpFixture((scene) => {
    repository = createRepository(scene);
    begin(scene, repository);
  });
  afterEach(() => repository?.dispose());
}
