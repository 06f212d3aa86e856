/**
 * Producer: a validator's own chunks, from ready transactions to certificates.
 *
 *   ready queue --> packer --> builder --> certifier --> certificate, to all
 *                     ^--- rate controller <--- how long it took
 */
import { outgoingFrame } from '@slipstream/types';
import type { Certificates } from '../chunks/certificates.ts';
import type { ChunkIntake } from '../chunks/chunk-intake.ts';
import type { ChunkStore } from '../chunks/chunk-store.ts';
import type { ChunkWire } from '../chunks/chunk-wire.ts';
import type { StoredChunk } from '../chunks/stored-chunk.ts';
import type { Components, LimitedSetting } from '../components.ts';
import type { BlockIntervalEstimator } from '../control/block-interval-estimator.ts';
import { createChunkRateController } from '../control/chunk-rate-controller.ts';
import { CHUNK_SHARE, type ExecutionRate } from '../control/execution-rate.ts';
import type { DisseminationEvents } from '../events.ts';
import { CHUNK_RESEND_MS, OWN_CHUNK_WAIT_MS_MAX, READY_WAIT_MS_MAX } from '../limits.ts';
import type { ReadyQueue } from '../pool/ready-queue.ts';
import type { UncertifiedReferences } from '../proposals/uncertified-references.ts';
import { type Certifier, type CertifierCounts, createCertifier } from './certifier.ts';
import { createChunkBuilder } from './chunk-builder.ts';
import { createPacker, type Packer } from './packer.ts';

export interface ProducerStats extends CertifierCounts {
  readonly uncertified: number;
  /** Least time between two chunks. */
  readonly intervalMs: number;
}

export interface Producer {
  readonly certifier: Certifier;
  readonly packer: Packer;
  /** Sends the certificate to all. Then the packer may have room again. */
  onCertified: DisseminationEvents['ownChunkCertified'];
  /** At start. */
  markSequenceUsed(sequence: number): void;
  /** At start: certifies an own chunk of the log like a new one. */
  resume(chunk: StoredChunk): void;
  /** A ready transaction or own chunk has waited too long. */
  isBehind(): boolean;
  stats(): ProducerStats;
  stop(): void;
}

interface ProducerParts extends Components {
  readonly events: Pick<DisseminationEvents, 'ownChunkCertified'>;
  readonly store: ChunkStore;
  readonly ready: ReadyQueue;
  readonly wire: ChunkWire;
  readonly certificates: Pick<Certificates, 'add'>;
  readonly uncertifiedReferences: Pick<UncertifiedReferences, 'suspend'>;
  readonly chunks: Pick<ChunkIntake, 'addOwn'>;
  readonly blockInterval: Pick<BlockIntervalEstimator, 'intervalMs'>;
  readonly executionRate: Pick<ExecutionRate, 'timelyUnits'>;
}

/** Of the receivers' quota: they remove committed chunks a little later. */
const QUOTA_SHARE = 3 / 4;

/** Undefined on a full node. */
export function createProducer(parts: ProducerParts, setting: LimitedSetting): Producer | undefined {
  const { signer, wal, store, ready, clock, telemetry, uncertifiedReferences, certificates, transport } = parts;
  const { memberIndex, genesisHash, firstSequence, limits } = setting;
  if (signer === undefined || memberIndex === undefined) return undefined;
  const rate = createChunkRateController(parts);

  function failed(cause: unknown): void {
    telemetry.log('error', 'no more chunks are made: the log or the signer failed', { cause: String(cause) });
    parts.reports.failed?.(cause);
  }

  const isPending = (hex: string) => store.get(hex) !== undefined;
  const certifier = createCertifier({ ...parts, isPending }, { ...setting, memberIndex });

  function isPaused(): boolean {
    return certifier.uncertified >= limits.uncertifiedChunksMax || store.quotaUsed(memberIndex as number) > QUOTA_SHARE;
  }

  const builder = createChunkBuilder(
    { signer, wal, reserveSequence: parts.reserveSequence, take: parts.chunks.addOwn, track: certifier.track },
    { genesisHash, epoch: setting.committee.epoch, memberIndex, firstSequence },
  );
  const blockUnits = setting.genesis.fees.limits;
  const unitsMax = () => parts.executionRate.timelyUnits.map((limit) => Math.floor(limit * CHUNK_SHARE));
  const packer = createPacker({ clock, ready, builder, rate, unitsMax, isPaused, failed }, { ...limits, blockUnits });

  function isBehind(): boolean {
    const nowMs = clock.monotonicMs();
    if (nowMs - (ready.oldestSinceMs ?? nowMs) > READY_WAIT_MS_MAX) return true;
    for (const { header, origin, arrivedMs } of store.pending()) {
      if (header.producer === memberIndex && origin === 'producer') return nowMs - arrivedMs > OWN_CHUNK_WAIT_MS_MAX;
    }
    return false;
  }

  return {
    certifier,
    packer,
    onCertified({ id }, certificate, delayMs) {
      telemetry.observe('dissemination_certification_ms', delayMs);
      if (rate.recordCertification(delayMs)) uncertifiedReferences.suspend();
      transport.broadcast('consensus', outgoingFrame('chunkCertified', { chunkId: id, certificate }));
      certificates.add(id, certificate);
      packer.schedule();
    },
    markSequenceUsed: builder.markSequenceUsed,
    resume(chunk) {
      // Most logged chunks turn out final once committed blocks are known.
      clock.after(CHUNK_RESEND_MS, () => {
        if (store.get(chunk.hex)) builder.resume(chunk).catch(failed);
      });
    },
    isBehind,
    stats: () => ({ ...certifier.counts(), uncertified: certifier.uncertified, intervalMs: rate.intervalMs }),
    stop() {
      packer.stop();
      certifier.stop();
    },
  };
}
