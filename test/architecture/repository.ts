/** The repository as data; every checker is a pure function of it. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, extname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

export interface SourceFile {
  /** With forward slashes. */
  readonly path: string;
  readonly text: string;
}

export interface Manifest {
  /** Empty for the root. */
  readonly folder: string;
  readonly name: string;
  readonly exports: Readonly<Record<string, string>>;
  readonly imports: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly dependencies: readonly string[];
  readonly devDependencies: readonly string[];
}

export const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

const foldersLeftOut = new Set([
  '.git',
  '.bootstrap',
  'node_modules',
  'dist',
  'generated',
  'coverage',
  'results',
  '.slipstream',
]);
const textExtensions = new Set(
  '.ts .tsx .mts .mjs .cjs .js .json .md .yml .yaml .html .css .svg .sh .txt .toml .conf .env .npmrc .gitignore'.split(
    ' ',
  ),
);
const textNames = new Set([
  'run',
  'Dockerfile',
  'LICENSE',
  '.npmrc',
  '.gitignore',
  '.dockerignore',
  '.editorconfig',
  '.env',
]);

export function readRepository(folder = ''): readonly SourceFile[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
    if (entry.isDirectory()) return foldersLeftOut.has(entry.name) ? [] : readRepository(path);
    if (!entry.isFile() || !(textNames.has(entry.name) || textExtensions.has(extname(entry.name)))) return [];
    return [{ path, text: readFileSync(join(root, path), 'utf8') }];
  });
}

export function readManifests(files: readonly SourceFile[]): readonly Manifest[] {
  return files
    .filter(({ path }) => /^((packages|apps)\/[^/]+\/|console\/)?package\.json$/.test(path))
    .map(({ path, text }) => parseManifest(path, text));
}

export function parseManifest(path: string, text: string): Manifest {
  const json: Partial<Record<string, Record<string, never>>> & { name: string } = JSON.parse(text);
  return {
    folder: relative('.', dirname(path)),
    name: json.name,
    exports: json.exports ?? {},
    imports: json.imports ?? {},
    dependencies: Object.keys({ ...json.dependencies, ...json.optionalDependencies }),
    devDependencies: Object.keys({ ...json.devDependencies, ...json.peerDependencies }),
  };
}

export const isCode = ({ path }: SourceFile): boolean => /\.(ts|tsx|mts|mjs|cjs|js)$/.test(path);
