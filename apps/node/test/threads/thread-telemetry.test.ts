import { silentTelemetry, type Telemetry } from '@slipstream/ports';
import { expect, it } from 'vitest';
import { createThreadTelemetry, sendTelemetry, type TelemetryLine } from '../../src/threads/thread-telemetry.ts';

it('sends the telemetry of a turn in one notice, in order, with bytes as text', async () => {
  const sent: (readonly TelemetryLine[])[] = [];
  const send = (lines: readonly TelemetryLine[]) => void sent.push(structuredClone(lines));
  const telemetry = createThreadTelemetry({ now: send, soon: send });
  telemetry.event('block.committed', { height: 3, times: { proposedMs: 1.5 } });
  telemetry.count('pipeline_reverted_blocks');
  telemetry.log('warn', 'a key', { key: new Uint8Array([1, 2]) as unknown as string });
  await expect.poll(() => sent.length).toBe(1);
  const received: unknown[][] = [];
  const listener: Telemetry = {
    ...silentTelemetry,
    event: (...of) => received.push(['event', ...of]),
    count: (...of) => received.push(['count', ...of]),
    log: (...of) => received.push(['log', ...of]),
  };
  sendTelemetry(listener, sent[0] ?? []);
  expect(received).toEqual([
    ['event', 'block.committed', { height: 3, times: { proposedMs: 1.5 } }],
    ['count', 'pipeline_reverted_blocks', 1, {}],
    ['log', 'warn', 'a key', { key: '0x0102' }],
  ]);
});

it('delays numbers, but neither log lines, as the thread may end, nor events, whose time is their arrival', async () => {
  const sent: [outlet: string, methods: readonly string[]][] = [];
  const note = (outlet: string) => (lines: readonly TelemetryLine[]) =>
    void sent.push([outlet, lines.map(([method]) => method)]);
  const telemetry = createThreadTelemetry({ now: note('now'), soon: note('soon') });
  telemetry.gauge('state_keys', 1);
  await expect.poll(() => sent.length).toBe(1);
  telemetry.count('pipeline_reverted_blocks');
  telemetry.log('error', 'the disk is full');
  await expect.poll(() => sent.length).toBe(2);
  telemetry.event('block.executed', { height: 1 });
  await expect.poll(() => sent.length).toBe(3);
  expect(sent).toEqual([
    ['soon', ['gauge']],
    ['now', ['count', 'log']],
    ['now', ['event']],
  ]);
});
