import { silentTelemetry, type Telemetry } from '@slipstream/ports';
import { expect, it } from 'vitest';
import { createThreadTelemetry, type TelemetryLine, tellTelemetry } from '../../src/threads/thread-telemetry.ts';

it('tells all of a turn in one notice, in order, with bytes as text', async () => {
  const told: (readonly TelemetryLine[])[] = [];
  const telemetry = createThreadTelemetry((lines) => told.push(structuredClone(lines)));
  telemetry.event('block.committed', { height: 3, times: { proposedMs: 1.5 } });
  telemetry.count('pipeline_reverted_blocks');
  telemetry.log('warn', 'a key', { key: new Uint8Array([1, 2]) as unknown as string });
  await expect.poll(() => told.length).toBe(1);
  const heard: unknown[][] = [];
  const listener: Telemetry = {
    ...silentTelemetry,
    event: (...of) => heard.push(['event', ...of]),
    count: (...of) => heard.push(['count', ...of]),
    log: (...of) => heard.push(['log', ...of]),
  };
  tellTelemetry(listener, told[0] ?? []);
  expect(heard).toEqual([
    ['event', 'block.committed', { height: 3, times: { proposedMs: 1.5 } }],
    ['count', 'pipeline_reverted_blocks', 1, {}],
    ['log', 'warn', 'a key', { key: '0x0102' }],
  ]);
});
