/**
 * The `state-tree` bench: what the tree over the state costs, against Ed25519 verifications of the same run.
 *
 * Claims: put_verifications (1,400 puts a block, one of twenty a new key), transfer_verifications (700 transfers a block, accounts by Zipf's
 * law), CPU time of this thread; open_ratio (the state store opened, and the tree built from it, over the store alone); bytes_per_key (once built, and after all blocks), rebuild_seconds (the input is made before), pause_p99_ms (the longest run of a block without a
 * pause), proof_bytes_max and check_ms over 10,000 proofs of presence and as many of absence; check_ms is the p99 in plain JavaScript, as in a browser.
 */
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { ed25519PublicKey, ed25519Sign, ed25519Verify } from '@slipstream/crypto/native';
import { toHex } from '@slipstream/primitives';
import { type BenchOptions, type Claim, claim, median, printRows, quantile } from '../../../scripts/bench/claim.ts';
import { type ChangeColumns, openStateTree, pathProofCodec, type StateTree } from '../src/index.ts';
import { accountKey, accountValue, columns, createZipf, type Put } from './accounts.ts';
import { measureOpening } from './opening.ts';

const FULL = { accounts: 1_000_000, blocks: 200, proofs: 10_000, verifications: 100, openings: 5 };
const SMOKE = { accounts: 10_000, blocks: 10, proofs: 200, verifications: 100, openings: 1 };
type Size = typeof FULL;

const PUTS = 1_400;
const NEW_OF_PUTS = 70;
const TRANSFERS = 700;

export async function run({ smoke }: BenchOptions): Promise<Claim[]> {
  const size = smoke ? SMOKE : FULL;
  const pauses = createPauses();
  const entries = allAccounts(size.accounts);
  const startedUs = threadUs();
  const tree = await openStateTree({ secret: randomBytes(32), pause: pauses.pause }, { block: 'genesis', entries });
  const rebuildSeconds = (threadUs() - startedUs) / 1e6;
  const builtBytes = tree.stats().bytes / size.accounts;
  pauses.runsMs.length = 0;
  const rounds = new Int32Array(size.accounts + size.blocks * NEW_OF_PUTS);
  const puts = await measurePuts(tree, size, pauses, rounds);
  const usedBytes = tree.stats().bytes / (size.accounts + size.blocks * NEW_OF_PUTS);
  const transfers = await measureTransfers(tree, size, pauses, rounds);
  const proofs = measureProofs(tree, size, rounds);
  printRows(`a tree of ${size.accounts} accounts`, [
    ['bytes a key, once built', builtBytes, 'bytes'],
    ['bytes a key, after the blocks', usedBytes, 'bytes'],
    ['a put', puts.us, 'us'],
    ['a transfer', transfers.us, 'us'],
    ['an Ed25519 verification', puts.verificationUs, 'us'],
    ['a proof, p50', median(proofs.bytes), 'bytes'],
    ['making a proof', proofs.makeUs, 'us'],
  ]);
  return [
    claim('put_verifications', puts.us / puts.verificationUs, 'verifications', size.blocks),
    claim('transfer_verifications', transfers.us / transfers.verificationUs, 'verifications', size.blocks),
    claim('bytes_per_key', Math.max(builtBytes, usedBytes), 'bytes', size.accounts),
    claim('rebuild_seconds', rebuildSeconds, 's', 1),
    await measureOpening(size.accounts, size.openings),
    claim('pause_p99_ms', quantile(pauses.runsMs, 0.99), 'ms', pauses.runsMs.length),
    claim('proof_bytes_max', Math.max(...proofs.bytes), 'bytes', proofs.bytes.length),
    claim('check_ms', checkMs(proofs.lines, tree.root(tree.tip) as Uint8Array), 'ms', proofs.lines.length),
  ];
}

const threadUs = (): number => {
  const { user, system } = process.threadCpuUsage();
  return user + system;
};

/** Times between pauses. */
function createPauses() {
  const runsMs: number[] = [];
  let sinceMs = performance.now();
  return {
    runsMs,
    begin: () => {
      sinceMs = performance.now();
    },
    pause: async () => {
      runsMs.push(performance.now() - sinceMs);
      await new Promise(setImmediate);
      sinceMs = performance.now();
    },
  };
}

type Pauses = ReturnType<typeof createPauses>;

/** As many together as the state store gives. */
const ENTRIES = 2_048;

function allAccounts(count: number): readonly ChangeColumns[] {
  return Array.from({ length: Math.ceil(count / ENTRIES) }, (_, batch) => {
    const from = batch * ENTRIES;
    const puts = Array.from({ length: Math.min(ENTRIES, count - from) }, (_, i) => ({ account: from + i, round: 0 }));
    return columns(puts);
  });
}

interface Cost {
  readonly us: number;
  readonly verificationUs: number;
}

/** `rounds`: of each account the round that wrote it last. */
async function measurePuts(
  tree: StateTree,
  { accounts, blocks, verifications }: Size,
  pauses: Pauses,
  rounds: Int32Array,
): Promise<Cost> {
  let next = accounts;
  const batch = (round: number) => {
    const chosen = new Set<number>();
    while (chosen.size < PUTS - NEW_OF_PUTS) chosen.add(Math.floor(Math.random() * accounts));
    for (let i = 0; i < NEW_OF_PUTS; i++) chosen.add(next++);
    for (const account of chosen) rounds[account] = round;
    return Array.from(chosen, (account) => ({ account, round }));
  };
  return measureBlocks(tree, { name: 'puts', blocks, verifications, of: PUTS }, batch, pauses);
}

async function measureTransfers(
  tree: StateTree,
  { accounts, blocks, verifications }: Size,
  pauses: Pauses,
  rounds: Int32Array,
): Promise<Cost> {
  const draw = createZipf(accounts);
  const batch = (round: number) => {
    const chosen = new Set<number>();
    for (let i = 0; i < 2 * TRANSFERS; i++) chosen.add(draw());
    for (const account of chosen) rounds[account] = round;
    return Array.from(chosen, (account) => ({ account, round }));
  };
  return measureBlocks(tree, { name: 'transfers', blocks, verifications, of: TRANSFERS }, batch, pauses);
}

interface Stint {
  readonly name: string;
  readonly blocks: number;
  readonly verifications: number;
  /** What a block's cost is divided by. */
  readonly of: number;
}

/** Verifications and blocks in turns, so that both have the same machine. Sums, because some systems count a thread's time in ticks of 10 ms. */
async function measureBlocks(
  tree: StateTree,
  { name, blocks, verifications, of }: Stint,
  batch: (round: number) => readonly Put[],
  pauses: Pauses,
): Promise<Cost> {
  const secret = new Uint8Array(32).fill(7);
  const message = new Uint8Array(32).fill(9);
  const [publicKey, signature] = [ed25519PublicKey(secret), ed25519Sign(message, secret)];
  let [blocksUs, verificationsUs] = [0, 0];
  for (let round = 1; round <= blocks; round++) {
    const changes = columns(batch(round));
    const block = `${name} ${round}`;
    const startUs = threadUs();
    for (let i = 0; i < verifications; i++) ed25519Verify(publicKey, message, signature);
    const betweenUs = threadUs();
    pauses.begin();
    await tree.apply(tree.tip, block, changes);
    await pauses.pause();
    await tree.commit(block);
    blocksUs += threadUs() - betweenUs;
    verificationsUs += betweenUs - startUs;
  }
  return { us: blocksUs / blocks / of, verificationUs: verificationsUs / blocks / verifications };
}

/** Of accounts that are there, and as many that are not. */
function measureProofs(tree: StateTree, { accounts, proofs }: Size, rounds: Int32Array) {
  const bytes: number[] = [];
  const lines: string[] = [];
  let makeUs = 0;
  for (let i = 0; i < 2 * proofs; i++) {
    const account = i < proofs ? Math.floor(Math.random() * accounts) : 10 * accounts + i;
    const key = accountKey(account);
    const startMs = performance.now();
    const proof = tree.prove(key);
    makeUs += 1000 * (performance.now() - startMs);
    if (!proof.ok) throw new Error(`the key of account ${account} shares its prefix`);
    const encoded = pathProofCodec.encode(proof.value);
    const value = i < proofs ? toHex(accountValue({ account, round: rounds[account] as number })) : '-';
    bytes.push(encoded.length);
    lines.push(`${toHex(key)} ${value} ${toHex(encoded)}`);
  }
  return { bytes, makeUs: makeUs / (2 * proofs), lines };
}

function checkMs(lines: readonly string[], root: Uint8Array): number {
  const program = fileURLToPath(new URL('./check-in-browser.ts', import.meta.url));
  const input = [toHex(root), ...lines].join('\n');
  const options = { input, encoding: 'utf8', maxBuffer: 1 << 26 } as const;
  return Number(execFileSync(process.execPath, ['--conditions=browser', program], options));
}
