/** What ends an application's action: its ticks, wherever and however often it runs. */
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { createManifestJson } from '@slipstream/app/program';
import { assertStack, loadScript, STACK_MIB, TICKS_MAX } from '@slipstream/app-realm';
import { describe, expect, it } from 'vitest';
import { createMemoryState } from '../../app/test/memory-state.ts';
import { buildApplication } from '../src/index.ts';
import type { Order } from './deep-thread.ts';
import { callIn, type Outcome } from './metered-call.ts';

const built = buildApplication(new URL('./applications/endless.ts', import.meta.url).pathname, { isLockFrozen: true });

async function orderOf(name: string, input: unknown = {}): Promise<Order> {
  const { manifest } = await built;
  const action = manifest.actions.find((each) => each.name === name)?.number ?? -1;
  return { action, input: createManifestJson(manifest).inputFromJson(action, input) };
}

async function runInThread(orders: readonly Order[], stackSizeMb: number = STACK_MIB): Promise<readonly Outcome[]> {
  const { script } = await built;
  const thread = new Worker(new URL('./deep-thread.ts', import.meta.url), {
    workerData: { script, orders },
    resourceLimits: { stackSizeMb },
  });
  const [outcomes] = (await once(thread, 'message')) as [readonly Outcome[]];
  await thread.terminate();
  return outcomes;
}

describe('ticks end', () => {
  it.each(['loop', 'callback'])('an endless loop at the same step in each realm: %s', async (name) => {
    const { script } = await built;
    const { action, input } = await orderOf(name);
    const state = createMemoryState();
    const used = loadScript(script, 'endless');
    for (const ticks of [TICKS_MAX, 1_000, 0]) {
      const outcome = { result: { status: 'out-of-compute' }, writes: {}, events: [], ticks };
      expect(callIn(state, used, { action, input, ticks })).toEqual(outcome);
      expect(callIn(state, loadScript(script, 'endless'), { action, input, ticks })).toEqual(outcome);
    }
  });

  it('recursion before its stack does, also with large frames; recursion that ends within its ticks is not touched', async () => {
    const orders = await Promise.all([orderOf('recurse'), orderOf('recurseWide'), orderOf('deep', { n: 200_000 })]);
    const [recurse, wide, deep] = await runInThread([...orders, ...orders]);
    expect(recurse).toMatchObject({ result: { status: 'out-of-compute' }, ticks: TICKS_MAX });
    expect(wide).toMatchObject({ result: { status: 'out-of-compute' }, ticks: TICKS_MAX });
    expect(deep).toMatchObject({ result: { status: 'success' }, writes: { '00': expect.any(String) } });
    expect(deep?.ticks).toBeLessThan(TICKS_MAX);
  });

  it('the same step, however often code ran and was compiled', async () => {
    const { script } = await built;
    const { action, input } = await orderOf('deep', { n: 500 });
    const state = createMemoryState();
    const used = loadScript(script, 'endless');
    const { ticks } = callIn(state, used, { action, input, ticks: TICKS_MAX });
    for (let i = 0; i < 300; i++) callIn(state, used, { action, input, ticks: TICKS_MAX });
    expect(callIn(state, used, { action, input, ticks: TICKS_MAX })).toMatchObject({
      result: { status: 'success' },
      ticks,
    });
    expect(callIn(state, used, { action, input, ticks }).result.status).toBe('success');
    expect(callIn(state, used, { action, input, ticks: ticks - 1 })).toMatchObject({
      result: { status: 'out-of-compute' },
    });
  });
});

describe('a thread for applications', () => {
  it('asserts its stack', async () => {
    expect(() => assertStack()).toThrow(`a stack of ${STACK_MIB} MiB`);
    await expect(runInThread([], 64)).rejects.toThrow(/stackSizeMb 256/);
  });
});

describe('memory of the top of a module', () => {
  it('is frozen: a change through another name is a fault, the same each time', async () => {
    const { script } = await built;
    const { action, input } = await orderOf('remember');
    const state = createMemoryState();
    const used = loadScript(script, 'endless');
    const outcome = callIn(state, used, { action, input, ticks: TICKS_MAX });
    expect(outcome.result).toMatchObject({ status: 'fault', message: expect.stringMatching(/TypeError/) });
    expect(callIn(state, used, { action, input, ticks: TICKS_MAX })).toEqual(outcome);
  });
});
