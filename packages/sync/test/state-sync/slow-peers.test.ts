/** A peer whose answers are right and late. */
import type { Clock, PeerKey } from '@slipstream/ports';
import { createLifetime } from '@slipstream/simulator';
import { readSnapshot } from '@slipstream/state';
import { describe, expect, test } from 'vitest';
import { newDisk, TINY } from '../../../state/test/builders.ts';
import { fetchFiles } from '../../src/state-sync/fetch-files.ts';
import type { Sources } from '../../src/state-sync/sources.ts';
import { PIECE_BYTES, packPiece } from '../../src/state-sync/wire.ts';
import { GENESIS_HASH, HONEST, SILENT, STATE_DIGEST, served } from './served-snapshot.ts';
import { zstd } from './zstd.ts';

/** As requests/client.ts waits. */
const ANSWER_MS_MAX = 5_000;
const JUST_IN_TIME_MS = 4_500;
const SLOW_MS = 1_500;

/** Time passes when nothing else is left to do. */
function idleClock() {
  let nowMs = 0;
  let isStopped = false;
  const timers: { readonly atMs: number; readonly act: () => void }[] = [];
  const clock: Pick<Clock, 'monotonicMs' | 'after'> = {
    monotonicMs: () => nowMs,
    after(ms, act) {
      const timer = { atMs: nowMs + ms, act };
      timers.push(timer);
      return () => void timers.splice(timers.indexOf(timer), 1);
    },
  };
  async function run(): Promise<void> {
    while (!isStopped) {
      for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
      timers.sort((a, b) => a.atMs - b.atMs);
      const next = timers.shift();
      nowMs = next?.atMs ?? nowMs;
      next?.act();
    }
  }
  void run();
  const stop = () => {
    isStopped = true;
  };
  return { clock: clock as Clock, stop };
}

describe('a slow peer', () => {
  /** Some ten pieces a file. */
  const VALUE_BYTES = 60_000;

  /** Right bytes, each piece after the peer's delay in ms; one at a time answers only one of its requests at once. */
  async function fetchSlowly(delays: ReadonlyMap<PeerKey, number>, isOneAtATime = false) {
    const { snapshot, disk: source } = await served(VALUE_BYTES);
    const { clock, stop } = idleClock();
    const pieces = new Map<PeerKey, number>();
    let isBusy = false;
    const target = newDisk().mount(createLifetime());
    await target.makeDirectory('staged');
    const sources: Sources = {
      available: () => [...delays.keys()],
      failed: () => {},
      succeeded: () => {},
      block: () => {},
      stop: async () => {},
      async ask(peer, { from = 0, to = 0 }) {
        const isLate = isOneAtATime && isBusy;
        isBusy = true;
        await new Promise<void>(
          (resolve) => void clock.after(isLate ? ANSWER_MS_MAX : (delays.get(peer) ?? 0), resolve),
        );
        if (isLate) return undefined;
        isBusy = false;
        pieces.set(peer, (pieces.get(peer) ?? 0) + 1);
        const piece = await readSnapshot(source, 'snapshots', snapshot, from, to, PIECE_BYTES);
        const chunks = piece ? [packPiece(piece, zstd)] : [];
        return { requestId: 1, blocks: [], certificates: [], chunks, more: false };
      },
    };
    const setting = { directory: 'staged', snapshot, stateDigest: STATE_DIGEST, genesisHash: GENESIS_HASH };
    const began = clock.monotonicMs();
    const outcome = await fetchFiles(
      { disk: target, clock, sources, compression: zstd, onBytes: () => {} },
      { ...setting, history: TINY.history },
    ).then(
      () => 'whole',
      (error: { readonly code: string }) => error.code,
    );
    stop();
    return { outcome, pieces, tookMs: clock.monotonicMs() - began };
  }

  test('loses its files to another one that brings them sooner', async () => {
    const alone = await fetchSlowly(new Map([[SILENT, SLOW_MS]]));
    expect(alone.outcome).toBe('whole');
    const together = await fetchSlowly(
      new Map([
        [SILENT, SLOW_MS],
        [HONEST, 10],
      ]),
    );
    expect(together.outcome).toBe('whole');
    expect(together.tookMs).toBeLessThan(alone.tookMs);
    expect(together.pieces.get(HONEST)).toBeGreaterThan((alone.pieces.get(SILENT) ?? 0) / 2);
  });

  test('keeps no attempt alive with a piece now and then', async () => {
    const { outcome, pieces, tookMs } = await fetchSlowly(new Map([[SILENT, JUST_IN_TIME_MS]]), true);
    expect(outcome).toBe('state-incomplete');
    expect(pieces.get(SILENT)).toBeGreaterThan(2);
    expect(tookMs).toBeLessThan(60_000);
  });
});
