/**
 * Missing handovers: a node that caught up over a boundary may have committed it by a certificate of the next epoch alone, and then lacks the
 * one that shows the handover.
 *
 *   first gap in the ledger --epochs query, to a random peer--> handover --checked by the own records--> its certificate to the ledger
 */
import type { LedgerReader } from '@slipstream/ledger';
import type { Clock, PeerKey, Random, Telemetry, Transport, Verifier } from '@slipstream/ports';
import { bytesEqual } from '@slipstream/primitives';
import {
  checkHandoverStructure,
  committeeOfRecord,
  type Epoch,
  epochEntriesCodec,
  epoch as epochOf,
  GENESIS_EPOCH,
  type GenesisHash,
  type Handover,
  recordHashOf,
  type StateCertificate,
} from '@slipstream/types';
import type { SyncClient } from './client.ts';

const LOOK_MS = 10_000;
const HANDOVERS_READ = 64;

interface HandoverWatchComponents {
  readonly clock: Pick<Clock, 'after'>;
  readonly random: Pick<Random, 'below'>;
  readonly telemetry: Pick<Telemetry, 'log'>;
  readonly transport: Pick<Transport, 'peers'>;
  readonly ask: SyncClient['ask'];
  readonly verifier: Pick<Verifier, 'checkBatch'>;
  readonly ledger: Pick<LedgerReader, 'latestEpoch' | 'record' | 'handovers'>;
  /** The ledger stores it, with the handover that it shows (Ledger.putCertificates). */
  readonly certified: (certificate: StateCertificate) => void;
  /** A peer served a wrong handover. */
  readonly onFault: (peer: PeerKey, detail: string) => void;
}

interface HandoverWatch {
  stop(): Promise<void>;
}

export function watchHandovers(components: HandoverWatchComponents, genesisHash: GenesisHash): HandoverWatch {
  const { clock, telemetry, ledger, certified } = components;
  const stopping = new AbortController();
  /** All below are in the ledger, or cannot be written because their blocks are pruned. */
  let next = GENESIS_EPOCH;
  let brought: Epoch | undefined;
  let acting: Promise<void> = Promise.resolve();
  let cancel = clock.after(LOOK_MS, look);

  function look(): void {
    acting = fetchFirst().catch((error: unknown) => {
      telemetry.log('warn', 'sync: a missing handover could not be fetched', { epoch: next, error: String(error) });
    });
    void acting.then(() => {
      if (!stopping.signal.aborted) cancel = clock.after(LOOK_MS, look);
    });
  }

  async function fetchFirst(): Promise<void> {
    const missing = await firstMissing();
    if (missing === undefined) return;
    const handover = await handoverFromPeer(components, genesisHash, missing, stopping.signal);
    if (handover === undefined || stopping.signal.aborted) return;
    brought = missing;
    certified(handover.certificate);
  }

  async function firstMissing(): Promise<Epoch | undefined> {
    const latest = (await ledger.latestEpoch()) ?? GENESIS_EPOCH;
    while (next < latest) {
      const found = (await ledger.handovers(next, HANDOVERS_READ)).length;
      if (found === 0 && brought !== next) return next;
      next = epochOf(next + Math.max(found, 1));
    }
    return undefined;
  }

  return {
    async stop() {
      stopping.abort();
      cancel();
      await acting;
    },
  };
}

/** Undefined: the peer has none, or a wrong one, or its answer is malformed. */
async function handoverFromPeer(
  { transport, random, ask, ledger, verifier, onFault }: HandoverWatchComponents,
  genesisHash: GenesisHash,
  epoch: Epoch,
  signal: AbortSignal,
): Promise<Handover | undefined> {
  const peers = transport.peers().filter(({ connected, blocked }) => connected && !blocked);
  const peer = peers.length === 0 ? undefined : peers[random.below(peers.length)]?.peer;
  const [record, next] = [await ledger.record(epoch), await ledger.record(epochOf(epoch + 1))];
  if (peer === undefined || record === undefined || next === undefined) return undefined;
  const bytes = (await ask(peer, { query: 'epochs', from: epoch, to: epoch }, signal))?.chunks[0];
  const decoded = bytes && epochEntriesCodec.decode(bytes);
  if (decoded?.ok === false) onFault(peer, `served no epochs: ${decoded.error.message}`);
  const handover = decoded?.ok ? decoded.value[0]?.handover : undefined;
  if (handover === undefined) return undefined;
  const step = checkHandoverStructure(handover, genesisHash, committeeOfRecord(record));
  const isNext = bytesEqual(handover.preimage.next, recordHashOf(genesisHash, next));
  const holds = step.ok && isNext && (await verifier.checkBatch([step.value.statement], 'block'))[0];
  if (holds) return handover;
  onFault(peer, `served a wrong handover of epoch ${epoch}`);
  return undefined;
}
