import type { Status } from '@slipstream/schema';
import { expect, it } from 'vitest';
import { NodeError } from '../../src/errors.ts';
import { createAlerting } from '../../src/operator/alerting.ts';
import type { Instruments } from '../../src/operator/instruments.ts';
import type { OperatorParts } from '../../src/operator/parts.ts';
import { createAlerts } from '../../src/telemetry/alerts.ts';

const NOW_MS = 1_800_000_000_000;
const STATUS = { height: 10, finalHeight: 10, headTimestampMs: NOW_MS - 100, signing: null } as Status;

function setUp(blocked: readonly number[] = []) {
  const published: string[] = [];
  const logged: string[] = [];
  const active = new Map<unknown, number>();
  const board = { blockedMembers: () => blocked };
  const rates = { sinceFinalMs: 100, finalSinceStart: true, endedViews: 0, nullifiedViews: 0, ownEndedViews: 0 };
  const instruments = {
    alerts: createAlerts(() => 0),
    peerTable: board,
    rates: { read: () => rates },
    storage: { read: () => ({ syncMsP99: 1, diskFreeBytes: 2 ** 40 }) },
    epochWatch: { read: () => undefined },
    clocks: { read: () => ({ offsetMs: 0, fastLeaders: [] }) },
    liveness: { reachableWeightShare: () => 1, offline: () => [1, 2] },
  } as unknown as Instruments;
  const parts = {
    clock: { wallMs: () => NOW_MS },
    telemetry: {
      count() {},
      gauge: (_name: string, value: number, { rule }: { rule: string }) => void active.set(rule, value),
      log: (level: string, message: string) => void logged.push(`${level} ${message}`),
    },
    logging: { losses: { lines: 0, reason: undefined, reportNow() {} } },
    consensus: { status: () => ({ suspects: 0, highestReportedHeight: 10, refusedViewOf: [], view: 10 }) },
    isStranded: () => false,
    account: () => undefined,
    oldTrust: () => undefined,
    quarantine: { list: () => [] },
  } as unknown as OperatorParts;
  const publish = (type: string, data: unknown) =>
    void published.push(`${type} ${(data as { readonly rule: string }).rule}`);
  const alerting = createAlerting(parts, instruments, { publish });
  return { alerting, published, logged, active };
}

it('a raised alert is published, logged with its message, and counted as active; each once', () => {
  const { alerting, published, logged, active } = setUp();
  expect(active.get('validator-offline')).toBe(0);
  alerting.check(STATUS);
  alerting.check(STATUS);
  expect(published).toEqual(['alert.raised validator-offline']);
  expect(logged).toEqual([expect.stringMatching(/^warn alert validator-offline: /)]);
  expect(active.get('validator-offline')).toBe(1);
});

it('a blocked validator is not called offline as well', () => {
  const { alerting, published } = setUp([1, 2]);
  alerting.check(STATUS);
  expect(published).toEqual(['alert.raised validator-blocked']);
});

it('a disk failure that stops the node is an alert, raised by the next check', () => {
  const { alerting, published } = setUp([1, 2]);
  expect(alerting.stops(new Error('a signal'))).toBe(false);
  expect(alerting.stops(new NodeError('disk-failed', 'write failed: ENOSPC'))).toBe(true);
  alerting.halted('the pipeline is diverged');
  alerting.check(STATUS);
  expect(published).toContain('alert.raised disk-failed');
  expect(published).toContain('alert.raised halted');
});
