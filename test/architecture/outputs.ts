/** One module writes to standard output and standard error: other writes could silently lose an answer, or end a validator. */
import type { SourceFile } from './repository.ts';
import { readSyntax } from './syntax.ts';

const OWNER = 'packages/command-line/src/output.ts';
const WRITERS = /^(console\.|process\.(stdout|stderr)$)/;

/** One line per other use in apps, packages and scripts. Plain JavaScript is exempt: it runs before anything is installed. */
export function findOutputs(files: readonly SourceFile[]): readonly string[] {
  return files
    .filter(({ path }) => /^((apps|packages)\/[^/]+\/src|scripts)\/.*\.ts$/.test(path) && path !== OWNER)
    .flatMap((file) =>
      readSyntax(file)
        .globals.filter(({ name }) => WRITERS.test(name))
        .map(({ name, line }) => `${file.path}:${line}: ${name}: take a Terminal, or scripts/print.ts`),
    );
}
