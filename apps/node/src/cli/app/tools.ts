/** What the commands `slipstream app` do with an application's file, by development packages of a checkout. */
import { BuildError, type BuildResult, buildApplication, draftApplication, type Finding } from '@slipstream/app-build';

export { simulateFile } from '@slipstream/app-test';
export { buildApplication };

export type Checked =
  | { readonly ok: true; readonly build: BuildResult }
  | { readonly ok: false; readonly findings: readonly Finding[] };

/** Writes nothing. `lock`: of a draft before. Throws BuildError for all but findings. */
export async function checkApplication(file: string, lock?: BuildResult['lock']): Promise<Checked> {
  try {
    return { ok: true, build: await draftApplication(file, lock) };
  } catch (error) {
    if (!(error instanceof BuildError) || error.code !== 'forbidden') throw error;
    return { ok: false, findings: error.data.findings as readonly Finding[] };
  }
}
