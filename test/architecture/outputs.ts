/** Standard output and standard error have one owner: what writes past it loses an answer, or ends a validator, without a word. */
import type { SourceFile } from './repository.ts';
import { readSyntax } from './syntax.ts';

const OWNER = 'apps/node/src/cli/output.ts';
const WRITERS = /^(console\.|process\.(stdout|stderr)$)/;

/** One line for each other use in apps and scripts. Plain JavaScript is left out: it runs before anything is installed. */
export function findOutputs(files: readonly SourceFile[]): readonly string[] {
  return files
    .filter(({ path }) => /^(apps\/[^/]+\/src|scripts)\/.*\.ts$/.test(path) && path !== OWNER)
    .flatMap((file) =>
      readSyntax(file)
        .globals.filter(({ name }) => WRITERS.test(name))
        .map(({ name, line }) => `${file.path}:${line}: ${name}: take a Terminal, or scripts/print.ts`),
    );
}
