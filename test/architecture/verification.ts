/**
 * Only the verifier's files may check signatures. A direct call of a native library runs on the wrong thread, past cache and meter; and two
 * libraries that disagree about a signature fork the chain.
 */
import type { SourceFile } from './repository.ts';
import { readSyntax } from './syntax.ts';

/** Files that may load each library. The network encrypts connections and checks no signatures. */
const LOADERS: Readonly<Record<string, readonly string[]>> = {
  '@chainsafe/blst': ['packages/crypto/src/native/binding.ts'],
  'sodium-native': ['packages/crypto/src/native/ed25519.ts', 'packages/network/src/noise.ts'],
};
/** Exported by the verifier's files, and those of libsodium. */
const VERIFICATIONS = [
  ...['verifyChecked', 'verifyInGroup', 'ed25519Verify'],
  ...['crypto_sign_verify_detached', 'crypto_sign_open', 'crypto_sign_final_verify'],
];
const VERIFIER = 'packages/crypto/src/';

const RUNS = /^(packages|apps)\/[^/]+\/src\/|^console\/src\//;

export function findVerifications(files: readonly SourceFile[]): readonly string[] {
  return files
    .filter(({ path }) => RUNS.test(path) && /\.tsx?$/.test(path))
    .flatMap((file) => {
      const { imports, chains } = readSyntax(file);
      const loads = imports
        .filter(({ specifier, typeOnly }) => !typeOnly && LOADERS[specifier]?.includes(file.path) === false)
        .map(({ specifier, line }) => `${file.path}:${line}: loads ${specifier}: ask a Verifier`);
      if (file.path.startsWith(VERIFIER)) return loads;
      const calls = chains
        .filter(({ name }) => VERIFICATIONS.some((verification) => name.split('.').includes(verification)))
        .map(({ name, line }) => `${file.path}:${line}: calls ${name}: ask a Verifier`);
      return [...loads, ...calls];
    });
}
