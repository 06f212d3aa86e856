/**
 * The rooms of apps/node are the folders below its `src`. The assembly imports them, so they may not import the assembly.
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

/** Rooms of the node that code outside it imports, with the reason. All else outside uses packages. */
export const OPEN_ROOMS: Readonly<Record<string, string>> = {
  assembly: 'benches, the simulator and hostile validators wire a node as the node does',
  backend: 'the fuzzer of files damages the audit log',
  cli: 'containers and tests run commands in their own process; a test compares guides with the table of commands',
  epochs: 'the simulator keeps the records of epochs as the node does',
  executor: 'a bench measures the messages of its thread',
  parallel: 'a bench measures its threads',
  storage: 'tests of damaged files and of state sync open the stores as the node does',
  telemetry: 'tests compare alert rules and metrics with guides and with a running node',
};

/** One line per import, from outside, of a source of an app that is in no open room. */
export function findImportsOfApps(files: readonly SourceFile[]): readonly string[] {
  return importsOfApps(files)
    .filter(({ room }) => room === undefined || OPEN_ROOMS[room] === undefined)
    .map(({ place, specifier }) => `${place}: ${specifier}: import a package, or open the room with a reason`);
}

export function findUnusedRooms(files: readonly SourceFile[]): readonly string[] {
  const used = new Set(importsOfApps(files).map(({ room }) => room));
  return Object.keys(OPEN_ROOMS).filter((room) => !used.has(room));
}

/** `room` is undefined for other apps than the node. */
function importsOfApps(files: readonly SourceFile[]) {
  return files
    .filter((file) => isCode(file) && !file.path.startsWith('apps/'))
    .flatMap((file) =>
      readSyntax(file)
        .imports.filter(({ specifier }) => specifier.startsWith('.'))
        .map(({ specifier, line }) => ({
          place: `${file.path}:${line}`,
          specifier,
          target: posix.join(posix.dirname(file.path), specifier),
        }))
        .filter(({ target }) => /^apps\/[^/]+\/src\//.test(target))
        .map(({ place, specifier, target }) => ({
          place,
          specifier,
          room: target.startsWith(SOURCES) ? target.slice(SOURCES.length).split('/')[0] : undefined,
        })),
    );
}
