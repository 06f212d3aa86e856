/** What waits for a seal, and why; and the list of all validators. */
import type { ValidatorId } from '@slipstream/types';
import { describe, expect, it } from 'vitest';
import { countValidators, type FetchedEntries, outlookOf, readValidator, validatorAt } from '../src/index.ts';
import {
  ADMINISTRATORS,
  addition,
  type EpochChain,
  epochChain,
  epochGenesis,
  operatorOf,
  ready,
  removal,
  rotation,
  weightOf,
} from './epoch-world.ts';

const FOUR = { a: 1, b: 1, c: 1, d: 1 };
const [FIRST, SECOND] = ADMINISTRATORS as [number, number];

const entriesOf = ({ read }: EpochChain): FetchedEntries => ({ get: ({ bytes }) => read(bytes), want: () => {} });
const outlook = (chain: EpochChain, nowMs = chain.nowMs) => outlookOf(entriesOf(chain), nowMs);
const reasons = (chain: EpochChain) => outlook(chain).proposals.map((proposal) => proposal.reasons);

function listed(chain: EpochChain): readonly (string | undefined)[] {
  const entries = entriesOf(chain);
  return Array.from({ length: countValidators(entries) }, (_, number) => {
    const id: ValidatorId = validatorAt(entries, number);
    return readValidator(entries, id)?.name;
  });
}

describe('the outlook', () => {
  it('distinguishes approvals, time, readiness, version and weight', () => {
    const chain = epochChain(epochGenesis(FOUR));
    chain.act(FIRST, { kind: 'propose', changes: [weightOf('a', 2)], notBeforeMs: 0 });
    chain.decide([weightOf('b', 2)], chain.nowMs + 1_000_000);
    chain.decide([addition('f', 1)]);
    chain.decide([{ kind: 'setVersion', version: 2 }]);
    chain.decide([removal('c'), removal('d')]);
    chain.decide([weightOf('d', 2)]);
    expect(reasons(chain)).toEqual([
      ['approvals'],
      ['time'],
      ['not-ready'],
      ['version-unknown'],
      ['weight'],
      ['earlier-change'],
    ]);
    expect(outlook(chain).proposals[0]).toMatchObject({ approvedWeight: 1 });
    expect(outlook(chain).governors.needed).toBe(2);
    chain.act(SECOND, ready('f'));
    expect(reasons(chain)[2]).toEqual([]);
  });

  it('has no revoked and no expired proposals, and changes nothing', () => {
    const chain = epochChain(epochGenesis(FOUR));
    const { proposalId } = chain.act(FIRST, { kind: 'propose', changes: [addition('f', 1)], notBeforeMs: 0 });
    chain.act(SECOND, { kind: 'propose', changes: [weightOf('a', 2)], notBeforeMs: 0 });
    chain.act(FIRST, { kind: 'revoke', proposalId });
    const before = outlook(chain);
    expect(before.proposals).toHaveLength(1);
    expect(outlook(chain)).toEqual(before);
    expect(outlook(chain, before.proposals[0]?.expiresMs).proposals).toEqual([]);
  });

  it('is of the next epoch once a record is sealed, and names the block that can seal before', () => {
    const chain = epochChain(epochGenesis(FOUR));
    chain.decide([weightOf('a', 2)]);
    expect(outlook(chain).sealsFrom).toBe(64);
    chain.act(operatorOf('b'), rotation('b', 1));
    chain.untilSealed();
    expect(outlook(chain)).toMatchObject({ proposals: [], sealsFrom: undefined });
    expect(outlook(chain).changes).toMatchObject([{ kind: 'rotation', reasons: ['not-ready'] }]);
  });
});

describe('the list of validators', () => {
  it('holds members, candidates and the removed; a dropped candidate leaves its place to the last one', () => {
    const chain = epochChain(epochGenesis(FOUR));
    const { proposalId } = chain.act(FIRST, { kind: 'propose', changes: [addition('f', 1)], notBeforeMs: 0 });
    chain.decide([addition('g', 1), addition('h', 1)]);
    expect(listed(chain)).toEqual(['a', 'b', 'c', 'd', 'f', 'g', 'h']);
    chain.act(FIRST, { kind: 'revoke', proposalId });
    expect(listed(chain)).toEqual(['a', 'b', 'c', 'd', 'h', 'g']);
    chain.act(operatorOf('a'), ready('h'));
    chain.act(operatorOf('a'), ready('g'));
    chain.decide([removal('a')]);
    chain.untilSealed();
    chain.move();
    expect(listed(chain)).toEqual(['a', 'b', 'c', 'd', 'h', 'g']);
    chain.decide([addition('i', 1)]);
    expect(listed(chain)).toEqual(['a', 'b', 'c', 'd', 'h', 'g', 'i']);
  });

  it('is left by a candidate at its end', () => {
    const chain = epochChain(epochGenesis(FOUR));
    const { proposalId } = chain.act(FIRST, { kind: 'propose', changes: [addition('f', 1)], notBeforeMs: 0 });
    chain.act(FIRST, { kind: 'revoke', proposalId });
    expect(listed(chain)).toEqual(['a', 'b', 'c', 'd']);
    expect(chain.act(SECOND, { kind: 'propose', changes: [addition('f', 1)], notBeforeMs: 0 }).code).toBeUndefined();
    expect(listed(chain)).toEqual(['a', 'b', 'c', 'd', 'f']);
  });
});
