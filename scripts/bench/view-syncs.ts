/**
 * Fsyncs of the log per view: four validators in this process, in real time, logs on the real disk.
 *
 *   a view here: from entering it until entering the next; fsyncs meanwhile, by whether this node proposed in it
 *
 * Pipelined, as over a wide-area network: the proposal of v+1 is here before v is notarized, so Finalize(v), Certify(v) and Notarize(v+1)
 * share one frame and one fsync. Spaced, as on one site: Notarize(v+1) has its own fsync; delaying Finalize(v) for it would cost finality.
 */
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Application, type ConsensusOptions, EMPTY_LOG, LOCAL_OPTIONS, WAN_OPTIONS } from '@slipstream/consensus';
import { createClock, createDisk, createRandom } from '@slipstream/platform';
import { type PeerKey, silentTelemetry, type Telemetry, type Transport, type Verifier } from '@slipstream/ports';
import { sha256 } from '@slipstream/primitives';
import { asId, type StateDigest } from '@slipstream/types';
import { openSignState, openWal, type Wal } from '@slipstream/wal';
import { type ConnectedConsensus, connectConsensus } from '../../apps/node/src/assembly/connect-consensus.ts';
import { createChain, type SimulatedChain } from '../../test/simulation/harness/committee.ts';
import { EMPTY_ARCHIVE } from '../../test/simulation/harness/empty-archive.ts';
import type { SignatureScheme } from '../../test/simulation/harness/scheme.ts';
import { createScheme } from '../../test/simulation/harness/signature-scheme.ts';
import { type BenchOptions, type Claim, claim, printTable } from './claim.ts';

const MEMBERS = 4;

interface Setting {
  readonly name: string;
  linkMs(from: number, to: number): number;
  readonly options: ConsensusOptions;
}

const PIPELINED: Setting = {
  name: 'pipelined: links of 60 ms, preset wan, neither pacing nor early votes',
  linkMs: () => 60,
  options: { ...WAN_OPTIONS, minBlockIntervalMs: 0, earlyVoteViews: 0 },
};
const EARLY: Setting = {
  name: 'the same with early votes',
  linkMs: () => 60,
  options: { ...WAN_OPTIONS, minBlockIntervalMs: 0 },
};
const PACED: Setting = {
  name: `paced: links of 1 ms, preset local (a block every ${LOCAL_OPTIONS.minBlockIntervalMs} ms)`,
  linkMs: () => 1,
  options: LOCAL_OPTIONS,
};

/** Simulated: a check and the round trip. */
const CHECK_MS = 1;

interface ViewRecord {
  readonly proposed: boolean;
  readonly syncs: number;
}

export async function run({ smoke }: BenchOptions): Promise<Claim[]> {
  const views = smoke ? 8 : 120;
  const pipelined = await measure(PIPELINED, views);
  const early = await measure(EARLY, Math.ceil(views / 2));
  const paced = await measure(PACED, Math.ceil(views / 2));
  printTable(
    'log syncs per view, mean over nodes and views',
    ['setting', 'follower', 'leader', 'views'],
    [
      [PIPELINED.name, follower(pipelined).toFixed(2), leader(pipelined).toFixed(2), pipelined.length],
      [EARLY.name, follower(early).toFixed(2), leader(early).toFixed(2), early.length],
      [PACED.name, follower(paced).toFixed(2), leader(paced).toFixed(2), paced.length],
    ],
  );
  return [
    claim('syncs_per_view_follower', follower(pipelined), 'syncs', pipelined.length),
    claim('syncs_per_view_leader', leader(pipelined), 'syncs', pipelined.length),
    claim('syncs_per_view_follower_early', follower(early), 'syncs', early.length),
    claim('syncs_per_view_follower_paced', follower(paced), 'syncs', paced.length),
    claim('syncs_per_view_leader_paced', leader(paced), 'syncs', paced.length),
  ];
}

const follower = (records: readonly ViewRecord[]): number => meanSyncs(records.filter(({ proposed }) => !proposed));
const leader = (records: readonly ViewRecord[]): number => meanSyncs(records.filter(({ proposed }) => proposed));

function meanSyncs(records: readonly ViewRecord[]): number {
  return records.reduce((sum, { syncs }) => sum + syncs, 0) / Math.max(1, records.length);
}

/** Until the pipeline is full. */
const WARM_UP_VIEWS = 4;

async function measure({ linkMs, options }: Setting, views: number): Promise<readonly ViewRecord[]> {
  const root = await mkdtemp(join(tmpdir(), 'slipstream-views-'));
  const scheme = createScheme('view syncs', MEMBERS, false);
  const chain = createChain('view syncs', new Array<number>(MEMBERS).fill(1), scheme.publicKeys);
  const peers = chain.committee.members.map(({ peerKey }) => peerKey);
  const transports = createLoopback(peers, linkMs);
  const records: ViewRecord[] = [];
  const members: Member[] = [];
  try {
    await new Promise<void>((done, fail) => {
      const onView = (record: ViewRecord, view: number) => {
        if (view > WARM_UP_VIEWS) records.push(record);
        if (view > WARM_UP_VIEWS + views) done();
      };
      const startAll = async () => {
        for (const [self, transport] of transports.entries()) {
          const home = join(root, String(self));
          await mkdir(home);
          members.push(await openMember({ chain, scheme, self, options, transport, home, onView, onFatal: fail }));
        }
        await Promise.all(members.map(({ connected }) => connected.start()));
      };
      startAll().catch(fail);
    });
  } finally {
    for (const { connected } of members) await connected.stop();
    for (const { wal } of members) await wal.close();
    await rm(root, { recursive: true });
  }
  return records;
}

interface Member {
  readonly connected: ConnectedConsensus;
  readonly wal: Wal;
}

interface MemberSetting {
  readonly chain: SimulatedChain;
  readonly scheme: SignatureScheme;
  readonly self: number;
  readonly options: ConsensusOptions;
  readonly transport: Transport;
  readonly home: string;
  readonly onView: (record: ViewRecord, view: number) => void;
  readonly onFatal: (error: unknown) => void;
}

async function openMember(setting: MemberSetting): Promise<Member> {
  const { chain, scheme, self, options, home, onFatal } = setting;
  const { genesisHash, genesis, genesisId } = chain;
  const disk = createDisk({ root: home });
  const clock = createClock();
  const random = createRandom();
  const signState = await openSignState({ disk }, { path: 'sign-state.json', genesisHash });
  const { wal, report } = await openWal(
    { clock, disk, random, telemetry: silentTelemetry },
    { directory: 'wal', genesisHash },
  );
  await signState.mayTrust(report);
  const watch = createViewWatch(wal, setting.onView);
  const connected = connectConsensus(
    {
      transport: watch.transport(setting.transport),
      clock,
      random,
      verifier: slowed(scheme.verifier),
      wal,
      signing: { signerFor: () => scheme.signer(self), signState },
      application: EMPTY_BLOCKS,
      archive: EMPTY_ARCHIVE,
      telemetry: watch.telemetry,
      onDisseminationFrame: () => {},
      onFatal,
    },
    {
      genesisHash,
      record: chain.record,
      selfIn: () => self,
      options,
      root: { block: genesis, blockId: genesisId, certificate: undefined },
      refuseUpToView: 0,
      nullifyUpToView: 0,
      restored: EMPTY_LOG,
      firstRetainedView: 0,
    },
  );
  return { connected, wal };
}

/** Stand-ins with the answer time of real ones. */
function slowed(verifier: Verifier): Verifier {
  const pause = () => new Promise((resolve) => setTimeout(resolve, CHECK_MS));
  return {
    ...verifier,
    checkQuorum: (request) => pause().then(() => verifier.checkQuorum(request)),
    checkVote: (...request) => pause().then(() => verifier.checkVote(...request)),
    checkCertificate: (...request) => pause().then(() => verifier.checkCertificate(...request)),
    checkBatch: (...request) => pause().then(() => verifier.checkBatch(...request)),
  };
}

const EMPTY_BLOCKS: Application = {
  buildPayload: async () => [],
  checkPayload: async () => ({ type: 'valid' }),
  execute: async (blockId) => asId<StateDigest>(sha256(blockId)),
  finalized() {},
  certified() {},
  hasPending: () => true,
};

/** Between one entered view and the next; notes proposals. */
function createViewWatch(wal: Wal, onView: (record: ViewRecord, view: number) => void) {
  let syncsBefore = wal.stats.syncs;
  let proposed = false;
  const telemetry: Telemetry = {
    ...silentTelemetry,
    event(type, { view }) {
      if (type !== 'view.entered') return;
      const syncs = wal.stats.syncs - syncsBefore;
      syncsBefore = wal.stats.syncs;
      onView({ proposed, syncs }, Number(view) - 1);
      proposed = false;
    },
  };
  return {
    telemetry,
    transport: (inner: Transport): Transport => ({
      ...inner,
      self: inner.self,
      broadcast(lane, frame) {
        if (lane === 'proposal') proposed = true;
        inner.broadcast(lane, frame);
      },
    }),
  };
}

/** Constant delay. Timers of equal delay fire in order. */
function createLoopback(peers: readonly PeerKey[], linkMs: Setting['linkMs']): readonly Transport[] {
  const handlers = new Map<
    PeerKey,
    (from: PeerKey, lane: Parameters<Transport['send']>[1], frame: Uint8Array) => void
  >();
  return peers.map((self, from): Transport => {
    const send: Transport['send'] = (peer, lane, frame) => {
      setTimeout(() => handlers.get(peer)?.(self, lane, frame), linkMs(from, peers.indexOf(peer)));
      return true;
    };
    return {
      self,
      send,
      broadcast(lane, frame) {
        for (const peer of peers) if (peer !== self) send(peer, lane, frame);
      },
      peers: () => [],
      onFrame: (handler) => void handlers.set(self, handler),
      onPeer() {},
      block() {},
      unblock() {},
      start: async () => {},
      stop: async () => void handlers.delete(self),
    };
  });
}
