/**
 * Builds the bundle of the program `slipstream` (packages/checkout/src/bundle.mjs).
 *
 * Each thread's module becomes an entry; what several entries use becomes a file that they share. Packages with native code stay
 * outside, as they find it beside their own files, and so do the checkout, which finds its folder so, the SDK of traces, and the bundler.
 */
import { mkdirSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { isAbsolute, join, relative, sep } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { rolldown } from 'rolldown';
import { bundleFolder, bundleInput, readManifest } from '../../packages/checkout/src/bundle.mjs';
import { nameSourcesInStacks } from '../../packages/checkout/src/stack-sources.mjs';

const native = '@chainsafe/(blst|hashtree)|classic-level|sodium-native|zstd-napi';
/** Loaded by commands for those who write applications, in a checkout. */
const building = 'rolldown';
/** Loaded while traces are on, and then import more as they run. */
const tracing = '@opentelemetry/(?!api)[^/]+';
const outside = new RegExp(`^(@slipstream/checkout|${native}|${tracing}|${building})(/|$)`);

const threadModule = /new URL\('(\.\/[^']+\.ts)', import\.meta\.url\)/g;

/** Besides the sources inside: the dependencies, how a bundle is built, and the package that it imports from outside. */
const otherInputs = [
  'node_modules/.package-lock.json',
  'scripts/bootstrap/bundle.mjs',
  'tsconfig.json',
  'packages/checkout/package.json',
];
const sourcesOutside = 'packages/checkout/src';

/** Stands at the head of each entry, and so runs first in its thread. */
const namesSources = [
  `import { ${nameSourcesInStacks.name} } from '@slipstream/checkout/stack-sources';`,
  `${nameSourcesInStacks.name}(new URL('.', import.meta.url).href);`,
].join('\n');

/** @type {import('rolldown').Plugin} */
export const threads = {
  name: 'threads',
  transform: {
    filter: { code: threadModule },
    handler(code, id) {
      const replaced = code.replaceAll(threadModule, (_, path) => {
        const entry = this.emitFile({ type: 'chunk', id: fileURLToPath(new URL(path, pathToFileURL(id))) });
        return `new URL(import.meta.ROLLUP_FILE_URL_${entry})`;
      });
      return { code: replaced, map: null };
    },
  },
};

/**
 * What is bundled. The modules of threads are added by the plugin that replaces their URLs.
 * @param {string} root
 * @returns {import('rolldown').InputOptions}
 */
export function programOf(root) {
  return {
    cwd: root,
    input: { program: join(root, 'apps/node/src/cli/program.ts') },
    platform: 'node',
    external: outside,
    onLog(level, log, say) {
      // Evaluated code in protobufjs, which checks for optional packages so.
      if (log.code !== 'EVAL') say(level, log);
    },
  };
}

/**
 * @param {{ root: string, isImage: boolean }} options isImage: the sources never change, so they are not compared
 * @returns {Promise<void>}
 */
export async function buildBundle({ root, isImage }) {
  const folder = join(root, bundleFolder);
  const slot = readManifest(root)?.entry.startsWith('a/') ? 'b' : 'a';
  const startedMs = makeEmpty(join(folder, slot));
  const bundle = await rolldown({ ...programOf(root), plugins: [threads] });
  const { output } = await bundle.write({
    dir: join(folder, slot),
    sourcemap: true,
    sourcemapExcludeSources: true,
    // Without hashes: a file of the same name takes the place of the last build's in the compile cache.
    entryFileNames: '[name].mjs',
    chunkFileNames: '[name].mjs',
    banner: ({ isEntry }) => (isEntry ? namesSources : ''),
  });
  await bundle.close();
  const modules = output.flatMap((file) => (file.type === 'chunk' ? file.moduleIds : []));
  const inputs = isImage ? [] : inputsOf(root, modules);
  const changed = inputs.find(([, , changedMs]) => changedMs >= startedMs);
  if (changed !== undefined) throw new Error(`${changed[0]} changed during the build`);
  writeManifest(folder, { entry: `${slot}/program.mjs`, inputs });
}

/**
 * @param {string} folder
 * @returns {number} the time of that, by the clock of the file system, which times the sources too
 */
function makeEmpty(folder) {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  return statSync(folder).ctimeMs;
}

/**
 * The dependencies' own files are not among them: node_modules/.package-lock.json stands for them. Sources may lie outside of the
 * repository, where node_modules links to them.
 * @param {string} root
 * @param {readonly string[]} modules paths; rolldown's own module has none
 */
function inputsOf(root, modules) {
  const own = modules
    .filter(isAbsolute)
    .map((id) => relative(root, id).replaceAll(sep, '/'))
    .filter((path) => !path.includes('node_modules/'));
  const manifests = own.map((path) => path.replace(/\/src\/.*/, '/package.json'));
  const outsideOwn = readdirSync(join(root, sourcesOutside)).map((name) => `${sourcesOutside}/${name}`);
  return [...new Set([...own, ...manifests, ...outsideOwn, ...otherInputs])]
    .sort()
    .map((path) => bundleInput(root, path));
}

/**
 * In one step, so that a program never reads half of it.
 * @param {string} folder
 * @param {import('../../packages/checkout/src/bundle.mjs').BundleManifest} manifest
 */
function writeManifest(folder, manifest) {
  const file = join(folder, 'bundle.json');
  writeFileSync(`${file}.new`, JSON.stringify(manifest));
  renameSync(`${file}.new`, file);
}
