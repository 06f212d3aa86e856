/** Upgrades of applications: proposed, reported, sealed, switched at the first block of the next epoch (applications.md, A13 to A16). */
import { artifactHash, decodeArtifact } from '@slipstream/app-realm';
import { to0x } from '@slipstream/primitives';
import {
  type Action,
  APPLICATIONS_STATE_KEY,
  accountKeyText,
  applicationEntriesCodec,
  type Change,
  type PreparedTransaction,
  stateKeyOfEntry,
} from '@slipstream/types';
import { beforeAll, describe, expect, it } from 'vitest';
import { executeBlock, readRecord } from '../src/index.ts';
import { builtApplication, exampleSource, freshApplications, type TestApplication } from './application-builders.ts';
import { account, blockOn, type Executed, NOW_MS, transaction } from './builders.ts';
import { ADMINISTRATORS, type EpochChain, epochChain, epochGenesis, ready } from './epoch-world.ts';

let first: TestApplication;
let second: TestApplication;

beforeAll(async () => {
  [first, second] = await Promise.all([
    builtApplication(exampleSource('token')),
    builtApplication(new URL('./applications/token-2.ts', import.meta.url)),
  ]);
});

const FOUR = { a: 1, b: 1, c: 1, d: 1 };
const [ADMINISTRATOR = 0] = ADMINISTRATORS;
const HOLDER = 1;
const text = (number: number): string => accountKeyText(account(number));
const hashOf = ({ artifact }: TestApplication) => artifactHash(artifact);

const upgradeTo = (application: TestApplication, changed: object = {}): Change & { kind: 'upgradeApplication' } => ({
  kind: 'upgradeApplication',
  name: 'token',
  version: 2,
  hash: hashOf(application),
  ...changed,
});

function start(later: readonly TestApplication[] = [second]): EpochChain {
  const holders = [{ owner: text(HOLDER), value: '1000' }];
  const genesis = { ...epochGenesis(FOUR), applications: [first.inGenesis({ holders })] };
  return epochChain(genesis, freshApplications([first], undefined, later));
}

const transfer = (value: string): Action => first.call('transfer', { to: text(2), value });
const signed = (action: Action) => transaction({ from: HOLDER, actions: [action], expiryMs: NOW_MS + 30_000 });
const run = (on: EpochChain, action: Action): Executed => on.execute([signed(action)]);
const outcomeOf = ({ receipts }: Executed) => receipts[0]?.outcome.status;

function report(on: EpochChain, names: string, artifacts: readonly Uint8Array[] = [hashOf(second)]): void {
  for (const name of names) expect(on.act(5, ready(name, { epoch: on.epoch, artifacts })).code).toBeUndefined();
}

function runningOn(on: EpochChain) {
  const decoded = applicationEntriesCodec.decode(on.read(APPLICATIONS_STATE_KEY) as Uint8Array);
  if (!decoded.ok) throw decoded.error;
  return decoded.value.map(({ version, hash }) => [version, to0x(hash)]);
}

const named = (on: EpochChain, epoch: number) =>
  readRecord({ get: ({ bytes }) => on.read(bytes) }, epoch).parameters.applications.map(to0x);

/** Its version in the state, and what a program of this version reads. */
function balanceOf(on: EpochChain, by: TestApplication, owner: number): unknown {
  const value = on.read(stateKeyOfEntry(0, 0, by.json.keyFromJson(0, text(owner))));
  return value === undefined ? undefined : [value[0], by.json.valueToJson(0, value).value];
}

function upgraded(on: EpochChain): void {
  on.decide([upgradeTo(second)]);
  report(on, 'abc');
  on.untilSealed();
}

describe('A13: governors propose the next version of an application', () => {
  it('and no other version, and no application that the chain lacks', () => {
    const on = start();
    const propose = (changed: object) =>
      on.act(ADMINISTRATOR, { kind: 'propose', changes: [upgradeTo(second, changed)], notBeforeMs: 0 }).code;
    expect(propose({ version: 1 })).toBe('version-bounds');
    expect(propose({ version: 3 })).toBe('version-bounds');
    expect(propose({ name: 'other' })).toBe('application-unknown');
    expect(propose({})).toBeUndefined();
  });

  it('of two proposals for one version, the first that is sealed counts, and the other is gone', () => {
    const on = start();
    on.decide([upgradeTo(second), upgradeTo(second, { hash: new Uint8Array(32).fill(9) })]);
    report(on, 'abcd');
    on.untilSealed();
    expect(named(on, 1)).toEqual([to0x(hashOf(second))]);
    on.move();
    const { next } = on.untilSealed(80);
    expect(next.every((byte) => byte === 0)).toBe(true);
  });
});

describe('A14: the record names the artifacts of its epoch', () => {
  it('once nodes of more than two thirds of the weight reported that they have them', () => {
    const on = start();
    on.decide([upgradeTo(second)]);
    report(on, 'ab');
    report(on, 'c', [new Uint8Array(32).fill(9)]);
    expect(on.untilSealed(80).next.every((byte) => byte === 0)).toBe(true);
    report(on, 'c');
    // An older report of the epoch, sent again, takes nothing back.
    report(on, 'c', []);
    expect(on.untilSealed(2).next.some((byte) => byte !== 0)).toBe(true);
    expect(named(on, 0)).toEqual([to0x(hashOf(first))]);
    expect(named(on, 1)).toEqual([to0x(hashOf(second))]);
  });

  it('a node that lacks one does not execute its blocks', () => {
    const on = start([]);
    upgraded(on);
    expect(() => on.move()).toThrow(`artifact ${to0x(hashOf(second))}, which this node lacks`);
  });
});

describe('A15: the first block of the epoch runs the new version', () => {
  it('the blocks before run the old one, and the state says which', () => {
    const on = start();
    upgraded(on);
    expect(outcomeOf(run(on, transfer('10')))).toBe('success');
    expect(balanceOf(on, first, HOLDER)).toEqual([1, '990']);
    expect(runningOn(on)).toEqual([[1, to0x(hashOf(first))]]);
    on.move();
    expect(runningOn(on)).toEqual([[2, to0x(hashOf(second))]]);
  });

  it('a value of an earlier version is converted as it is read, and written in the new form', () => {
    const on = start();
    run(on, transfer('10'));
    upgraded(on);
    on.move();
    expect(balanceOf(on, first, HOLDER)).toEqual([1, '990']);
    expect(outcomeOf(run(on, transfer('90')))).toBe('success');
    expect(balanceOf(on, second, HOLDER)).toEqual([2, { value: '900', changes: 1 }]);
    expect(balanceOf(on, second, 2)).toEqual([2, { value: '100', changes: 1 }]);
    expect(outcomeOf(run(on, transfer('901')))).toBe('failed');
  });

  it('a second execution of the chain gives the same bytes, in realms that ran nothing else', () => {
    const [before, ...after] = ['10', '20', '2000'].map((value) => signed(transfer(value)));
    const play = () => {
      const on = start();
      const seen = [on.execute([before as PreparedTransaction])];
      upgraded(on);
      on.move();
      seen.push(...after.map((each) => on.execute([each])));
      return seen.map(({ batch, receiptBytes }) => [batch.map(({ key, value }) => [key, value]), receiptBytes]);
    };
    expect(play()).toEqual(play());
  });

  it('accounts of histories are found by the new manifest', () => {
    const on = start();
    upgraded(on);
    on.move();
    const chunk = { epoch: on.epoch, producer: 0, transactions: [signed(transfer('10'))] };
    const versions: unknown[] = [];
    executeBlock({
      ...blockOn(on, [chunk]),
      epoch: on.epoch,
      timestampMs: on.nowMs,
      applications: freshApplications([first], undefined, [second]),
      onExecuted: (_, { applications }) =>
        versions.push(...applications.installed.map(({ program }) => program.manifest.version)),
    });
    expect(versions).toEqual([2]);
  });
});

describe('A17: a conversion that throws', () => {
  it('fails the calls that read its value, and the chain goes on', () => {
    const on = start();
    run(on, transfer('13'));
    upgraded(on);
    on.move();
    const back = first.call('transfer', { to: text(HOLDER), value: '1' });
    const sent = on.execute([transaction({ from: 2, actions: [back], expiryMs: NOW_MS + 30_000 })]);
    expect(sent.receipts[0]?.outcome).toMatchObject({ status: 'failed', code: 'application-fault' });
    expect(balanceOf(on, first, 2)).toEqual([1, '13']);
    // The holder's own balance has another value.
    const other = second.call('transfer', { to: text(3), value: '1' });
    expect(outcomeOf(run(on, other))).toBe('success');
  });
});

describe('A16: units of a call', () => {
  it('follow from the manifest of the epoch', () => {
    const applications = freshApplications([first], undefined, [second]);
    const decoded = decodeArtifact(second.artifact);
    expect(decoded.ok && decoded.value.manifest.version).toBe(2);
    const later = applications.under([hashOf(second)]);
    expect(later.installed[0]?.program.manifest.version).toBe(2);
    expect(applications.under([hashOf(first)])).toBe(applications);
    expect(applications.under([hashOf(second)])).toBe(later);
  });
});
