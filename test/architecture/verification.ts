/**
 * Who may judge a signature: the verifier's own files, and nobody beside them.
 *
 * Whoever calls a native library himself judges on the wrong thread, past the cache and past the meter; and two libraries that
 * disagree about one signature fork the chain.
 */
import type { SourceFile } from './repository.ts';
import { readSyntax } from './syntax.ts';

/** The one file that may load each library. */
const LOADERS: Readonly<Record<string, string>> = {
  '@chainsafe/blst': 'packages/crypto/src/native/binding.ts',
  'sodium-native': 'packages/crypto/src/native/ed25519.ts',
};
/** What those files give to the rest of their package. */
const VERIFICATIONS = ['verifyChecked', 'verifyInGroup', 'ed25519Verify'];
const VERIFIER = 'packages/crypto/src/';

const RUNS = /^(packages|apps)\/[^/]+\/src\/|^console\/src\//;

export function findVerifications(files: readonly SourceFile[]): readonly string[] {
  return files
    .filter(({ path }) => RUNS.test(path) && /\.tsx?$/.test(path))
    .flatMap((file) => {
      const { imports, chains } = readSyntax(file);
      const loads = imports
        .filter(({ specifier, typeOnly }) => !typeOnly && specifier in LOADERS && LOADERS[specifier] !== file.path)
        .map(({ specifier, line }) => `${file.path}:${line}: loads ${specifier}: ask a Verifier`);
      if (file.path.startsWith(VERIFIER)) return loads;
      const calls = chains
        .filter(({ name }) => VERIFICATIONS.some((verification) => name.split('.').includes(verification)))
        .map(({ name, line }) => `${file.path}:${line}: calls ${name}: ask a Verifier`);
      return [...loads, ...calls];
    });
}
