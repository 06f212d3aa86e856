/** Which programs answer after an upgrade: those of the epoch whose state is read, in the thread of queries (applications.md, A15, A17). */
import { silentTelemetry } from '@slipstream/ports';
import { accountKeyText, height, stateKeyOfEntry } from '@slipstream/types';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { realClock } from '../../../../packages/api/test/running-api.ts';
import {
  builtApplication,
  exampleSource,
  freshApplications,
} from '../../../../packages/execution/test/application-builders.ts';
import { account, GENESIS_HASH } from '../../../../packages/execution/test/builders.ts';
import { type EpochChain, epochChain, epochGenesis, ready } from '../../../../packages/execution/test/epoch-world.ts';
import { createApplicationReads } from '../../src/backend/application-reads.ts';
import { createApplicationsByEpoch } from '../../src/backend/applications-by-epoch.ts';
import type { ReadStateValues } from '../../src/executor/state-reader.ts';
import { createQueryRunner } from '../../src/queries/runner.ts';

const [first, second] = await Promise.all([
  builtApplication(exampleSource('token')),
  builtApplication(new URL('../../../../packages/execution/test/applications/token-2.ts', import.meta.url)),
]);
const artifacts = [first.artifact, second.artifact];
const [holder, unlucky] = [1, 2].map((number) => accountKeyText(account(number))) as [string, string];
const AT = 9;
let chain: EpochChain;
const read: ReadStateValues = async (keys) => ({ height: AT, values: keys.map((key) => chain.read(key)) });
const runner = createQueryRunner(
  { clock: realClock, telemetry: silentTelemetry },
  { applications: artifacts, genesisHash: GENESIS_HASH },
);
const byEpoch = (here: readonly Uint8Array[]) =>
  createApplicationsByEpoch({ read, artifacts: here, hasApplications: true });
const inEpoch = byEpoch(artifacts);
const ledger = { events: async () => undefined };
const reads = createApplicationReads({ inEpoch, ledger, read, runner });

beforeAll(() => {
  const holders = [
    { owner: holder, value: '1000' },
    { owner: unlucky, value: '13' },
  ];
  const genesis = { ...epochGenesis({ a: 1, b: 1, c: 1, d: 1 }), applications: [first.inGenesis({ holders })] };
  chain = epochChain(genesis, freshApplications([first], undefined, [second]));
});
afterAll(() => runner.stop());

function upgrade(): void {
  chain.decide([{ kind: 'upgradeApplication', name: 'token', version: 2, hash: second.hash }]);
  for (const name of 'abc') chain.act(5, ready(name, { epoch: 0, artifacts: [second.hash] }));
  chain.untilSealed();
  chain.move();
}

const balanceOf = async (owner: string) => {
  const { value, epoch } = await reads.entry(stateKeyOfEntry(0, 0, first.json.keyFromJson(0, owner)));
  const values = [value as Uint8Array];
  return { values, epoch, converted: await reads.converted({ application: 0, epoch, table: 0, values }) };
};

const changesOf = (owner: string) =>
  reads.query({ application: 0, name: 'changes', input: second.json.queryInputFromJson('changes', { owner }) });

it('before the switch the founding one, after it the next one, on values that the first one wrote', async () => {
  const before = await balanceOf(holder);
  expect(before).toMatchObject({ epoch: 0, converted: { type: 'converted', values: before.values } });
  expect(await inEpoch(0)).toMatchObject([{ manifest: { version: 1 } }]);
  upgrade();
  const { epoch, values, converted } = await balanceOf(holder);
  expect([epoch, values]).toEqual([1, before.values]);
  const [value] = converted.type === 'converted' ? converted.values : [];
  expect(second.json.valueToJson(0, value as Uint8Array)).toEqual({ version: 2, value: { value: '1000', changes: 0 } });
  const answer = await changesOf(holder);
  expect(answer).toMatchObject({ type: 'answer', epoch: 1, height: height(AT) });
  expect(answer.type === 'answer' && second.json.queryOutputToJson('changes', answer.output)).toBe(0);
  expect(await inEpoch(1)).toMatchObject([{ hash: second.hash, manifest: { version: 2 } }]);
  expect(await inEpoch(1)).toBe(await inEpoch(1));
});

it('a value whose conversion throws is a fault with its message, and the next one is converted', async () => {
  expect((await balanceOf(unlucky)).converted).toEqual({
    type: 'fault',
    reason: 'application-fault',
    message: 'Error: an unlucky balance',
  });
  expect(await changesOf(unlucky)).toMatchObject({ type: 'fault', reason: 'application-fault' });
  expect((await balanceOf(holder)).converted).toMatchObject({ type: 'converted' });
});

it('an artifact that is not here is none, and its questions are refused', async () => {
  const lacking = byEpoch([first.artifact]);
  expect(await lacking(1)).toEqual([undefined]);
  const own = createApplicationReads({ inEpoch: lacking, ledger, read, runner });
  const input = second.json.queryInputFromJson('changes', { owner: holder });
  expect(await own.query({ application: 0, name: 'changes', input })).toMatchObject({
    type: 'fault',
    reason: 'application-unknown',
  });
});
