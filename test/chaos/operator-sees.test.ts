/** Each injected fault shows at an uninvolved honest node: in the event stream, in /metrics, and as an alert with a remedy. */
import { mkdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { verifyEvidence } from '@slipstream/client';
import { type ClusterNode, eventually, type TemporaryNetwork, temporaryNetwork } from '@slipstream/devnet';
import { HOME } from '@slipstream/node-home';
import type { Alert, EventType } from '@slipstream/schema';
import { view } from '@slipstream/types';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ALERT_RULES } from '../../apps/node/src/telemetry/alert-rules.ts';
import { mountSmallDisk } from '../../scripts/chaos/small-disk.ts';
import { contradiction } from './hostile/contradiction.ts';
import { startHostilePeer } from './hostile/peer.ts';
import { keysOf } from './keys.ts';
import { FAST_BLOCKS, standStill } from './lagging.ts';
import { REPORTS_OFF } from './reports-off.ts';

const WATCHER = 'validator-0';
const SEEN_MS_MAX = 90_000;

/** What one node's stream reported. */
interface Lookout {
  readonly node: ClusterNode;
  /** Event types, and alerts by rule; earlier alerts are in the stream's first message. */
  readonly events: Set<EventType>;
  readonly alerts: Map<string, Alert>;
  /** Rules whose alert was cleared and not raised again. */
  readonly ended: Set<string>;
  isLive(): boolean;
  close(): void;
}

function lookAt(node: ClusterNode): Lookout {
  const events = new Set<EventType>();
  const alerts = new Map<string, Alert>();
  const ended = new Set<string>();
  let live = false;
  const stream = node.client.events({
    topics: ['alerts', 'consensus', 'signatures', 'peers'],
    onState: ({ state }) => {
      live = true;
      for (const alert of state.status.alerts) alerts.set(alert.rule, alert);
    },
    onEvent({ event }) {
      events.add(event.type);
      if (event.type === 'alert.raised') {
        alerts.set(event.data.rule, event.data);
        ended.delete(event.data.rule);
      }
      if (event.type === 'alert.cleared') ended.add(event.data.rule);
    },
  });
  return { node, events, alerts, ended, isLive: () => live, close: () => stream.close() };
}

function isLive({ isLive }: Lookout): Promise<true> {
  return eventually('the stream is live', SEEN_MS_MAX, async () => (isLive() ? true : undefined));
}

/** Waits until the alert is cleared on the stream and in the gauge. */
async function isOver({ node, ended }: Lookout, rule: string): Promise<void> {
  await eventually(`the alert ${rule} is over`, SEEN_MS_MAX, async () => (ended.has(rule) ? true : undefined));
  await eventually(`${rule} is over in the metrics`, SEEN_MS_MAX, () => alertMetric(node, rule, 0));
}

interface WatchedNetwork {
  readonly network: TemporaryNetwork;
  /** At an uninvolved node. */
  readonly lookout: Lookout;
  remove(): Promise<void>;
}

async function watchedNetwork(
  shape: Parameters<typeof temporaryNetwork>[0] = {},
  prepare: (network: TemporaryNetwork) => void = () => {},
): Promise<WatchedNetwork> {
  const network = await temporaryNetwork({ validators: 4, flagsOf: () => REPORTS_OFF, ...shape });
  prepare(network);
  await network.start();
  const lookout = lookAt(network.node(WATCHER));
  return {
    network,
    lookout,
    async remove() {
      lookout.close();
      await network.remove();
    },
  };
}

async function seen({ events, alerts, node }: Lookout, types: readonly EventType[], rules: readonly string[]) {
  for (const type of types) {
    await eventually(`${type} in the stream`, SEEN_MS_MAX, async () => (events.has(type) ? true : undefined));
    await eventually(`${type} in the metrics`, SEEN_MS_MAX, () =>
      metric(node, `slipstream_node_events_total{type="${type}"}`),
    );
  }
  for (const rule of rules) {
    await eventually(`alert ${rule}`, SEEN_MS_MAX, async () => alerts.get(rule));
    expect(alerts.get(rule)?.remedy.length).toBeGreaterThan(20);
    await eventually(`alert ${rule} in the metrics`, SEEN_MS_MAX, () => alertMetric(node, rule, 1));
  }
}

async function alertMetric(node: ClusterNode, rule: string, value: 0 | 1): Promise<true | undefined> {
  const severity = ALERT_RULES.find(({ name }) => name === rule)?.severity;
  const series = `slipstream_node_alert_active{rule="${rule}",severity="${severity}"}`;
  return (await metric(node, series)) === value ? true : undefined;
}

/** Undefined: no such series. */
async function metric({ url }: ClusterNode, series: string): Promise<number | undefined> {
  const text = await (await fetch(`${url}/metrics`)).text();
  const line = text.split('\n').find((each) => each.startsWith(`${series} `));
  return line === undefined ? undefined : Number(line.split(' ').at(-1));
}

/** One network at a time, because two would compete for the machine. */
describe('with a validator that signs invalidly', () => {
  let watched: WatchedNetwork;

  beforeAll(async () => {
    watched = await watchedNetwork({ flags: ['--development-faults', 'true'] });
    // The stream must be open before the fault.
    await isLive(watched.lookout);
    watched.network.node('validator-3').process.setFaults({ corruptSignatures: true, cutPeers: [] });
  });

  afterAll(() => watched?.remove());

  test('a validator that signs invalidly: the bisection that found it, and its block', async () => {
    const { lookout } = watched;
    await seen(lookout, ['bisection', 'peer.blocked'], ['bad-votes', 'validator-blocked']);
    expect(lookout.alerts.get('validator-blocked')?.message).toContain('validator 3');
  });

  test('a leader with nullified views: each view with its leader, and the alert for their number', async () => {
    // The blocked validator leads every fourth view, and its proposals are ignored.
    await seen(watched.lookout, ['view.nullified'], ['views-nullified']);
  });

  test('paused validators without a quorum left: alerts no finality and validators offline, cleared on resume', async () => {
    const { network, lookout } = watched;
    const { process } = network.node('validator-1');
    process.pause();
    try {
      await seen(lookout, [], ['validator-offline', 'no-finality', 'quorum-unreachable']);
      expect(lookout.alerts.get('validator-offline')?.message).toContain('validator');
    } finally {
      process.resume();
    }
    for (const rule of ['validator-offline', 'no-finality', 'quorum-unreachable']) await isOver(lookout, rule);
  });
});

test('a validator that equivocates: evidence, the alert, and its block', async () => {
  const { network, lookout, remove } = await watchedNetwork();
  try {
    await isLive(lookout);
    const identity = await keysOf(network.node('validator-2').home);
    await network.kill(['validator-2']);
    const target = network.node(WATCHER);
    const { peerSeed: seed, genesisHash } = identity;
    const traitor = await startHostilePeer({ seed, genesisHash, target });
    const lane = await traitor.lane('consensus');
    lane.send(contradiction(identity, view((await target.client.status()).view + 20)));
    await seen(lookout, ['evidence', 'peer.blocked'], ['equivocation', 'validator-blocked']);
    const { items } = await target.client.call('evidence');
    expect(items).toMatchObject([{ offender: identity.validator?.index }]);
    const genesis = await target.client.genesis();
    for (const item of items) expect(verifyEvidence(item, genesis)).toMatchObject({ ok: true });
    await traitor.stop();
  } finally {
    await remove();
  }
});

const MIB = 1024 * 1024;

/** The node's log has a matching message. */
async function said(network: TemporaryNetwork, name: string, words: RegExp): Promise<true | undefined> {
  return words.test(await readFile(network.node(name).process.logFile, 'utf8')) ? true : undefined;
}

test('a node that lags behind reports that it lags, and that it has caught up', async () => {
  const { network, remove } = await watchedNetwork({ flags: FAST_BLOCKS });
  const laggard = network.node('validator-3');
  let lookout: Lookout | undefined;
  try {
    await standStill(network, laggard.name, WATCHER);
    laggard.process.slowDown();
    lookout = lookAt(laggard);
    await seen(lookout, [], ['behind']);
    expect(lookout.alerts.get('behind')?.message).toMatch(/^this node is [0-9]+ blocks behind the chain$/);
    expect(await said(network, laggard.name, /alert behind: this node/)).toBe(true);
    laggard.process.resume();
    await isOver(lookout, 'behind');
    await eventually('the log says so', SEEN_MS_MAX, () => said(network, laggard.name, /alert behind cleared/));
  } finally {
    lookout?.close();
    await remove();
  }
});

test('a disk that fills up: an early alert, a stop with the reason, and an offline alert at the others', async () => {
  const mounted: { disk?: ReturnType<typeof mountSmallDisk> } = {};
  const { network, lookout, remove } = await watchedNetwork({}, ({ node }) => {
    const data = join(node('validator-3').home, HOME.data);
    mkdirSync(data, { recursive: true });
    mounted.disk = mountSmallDisk(data, 200 * MIB);
  });
  const { disk } = mounted;
  try {
    if (disk === undefined || 'reason' in disk) {
      // Needs the right to mount; the rules have their own tests.
      expect(disk?.reason).toContain('no small disk can be mounted');
      return;
    }
    const filled = network.node('validator-3');
    const own = lookAt(filled);
    await seen(own, [], ['disk-full']);
    expect(await said(network, filled.name, /alert disk-full: only [0-9]+ MiB/)).toBe(true);
    disk.fill();
    await eventually('the stop', SEEN_MS_MAX, async () => (filled.process.running ? undefined : true));
    expect(await said(network, filled.name, /ENOSPC.*Nothing is signed any more/)).toBe(true);
    expect(own.alerts.get('disk-failed')?.remedy).toContain('start the node again');
    own.close();
    await seen(lookout, [], ['validator-offline']);
    disk.free();
    await network.start([filled.name]);
    await isOver(lookout, 'validator-offline');
  } finally {
    await network.stop();
    if (disk !== undefined && 'unmount' in disk) disk.unmount();
    await remove();
  }
});
