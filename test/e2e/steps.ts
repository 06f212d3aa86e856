/**
 * Steps that build on each other, as one test: its second try repeats all of them, on the network that `beforeEach` makes for each try. Tests
 * of their own would find what a failed try left.
 */
export type Steps = Readonly<Record<string, () => Promise<void>>>;

/** Throws with the name of the step that failed. */
export async function playSteps(steps: Steps): Promise<void> {
  for (const [what, play] of Object.entries(steps)) {
    try {
      await play();
    } catch (cause) {
      throw new Error(`${what}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
    }
  }
}
