/** A folder with an application to begin with: the example `tickets` under another name. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { root } from '@slipstream/checkout';
import { linkKits } from './kit-links.ts';

const TEMPLATE = 'tickets';
const EXAMPLES = 'docs/integrators/examples/applications';

/**
 * @param folder absolute; must not exist
 * @returns the names of the files
 *
 * Throws errors of the file system: EEXIST where the folder exists, and nothing was written.
 */
export async function newApplication(name: string, folder: string): Promise<readonly string[]> {
  const files = await filesOf(name);
  await mkdir(folder);
  for (const [file, text] of files) await writeFile(join(folder, file), text, { flag: 'wx' });
  await linkKits(folder);
  return files.map(([file]) => file);
}

async function filesOf(name: string): Promise<readonly (readonly [file: string, text: string])[]> {
  const example = (suffix: string) => readFile(join(root, EXAMPLES, `${TEMPLATE}${suffix}`), 'utf8');
  const [source, test] = await Promise.all([example('.ts'), example('.test.ts')]);
  return [
    [`${name}.ts`, source.replace(`name: '${TEMPLATE}'`, `name: '${name}'`)],
    [`${name}.test.ts`, test.replaceAll(`./${TEMPLATE}.ts`, `./${name}.ts`)],
    ['package.json', jsonText(packageOf(name))],
    ['tsconfig.json', jsonText(EDITOR_SETTINGS)],
    ['.gitignore', 'build/\nnode_modules/\n'],
  ];
}

function packageOf(name: string) {
  return { name, version: '1.0.0', private: true, type: 'module', main: `${name}.ts`, engines: { node: '>=24' } };
}

/** For editors, and for a type check: nothing here is compiled. */
const EDITOR_SETTINGS = {
  compilerOptions: {
    target: 'esnext',
    module: 'nodenext',
    noEmit: true,
    strict: true,
    noUncheckedIndexedAccess: true,
    allowImportingTsExtensions: true,
    erasableSyntaxOnly: true,
    verbatimModuleSyntax: true,
    skipLibCheck: true,
    types: ['node'],
  },
  include: ['*.ts'],
};

function jsonText(value: unknown): string {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}
