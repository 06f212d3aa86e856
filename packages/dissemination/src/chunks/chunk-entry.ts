/**
 * Chunk entry: stores a chunk and has its transactions verified, off the path of votes (D11).
 *
 *   chunk --> store --> chunkAvailable --> verdicts on its transactions --> chunkVerified
 *                                                     \--bad: its packer is blamed
 */
import type { Clock } from '@slipstream/ports';
import { assert } from '@slipstream/primitives';
import { type DecodedTransaction, hexOf, type PreparedTransaction } from '@slipstream/types';
import type { BatchJudge } from '../batches/batch-judge.ts';
import type { Components, Reports } from '../components.ts';
import type { Committees, ValidatorName } from '../epochs/committees.ts';
import { DisseminationError } from '../errors.ts';
import type { DisseminationEvents } from '../events.ts';
import type { SignatureChecks } from '../intake/signature-checks.ts';
import type { ChunkVerdict, Verdict } from '../intake/verdict.ts';
import { REFERENCE_WINDOW_MS } from '../limits.ts';
import type { DropCounter } from '../metrics/drop-counter.ts';
import { type ChunkRules, type OpenedChunk, transactionsIn, type UnopenedChunk } from './chunk.ts';
import type { ChunkStore, Verify } from './chunk-store.ts';
import type { HeaderCheck } from './header-check.ts';
import type { ChunkOrigin } from './seen-headers.ts';
import type { StoredChunk } from './stored-chunk.ts';

export type OwnContent = Pick<StoredChunk, 'ids' | 'batches'>;

export interface ChunkEntry {
  /** `sender`: that sent it unasked; undefined: requested by id. */
  add(chunk: OpenedChunk, logSequence: number, sender: ValidatorName | undefined): StoredChunk;
  /** Built here, with good signatures. */
  addOwn(chunk: UnopenedChunk, content: OwnContent, logSequence: number): StoredChunk;
  /** From the log at start, not verified yet. */
  addRestored(chunk: OpenedChunk, logSequence: number): StoredChunk;
  /** The same, built here by the log. */
  addOwnRestored(chunk: OpenedChunk, logSequence: number): StoredChunk;
  rememberHeader(chunk: UnopenedChunk, origin: ChunkOrigin): void;
  verifyTransactions(chunk: StoredChunk): void;
  /** In the order of its transactions. */
  verdicts(chunk: StoredChunk): Promise<readonly ChunkVerdict[]>;
  prepare(chunk: StoredChunk): Promise<readonly PreparedTransaction[]>;
}

export interface ChunkEntryParts extends Pick<Components, 'telemetry'> {
  readonly clock: Clock;
  readonly reports: Reports;
  readonly store: ChunkStore;
  readonly signatures: SignatureChecks;
  /** Undefined: the chain has no account directory. */
  readonly judge: Pick<BatchJudge, 'ahead'> | undefined;
  readonly drops: DropCounter;
  readonly events: Pick<DisseminationEvents, 'chunkAvailable' | 'chunkVerified' | 'chunkRefused'>;
  readonly isSigned: HeaderCheck;
  readonly committees: Committees;
}

export interface ChunkEntrySetting {
  readonly chunkRules: ChunkRules;
}

export function createChunkEntry(
  {
    clock,
    reports,
    store,
    signatures,
    judge: batchJudge,
    drops,
    events,
    isSigned,
    telemetry,
    committees,
  }: ChunkEntryParts,
  { chunkRules }: ChunkEntrySetting,
): ChunkEntry {
  const { credentials } = chunkRules;

  function keep(chunk: OpenedChunk, logSequence: number, origin: ChunkOrigin, chargedTo?: ValidatorName): StoredChunk {
    const { transactions, ...unopened } = chunk;
    const ids = transactions.map(({ id }) => hexOf(id));
    return keepAs({ ...unopened, ids, logSequence, origin, chargedTo });
  }

  function keepAs(chunk: Omit<StoredChunk, 'arrivedMs'>): StoredChunk {
    const stored: StoredChunk = { ...chunk, arrivedMs: clock.monotonicMs() };
    // A pending chunk holds the log open, so its producer must not choose for how long.
    store.put(stored, Math.min(chunk.header.expiryMs, clock.wallMs() + REFERENCE_WINDOW_MS));
    rememberHeader(stored, chunk.origin);
    events.chunkAvailable(stored);
    return stored;
  }

  function rememberHeader({ header, signature, hex, id }: UnopenedChunk, origin: ChunkOrigin): void {
    store.rememberHeader({ header, signature: signature.slice(), hex, id, origin });
  }

  /** `direct`: sent by its producer over its own connection. */
  function judge(stored: StoredChunk, direct: boolean, verify: Verify): void {
    store.verdicts(stored, verify).then((verdicts) => {
      const bad = verdicts.reduce((count, verdict) => (verdict === 'good' ? count : count + 1), 0);
      const good = bad === 0 ? stored.ids : stored.ids.filter((_, i) => verdicts[i] === 'good');
      if (store.get(stored.hex)) events.chunkVerified(stored, store.isRefused(stored.hex) ? [] : good);
      if (bad > 0) blame(stored, `${bad} transactions with a bad signature`, bad, direct).catch(unchecked(stored));
    }, unchecked(stored));
  }

  function unchecked({ hex }: StoredChunk): (cause: unknown) => void {
    return (cause) => {
      if (cause instanceof DisseminationError && cause.code === 'stopped') return;
      telemetry.log('error', 'a chunk’s signatures could not be checked', { chunk: hex, cause: String(cause) });
    };
  }

  /** Off the path of votes too. A false batch makes this node leave the chunk out, and blame its producer (D23). */
  function judgeBatches(stored: StoredChunk, direct: boolean): void {
    if (batchJudge === undefined) return;
    for (const batch of stored.batches) {
      batchJudge.ahead(batch, stored.chargedTo ?? 'fetched').then((verdict) => {
        if (verdict !== 'invalid' || !store.refuse(stored.hex)) return;
        events.chunkRefused(stored);
        blame(stored, 'a false batch', 1, direct).catch(unchecked(stored));
      }, unchecked(stored));
    }
  }

  /** A relayed chunk may be forged in the producer's name, so its header is verified first. */
  async function blame(chunk: StoredChunk, what: string, bad: number, direct: boolean): Promise<void> {
    const { header, hex, id } = chunk;
    const peer = committees.of(header.epoch)?.peerOf(header.producer);
    if (peer === undefined || committees.isOwn(header)) return;
    drops.add('chunk-bad-signature', bad);
    if (!direct && !(await isSigned(chunk, id))) return;
    reports.offence(peer, 'invalid-chunk', `chunk ${hex} holds ${what}`);
  }

  /** By the epoch of its header, wherever this node is (D3). */
  async function verify(
    { header }: Pick<StoredChunk, 'header'>,
    transactions: readonly DecodedTransaction[],
  ): Promise<readonly ChunkVerdict[]> {
    const verdicts = await signatures.checkChunk(transactions, header.epoch);
    assert(isWithoutBudget(verdicts), 'a chunk is checked without a budget: its verdicts are every node’s');
    return verdicts;
  }

  function verifyBody(chunk: StoredChunk): Promise<readonly ChunkVerdict[]> {
    return verify(chunk, transactionsIn(chunk.body, credentials));
  }

  function verdicts(chunk: StoredChunk): Promise<readonly ChunkVerdict[]> {
    return store.verdicts(chunk, () => verifyBody(chunk));
  }

  return {
    add(chunk, logSequence, sender) {
      const direct = sender !== undefined && sender === committees.producerOf(chunk.header);
      const stored = keep(chunk, logSequence, direct ? 'producer' : 'served', sender);
      judge(stored, direct, () => verify(chunk, chunk.transactions));
      judgeBatches(stored, direct);
      return stored;
    },
    addOwn(chunk, content, logSequence) {
      const chargedTo = committees.producerOf(chunk.header);
      const stored = keepAs({ ...chunk, ...content, logSequence, origin: 'producer', chargedTo });
      judge(stored, true, async () => content.ids.map(() => 'good'));
      return stored;
    },
    addRestored: (chunk, logSequence) => keep(chunk, logSequence, 'log'),
    addOwnRestored: (chunk, logSequence) => keep(chunk, logSequence, 'producer', committees.producerOf(chunk.header)),
    rememberHeader,
    verifyTransactions(chunk) {
      judge(chunk, false, () => verifyBody(chunk));
      judgeBatches(chunk, false);
    },
    verdicts,
    async prepare(chunk) {
      const judged = await verdicts(chunk);
      return transactionsIn(chunk.body, credentials).map((decoded, i) => {
        const verdict = judged[i];
        return { ...decoded, signatureValid: verdict === 'good', fault: verdict === 'good' ? undefined : verdict };
      });
    },
  };
}

function isWithoutBudget(verdicts: readonly Verdict[]): verdicts is readonly ChunkVerdict[] {
  return !verdicts.includes('not-now');
}
