/**
 * Verifies the finalization and the state certificate of each block, as blocks are committed.
 *
 *   blocks --> queue --due--> GET /v1/certificates/{height} --> kind, block, quorum, signature --> verdict
 *                 \--full: the oldest is passed over
 *
 * A check takes tens of milliseconds. After each one the checker rests, so that checks take at most BUSY_SHARE_MAX of a core.
 */
import { type CertificateVerifier, ClientError } from '@slipstream/client';
import type { HeightCertificates } from '@slipstream/schema';
import type { Timers } from '../stream/batcher.ts';
import type { BlockToVerify, BlockVerdict, CertificateVerdict, LiveCounters } from './live-message.ts';

const BUSY_SHARE_MAX = 0.3;
const QUEUE_MAX = 32;
/** A certificate is reported before it can be read. */
const SETTLE_MS = 700;
const TRIES_MAX = 3;

interface LiveComponents {
  readonly timers: Timers;
  readonly certificates: (height: number) => Promise<HeightCertificates>;
  /** Of the node's genesis file, with the committees up to this epoch. Both throw ClientError. */
  readonly verifier: (epoch: number) => Promise<CertificateVerifier>;
  readonly onVerdict: (verdict: BlockVerdict, counters: LiveCounters, genesisHash: string) => void;
  readonly onCounters: (counters: LiveCounters) => void;
}

interface LiveChecker {
  add(blocks: readonly BlockToVerify[]): void;
  stop(): void;
}

interface Waiting extends BlockToVerify {
  readonly dueMs: number;
  readonly tries: number;
}

interface Found {
  readonly certificates: HeightCertificates;
  readonly verifier: CertificateVerifier;
}

export function createLiveChecker(components: LiveComponents): LiveChecker {
  return new Checker(components);
}

class Checker implements LiveChecker {
  readonly #components: LiveComponents;
  readonly #queue: Waiting[] = [];
  readonly #counts = { verified: 0, refused: 0, passedOver: 0, busyMs: 0 };
  readonly #startMs: number;
  #isRunning = false;
  #isStopped = false;
  #cancelWait: (() => void) | undefined;

  constructor(components: LiveComponents) {
    this.#components = components;
    this.#startMs = components.timers.monotonic();
  }

  add(blocks: readonly BlockToVerify[]): void {
    const dueMs = this.#components.timers.monotonic() + SETTLE_MS;
    for (const block of blocks) this.#enqueue({ ...block, dueMs, tries: 1 });
    if (!this.#isRunning) void this.#run();
  }

  stop(): void {
    this.#isStopped = true;
    this.#queue.length = 0;
    this.#cancelWait?.();
  }

  #enqueue(block: Waiting): void {
    this.#queue.push(block);
    if (this.#queue.length <= QUEUE_MAX) return;
    this.#queue.shift();
    this.#counts.passedOver += 1;
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    for (let next = this.#queue[0]; next !== undefined && !this.#isStopped; next = this.#queue[0]) {
      await this.#wait(next.dueMs - this.#components.timers.monotonic());
      if (this.#isStopped) break;
      // Others may have been passed over meanwhile.
      const due = this.#queue.shift();
      if (due !== undefined) await this.#verify(due);
    }
    this.#isRunning = false;
  }

  async #verify(block: Waiting): Promise<void> {
    const found = await this.#fetch(block);
    if (this.#isStopped) return;
    if (block.tries < TRIES_MAX && (found === undefined || found.certificates.state === null)) {
      this.#enqueue({ ...block, tries: block.tries + 1, dueMs: this.#components.timers.monotonic() + SETTLE_MS });
    } else if (found === undefined) {
      this.#counts.passedOver += 1;
      this.#components.onCounters(this.#counters());
    } else {
      await this.#judge(block, found);
    }
  }

  async #judge(block: Waiting, { certificates, verifier }: Found): Promise<void> {
    const { timers, onVerdict } = this.#components;
    const startMs = timers.monotonic();
    const finalization = verdictOn(certificates.finalization, 'finalize', block, verifier);
    const state = verdictOn(certificates.state, 'certify', block, verifier);
    const tookMs = timers.monotonic() - startMs;
    for (const verdict of [finalization, state]) {
      if (verdict === 'verified') this.#counts.verified += 1;
      else if (verdict !== 'missing') this.#counts.refused += 1;
    }
    this.#counts.busyMs += tookMs;
    const { height, blockId } = block;
    onVerdict({ height, blockId, finalization, state, tookMs }, this.#counters(), verifier.genesisHash);
    await this.#wait(tookMs / BUSY_SHARE_MAX - tookMs);
  }

  /** Undefined: the node has none, or does not answer. */
  async #fetch({ height }: Waiting): Promise<Found | undefined> {
    const { certificates, verifier } = this.#components;
    try {
      const found = await certificates(height);
      const epoch = Math.max(found.finalization?.epoch ?? 0, found.state?.epoch ?? 0);
      return { certificates: found, verifier: await verifier(epoch) };
    } catch (error) {
      if (error instanceof ClientError) return undefined;
      throw error;
    }
  }

  #counters(): LiveCounters {
    const { verified, refused, passedOver, busyMs } = this.#counts;
    const elapsedMs = Math.max(1, this.#components.timers.monotonic() - this.#startMs);
    return { verified, refused, passedOver, waiting: this.#queue.length, busyShare: busyMs / elapsedMs };
  }

  #wait(ms: number): Promise<void> {
    if (ms <= 0) return Promise.resolve();
    return new Promise((resolve) => {
      const cancel = this.#components.timers.after(ms, resolve);
      this.#cancelWait = () => {
        cancel();
        resolve();
      };
    });
  }
}

/** A node could show a certificate of another kind, view or block, whose signatures are right. */
function verdictOn(
  certificate: HeightCertificates['finalization'],
  kind: 'finalize' | 'certify',
  block: BlockToVerify,
  { verify }: CertificateVerifier,
): CertificateVerdict {
  if (certificate === null) return 'missing';
  if (certificate.kind !== kind) return { fault: `it is of kind ${certificate.kind}, not ${kind}` };
  if (certificate.blockId !== block.blockId) return { fault: 'it is of another block than the stream reported' };
  if (certificate.height !== undefined && certificate.height !== block.height)
    return { fault: 'it is of another height than the stream reported' };
  const verified = verify(certificate);
  return verified.ok ? 'verified' : { fault: verified.error };
}
