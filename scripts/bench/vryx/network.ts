/**
 * The network of the `vryx` bench in virtual time: validators and full nodes in five regions, one issuer of transfers.
 *
 *   issuer (eu-west-1) --one way--> full node of a region --> validators --> chunks, blocks
 *          <--one way-- attested, committed at that full node
 */
import { planBlock } from '@slipstream/app-loadgen';
import type { AttestedChunk } from '@slipstream/dissemination';
import type { CommittedBlock } from '@slipstream/pipeline';
import { type PeerKey, silentTelemetry } from '@slipstream/ports';
import { sha256, toHex, utf8 } from '@slipstream/primitives';
import { createSimNetwork, createSimNode, createSimulation, EPOCH_MS, regionLatency } from '@slipstream/simulator';
import { type Genesis, hexOf, type PreparedTransaction } from '@slipstream/types';
import * as arrange from '../../../packages/execution/test/builders.ts';
import { genesisMember } from '../../../packages/types/test/genesis-member.ts';
import { createChain, type SimulatedChain } from '../../../test/simulation/harness/committee.ts';
import { createScheme } from '../../../test/simulation/harness/signature-scheme.ts';
import type { RunMeter } from '../geo/committee-run.ts';
import type { Costs } from '../geo/costs.ts';
import { createThread } from '../geo/machine.ts';
import { ROUND_TRIP_P50_MS, ROUND_TRIP_P90_MS } from '../geo/regions.ts';
import { type NodeSetting, startNode } from './node.ts';

export const REGIONS = ['us-west-2', 'us-east-1', 'ap-south-1', 'ap-northeast-1', 'eu-west-1'] as const;
const ISSUER_REGION = 'eu-west-1';

export interface NetworkSetting {
  readonly validators: number;
  readonly fullNodes: number;
  readonly accounts: number;
  readonly perSecond: number;
  readonly warmUpMs: number;
  readonly issueMs: number;
  readonly costs: Costs;
  readonly executeMs: NodeSetting['executeMs'];
  readonly meter?: RunMeter;
}

interface Issued {
  readonly atMs: number;
  attestedMs: number | undefined;
  finalMs: number | undefined;
}

export interface NetworkResult {
  readonly issued: number;
  readonly refused: number;
  /** From sending at the issuer to the notice there, ms. */
  readonly attestedMs: readonly number[];
  readonly finalMs: readonly number[];
  /** From a chunk's creation to its certificate at the producer, ms. */
  readonly certifiedMs: readonly number[];
  readonly blocks: number;
  /** Of blocks, weighted by transactions. */
  readonly conflictFreeShare: number;
  /** Share of transactions that wait for no other of their block. */
  readonly executableShare: number;
  /** Of each validator, while transfers were issued. */
  readonly bytesIn: readonly number[];
  readonly bytesOut: readonly number[];
  readonly cores: readonly number[];
  readonly seconds: number;
}

const NO_METER: RunMeter = { works() {}, sending: (send) => send(), stepped() {}, warm() {} };
/** Of a transaction. None that is not final by then will be. */
const LIFE_MS = 30_000;
const BALANCE = 10n ** 12n;
const ONE_WAY = 2;

export async function runNetwork(setting: NetworkSetting): Promise<NetworkResult> {
  const { warmUpMs, issueMs, meter = NO_METER } = setting;
  const network = createNetwork(setting, meter);
  const { simulation, nodes, threads, traffic, record } = network;
  for (const node of nodes) node.start();
  const until = () => {
    meter.stepped();
    return false;
  };
  await simulation.run({ untilMs: warmUpMs, until });
  const before = { threads: threads.map(busyMs), ...traffic.snapshot() };
  meter.warm();
  issueAll(network, setting);
  await simulation.run({ untilMs: warmUpMs + issueMs, until });
  const after = { threads: threads.map(busyMs), ...traffic.snapshot() };
  await simulation.run({
    untilMs: warmUpMs + issueMs + LIFE_MS,
    until: () => until() || record.isDone(),
  });
  const exits = nodes.flatMap(({ exitReason }) => exitReason ?? []);
  if (exits.length > 0) throw new Error(exits.join('; '));
  const change = (to: readonly number[], from: readonly number[]) =>
    to.slice(0, setting.validators).map((value, at) => value - (from[at] as number));
  return {
    ...record.result(),
    bytesIn: change(after.bytesIn, before.bytesIn),
    bytesOut: change(after.bytesOut, before.bytesOut),
    cores: change(after.threads, before.threads).map((ms) => ms / issueMs),
    seconds: issueMs / 1000,
  };
}

type Network = ReturnType<typeof createNetwork>;

interface Threads {
  readonly main: ReturnType<typeof createThread>;
  readonly checking: ReturnType<typeof createThread>;
}

const busyMs = ({ main, checking }: Threads) => main.busyMs + checking.busyMs;

function createNetwork(setting: NetworkSetting, meter: RunMeter) {
  const { validators, fullNodes, costs, executeMs } = setting;
  const simulation = createSimulation({ seed: 'vryx' });
  const scheme = createScheme('vryx', validators, false);
  const chain = createChain('vryx', new Array<number>(validators).fill(1), scheme.publicKeys);
  const genesis = genesisOf(chain, setting.accounts);
  const fullKeys = Array.from({ length: fullNodes }, (_, at) => toHex(sha256(utf8(`full node ${at}`))) as PeerKey);
  const peers = [...chain.committee.members.map(({ peerKey }) => peerKey), ...fullKeys];
  const regionAt = (at: number) => REGIONS[(at < validators ? at : at - validators) % REGIONS.length] as string;
  const regions = new Map<string, string>(peers.map((peer, at) => [peer, regionAt(at)]));
  const latency = regionLatency({ regions, roundTripP50Ms: ROUND_TRIP_P50_MS, roundTripP90Ms: ROUND_TRIP_P90_MS });
  const network = createSimNetwork(simulation, { latency });
  const traffic = createTraffic(peers);
  network.tap(({ from, to, frame }) => traffic.add(from, to, frame.length));
  const threads = peers.map((): Threads => ({ main: createThread(simulation), checking: createThread(simulation) }));
  const linkMs = (at: number) => (ROUND_TRIP_P50_MS[ISSUER_REGION]?.[regionAt(at)] as number) / ONE_WAY;
  const record = createRecord(validators);
  const nodes = peers.map((peer, at) =>
    createSimNode(simulation, {
      peer,
      network,
      role: at < validators ? 'validator' : 'full-node',
      telemetry: () => silentTelemetry,
      diskLatencyMs: ({ operation }) => (operation.startsWith('sync') ? costs.syncMs : 0),
      factory: (world) =>
        startNode(world, {
          chain,
          genesis,
          self: at < validators ? at : undefined,
          signer: scheme.signer(at < validators ? at : 0),
          verifier: scheme.verifier,
          machine: { costs, meter, ...(threads[at] as Threads) },
          executeMs,
          attested: (chunk) => record.attested(at, chunk, simulation.nowMs + linkMs(at)),
          committed: (block) => record.committed(at, block, simulation.nowMs + linkMs(at)),
        }),
    }),
  );
  return { simulation, chain, nodes, threads, traffic, record, linkMs };
}

/** Open loop, evenly in time, to the full nodes in turn. */
function issueAll({ simulation, chain, nodes, record, linkMs }: Network, setting: NetworkSetting): void {
  const { validators, fullNodes, accounts, perSecond, issueMs } = setting;
  const startMs = simulation.nowMs;
  const count = Math.floor((perSecond * issueMs) / 1000);
  for (let i = 0; i < count; i++) {
    const at = validators + (i % fullNodes);
    const atMs = startMs + (i * 1000) / perSecond;
    simulation.schedule(atMs - startMs, () => {
      const { id, bytes } = transfer(chain, accounts, i, EPOCH_MS + Math.floor(atMs) + LIFE_MS);
      record.issued(hexOf(id), at, atMs);
      simulation.schedule(linkMs(at), () => {
        void nodes[at]?.running?.submit(bytes).then(({ type }) => {
          if (type !== 'accepted') record.refused(hexOf(id));
        });
      });
    });
  }
}

let plan: { readonly index: number; readonly transfers: ReturnType<typeof planBlock> } | undefined;

function transfer(chain: SimulatedChain, accounts: number, i: number, expiryMs: number): PreparedTransaction {
  const index = Math.floor(i / 1000);
  if (plan?.index !== index)
    plan = { index, transfers: planBlock({ seed: 'vryx', accounts, transactionBytes: 0 }, index) };
  const { sender, receiver } = plan.transfers[i % 1000] as (typeof plan.transfers)[number];
  return arrange.transaction({
    from: sender,
    actions: [arrange.transfer(receiver, 1n)],
    genesisHash: chain.genesisHash,
    expiryMs,
    salt: i,
  });
}

function genesisOf({ committee }: SimulatedChain, accounts: number): Genesis {
  const balances = Object.fromEntries(Array.from({ length: accounts }, (_, at) => [at, BALANCE]));
  return {
    ...arrange.genesis(balances),
    timestampMs: EPOCH_MS - 1000,
    members: committee.members.map((member) => genesisMember(member.index, member)),
  };
}

function createTraffic(peers: readonly string[]) {
  const indexOf = new Map(peers.map((peer, at) => [peer, at]));
  const bytesIn = peers.map(() => 0);
  const bytesOut = peers.map(() => 0);
  const add = (to: number[], peer: string, bytes: number) => {
    const at = indexOf.get(peer) as number;
    to[at] = (to[at] as number) + bytes;
  };
  return {
    add(from: string, to: string, bytes: number) {
      add(bytesOut, from, bytes);
      add(bytesIn, to, bytes);
    },
    snapshot: () => ({ bytesIn: [...bytesIn], bytesOut: [...bytesOut] }),
  };
}

function createRecord(validators: number) {
  const issued = new Map<string, Issued & { readonly at: number }>();
  const certifiedMs: number[] = [];
  let open = 0;
  let refused = 0;
  let blocks = 0;
  let conflictFree = 0;
  let executable = 0;
  let executed = 0;

  function close(id: string): void {
    if (issued.get(id)?.finalMs === undefined) open--;
  }

  return {
    issued(id: string, at: number, atMs: number) {
      issued.set(id, { at, atMs, attestedMs: undefined, finalMs: undefined });
      open++;
    },
    refused(id: string) {
      close(id);
      refused++;
    },
    isDone: () => open === 0,
    attested(at: number, { producer, transactionIds, sinceCreatedMs }: AttestedChunk, noticeMs: number) {
      if (at === producer) certifiedMs.push(sinceCreatedMs);
      if (at < validators) return;
      for (const id of transactionIds) {
        const known = issued.get(id);
        if (known?.at === at) known.attestedMs ??= noticeMs;
      }
    },
    committed(at: number, { receipts, stats }: CommittedBlock, noticeMs: number) {
      if (at === 0) {
        blocks++;
        executed += receipts.length;
        conflictFree += stats.conflictFreeShare * receipts.length;
        executable += stats.executableAtOnce;
      }
      for (const { transactionId } of at < validators ? [] : receipts) {
        const id = hexOf(transactionId);
        const known = issued.get(id);
        if (known === undefined || known.at !== at || known.finalMs !== undefined) continue;
        close(id);
        known.finalMs = noticeMs;
      }
    },
    result: () => {
      const since = (of: (one: Issued) => number | undefined) =>
        [...issued.values()].flatMap((one) => {
          const noticedMs = of(one);
          return noticedMs === undefined ? [] : [noticedMs - one.atMs];
        });
      return {
        issued: issued.size,
        refused,
        attestedMs: since(({ attestedMs }) => attestedMs),
        finalMs: since(({ finalMs }) => finalMs),
        certifiedMs,
        blocks,
        conflictFreeShare: executed === 0 ? 1 : conflictFree / executed,
        executableShare: executed === 0 ? 1 : executable / executed,
      };
    },
  };
}
