// Sets up a new scene for each test of promotions, and provides shared helpers.
import { afterAll, afterEach, beforeEach } from "vitest";
import { createRepository, type TestRepository } from "./git-repository.ts";
import { closePromotionFixtures, openPromotionFixture, type PromotionFixture } from "./fixture.ts";

/** Milliseconds of an hour. */
export const hour = 3_600_000;

/** Every step writes and syncs files, and machines that test are busy. */
export const slowTest = { timeout: 60_000 };

/** Agrees to whatever is asked. */
export const approveAll = () => Promise.resolve(true);

/** Promotes by commits that are neither pushed nor only shown. */
export const commitOnly = { push: false, dryRun: false };

/** One run that promotes by commits. */
export function promoteByCommit(
  scene: PromotionFixture,
  { env }: TestRepository,
  more: object = {},
) {
  return scene.promote({ mode: commitOnly, env, ...more });
}

/** Gives every test of a file a scene of its own. */
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

/** The same with its stack under Git, and its versions pinned. */
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
