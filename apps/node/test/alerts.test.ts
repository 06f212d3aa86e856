import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ALERT_RULES } from '../src/telemetry/alert-rules.ts';
import { createAlerts, type Observed } from '../src/telemetry/alerts.ts';

const NOW_MS = 1_800_000_000_000;
const MIB = 1024 * 1024;

const EPOCH: NonNullable<Observed['epoch']> = {
  epoch: 3,
  members: 4,
  isSealed: true,
  blocksSinceSeal: 64,
  ownKey: 'in-force',
  unknownVersion: undefined,
  missingArtifact: undefined,
  unacceptedArtifact: undefined,
  benchedUntil: undefined,
};

const CALM: Observed = {
  nowMs: NOW_MS,
  sinceFinalMs: 200,
  finalSinceStart: true,
  headAgeMs: 300,
  earliestMs: NOW_MS - 300,
  reachableWeightShare: 1,
  commitLagBlocks: 0,
  outOfOffenderBudget: false,
  halted: undefined,
  diskFailed: undefined,
  logLost: undefined,
  behindBlocks: 1,
  missingHeight: undefined,
  quarantined: [],
  nullifiedShare: 0,
  endedViews: 300,
  ownNullifiedShare: 0,
  ownEndedViews: 75,
  blockedValidators: [],
  offlineValidators: [],
  syncMsP99: 3,
  diskFreeBytes: 100_000 * MIB,
  clockOffsetMs: 30,
  fastLeaders: [],
  signing: { state: 'signing' },
  uptimeMs: 60_000,
  refusingValidators: [],
  votingWeightShare: 1,
  epoch: EPOCH,
  account: { account: undefined, unpaid: [], unfollowed: [] },
  oldTrust: undefined,
};

const TROUBLES: readonly (readonly [string, Partial<Observed>])[] = [
  ['no-finality', { sinceFinalMs: 10_001 }],
  ['quorum-unreachable', { reachableWeightShare: 2 / 3 }],
  ['validator-offline', { offlineValidators: [2] }],
  ['commit-lag', { commitLagBlocks: 21 }],
  ['too-many-offenders', { outOfOffenderBudget: true }],
  ['halted', { halted: 'the pipeline is diverged' }],
  ['disk-failed', { diskFailed: 'write of state/2.log failed: ENOSPC' }],
  ['validator-blocked', { blockedValidators: [2] }],
  ['views-nullified', { nullifiedShare: 0.25 }],
  ['own-views-lost', { ownNullifiedShare: 0.6 }],
  ['behind', { behindBlocks: 9 }],
  ['stranded', { missingHeight: 42 }],
  ['signing-refused', { signing: { state: 'refused', upToView: 65, reason: 'wal-lost', recovering: false } }],
  ['signing-refused', { signing: { state: 'querying', unanswered: [2, 3] } }],
  ['clock-off', { clockOffsetMs: 2_100 }],
  ['clock-off', { clockOffsetMs: -700 }],
  ['clock-off', { fastLeaders: [3] }],
  ['slow-disk', { syncMsP99: 251 }],
  ['log-lost', { logLost: 'ENOSPC: no space left on device, write' }],
  ['sealed-not-closed', { epoch: { ...EPOCH, isSealed: true, blocksSinceSeal: 65 } }],
  ['not-ready', { epoch: { ...EPOCH, ownKey: 'awaited' } }],
  ['artifact-missing', { epoch: { ...EPOCH, missingArtifact: '0xab' } }],
  ['action-quarantined', { quarantined: ['token.mint'] }],
  ['artifact-not-accepted', { epoch: { ...EPOCH, unacceptedArtifact: '0xab' } }],
  ['version-unknown', { epoch: { ...EPOCH, unknownVersion: 2 } }],
  ['benched', { epoch: { ...EPOCH, benchedUntil: 1_100 } }],
  ['removed', { epoch: { ...EPOCH, ownKey: 'removed' } }],
  ['retired-key-loaded', { epoch: { ...EPOCH, ownKey: 'retired' } }],
  ['account-cannot-pay', { account: { account: undefined, unpaid: ['ready'], unfollowed: [] } }],
  ['old-trust', { oldTrust: { sinceMs: NOW_MS - 31 * 86_400_000, epoch: 3 } }],
  ['issuer-not-followed', { account: { account: undefined, unpaid: [], unfollowed: ['http://a: no answer'] } }],
  [
    'account-cannot-pay',
    { account: { account: { name: '0x00', balance: 3n }, unpaid: ['reportEquivocation'], unfollowed: [] } },
  ],
  ['disk-low', { diskFreeBytes: 2_047 * MIB }],
];

describe('alerts', () => {
  it.each(TROUBLES)('raise %s once, with a remedy, and clear it', (rule, trouble) => {
    const alerts = createAlerts(() => NOW_MS);
    expect(alerts.check(CALM)).toEqual({ raised: [], changed: [], cleared: [] });
    const { raised } = alerts.check({ ...CALM, ...trouble });
    expect(raised.map((alert) => alert.rule)).toEqual([rule]);
    expect(raised[0]?.remedy.length).toBeGreaterThan(30);
    expect(alerts.check({ ...CALM, ...trouble })).toEqual({ raised: [], changed: [], cleared: [] });
    expect(alerts.check(CALM).cleared.map((alert) => alert.rule)).toEqual([rule]);
    expect(alerts.active).toEqual([]);
  });

  it.each([
    [{ finalSinceStart: true, headAgeMs: 12_000 }, 'no block was finalized for 12 s'],
    [
      { finalSinceStart: false, headAgeMs: 5 * 3_600_000 },
      'no block was finalized since this node started 12 s ago; the newest block is 5 h old',
    ],
    [
      { finalSinceStart: false, headAgeMs: undefined },
      'no block was finalized since this node started 12 s ago; there is no block yet',
    ],
    [
      { finalSinceStart: false, headAgeMs: undefined, earliestMs: NOW_MS + 3 * 3_600_000 },
      "no block was finalized for 12 s: the newest block is 3 h ahead of this machine's clock, and this node does not vote until then",
    ],
  ])('report a stalled chain with its start time, also on a node that was restarted meanwhile', (known, message) => {
    const { raised } = createAlerts(() => NOW_MS).check({ ...CALM, ...known, sinceFinalMs: 12_000 });
    expect(raised.map((alert) => alert.message)).toEqual([message]);
  });

  it.each([
    ['', 0],
    [', also when the clock was set back by an hour meanwhile', 3_600_000],
  ])('name a validator that equivocated for ten minutes, and one with bad votes for one%s', (_, setBackMs) => {
    let uptimeMs = 5_000;
    const alerts = createAlerts(() => uptimeMs);
    alerts.listen('evidence', { kind: 'votes', offender: 2, epoch: 0, view: 7 });
    alerts.listen('bisection', { offenders: [3, 1] });
    const rulesAt = (afterMs: number) => {
      uptimeMs = 5_000 + afterMs;
      alerts.check({ ...CALM, nowMs: NOW_MS + afterMs - setBackMs });
      return alerts.active.map(({ rule }) => rule);
    };
    expect(rulesAt(0)).toEqual(['equivocation', 'bad-votes']);
    expect(alerts.active.map(({ message }) => message)).toEqual([
      'validator 2 signed conflicting messages',
      'votes of validators 1, 3 were invalid and found by bisection',
    ]);
    expect(rulesAt(60_001)).toEqual(['equivocation']);
    expect(rulesAt(600_001)).toEqual([]);
  });

  it('update the message of an active alert when a second validator goes offline', () => {
    const alerts = createAlerts(() => NOW_MS);
    alerts.check({ ...CALM, offlineValidators: [2] });
    const { raised, changed } = alerts.check({ ...CALM, nowMs: NOW_MS + 9_000, offlineValidators: [2, 3] });
    expect(raised).toEqual([]);
    expect(changed).toMatchObject([
      { rule: 'validator-offline', message: 'validators 2, 3 cannot be reached from this node', sinceMs: NOW_MS },
    ]);
    expect(alerts.active).toEqual(changed);
  });

  it('distinguish a nearly full disk from a low one', () => {
    const alerts = createAlerts(() => NOW_MS);
    const { raised } = alerts.check({ ...CALM, diskFreeBytes: 200 * MIB });
    expect(raised.map(({ rule, severity }) => [rule, severity])).toEqual([
      ['disk-low', 'warning'],
      ['disk-full', 'critical'],
    ]);
  });

  it.each([
    [
      { state: 'refused', upToView: 65, reason: 'wal-lost', recovering: false },
      'this validator signs nothing up to view 65: its write-ahead log was lost, so what it signed up to there is unknown',
    ],
    [
      { state: 'querying', unanswered: [2, 3] },
      'this validator signs nothing yet: validators 2, 3 have not answered what it signed last',
    ],
  ] as const)('name what is not signed, up to which view, and why: %o', (signing, message) => {
    const { raised } = createAlerts(() => NOW_MS).check({ ...CALM, signing });
    expect(raised.map((alert) => alert.message)).toEqual([message]);
  });

  it('name the validators that refuse to vote despite a reachable quorum, once the chain stalls', () => {
    const alerts = createAlerts(() => NOW_MS);
    const refused = { ...CALM, refusingValidators: [2, 3], votingWeightShare: 0.5 };
    expect(alerts.check(refused).raised).toEqual([]);
    expect(alerts.check({ ...refused, sinceFinalMs: 10_001, reachableWeightShare: 0.5 }).raised).not.toMatchObject([
      { rule: 'recovery-needed' },
    ]);
    alerts.check({ ...refused, sinceFinalMs: 10_001 });
    expect(alerts.active.find(({ rule }) => rule === 'recovery-needed')?.message).toBe(
      'validators 2, 3 refuse to sign this far, and the others are no quorum: the chain does not go on by itself',
    );
    expect(alerts.check({ ...CALM, refusingValidators: [2], votingWeightShare: 0.75 }).cleared).toHaveLength(2);
  });

  it('report no refusal to sign in the first seconds after a start', () => {
    const start = { ...CALM, uptimeMs: 9_000, signing: { state: 'querying', unanswered: [1] } } as const;
    expect(createAlerts(() => NOW_MS).check(start).raised).toEqual([]);
  });

  it('name what cannot be paid for in words of operators', () => {
    const unpaid = ['ready', 'reportEquivocation', 'advanceIssuer'] as const;
    const { raised } = createAlerts(() => NOW_MS).check({
      ...CALM,
      account: { account: { name: '0x00', balance: 3n }, unpaid, unfollowed: [] },
    });
    expect(raised[0]?.message).toBe(
      'account 0x00 has only 3: its readiness and evidence against a validator and the new committee of an issuer cannot be sent',
    );
  });

  it('do not judge by a few views', () => {
    const alerts = createAlerts(() => NOW_MS);
    expect(alerts.check({ ...CALM, nullifiedShare: 1, endedViews: 4 }).raised).toEqual([]);
  });

  it('each have a row in the operators guide, under the same name and severity', () => {
    const guide = readFileSync(join(import.meta.dirname, '../../../docs/operators/alerts.md'), 'utf8');
    for (const { name, severity } of ALERT_RULES) expect(guide).toContain(`| \`${name}\` | ${severity} |`);
    expect(guide.match(/^\| `/gm)).toHaveLength(ALERT_RULES.length);
  });

  it('have a rule for each name, once', () => {
    const names = ALERT_RULES.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    for (const { threshold } of ALERT_RULES) expect(threshold).not.toBe('');
  });
});
