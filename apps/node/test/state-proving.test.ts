/** Proofs of state for clients: the queue to the executor's thread, its answers, and what a client verifies of them. */
import { MessageChannel } from 'node:worker_threads';
import { PipelineError } from '@slipstream/pipeline';
import { createClock } from '@slipstream/platform';
import { silentTelemetry } from '@slipstream/ports';
import { PROOF_VALUE_BYTES_MAX } from '@slipstream/state-tree/proofs';
import { stateKeyOfAccount } from '@slipstream/types';
import { afterEach, expect, onTestFinished, test } from 'vitest';
import * as arrange from '../../../packages/execution/test/builders.ts';
import { openExecutor } from '../src/executor/executor.ts';
import { createStateProving } from '../src/executor/state-proving.ts';
import { createReplaceableReader } from '../src/executor/state-reader.ts';
import { NO_QUEUES, type NoSide, type StateReadsSide } from '../src/executor/wire.ts';
import { createChannel } from '../src/threads/channel.ts';
import { messageOf } from '../src/threads/message.ts';
import { createFolders, SETTING } from './executor-world.ts';

const { newFolder, later, clear } = createFolders();
afterEach(clear);

const fail = (error: unknown) => expect.fail(String(error));

test('R16: of a hundred thousand requests at once 256 wait, and the others are refused at once', async () => {
  const { port1, port2 } = new MessageChannel();
  let release: (() => void)[] = [];
  const reader = createReplaceableReader(fail);
  const executor = createChannel<NoSide, StateReadsSide>(
    {
      port: port2,
      handlers: {
        calls: {
          read: async () => messageOf({ height: 0, missing: [] }),
          prove: () => new Promise((resolve) => release.push(() => resolve(messageOf({ type: 'too-large' })))),
        },
        notices: {},
      },
      onFault: fail,
    },
    NO_QUEUES,
  );
  reader.attach(port1);
  onTestFinished(() => {
    reader.detach();
    executor.close();
  });
  const keys = Array.from({ length: 64 }, () => new Uint8Array(63));
  const refused = new Map<string, number>();
  const accepted: Promise<unknown>[] = [];
  for (let asked = 0; asked < 100_000; asked++) {
    const answer = reader.prove(keys).catch((error: { readonly code: string }) => {
      refused.set(error.code, (refused.get(error.code) ?? 0) + 1);
      return undefined;
    });
    if (asked < 256) accepted.push(answer);
  }
  await expect.poll(() => release.length).toBe(256);
  expect(refused).toEqual(new Map([['queue-full', 100_000 - 256]]));
  const proofs = reader.queues().find(({ name }) => name === 'executor-proofs');
  expect(proofs).toMatchObject({ messages: 256 });
  expect(proofs?.bytes).toBeLessThanOrEqual(2 * 1024 * 1024);
  // Reads have a queue of their own.
  expect(await reader.read([new Uint8Array(1)])).toMatchObject({ height: 0 });
  const answered = release;
  release = [];
  for (const each of answered) each();
  expect(await Promise.all(accepted)).toEqual(Array(256).fill({ type: 'too-large' }));
  expect(reader.queues().find(({ name }) => name === 'executor-proofs')).toMatchObject({ messages: 0, bytes: 0 });
});

test('without an executor proofs are paused, as reads are', async () => {
  await expect(createReplaceableReader(fail).prove([new Uint8Array(1)])).rejects.toMatchObject({ code: 'paused' });
});

const clock = { wallMs: () => 0, monotonicMs: () => performance.now(), after: () => () => {} };
const path = { place: { kind: 'empty' } as const, siblings: [] };

test('values of more than 256 KiB together are too large, and a shared prefix names its key', async () => {
  const values = (count: number, bytes: number) =>
    createStateProving({
      clock,
      prove: async () => ({
        height: 3 as never,
        entries: Array.from({ length: count }, () => ({ ok: true, value: { value: new Uint8Array(bytes), path } })),
      }),
    })([]);
  expect((await values(4, PROOF_VALUE_BYTES_MAX / 4)).head).toMatchObject({ type: 'proven', height: 3, missing: [] });
  expect((await values(5, PROOF_VALUE_BYTES_MAX / 4)).head).toEqual({ type: 'too-large' });
  const shared = createStateProving({
    clock,
    prove: async () => ({
      height: 3 as never,
      entries: [
        { ok: true, value: { value: undefined, path } },
        { ok: false, error: 'shared-prefix' },
      ],
    }),
  });
  expect((await shared([])).head).toEqual({ type: 'shared-prefix', at: 1 });
});

test('a pipeline that has halted proves nothing', async () => {
  const halted = createStateProving({
    clock,
    prove: async () => {
      throw new PipelineError('stopped', 'the pipeline has stopped', {});
    },
  });
  expect((await halted([])).head).toEqual({ type: 'stopped' });
});

test('the thread proves accounts that exist, and others that do not, of the committed block', async () => {
  const { port1, port2 } = new MessageChannel();
  const genesis = { ...arrange.genesis({ 1: 5n }), timestampMs: arrange.NOW_MS };
  const executor = await openExecutor(
    { clock: createClock(), telemetry: silentTelemetry, payloadOf: async () => [], fail, readers: [port2] },
    {
      folder: await newFolder(),
      genesis,
      genesisHash: arrange.GENESIS_HASH,
      ...SETTING,
    },
  );
  later(executor.stop);
  executor.start();
  const reader = createReplaceableReader(fail);
  reader.attach(port1);
  later(async () => reader.detach());
  const proven = await reader.prove([1, 2].map((number) => stateKeyOfAccount(arrange.account(number))));
  expect(proven).toMatchObject({ type: 'proven', height: 0, values: [{ path: { place: { kind: 'entry' } } }, {}] });
  if (proven.type !== 'proven') return;
  expect(proven.values.map(({ value }) => value?.length)).toEqual([16, undefined]);
});
