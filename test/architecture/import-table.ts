/**
 * Allowed imports between packages, lowest layer first.
 *
 *   primitives <- everything below may import it
 *   types, ports, state, wal ... <- crypto, ledger, network <- consensus, execution <- pipeline ... <- apps/node
 */
import { builtinModules } from 'node:module';
import type { Manifest, SourceFile } from './repository.ts';
import { isCode } from './repository.ts';
import { readSyntax } from './syntax.ts';

/** By folder: allowed imports besides `primitives`, as after "@slipstream/". */
export const importTable: Readonly<Record<string, readonly string[]>> = {
  'packages/primitives': [],
  'packages/ports': [],
  'packages/app': [],
  'packages/types': ['app/forms'],
  'packages/schema': ['types', 'distilled', 'state-tree/proofs'],
  'packages/crypto': ['types', 'ports'],
  'packages/records': ['ports'],
  'packages/wal': ['ports', 'records'],
  'packages/consensus': ['types', 'crypto', 'ports', 'wal'],
  'packages/flight-recorder': ['ports', 'consensus'],
  'packages/sync': ['types', 'ports', 'consensus', 'distilled', 'state', 'ledger'],
  'packages/dissemination': ['types', 'crypto', 'distilled', 'ports', 'wal'],
  'packages/distilled': ['types', 'ports'],
  'packages/broker': ['types', 'distilled', 'distilled/stream', 'ports'],
  'packages/execution': ['types', 'crypto', 'distilled', 'ports', 'app/program', 'app-realm/limits'],
  'packages/state': ['ports', 'records'],
  'packages/state-tree': ['types'],
  'packages/ledger': ['types', 'ports', 'chunk-files'],
  'packages/chunk-files': ['ports', 'records'],
  'packages/platform': ['ports'],
  'packages/pipeline': ['types', 'crypto', 'distilled', 'execution', 'state', 'state-tree', 'ledger', 'ports'],
  'packages/network': ['types', 'ports'],
  'packages/api': ['types', 'distilled', 'schema', 'state-tree/proofs', 'ports', 'app/program'],
  'packages/client': [
    ...['types', 'distilled', 'distilled/stream', 'schema', 'state-tree/proofs', 'crypto/browser'],
    ...['app', 'app/program'],
  ],
  'packages/simulator': ['types', 'ports'],
  'packages/checkout': [],
  'packages/devnet': [
    ...[
      'types',
      'schema',
      'ports',
      'client',
      'network',
      'platform',
      'checkout',
      'command-line',
      'api/security-headers',
    ],
    ...['node-home', 'node-home/chain', 'node-home/state', 'node-home/applications'],
  ],
  'packages/node-home': [
    ...['types', 'schema', 'ports', 'api/addresses', 'consensus/options', 'crypto', 'crypto/native', 'network'],
    ...['execution', 'platform', 'state', 'sync/state-sync', 'app/program', 'app-realm'],
  ],
  'packages/command-line': ['client'],
  'packages/app-realm': ['app/program'],
  'packages/app-build': ['app/program', 'app-realm'],
  'packages/app-test': [
    ...['types', 'execution', 'app', 'app/program', 'app-realm', 'app-build', 'simulator', 'checkout'],
  ],
  'apps/loadgen': [
    ...['types', 'schema', 'client', 'crypto', 'crypto/native', 'execution'],
    ...['command-line', 'devnet', 'node-home', 'node-home/applications', 'app/program', 'app-build'],
  ],
  console: ['app/program', 'client', 'client/light', 'schema'],
};

/** May import all packages of the product, and every entry. */
const unrestricted = 'apps/node';

/** Not in the image: no product code may import them. */
const developmentPackages: ReadonlySet<string> = new Set(['devnet', 'simulator', 'app-build', 'app-test']);
/** Commands for those who write applications. They say so where a checkout's development packages are missing. */
const forApplications = { folder: 'apps/node/src/cli/app/', packages: ['app-build', 'app-test'] } as const;

/** The console uses only the client, which provides bytes and keys; applications bundle `app`, which imports nothing. */
const withoutPrimitives: readonly string[] = ['console', 'packages/app', 'packages/primitives'];

/** One line per import, with its place and the table's row. */
export function findWrongArrows(files: readonly SourceFile[], manifests: readonly Manifest[]): readonly string[] {
  return manifests
    .filter(({ folder }) => folder !== '')
    .flatMap((manifest) => {
      if (manifest.folder !== unrestricted && importTable[manifest.folder] === undefined)
        return [`${manifest.folder} is not in the import table: give it a row and a reason`];
      const sources = files.filter((file) => file.path.startsWith(`${manifest.folder}/src/`) && isCode(file));
      return [...wrongDependencies(manifest), ...sources.flatMap((file) => wrongImports(file, manifest, manifests))];
    });
}

function wrongDependencies(manifest: Manifest): readonly string[] {
  return manifest.dependencies
    .filter((name) => name.startsWith('@slipstream/'))
    .map((name) => name.slice('@slipstream/'.length))
    .filter(
      (name) => !allowedFrom(manifest.folder).some((allowed) => allowed === name || allowed.startsWith(`${name}/`)),
    )
    .filter(() => manifest.folder !== unrestricted)
    .map((name) => `${manifest.folder}/package.json: ${manifest.folder} -> ${name} is not in the import table`);
}

function wrongImports(file: SourceFile, manifest: Manifest, manifests: readonly Manifest[]): readonly string[] {
  return readSyntax(file).imports.flatMap(({ specifier, line }) => {
    const reason = reasonAgainst(specifier, file, manifest, manifests);
    return reason === undefined ? [] : [`${file.path}:${line}: ${manifest.folder} -> ${specifier}: ${reason}`];
  });
}

function reasonAgainst(
  specifier: string,
  file: SourceFile,
  manifest: Manifest,
  manifests: readonly Manifest[],
): string | undefined {
  if (specifier === '(computed)') return 'an import must name its module literally';
  if (specifier.startsWith('.')) return leavesPackage(specifier, file, manifest) ? 'leaves its package' : undefined;
  if (specifier.startsWith('#'))
    return manifest.imports[specifier] ? undefined : 'is not in the imports of its package.json';
  if (specifier.startsWith('@slipstream/'))
    return isForApplications(specifier, file) ? undefined : reasonAgainstPackage(specifier, manifest, manifests);
  if (specifier.startsWith('node:')) return undefined;
  if (builtinModules.includes(specifier)) return `write node:${specifier}`;
  const name = packageName(specifier);
  // A development dependency is not in the image.
  return manifest.dependencies.includes(name)
    ? undefined
    : `${name} is not a dependency in ${manifest.folder}/package.json`;
}

function isForApplications(specifier: string, { path }: SourceFile): boolean {
  return (
    path.startsWith(forApplications.folder) &&
    forApplications.packages.some((name) => specifier === `@slipstream/${name}`)
  );
}

function reasonAgainstPackage(
  specifier: string,
  manifest: Manifest,
  manifests: readonly Manifest[],
): string | undefined {
  const target = specifier.slice('@slipstream/'.length);
  const [name = '', ...entry] = target.split('/');
  const provider = manifests.find((candidate) => candidate.name === `@slipstream/${name}`);
  if (provider === undefined) return 'there is no such package';
  if (provider.exports[['.', ...entry].join('/')] === undefined) return 'is not in the exports of its package.json';
  if (provider.folder === manifest.folder) return 'a package imports its own files by path';
  if (manifest.folder === unrestricted) return developmentPackages.has(name) ? 'is for development' : undefined;
  return allowedFrom(manifest.folder).includes(target) ? undefined : 'is not in the import table';
}

function allowedFrom(folder: string): readonly string[] {
  const row = importTable[folder] ?? [];
  return withoutPrimitives.includes(folder) ? row : ['primitives', ...row];
}

function leavesPackage(specifier: string, file: SourceFile, manifest: Manifest): boolean {
  const resolved = new URL(specifier, `file:///${file.path}`).pathname.slice(1);
  return !resolved.startsWith(`${manifest.folder}/`);
}

export function packageName(specifier: string): string {
  const parts = specifier.split('/');
  return parts.slice(0, specifier.startsWith('@') ? 2 : 1).join('/');
}
