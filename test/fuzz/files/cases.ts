/** Numbered cases: which file is damaged, and how. Seed, folder and number determine the case. */
import { createRandom, type SeededRandom } from '@slipstream/simulator';
import { chunksUnderTest } from './chunks.ts';
import { type Damage, damaged, damageText, drawDamage } from './damage.ts';
import { type DataFolder, readHome, withFile } from './folder.ts';
import { ledgerUnderTest } from './ledger.ts';
import { logUnderTest } from './log.ts';
import { makeFolder } from './made-folder.ts';
import { auditUnderTest, recordingsUnderTest } from './records.ts';
import { snapshotsUnderTest, stateUnderTest, tipOfState } from './state.ts';
import { KINDS, type Kind, kindOf, type StoreUnderTest } from './stores.ts';
import { forbidden, textOf, type Verdict } from './verdict.ts';

export interface CaseSetting {
  readonly seed: string;
  /** Home of a stopped node; undefined: a folder made from the seed. */
  readonly home?: string | undefined;
  /** An empty folder for real files. */
  readonly scratch: string;
  readonly only?: Kind | undefined;
}

export interface PlayedCase {
  readonly kind: Kind;
  readonly what: string;
  readonly verdict: Verdict;
}

export interface Cases {
  play(number: number): Promise<PlayedCase>;
  /** Describes a case without running it. */
  describe(number: number): { readonly kind: Kind; readonly what: string };
}

/** Recordings are replayed completely; notes and manifests are small. */
const SHARES: Partial<Record<Kind, number>> = { recording: 1, 'ledger notes': 1, 'audit log': 2, 'sign state': 2 };
const USUAL_SHARE = 8;

export async function openCases({ seed, home, scratch, only }: CaseSetting): Promise<Cases> {
  const folder = home === undefined ? await makeFolder(seed) : await readHome(home);
  const stores = await storesOf(folder, scratch);
  const kinds = KINDS.flatMap(([kind]) => {
    const paths = [...folder.files].filter(([path, { length }]) => kindOf(path) === kind && length > 0);
    const share = only === undefined ? (SHARES[kind] ?? USUAL_SHARE) : Number(kind === only);
    return paths.length === 0 ? [] : Array<Drawn>(share).fill({ kind, paths: paths.map(([path]) => path) });
  });

  function draw(number: number) {
    const random = createRandom(`flips/${seed}/${number}`);
    const { kind, paths } = random.pick(kinds);
    const path = pickPath(random, paths);
    const bytes = folder.files.get(path) as Uint8Array;
    const damage = drawDamage(random, bytes.length);
    return { kind, path, damage, files: withFile(folder.files, path, damaged(bytes, damage)) };
  }

  return {
    describe(number) {
      const { kind, path, damage } = draw(number);
      return { kind, what: whatOf(path, damage) };
    },
    async play(number) {
      const { kind, path, damage, files } = draw(number);
      const judged = stores[kind].judge({ path, damage, files });
      return { kind, what: whatOf(path, damage), verdict: await judged.catch(thrown) };
    },
  };
}

interface Drawn {
  readonly kind: Kind;
  readonly paths: readonly string[];
}

/** The last file, with the newest records, in half of the cases. */
function pickPath(random: SeededRandom, paths: readonly string[]): string {
  return random.chance(0.5) ? (paths.at(-1) as string) : random.pick(paths);
}

function whatOf(path: string, damage: Damage): string {
  return `${path}: ${damageText(damage)}`;
}

function thrown(error: unknown): Verdict {
  return forbidden(`thrown while it was read: ${textOf(error)}`);
}

async function storesOf(folder: DataFolder, scratch: string): Promise<Readonly<Record<Kind, StoreUnderTest>>> {
  const ledger = await ledgerUnderTest(folder, scratch, await tipOfState(folder));
  const state = await stateUnderTest(folder, ledger.checksumOf);
  const snapshots = await snapshotsUnderTest(folder);
  const log = await logUnderTest(folder);
  const chunks = await chunksUnderTest(folder, scratch);
  return {
    'state log': state,
    'state journal': state,
    'snapshot index': snapshots,
    'snapshot log': snapshots,
    'write-ahead log': log,
    'sign state': log,
    'ledger table': ledger.test,
    'ledger log': ledger.test,
    'ledger manifest': ledger.test,
    'ledger seals': ledger.test,
    'ledger notes': ledger.test,
    'block file': ledger.test,
    'chunk file': chunks,
    'chunk index table': chunks,
    'chunk index log': chunks,
    'chunk index manifest': chunks,
    'chunk index seals': chunks,
    recording: recordingsUnderTest(folder),
    'audit log': await auditUnderTest(folder, scratch),
  };
}
