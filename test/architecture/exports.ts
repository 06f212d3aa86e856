/**
 * Exports that no other file uses, by name: a name that occurs in another file counts as used. `export { name } from` is no use. The SDK's
 * index and those of the kits for applications are public, so their exports count as used.
 */
import { isCode, type SourceFile } from './repository.ts';
import { parse, visit } from './tree.ts';

const PUBLIC_INDEXES: readonly string[] = [
  'packages/client/src/index.ts',
  'packages/app/src/index.ts',
  'packages/app/src/program/index.ts',
  'packages/app-test/src/index.ts',
];

interface Names {
  readonly path: string;
  readonly declared: readonly string[];
  readonly used: ReadonlySet<string>;
}

/** "path name" of each. */
export function findUnusedExports(files: readonly SourceFile[]): readonly string[] {
  const all = files.filter((file) => isCode(file) || file.path.endsWith('.tsx')).map(readNames);
  const users = new Map<string, Set<string>>();
  for (const { path, used } of all) {
    for (const name of used) {
      const paths = users.get(name);
      if (paths === undefined) users.set(name, new Set([path]));
      else paths.add(path);
    }
  }
  return all
    .filter(({ path }) => /^(packages|apps)\/[^/]+\/src\/|^console\/src\//.test(path))
    .flatMap(({ path, declared }) =>
      declared.filter((name) => isUnused(users.get(name), path)).map((name) => `${path} ${name}`),
    );
}

function isUnused(users: ReadonlySet<string> | undefined, path: string): boolean {
  const others = (users?.size ?? 0) - (users?.has(path) ? 1 : 0);
  return others === 0;
}

function readNames(file: SourceFile): Names {
  const { program } = parse(file);
  const used = new Set<string>();
  visit(program, (node, _key, parent) => {
    if (node.type !== 'Identifier' && node.type !== 'JSXIdentifier') return;
    // An index only passes names on.
    if (parent?.type !== 'ExportSpecifier' || PUBLIC_INDEXES.includes(file.path)) used.add(String(node.name));
  });
  const declared = (program.body as readonly Statement[]).flatMap(({ type, declaration }) => {
    if (type !== 'ExportNamedDeclaration' || !declaration) return [];
    const named = declaration.declarations ?? [declaration];
    return named.flatMap(({ id }) => (id?.name === undefined ? [] : [id.name]));
  });
  return { path: file.path, declared, used };
}

interface Named {
  readonly id?: { readonly name?: string } | null;
}

interface Statement {
  readonly type: string;
  readonly declaration?: (Named & { readonly declarations?: readonly Named[] }) | null;
}
