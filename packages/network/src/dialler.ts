/**
 * Dials the wanted peers: exponential backoff with jitter, forever.
 *
 *   idle --(not connected)--> waiting --> dialling --ok--> idle
 *                                ^----------failed--/
 *
 * The peer with the larger key waits before its first dial, so that most pairs dial only once.
 */
import type { Clock, PeerKey, Random, Telemetry } from '@slipstream/ports';
import { dialFailure } from './dial-failure.ts';
import { DIAL_TIMEOUT_MS, type DialPolicy, STABLE_MS } from './limits.ts';
import type { PeerAddress } from './options.ts';

const ATTEMPTS_COUNTED_MAX = 16;

export interface Dialler {
  setPeers(peers: readonly PeerAddress[]): void;
  addressOf(peer: PeerKey): string | undefined;
  /** Since the last connection. */
  failureOf(peer: PeerKey): string | undefined;
  /** Dials this peer, or every one, where needed. */
  wake(peer?: PeerKey): void;
  /** Schedules the next dial, later after a short connection. */
  ended(peer: PeerKey, how: { readonly livedMs: number } | { readonly failure: string | undefined }): void;
  stop(): Promise<void>;
}

interface DiallerComponents {
  readonly clock: Clock;
  readonly random: Random;
  readonly telemetry: Telemetry;
  readonly self: PeerKey;
  /** A connection is wanted, and none exists or is opening. */
  wanted(peer: PeerKey): boolean;
  dial(peer: PeerKey, address: string, signal: AbortSignal): Promise<void>;
}

interface Target {
  readonly peer: PeerKey;
  address: string;
  attempts: number;
  failure: string | undefined;
  cancelWait: (() => void) | undefined;
  dialling: { readonly abort: AbortController; readonly done: Promise<void> } | undefined;
}

export function createDialler(components: DiallerComponents, policy: DialPolicy): Dialler {
  const { clock, random, telemetry, self, wanted, dial } = components;
  const targets = new Map<PeerKey, Target>();
  let stopped = false;

  function delayMs(target: Target): number {
    if (target.attempts === 0) return self < target.peer ? 0 : policy.firstDialDelayMs;
    const exponent = Math.min(target.attempts - 1, ATTEMPTS_COUNTED_MAX);
    const fullMs = Math.min(policy.backoffMaxMs, policy.backoffMinMs * 2 ** exponent);
    return fullMs * (0.5 + random.unit() / 2);
  }

  function schedule(target: Target): void {
    if (stopped || target.cancelWait !== undefined || target.dialling !== undefined || !wanted(target.peer)) return;
    target.cancelWait = clock.after(delayMs(target), () => {
      target.cancelWait = undefined;
      if (stopped || !wanted(target.peer)) return;
      const abort = new AbortController();
      target.dialling = { abort, done: attempt(target, abort) };
    });
  }

  async function attempt(target: Target, abort: AbortController): Promise<void> {
    const cancelTimeout = clock.after(DIAL_TIMEOUT_MS, () => abort.abort(new Error('the dial timed out')));
    target.attempts++;
    try {
      await dial(target.peer, target.address, abort.signal);
    } catch (cause) {
      telemetry.count('network_dial_failures_total');
      if (!stopped) failed(target, dialFailure(abort.signal.aborted ? abort.signal.reason : cause));
    } finally {
      cancelTimeout();
      target.dialling = undefined;
      if (targets.get(target.peer) === target) schedule(target);
    }
  }

  /** Logged at `info` once per reason: a peer may be offline for days. */
  function failed(target: Target, failure: string): void {
    const { peer, address } = target;
    const level = failure === target.failure ? 'debug' : 'info';
    target.failure = failure;
    telemetry.log(level, `peer ${peer} cannot be reached, and is tried again: ${failure}`, { peer, address });
  }

  function forget(target: Target): void {
    target.cancelWait?.();
    target.cancelWait = undefined;
    target.dialling?.abort.abort(new Error('the peer is no longer wanted'));
  }

  return {
    setPeers(peers) {
      const next = new Map(peers.filter(({ peer }) => peer !== self).map((entry) => [entry.peer, entry.address]));
      for (const [peer, target] of targets) {
        if (next.has(peer)) continue;
        targets.delete(peer);
        forget(target);
      }
      for (const [peer, address] of next) {
        const known = targets.get(peer);
        if (known === undefined) {
          const untried = { attempts: 0, failure: undefined, cancelWait: undefined, dialling: undefined };
          targets.set(peer, { peer, address, ...untried });
        } else if (known.address !== address) {
          known.address = address;
          known.failure = undefined;
          known.attempts = 0;
          known.cancelWait?.();
          known.cancelWait = undefined;
        }
      }
    },
    addressOf: (peer) => targets.get(peer)?.address,
    failureOf: (peer) => targets.get(peer)?.failure,
    wake(peer) {
      if (peer === undefined) for (const target of targets.values()) schedule(target);
      else {
        const target = targets.get(peer);
        if (target !== undefined) schedule(target);
      }
    },
    ended(peer, how) {
      const target = targets.get(peer);
      if (target === undefined) return;
      if ('livedMs' in how) {
        target.failure = undefined;
        if (how.livedMs >= STABLE_MS) target.attempts = 0;
      } else if (how.failure !== undefined && !stopped) {
        failed(target, how.failure);
      }
      // The smallest backoff: the peer is most likely restarting.
      target.attempts = Math.max(target.attempts, 1);
      schedule(target);
    },
    async stop() {
      stopped = true;
      const pending = [...targets.values()].map((target) => target.dialling?.done);
      for (const target of targets.values()) forget(target);
      await Promise.all(pending);
    },
  };
}
