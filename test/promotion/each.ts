// What the tests of promotions begin with: a scene of their own for each, and the words they share.
import { afterEach, beforeEach } from "vitest";
import { repositoryOf, type TestRepository } from "./repository.ts";
import { openScene, type Scene } from "./scene.ts";

/** Milliseconds of an hour. */
export const hour = 3_600_000;

/** Every step writes and syncs files, and machines that test are busy. */
export const patience = { timeout: 60_000 };

/** Agrees to whatever is asked. */
export const yes = () => Promise.resolve(true);

/** Promotes by commits that are neither pushed nor only shown. */
export const write = { push: false, dry: false };

/** One run that promotes by commits. */
export function committed(scene: Scene, { env }: TestRepository, more: object = {}) {
  return scene.promote({ way: write, env, ...more });
}

/** Gives every test of a file a scene of its own. */
export function eachScene(begin: (scene: Scene) => void): void {
  let scene: Scene | undefined;
  beforeEach(async () => {
    scene = await openScene();
    begin(scene);
  });
  afterEach(() => scene?.close());
}

/** The same with its stack under Git, and its versions pinned. */
export function eachRepository(begin: (scene: Scene, repository: TestRepository) => void): void {
  let repository: TestRepository | undefined;
  eachScene((scene) => {
    repository = repositoryOf(scene);
    begin(scene, repository);
  });
  afterEach(() => repository?.dispose());
}
