/**
 * What an operator must see: each injected fault shows in the event stream, in /metrics, and as an alert with a remedy, at an
 * honest node that has nothing to do with it but to watch.
 */
import { mkdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Alert, EventType } from '@slipstream/schema';
import { view } from '@slipstream/types';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { HOME } from '../../apps/node/src/folder/layout.ts';
import { mountSmallDisk } from '../../scripts/chaos/small-disk.ts';
import { eventually, type TemporaryNetwork, temporaryNetwork } from '../e2e/temporary-network.ts';
import { contradiction } from './hostile/contradiction.ts';
import { startHostilePeer } from './hostile/peer.ts';
import { keysOf } from './keys.ts';

const WATCHER = 'validator-0';
const SEEN_MS_MAX = 90_000;

interface Lookout {
  readonly network: TemporaryNetwork;
  /** Types of events that the watcher's stream told, and alerts by rule. */
  readonly events: Set<EventType>;
  readonly alerts: Map<string, Alert>;
  close(): void;
}

async function lookOut(
  shape: Parameters<typeof temporaryNetwork>[0] = {},
  prepare: (network: TemporaryNetwork) => void = () => {},
): Promise<Lookout> {
  const network = await temporaryNetwork({ validators: 4, ...shape });
  prepare(network);
  const events = new Set<EventType>();
  const alerts = new Map<string, Alert>();
  await network.start();
  const stream = network.node(WATCHER).client.events({
    topics: ['alerts', 'consensus', 'signatures', 'peers'],
    onEvent({ event }) {
      events.add(event.type);
      if (event.type === 'alert.raised') alerts.set(event.data.rule, event.data);
    },
  });
  return { network, events, alerts, close: () => stream.close() };
}

async function seen({ events, alerts, network }: Lookout, types: readonly EventType[], rules: readonly string[]) {
  for (const type of types) {
    await eventually(`${type} in the stream`, SEEN_MS_MAX, async () => (events.has(type) ? true : undefined));
    await eventually(`${type} in the metrics`, SEEN_MS_MAX, () =>
      metric(network, `slipstream_node_events_total{type="${type}"}`),
    );
  }
  for (const rule of rules) {
    await eventually(`alert ${rule}`, SEEN_MS_MAX, async () => alerts.get(rule));
    expect(alerts.get(rule)?.remedy.length).toBeGreaterThan(20);
    await eventually(`alert ${rule} in the metrics`, SEEN_MS_MAX, async () =>
      (await metric(network, `slipstream_node_alert_active{rule="${rule}"}`)) === undefined ? undefined : true,
    );
  }
}

/** The value of a series; undefined when it is not there. */
async function metric({ node }: TemporaryNetwork, series: string): Promise<number | undefined> {
  const text = await (await fetch(`${node(WATCHER).url}/metrics`)).text();
  const line = text.split('\n').find((each) => each.startsWith(`${series} `));
  return line === undefined ? undefined : Number(line.split(' ').at(-1));
}

/** One network at a time: two would fight for the machine. */
describe('with a validator that signs wrongly', () => {
  let lookout: Lookout;

  beforeAll(async () => {
    lookout = await lookOut({ corrupt: 3 });
  });

  afterAll(async () => {
    lookout?.close();
    await lookout?.network.remove();
  });

  test('a validator that signs wrongly: the bisection that found it, and that it is blocked', async () => {
    await seen(lookout, ['bisection', 'peer.blocked'], ['bad-votes', 'validator-blocked']);
    expect(lookout.alerts.get('validator-blocked')?.message).toContain('validator 3');
  });

  test('a leader whose views are given up: each view with its leader, and that they are many', async () => {
    // The blocked one leads every fourth view, and nobody takes what it proposes.
    await seen(lookout, ['view.nullified'], ['views-given-up']);
  });

  test('no finality and validators away, when the rest of a quorum is paused; both alerts end when it goes on', async () => {
    const { network, alerts } = lookout;
    const { process } = network.node('validator-1');
    process.pause();
    try {
      await seen(lookout, [], ['validator-away', 'no-finality', 'quorum-unreachable']);
      expect(alerts.get('validator-away')?.message).toContain('validator');
    } finally {
      process.resume();
    }
    await eventually('the alerts are over', SEEN_MS_MAX, async () => {
      const { alerts: standing } = await network.node(WATCHER).client.status();
      return standing.some(({ rule }) => rule === 'no-finality' || rule === 'validator-away') ? undefined : true;
    });
  });
});

test('a validator that contradicts itself: evidence, the alert, and that it is blocked', async () => {
  const other = await lookOut();
  try {
    const { network } = other;
    const identity = await keysOf(network.node('validator-2').home);
    await network.kill(['validator-2']);
    const target = network.node(WATCHER);
    const { peerSeed: seed, genesisHash } = identity;
    const traitor = await startHostilePeer({ seed, genesisHash, target });
    const lane = await traitor.lane('consensus');
    lane.send(contradiction(identity, view((await target.client.status()).view + 20)));
    await seen(other, ['evidence', 'peer.blocked'], ['equivocation', 'validator-blocked']);
    const { items } = await target.client.call('evidence');
    expect(items).toMatchObject([{ offender: identity.validator?.index }]);
    await traitor.stop();
  } finally {
    other.close();
    await other.network.remove();
  }
});

const MIB = 1024 * 1024;

/** What the node logged so far, as messages. */
async function said(network: TemporaryNetwork, name: string, words: RegExp): Promise<true | undefined> {
  return words.test(await readFile(network.node(name).process.logFile, 'utf8')) ? true : undefined;
}

test('a node that lags behind says so itself, and that it has caught up', async () => {
  const other = await lookOut();
  try {
    const { network } = other;
    const laggard = network.node('validator-3');
    const { height } = await network.node(WATCHER).client.status();
    laggard.process.pause();
    try {
      await eventually('the others are twice as far ahead as the alert needs', SEEN_MS_MAX, async () =>
        (await network.node(WATCHER).client.status()).height > height + 16 ? true : undefined,
      );
    } finally {
      laggard.process.resume();
    }
    await eventually('the alert of the laggard', SEEN_MS_MAX, () =>
      said(network, laggard.name, /alert behind: this node/),
    );
    await eventually('that it is over', SEEN_MS_MAX, () => said(network, laggard.name, /alert behind is over/));
  } finally {
    other.close();
    await other.network.remove();
  }
});

test('a disk that fills up: an alert while there is time, a stop that names it, and the others miss the validator', async () => {
  const mounted: { disk?: ReturnType<typeof mountSmallDisk> } = {};
  const other = await lookOut({}, (network) => {
    const data = join(network.node('validator-3').home, HOME.data);
    mkdirSync(data, { recursive: true });
    mounted.disk = mountSmallDisk(data, 200 * MIB);
  });
  const { disk } = mounted;
  try {
    if (disk === undefined || 'reason' in disk) {
      // Only who may mount can fill a disk: the rest is covered by the rules' own tests.
      expect(disk?.reason).toContain('no small disk can be mounted');
      return;
    }
    const { network } = other;
    await eventually('the alert', SEEN_MS_MAX, () => said(network, 'validator-3', /alert disk-full: only [0-9]+ MiB/));
    disk.fill();
    await eventually('the stop', SEEN_MS_MAX, async () =>
      network.node('validator-3').process.running ? undefined : true,
    );
    expect(await said(network, 'validator-3', /ENOSPC.*Nothing is signed any more/)).toBe(true);
    await seen(other, [], ['validator-away']);
    disk.free();
    await network.start(['validator-3']);
  } finally {
    other.close();
    await other.network.stop();
    if (disk !== undefined && 'unmount' in disk) disk.unmount();
    await other.network.remove();
  }
});
