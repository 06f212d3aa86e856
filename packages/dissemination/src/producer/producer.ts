/**
 * Producer: a validator's own chunks, from ready transactions to certificates.
 *
 *   ready queue --> packer --> builder --> certifier --> certificate, to all
 *                     ^--- rate controller <--- how long it took
 *
 * At the end of an epoch its uncertified chunks are abandoned: members no longer take new ones. Their transactions are packed again, or
 * handed over by a node that leaves (D20).
 */
import { outgoingFrame } from '@slipstream/types';
import type { BatchPool } from '../batches/batch-pool.ts';
import { type BatchRules, rowsOfChunkMax } from '../batches/stored-batch.ts';
import type { AckSchedule } from '../chunks/ack-schedule.ts';
import type { AttestationWaits } from '../chunks/attestation-waits.ts';
import type { Certificates } from '../chunks/certificates.ts';
import type { ChunkIntake } from '../chunks/chunk-intake.ts';
import type { ChunkStore } from '../chunks/chunk-store.ts';
import type { ChunkWire } from '../chunks/chunk-wire.ts';
import type { StoredChunk } from '../chunks/stored-chunk.ts';
import type { Components, LimitedSetting } from '../components.ts';
import type { BlockIntervalEstimator } from '../control/block-interval-estimator.ts';
import { createChunkRateController } from '../control/chunk-rate-controller.ts';
import { chunkShareOf, type ExecutionRate } from '../control/execution-rate.ts';
import type { Committees } from '../epochs/committees.ts';
import type { DisseminationEvents } from '../events.ts';
import { ABANDON_AFTER_MS, CHUNK_RESEND_MS, OWN_CHUNK_WAIT_MS_MAX, READY_WAIT_MS_MAX } from '../limits.ts';
import type { ReadyQueue } from '../pool/ready-queue.ts';
import type { ChunkReferences } from '../proposals/chunk-references.ts';
import type { UncertifiedReferences } from '../proposals/uncertified-references.ts';
import { createAckDemand } from './ack-demand.ts';
import { type Certifier, type CertifierCounts, createCertifier, type OwnAck } from './certifier.ts';
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
  /** At start, and after a move. */
  moved(): void;
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
  readonly events: Pick<DisseminationEvents, 'ownChunkCertified' | 'ownChunkAbandoned'>;
  readonly committees: Committees;
  readonly references: Pick<ChunkReferences, 'isReferenced'>;
  readonly store: ChunkStore;
  readonly ready: ReadyQueue;
  readonly batchPool: BatchPool;
  readonly batchRules: BatchRules | undefined;
  readonly wire: ChunkWire;
  readonly certificates: Pick<Certificates, 'add' | 'of'>;
  readonly uncertifiedReferences: Pick<UncertifiedReferences, 'suspend' | 'suspendedMs' | 'certificatesNeeded'>;
  readonly ackWishes: Pick<AttestationWaits, 'hasAny'>;
  readonly chunks: Pick<ChunkIntake, 'addOwn'>;
  readonly ackSchedule: Pick<AckSchedule, 'arrived'>;
  readonly blockInterval: Pick<BlockIntervalEstimator, 'intervalMs'>;
  readonly executionRate: Pick<ExecutionRate, 'timelyUnits'>;
}

/** Of the receivers' quota: they remove committed chunks a little later. */
const QUOTA_SHARE = 3 / 4;

/** On the wire. */
const SUSPENDED_MS_MAX = 0xffff;

/** Idle on a node that is no member of the epoch. */
export function createProducer(parts: ProducerParts, setting: LimitedSetting): Producer {
  const { store, ready, clock, telemetry, uncertifiedReferences, certificates, transport, committees } = parts;
  const { genesisHash, firstSequence, limits } = setting;
  let cancelAbandonment: (() => void) | undefined;

  function failed(cause: unknown): void {
    telemetry.log('error', 'no more chunks are made: the log or the signer failed', { cause: String(cause) });
    parts.reports.failed?.(cause);
  }

  const isPending = (hex: string) => store.get(hex) !== undefined;
  const certifier = createCertifier({ ...parts, isPending }, setting);
  const demand = createAckDemand(parts, setting.acks ?? 'on-demand', limits);
  const memberCount = () => committees.current.members.length;
  const rate = createChunkRateController({ clock, blockInterval: parts.blockInterval, demand, memberCount });

  function isPaused(): boolean {
    const { current } = committees;
    const own = current.self === undefined ? undefined : current.validatorAt(current.self);
    const isFull = own !== undefined && store.quotaUsed(own) > QUOTA_SHARE;
    return isFull || certifier.waiting >= limits.uncertifiedChunksMax;
  }

  function track(chunk: StoredChunk, ownAck: OwnAck): void {
    certifier.track(chunk, ownAck);
    parts.ackSchedule.arrived(chunk, undefined, false).catch(failed);
  }

  const builder = createChunkBuilder(
    { ...parts, demand, take: parts.chunks.addOwn, track },
    { genesisHash, firstSequence },
  );
  const blockUnits = () => committees.current.unitLimits;
  function unitsMax() {
    const share = chunkShareOf(committees.current.members.length);
    return parts.executionRate.timelyUnits.map((limit) => Math.floor(limit * share));
  }

  const packer = createPacker(
    { clock, ready, batches: parts.batchPool, builder, rate, unitsMax, isPaused, failed },
    { ...limits, blockUnits, rowsMax: parts.batchRules === undefined ? 0 : rowsOfChunkMax(parts.batchRules) },
  );

  function isBehind(): boolean {
    if (committees.current.self === undefined) return false;
    const nowMs = clock.monotonicMs();
    if (nowMs - (ready.oldestSinceMs ?? nowMs) > READY_WAIT_MS_MAX) return true;
    for (const { header, origin, arrivedMs } of store.pending()) {
      const isOpen = header.epoch === committees.current.epoch;
      if (isOpen && origin === 'producer' && committees.isOwn(header)) return nowMs - arrivedMs > OWN_CHUNK_WAIT_MS_MAX;
    }
    return false;
  }

  function abandonUncertified(): void {
    for (const chunk of [...store.pending()]) {
      const { header, origin, hex } = chunk;
      if (header.epoch >= committees.current.epoch || origin !== 'producer' || !committees.isOwn(header)) continue;
      if (!certificates.of(hex) && !parts.references.isReferenced(hex)) parts.events.ownChunkAbandoned(chunk);
    }
  }

  return {
    certifier,
    packer,
    onCertified({ id, hex, header }, certificate, delayMs) {
      if (!header.acksWanted && !parts.references.isReferenced(hex)) demand.leftOut();
      if (header.acksWanted) {
        telemetry.observe('dissemination_certification_ms', delayMs);
        if (!committees.hasJustMoved() && rate.recordCertification(delayMs)) uncertifiedReferences.suspend();
      }
      const suspendedMs = Math.min(Math.ceil(uncertifiedReferences.suspendedMs), SUSPENDED_MS_MAX);
      transport.broadcast('consensus', outgoingFrame('chunkCertified', { chunkId: id, certificate, suspendedMs }));
      certificates.add(id, certificate);
      packer.schedule();
    },
    moved() {
      cancelAbandonment?.();
      cancelAbandonment = undefined;
      // A node that leaves may stop soon.
      if (committees.current.self === undefined) abandonUncertified();
      else cancelAbandonment = clock.after(ABANDON_AFTER_MS, abandonUncertified);
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
      cancelAbandonment?.();
    },
  };
}
