/**
 * Measures costs with the real code: BLS signatures, round trip to a verifier thread, log fsync, a frame through two real transports. A run
 * of the same committee measures the main thread (`createWorkMeter`).
 *
 * CPU-bound work is measured in CPU time; disk and thread hops in wall time, tenth percentile, because the machine is shared.
 */
import { generateKeyPairSync, sign } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInlineVerifier, createWorkerVerifier, generateBlsSecretKey } from '@slipstream/crypto/native';
import { createTransport, identityFromSeed } from '@slipstream/network';
import { createClock, createDisk, createRandom } from '@slipstream/platform';
import { type AccountSignature, type EpochKeys, type PeerKey, silentTelemetry } from '@slipstream/ports';
import { sha256, uint32le } from '@slipstream/primitives';
import { FRAME_LIMITS, frameNameOf, GENESIS_EPOCH } from '@slipstream/types';
import { openWal } from '@slipstream/wal';
import { warn } from '../../print.ts';
import type { RunMeter } from './committee-run.ts';
import { type Costs, WORK_KINDS, type WorkKind } from './costs.ts';

export interface MeasureOptions {
  readonly committee: number;
  readonly smoke: boolean;
  readonly frame: Uint8Array;
}

const MESSAGE = sha256(uint32le(1));
const ACCOUNT_SIGNATURE = signedByAccount(MESSAGE);

function signedByAccount(message: Uint8Array): AccountSignature {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const { x = '' } = publicKey.export({ format: 'jwk' });
  return { publicKey: Buffer.from(x, 'base64url'), message, signature: sign(null, message, privateKey) };
}

export async function measureCosts({ committee, smoke, frame }: MeasureOptions): Promise<Omit<Costs, 'workMs'>> {
  const repeats = smoke ? 3 : 40;
  const secrets = Array.from({ length: committee }, (_, index) => generateBlsSecretKey(sha256(uint32le(index))));
  const signers = secrets.map((secretKey) => createInlineVerifier({ committees: [], secretKey }).signer);
  const committees = [{ epoch: GENESIS_EPOCH, publicKeys: signers.map(({ publicKey }) => publicKey) }];
  const { verifier } = createInlineVerifier({ committees });
  const votes = await Promise.all(
    signers.map(async ({ sign }, signer) => {
      const [signature] = await sign([MESSAGE]);
      return { signer, signature: signature as Uint8Array, verified: false };
    }),
  );
  const aggregates = new Map<number, Uint8Array>();
  const quorum = async (count: number) => {
    const request = { epoch: GENESIS_EPOCH, message: MESSAGE, votes: votes.slice(0, count) };
    const { aggregate } = await verifier.checkQuorum(request);
    aggregates.set(count, aggregate as Uint8Array);
  };
  const few = Math.min(4, committee);
  const checkCertificate = (count: number) =>
    verifier.checkCertificate(
      {
        epoch: GENESIS_EPOCH,
        message: MESSAGE,
        signers: votes.slice(0, count).map(({ signer }) => signer),
        aggregate: aggregates.get(count) as Uint8Array,
      },
      'consensus',
    );
  const first = { ...(votes[0] as (typeof votes)[number]), epoch: GENESIS_EPOCH, message: MESSAGE };
  const signMs = await cpuMsEach(repeats, () => (signers[0] as (typeof signers)[number]).sign([MESSAGE]));
  const proposalCheckMs = await cpuMsEach(repeats, () => verifier.checkVote(first, 'consensus'));
  const byCount = async (work: (count: number) => Promise<unknown>) =>
    line(few, await cpuMsEach(repeats, () => work(few)), committee, await cpuMsEach(repeats, () => work(committee)));
  const quorumMs = await byCount(quorum);
  const checkedVotes = votes.map((vote) => ({ ...vote, verified: true }));
  const sum = (count: number) =>
    verifier.checkQuorum({ epoch: GENESIS_EPOCH, message: MESSAGE, votes: checkedVotes.slice(0, count) });
  const sumMs = await byCount(sum);
  const certificateMs = await byCount(checkCertificate);
  const hopMs = await measureHop(committees, secrets[0] as Uint8Array, signMs, repeats);
  const frameMs = await measureFrame(frame, smoke ? 100 : 2000);
  const syncMs = await measureSync(repeats);
  return {
    signMs,
    proposalCheckMs,
    quorumMs,
    sumMs,
    certificateMs,
    accountMs: await cpuMsEach(repeats, () => verifier.checkAccounts([ACCOUNT_SIGNATURE], 'client')),
    hopMs,
    syncMs,
    frameOutMs: frameMs,
    frameInMs: frameMs,
  };
}

/** Linear in the number of signatures. */
function line(few: number, fewMs: number, many: number, manyMs: number): (count: number) => number {
  const slope = many === few ? 0 : (manyMs - fewMs) / (many - few);
  return (count) => Math.max(0, fewMs + slope * (count - few));
}

async function cpuMsEach(repeats: number, work: () => Promise<unknown>): Promise<number> {
  for (let i = 0; i < 2; i++) await work(); // warm
  const before = process.threadCpuUsage();
  for (let i = 0; i < repeats; i++) await work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000 / repeats;
}

async function undisturbedMs(repeats: number, work: () => Promise<unknown>): Promise<number> {
  const tookMs: number[] = [];
  for (let i = 0; i < repeats; i++) {
    const startMs = performance.now();
    await work();
    tookMs.push(performance.now() - startMs);
  }
  return tookMs.sort((a, b) => a - b)[Math.floor(repeats / 10)] as number;
}

async function measureHop(
  committees: readonly EpochKeys[],
  secretKey: Uint8Array,
  signMs: number,
  repeats: number,
): Promise<number> {
  const service = createWorkerVerifier({
    workers: 1,
    committees,
    secretKey,
    onFailure: (error) => warn(error.message),
  });
  await service.signer.sign([MESSAGE]); // starts the thread
  const roundTripMs = await undisturbedMs(repeats, () => service.signer.sign([MESSAGE]));
  await service.stop();
  return Math.max(0, roundTripMs - signMs);
}

async function measureSync(repeats: number): Promise<number> {
  const root = await mkdtemp(join(tmpdir(), 'slipstream-geo-'));
  try {
    const world = { clock: createClock(), random: createRandom(), telemetry: silentTelemetry };
    const components = { ...world, disk: createDisk({ root }) };
    const { wal } = await openWal(components, { directory: 'wal', genesisHash: new Uint8Array(32) });
    const vote = new Uint8Array(260);
    const syncMs = await undisturbedMs(Math.max(repeats, 20), () => wal.append('own-notarize', vote, vote).durable);
    await wal.close();
    return syncMs;
  } finally {
    await rm(root, { recursive: true });
  }
}

/** About what a member sends one peer at once. */
const BURST = 4;

/** CPU time of one frame at one end: half of the sum for two transports. */
async function measureFrame(frame: Uint8Array, frames: number): Promise<number> {
  const genesisHash = new Uint8Array(32).fill(9);
  const seeds = [1, 2].map((fill) => new Uint8Array(32).fill(fill));
  const keys = seeds.map((seed) => identityFromSeed(seed).peer);
  const components = { clock: createClock(), random: createRandom(), telemetry: silentTelemetry };
  const shared = { genesisHash, admit: () => 'validator' as const, frameLimits: FRAME_LIMITS } as const;
  const [seedA, seedB] = seeds as [Uint8Array, Uint8Array];
  const a = createTransport(components, { ...shared, seed: seedA, listen: ['127.0.0.1:0'], peers: [] });
  await a.start();
  const peers = [{ peer: keys[0] as PeerKey, address: a.addresses()[0]?.split('/p2p/')[0] ?? '' }];
  const b = createTransport(components, { ...shared, seed: seedB, listen: [], peers });
  let arrived = 0;
  let whenAll = () => {};
  a.onFrame(() => {
    if (++arrived % BURST === 0) whenAll();
  });
  const connected = new Promise<void>((resolve) => b.onPeer(({ type }) => type === 'connected' && resolve()));
  await b.start();
  await connected;
  async function send(count: number): Promise<void> {
    for (let sent = 0; sent < count; sent += BURST) {
      const all = new Promise<void>((resolve) => {
        whenAll = resolve;
      });
      for (let i = 0; i < BURST; i++) b.send(keys[0] as PeerKey, 'consensus', frame);
      await all;
    }
  }
  await send(frames); // warm
  const before = process.threadCpuUsage();
  await send(frames);
  const { user, system } = process.threadCpuUsage(before);
  await Promise.all([a.stop(), b.stop()]);
  return (user + system) / 1000 / frames / 2;
}

interface Spent {
  events: number;
  cpuMs: number;
}

export interface WorkMeter extends RunMeter {
  workMs(kind: WorkKind): number;
  readonly events: Readonly<Record<WorkKind, number>>;
  /** For measuring transports. */
  readonly sampleFrame: Uint8Array | undefined;
}

/** Attributes each event's CPU time on the main thread to the work that it triggered. */
export function createWorkMeter(): WorkMeter {
  const spent = new Map<WorkKind, Spent>();
  let kind: WorkKind | undefined;
  let lastMs = cpuMs();
  let sendingMs = 0;
  let sampleFrame: Uint8Array | undefined;

  return {
    works(next) {
      kind = next;
    },
    sending(send, frame) {
      const beforeMs = cpuMs();
      const result = send();
      sendingMs += cpuMs() - beforeMs;
      if (frame && frameNameOf(frame) === 'consensus' && frame.length > (sampleFrame?.length ?? 0)) sampleFrame = frame;
      return result;
    },
    stepped() {
      const nowMs = cpuMs();
      if (kind !== undefined) {
        const entry = spent.get(kind) ?? { events: 0, cpuMs: 0 };
        entry.events++;
        entry.cpuMs += nowMs - lastMs - sendingMs;
        spent.set(kind, entry);
      }
      kind = undefined;
      sendingMs = 0;
      lastMs = nowMs;
    },
    warm() {
      spent.clear();
    },
    workMs(of) {
      const entry = spent.get(of);
      return entry ? entry.cpuMs / entry.events : 0;
    },
    get events() {
      const counts = WORK_KINDS.map((of) => [of, spent.get(of)?.events ?? 0]);
      return Object.fromEntries(counts) as Record<WorkKind, number>;
    },
    get sampleFrame() {
      return sampleFrame;
    },
  };
}

function cpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
