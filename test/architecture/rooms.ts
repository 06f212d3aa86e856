/**
 * Folders below `src` of apps/node; the assembly imports them, so they may not import the assembly.
 *
 *   cli --> assembly --> executor, api-thread, telemetry ... --> storage, threads
 */
import { posix } from 'node:path';
import type { SourceFile } from './repository.ts';
import { isCode } from './repository.ts';
import { readSyntax } from './syntax.ts';

const SOURCES = 'apps/node/src/';
const ASSEMBLY = `${SOURCES}assembly/`;
/** A command starts a node. */
const ABOVE = [ASSEMBLY, `${SOURCES}cli/`];

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
