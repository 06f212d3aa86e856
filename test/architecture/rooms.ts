/**
 * The rooms of apps/node are the folders below its `src`. The assembly imports all of them, so none of them may import the assembly.
 *
 *   cli --> assembly --> executor, api-thread, telemetry ... --> storage, threads
 */
import { posix } from 'node:path';
import type { SourceFile } from './repository.ts';
import { isCode } from './repository.ts';
import { readSyntax } from './syntax.ts';

const SOURCES = 'apps/node/src/';
const ASSEMBLY = `${SOURCES}assembly/`;
/** Exempt: a command starts a node. */
const ABOVE = [ASSEMBLY, `${SOURCES}cli/`];

/** One line per import of the assembly by a room below it. */
export function findImportsOfAssembly(files: readonly SourceFile[]): readonly string[] {
  return files
    .filter(
      (file) => isCode(file) && file.path.startsWith(SOURCES) && !ABOVE.some((room) => file.path.startsWith(room)),
    )
    .flatMap((file) =>
      readSyntax(file)
        .imports.filter(({ specifier }) => specifier.startsWith('.'))
        .filter(({ specifier }) => posix.join(posix.dirname(file.path), specifier).startsWith(ASSEMBLY))
        .map(({ specifier, line }) => `${file.path}:${line}: ${specifier}: the assembly is above it`),
    );
}
