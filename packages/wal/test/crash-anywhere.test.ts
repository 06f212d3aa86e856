import { bytesEqual } from '@slipstream/primitives';
import { CRASH_MODES, type CrashAgain, crashAgainAndAgain, type NodeWorld } from '@slipstream/simulator';
import { expect, test } from 'vitest';
import { openSignState, openWal } from '../src/index.ts';
import { collect, directory, genesisHash, payloadOf } from './builders.ts';

const LAST_VIEW = 150;

/** The effects of all processes of the node that others can observe. */
interface Outside {
  /** The highest sequence whose sync returned. */
  acknowledged: number;
  /** Number of signatures by view: at most one is allowed. */
  readonly signed: Map<number, number>;
  finished: boolean;
}

/** A minimal validator: one record per view, reserved, synced, and only then sent. */
async function runSigner({ clock, disk, random, telemetry, lifetime }: NodeWorld, outside: Outside): Promise<void> {
  const signState = await openSignState({ disk }, { path: 'sign-state.json', genesisHash });
  const opened = await openWal(
    { clock, disk, random, telemetry },
    { directory, genesisHash, segmentBytesMax: 4_000, knownDurableSequence: signState.logSequence },
  );
  const { wal, report } = opened;
  const replayed = await collect(opened.records);
  const refusal = await signState.mayTrust(report);
  for (const { sequence, payload } of replayed) {
    const isSigned = payload.length === 21;
    expect(bytesEqual(payload, isSigned ? signedIn(payload[0] as number) : payloadOf(sequence, 40))).toBe(true);
  }
  expect(report.lastSequence).toBeGreaterThanOrEqual(outside.acknowledged);
  const known = replayed.filter(({ payload }) => payload.length === 21).map(({ payload }) => payload[0] as number);
  for (let view = Math.max(0, ...known) + 1; view <= LAST_VIEW; view++) {
    expect(view).toBeGreaterThan(refusal.viewsUpTo);
    await signState.reserve({ view, logSequence: wal.durableSequence });
    wal.append('certificate', payloadOf(wal.lastSequence + 1, 40));
    const { sequence, durable } = wal.append('own-notarize', signedIn(view), view);
    await durable;
    if (!lifetime.alive) return;
    outside.acknowledged = sequence;
    outside.signed.set(view, (outside.signed.get(view) ?? 0) + 1);
    expect(signState.mark).toBeGreaterThanOrEqual(view);
  }
  outside.finished = true;
}

function signedIn(view: number): Uint8Array {
  return new Uint8Array([view, ...payloadOf(view)]);
}

test.each([...CRASH_MODES, 'any of them'] as const)(
  'a power cut at any disk call (%s): nothing acknowledged is lost, nothing is signed twice',
  async (mode) => {
    for (let seed = 0; seed < 25; seed++) await playThrough(seed, mode);
  },
);

async function playThrough(seed: number, mode: CrashAgain['mode']): Promise<void> {
  const outside: Outside = { acknowledged: 0, signed: new Map(), finished: false };
  await crashAgainAndAgain({
    seed,
    mode,
    stepsMax: 250,
    work: (world) => runSigner(world, outside),
    isFinished: () => outside.finished,
  });
  expect([...outside.signed.values()].every((times) => times === 1)).toBe(true);
}
