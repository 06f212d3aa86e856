import { appendFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseFleetMember } from '@slipstream/node-home';
import { createClock } from '@slipstream/platform';
import { silentTelemetry } from '@slipstream/ports';
import type { FleetNode } from '@slipstream/schema';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type RunningApi, runApi } from '../../../../packages/api/test/running-api.ts';
import { createAuditLog } from '../../src/backend/audit-log.ts';
import { createFleetWatch } from '../../src/backend/fleet-watch.ts';
import { createNodeOperation } from '../../src/backend/operation.ts';

const clock = createClock();

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 5));
}

function desk(pending: () => number, wallMs = clock.wallMs) {
  let finished = false;
  let level: 'debug' | 'info' | 'warn' | 'error' = 'info';
  const made = createNodeOperation({
    clock: { ...clock, wallMs },
    telemetry: silentTelemetry,
    pending,
    logging: {
      level: async () => level,
      async setLevel(next) {
        level = next;
      },
    },
    finish: () => {
      finished = true;
    },
  });
  return { ...made, refusal: made.refusal, isFinished: () => finished };
}

describe('a drain', () => {
  it('rejects submissions until it is undone', async () => {
    const { operation, refusal } = desk(() => 3);
    expect(refusal()).toBeUndefined();
    expect(await operation.drain({ stop: false, deadlineMs: 1 })).toMatchObject({
      draining: true,
      pending: 3,
      stops: false,
    });
    expect(refusal()).toMatchObject({ type: 'not-ready' });
    expect(await operation.undrain()).toMatchObject({ draining: false, sinceMs: null });
    expect(refusal()).toBeUndefined();
  });

  it('ends the process once nothing is pending, and not before', async () => {
    let pending = 2;
    let looks = 0;
    const made = desk(() => {
      looks += 1;
      return pending;
    });
    await made.operation.drain({ stop: true, deadlineMs: 3_600_000 });
    await until(() => looks > 3);
    expect(made.isFinished()).toBe(false);
    pending = 0;
    await until(made.isFinished);
  });

  it('ends the process at the deadline, whatever is pending', async () => {
    const made = desk(() => 1);
    await made.operation.drain({ stop: true, deadlineMs: 0 });
    await until(made.isFinished);
  });
});

describe('the deadline of a drain', () => {
  it('is met also when the clock is set back by an hour meanwhile', async () => {
    let setBackMs = 0;
    const made = desk(
      () => 1,
      () => clock.wallMs() - setBackMs,
    );
    await made.operation.drain({ stop: true, deadlineMs: 50 });
    setBackMs = 3_600_000;
    await until(made.isFinished);
  });
});

describe('the record of operator actions', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'audit-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  const entry = (act: string) => ({ atMs: 1, act, address: '127.0.0.1', outcome: 'done', detail: '' });

  it('is one line per action in the file, and lists the newest first', async () => {
    const file = join(folder, 'audit.jsonl');
    const log = createAuditLog(file, silentTelemetry);
    for (const act of ['one', 'two', 'three']) log.record(entry(act));
    expect((await log.newest()).map(({ act }) => act)).toEqual(['three', 'two', 'one']);
    expect((await readFile(file, 'utf8')).split('\n')).toHaveLength(4);
  });

  it('survives a line that a power cut left half written', async () => {
    const file = join(folder, 'audit.jsonl');
    const before = createAuditLog(file, silentTelemetry);
    before.record(entry('old'));
    await before.newest();
    await appendFile(file, '{"atMs":1,"ac');
    const log = createAuditLog(file, silentTelemetry);
    log.record(entry('new'));
    const acts = (await log.newest()).map(({ act }) => act);
    expect(acts).toContain('old');
    expect(acts).toContain('new');
  });

  it('omits lines without a checksum', async () => {
    const file = join(folder, 'audit.jsonl');
    const log = createAuditLog(file, silentTelemetry);
    log.record(entry('new'));
    await log.newest();
    await appendFile(file, `${JSON.stringify(entry('made up'))}\n`);
    expect((await log.newest()).map(({ act }) => act)).toEqual(['new']);
  });

  it('omits actions with a flipped bit, and reports them', async () => {
    const file = join(folder, 'audit.jsonl');
    const writer = createAuditLog(file, silentTelemetry);
    for (const act of ['one', 'two', 'three']) writer.record(entry(act));
    await writer.newest();
    await writeFile(file, (await readFile(file, 'utf8')).replace('"two"', '"twp"'));
    const logged: string[] = [];
    const log = createAuditLog(file, { ...silentTelemetry, log: (_, message) => logged.push(message) });
    expect((await log.newest()).map(({ act }) => act)).toEqual(['three', 'one']);
    expect(logged).toEqual([expect.stringContaining('1 of its operator actions')]);
  });
});

describe('the fleet watch', () => {
  const running: RunningApi[] = [];
  afterEach(async () => {
    for (const api of running.splice(0)) await api.stop();
  });

  it('receives from a node, follows it, marks it stale when it is lost, and receives from it again', async () => {
    const first = await runApi();
    running.push(first);
    const logged: FleetNode[] = [];
    const watch = createFleetWatch([{ name: 'a', url: first.url }], clock, (node) => logged.push(node));
    expect(watch.nodes()).toMatchObject([{ name: 'a', state: 'connecting', status: null }]);
    await until(() => logged.some(({ status }) => status !== null));
    expect(watch.nodes()).toMatchObject([{ state: 'live', status: { node: { name: 'fake' }, height: 0 } }]);
    expect(watch.nameOf(watch.nodes()[0]?.status?.node.peer ?? '')).toBe('a');
    await first.stop();
    await until(() => watch.nodes()[0]?.state === 'stale');
    expect(watch.nodes()).toMatchObject([{ status: { height: 0 }, detail: expect.stringContaining('') }]);
    running.push(await runApi({ port: first.port }));
    await until(() => watch.nodes()[0]?.state === 'live');
    watch.stop();
  });
});

describe('an item of fleet.nodes', () => {
  it('is a name and a url', () => {
    expect(parseFleetMember('v-1=http://10.0.0.1:8080')).toEqual({ name: 'v-1', url: 'http://10.0.0.1:8080' });
  });

  it.for(['', 'x', '=http://a', 'a=', 'a=ftp://b', 'a b=http://c', 'a=b'])('is not "%s"', (text) => {
    expect(() => parseFleetMember(text)).toThrow(RangeError);
  });
});
