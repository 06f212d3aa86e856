/** One narrow stream and one row per node; health from process, links and the node's report. */
import type { Alert } from '@slipstream/schema';
import { beforeEach, describe, expect, test } from 'vitest';
import type { FleetNode } from '../src/node/fleet.ts';
import { type FleetRow, startFleetSession } from '../src/stream/fleet-session.ts';
import { possible } from '../src/views/fleet/fleet-actions.ts';
import { fleetEntries, highestOf } from '../src/views/fleet/fleet-entries.ts';
import { AT_MS, eventMessage, RUN, stateMessage, statsOf, statusOf } from './live-messages.ts';
import { manualTimers } from './manual-timers.ts';
import { ScriptedSocket } from './scripted-socket.ts';

function node(name: string, fields: Partial<FleetNode> = {}): FleetNode {
  const place = `/fleet/${name}`;
  return { name, place, validator: 0, process: 'running', restarts: 0, corrupt: false, cutFrom: [], ...fields };
}

const ALERT: Alert = {
  rule: 'disk-full',
  severity: 'critical',
  message: 'only 9 MiB are free on the disk',
  threshold: '',
  remedy: 'Free space now.',
  sinceMs: AT_MS,
};

beforeEach(() => {
  ScriptedSocket.all.length = 0;
});

describe('a fleet session', () => {
  function start() {
    const timers = manualTimers(AT_MS);
    let rows: readonly FleetRow[] = [];
    let posts = 0;
    const post = (posted: readonly FleetRow[]) => {
      rows = structuredClone(posted);
      posts += 1;
    };
    const session = startFleetSession({ WebSocket: ScriptedSocket, timers, post });
    session.watch(['a', 'b'].map((name) => ({ name, url: `http://x/fleet/${name}` })));
    const hello = {
      type: 'hello',
      protocol: 1,
      run: RUN,
      sequence: 0,
      oldest: 0,
      atMs: AT_MS,
      topics: [],
      resumed: false,
    };
    const greet = (name: string) => {
      ScriptedSocket.to(`/fleet/${name}/`).say(hello);
      ScriptedSocket.to(`/fleet/${name}/`).say(stateMessage(1));
    };
    return { timers, session, greet, rows: () => rows, posts: () => posts };
  }

  test('requests from each node only its summary and its alerts', () => {
    start();
    expect(ScriptedSocket.all.map(({ url }) => decodeURIComponent(url))).toEqual([
      'ws://x/fleet/a/v1/stream?topics=stats,alerts',
      'ws://x/fleet/b/v1/stream?topics=stats,alerts',
    ]);
  });

  test('stores the last figures of each node separately, and publishes a few times per second', () => {
    const { timers, greet, rows, posts } = start();
    greet('a');
    greet('b');
    const before = posts();
    for (let i = 0; i < 50; i++) {
      ScriptedSocket.to('/a/').say(eventMessage(2 + i, 'stats', statsOf({ height: 10 + i })));
      timers.advance(10);
    }
    timers.advance(250);
    expect(posts() - before).toBeLessThanOrEqual(4);
    expect(rows().map(({ name, status }) => [name, status?.height])).toEqual([
      ['a', 59],
      ['b', 5],
    ]);
    ScriptedSocket.to('/b/').say(eventMessage(2, 'alert.raised', ALERT));
    timers.advance(250);
    expect(rows().map(({ alerts }) => alerts.length)).toEqual([0, 1]);
    ScriptedSocket.to('/b/').say(eventMessage(3, 'alert.cleared', { rule: 'disk-full' }));
    timers.advance(250);
    expect(rows()[1]?.alerts).toEqual([]);
  });

  test('learns from summaries that a node became ready, or drains', () => {
    const { timers, greet, rows } = start();
    greet('a');
    ScriptedSocket.to('/a/').say(eventMessage(2, 'stats', statsOf({ ready: false, syncing: true, draining: true })));
    timers.advance(250);
    expect(rows()[0]?.status).toMatchObject({ ready: false, syncing: true, draining: true });
  });

  test('marks an unresponsive node, and forgets a node that is not watched any more', () => {
    const { timers, session, greet, rows } = start();
    greet('a');
    greet('b');
    timers.advance(2_000);
    ScriptedSocket.to('/a/').say(eventMessage(2, 'stats', statsOf()));
    timers.advance(2_500);
    expect(rows().map(({ connection }) => connection.type)).toEqual(['live', 'stale']);
    session.watch([{ name: 'b', url: 'http://x/fleet/b' }]);
    timers.advance(250);
    expect(rows().map(({ name }) => name)).toEqual(['b']);
    session.stop();
  });
});

describe('an entry of the fleet', () => {
  const row = (name: string, fields: Partial<FleetRow> = {}): FleetRow => ({
    name,
    connection: { type: 'live' },
    status: statusOf(),
    stats: statsOf(),
    alerts: [],
    ...fields,
  });
  const one = (given: FleetNode, said?: FleetRow) =>
    fleetEntries([given], new Map(said ? [[given.name, said]] : []))[0];

  test('is healthy when the node reports so', () => {
    expect(one(node('a'), row('a'))).toMatchObject({
      fresh: true,
      behind: 0,
      health: { tone: 'good', label: 'Healthy' },
    });
  });

  test('is red when its process is stopped or paused, whatever its last summary was', () => {
    expect(one(node('a', { process: 'stopped' }), row('a'))).toMatchObject({
      fresh: false,
      health: { tone: 'bad', label: 'Stopped' },
    });
    expect(one(node('a', { process: 'paused' }), row('a'))?.health.label).toBe('Paused');
  });

  test('is red and unreachable when its stream is lost, and shows when it stopped itself', () => {
    const lost = { type: 'lost', reason: '1006', lostAtMs: AT_MS, retryInMs: 500 } as const;
    expect(one(node('a'), row('a', { connection: lost }))?.health).toMatchObject({ tone: 'bad', label: 'Unreachable' });
    const halted = { ...ALERT, rule: 'halted', message: 'digest mismatch', remedy: 'Keep the data folder.' };
    expect(one(node('a'), row('a', { connection: lost, alerts: [halted] }))?.health).toMatchObject({
      label: 'Halted',
      reasons: ['digest mismatch', 'Keep the data folder.'],
    });
  });

  test('is red while the chain is stalled, with the remedy of its alerts', () => {
    const offline = {
      ...ALERT,
      rule: 'validator-offline',
      severity: 'warning',
      message: 'validator 2 is offline',
    } as const;
    const stands = { ...ALERT, rule: 'no-finality', message: 'no block was final for 40 s', remedy: 'Start them.' };
    expect(one(node('a'), row('a', { alerts: [offline, stands] }))).toMatchObject({
      health: { tone: 'bad', label: 'Not finalizing', reasons: [stands.message, offline.message] },
      remedy: 'Start them.',
    });
    expect(one(node('a'), row('a', { alerts: [offline] }))).toMatchObject({
      health: { tone: 'warn' },
      remedy: offline.remedy,
    });
  });

  test('of a stopped process has no old remedy', () => {
    const stands = { ...ALERT, rule: 'no-finality', message: 'no block was final for 40 s' };
    const alerts = [ALERT, stands];
    expect(one(node('a', { process: 'stopped' }), row('a', { alerts }))).toMatchObject({ remedy: undefined });
    const lost = { type: 'lost', reason: '1006', lostAtMs: AT_MS, retryInMs: 500 } as const;
    expect(one(node('a'), row('a', { connection: lost, alerts }))).toMatchObject({
      health: { label: 'Unreachable' },
      remedy: undefined,
    });
  });

  test('shows intentional operations first', () => {
    const made = one(node('a', { cutFrom: ['b', 'c'], corrupt: true }), row('a'));
    expect(made?.health).toMatchObject({ tone: 'warn', label: 'Fault injected' });
    expect(made?.health.reasons.slice(0, 2)).toEqual([
      'Partitioned from b, c.',
      'Its signatures are corrupted on purpose: other nodes detect and block it.',
    ]);
  });

  test('is compared with nodes of its own chain, and names that chain when it is not the first node’s', () => {
    const identity = { ...statusOf(), chain: 'identity', genesisHash: `0x${'1d'.repeat(32)}`, height: 900 };
    const rows = new Map([
      ['a', row('a', { status: { ...statusOf(), height: 100 } })],
      ['b', row('b', { status: identity })],
    ]);
    const entries = fleetEntries([node('a'), node('b')], rows);
    expect(entries.map(({ behind, otherChain }) => [behind, otherChain])).toEqual([
      [0, undefined],
      [0, 'identity'],
    ]);
    expect(highestOf(entries)).toBe(100);
  });

  test('is behind only beyond the error of summaries sent once per second', () => {
    const rows = new Map([
      ['a', row('a', { status: statusOf({ height: 100 }) })],
      ['b', row('b', { status: statusOf({ height: 94 }) })],
      ['c', row('c', { status: statusOf({ height: 93 }) })],
    ]);
    const entries = fleetEntries([node('a'), node('b'), node('c')], rows);
    expect(entries.map(({ behind }) => behind)).toEqual([0, 0, 7]);
    expect(highestOf(entries)).toBe(100);
  });

  test('of a node that the own node watches is as that one received it', () => {
    const said = { detail: 'connection refused', sinceMs: AT_MS, stats: null, status: statusOf() } as const;
    const relay = { by: 'full-node-0', url: 'http://shop_validator_1:8080', state: 'stale', ...said } as const;
    const entry = one(node('a', { process: undefined, relayed: relay }));
    expect(entry).toMatchObject({ fresh: false, status: { height: 5 }, health: { tone: 'bad', label: 'Unreachable' } });
    expect(entry?.health.reasons[0]).toBe(
      'full-node-0 cannot reach it at http://shop_validator_1:8080: connection refused.',
    );
    const never = one(node('a', { process: undefined, relayed: { ...relay, state: 'connecting', status: null } }));
    expect(never).toMatchObject({ health: { tone: 'bad', label: 'Unreachable' } });
    const halted = { ...statusOf(), alerts: [{ ...ALERT, rule: 'halted', message: 'another digest' }] };
    const stopped = one(node('a', { process: undefined, relayed: { ...relay, status: halted } }));
    expect(stopped).toMatchObject({ health: { label: 'Halted', reasons: ['another digest', ALERT.remedy] } });
    const live = one(node('a', { process: undefined, relayed: { ...relay, state: 'live', stats: statsOf() } }));
    expect(live).toMatchObject({ fresh: true, health: { label: 'Healthy' } });
  });

  test('allows only the actions that apply', () => {
    const entries = fleetEntries(
      [node('a'), node('b', { process: 'stopped' }), node('f', { validator: null })],
      new Map(),
    );
    expect(possible('stop', ['a'], entries)).toBe(true);
    expect(possible('stop', ['b'], entries)).toBe(false);
    expect(possible('start', ['a', 'b'], entries)).toBe(false);
    expect(possible('start', ['b'], entries)).toBe(true);
    expect(possible('corrupt', ['f'], entries)).toBe(false);
    expect(possible('partition', ['a', 'b', 'f'], entries)).toBe(false);
    expect(possible('heal', [], entries)).toBe(false);
    expect(possible('pause', [], entries)).toBe(false);
  });
});
