/**
 * One script of an application's modules and its kit, by rolldown. The same sources give the same bytes, wherever they are: no paths, no
 * comments, no settings of a surrounding project.
 */
import { createRequire } from 'node:module';
import { basename, dirname, relative, sep } from 'node:path';
import { type Plugin, rolldown } from 'rolldown';
import { checkSource, type Finding } from './checks/check-source.ts';
import { KIT } from './checks/imports.ts';
import { BuildError } from './errors.ts';
import { freezeTop } from './freeze.ts';
import { BUNDLE } from './names.ts';

interface Bundle {
  /** Defines `BUNDLE` with the export `define`, which makes the program from numbers. */
  readonly code: string;
  /** Absolute paths of the application's modules, sorted. */
  readonly sources: readonly string[];
}

const ENTRY = '\0application';
const PROGRAM = `${KIT}/program`;

/** @param file absolute path. Throws BuildError `forbidden`, `no-application`, `bundle-failed`. */
export async function bundleApplication(file: string): Promise<Bundle> {
  const modules = new Map<string, readonly Finding[]>();
  let code: string | undefined;
  let failure: unknown;
  try {
    code = await bundle(file, modules);
  } catch (error) {
    failure = error;
  }
  // A finding has a line and a remedy, and is often why the bundler failed.
  const findings = [...modules.values()]
    .flat()
    .sort((a, b) => (a.file === b.file ? a.line - b.line : a.file < b.file ? -1 : 1));
  if (findings.length > 0) {
    const message = `not allowed in an application:\n${findings.map((finding) => finding.message).join('\n')}`;
    throw new BuildError('forbidden', message, { findings });
  }
  if (code === undefined) throw bundlerError(file, failure);
  return { code, sources: [...modules.keys()].sort() };
}

/** @param modules gets each module of the application, with its findings */
async function bundle(file: string, modules: Map<string, readonly Finding[]>): Promise<string> {
  const build = await rolldown({
    input: ENTRY,
    cwd: dirname(file),
    platform: 'neutral',
    tsconfig: false,
    plugins: [applicationPlugin(file, modules)],
    onLog: () => {},
    experimental: { attachDebugInfo: 'none' },
  });
  try {
    const { output } = await build.generate({
      format: 'iife',
      name: BUNDLE,
      exports: 'named',
      minify: false,
      comments: false,
      esModule: false,
      generatedCode: { symbols: false },
    });
    return output[0].code;
  } finally {
    await build.close();
  }
}

function applicationPlugin(file: string, modules: Map<string, readonly Finding[]>): Plugin {
  const { resolve } = createRequire(import.meta.url);
  const kit: Readonly<Record<string, string>> = { [KIT]: resolve(KIT), [PROGRAM]: resolve(PROGRAM) };
  const kitFolder = `${dirname(kit[KIT] as string)}${sep}`;
  return {
    name: 'application',
    resolveId(source) {
      if (source === ENTRY) return ENTRY;
      if (kit[source] !== undefined) return kit[source];
      // A foreign import is found below; the bundle goes on, so that one build finds all.
      return source.startsWith('.') || source === file ? undefined : { id: source, external: true };
    },
    load(id) {
      if (id !== ENTRY) return undefined;
      const [from, program] = [file, PROGRAM].map((source) => JSON.stringify(source));
      return `import application from ${from};import { createProgram } from ${program};export const define = (numbers) => createProgram(application, numbers);`;
    },
    transform(code, id) {
      if (id.startsWith('\0') || id.startsWith(kitFolder)) return undefined;
      const name = relative(dirname(file), id).split(sep).join('/');
      modules.set(id, checkSource(name, code));
      return { code: freezeTop(id, code), map: null };
    },
  };
}

function bundlerError(file: string, failure: unknown): BuildError {
  const reason = failure instanceof Error ? failure.message : String(failure);
  const name = basename(file);
  if (/"default" is not exported/.test(reason)) {
    const message = `${name}:1: the file has no default export; end it with "export default application({ ... })"`;
    return new BuildError('no-application', message, { file }, failure);
  }
  return new BuildError('bundle-failed', `${name}: the modules do not fit together: ${reason}`, { file }, failure);
}
