/** Each wrong use of an action of governance has its own code, and changes nothing but the fee. */
import { type Action, type Change, type FailureCode, validatorIdOf } from '@slipstream/types';
import { describe, expect, it } from 'vitest';
import { FREE_FEES, NOT_BEFORE_MS_MAX, PROPOSALS_MAX, readQueue, readValidator } from '../src/index.ts';
import { account, NOW_MS, transaction } from './builders.ts';
import {
  ADMINISTRATORS,
  addition,
  byOperators,
  type EpochChain,
  epochChain,
  epochGenesis,
  idOf,
  keysOf,
  operatorOf,
  ready,
  removal,
  rotation,
  weightOf,
} from './epoch-world.ts';

const FOUR = { a: 1, b: 1, c: 1, d: 1 };
const FIVE = { ...FOUR, e: 1 };
const [FIRST, SECOND] = ADMINISTRATORS as [number, number];
const STRANGER = 1;
const DAY_MS = 24 * 60 * 60 * 1000;
const TIMES = epochGenesis(FOUR).times;

const validator = ({ read }: EpochChain, name: string) =>
  readValidator({ get: ({ bytes }) => read(bytes) }, idOf(name));
const queue = ({ read }: EpochChain) => readQueue({ get: ({ bytes }) => read(bytes) });
const propose = (changes: readonly Change[], notBeforeMs = 0) => ({ kind: 'propose', changes, notBeforeMs }) as const;
const SIGNED = { statement: new Uint8Array(0), signature: new Uint8Array(96) };
const report = (blsPublicKey: Uint8Array) =>
  ({ kind: 'reportEquivocation', type: 'votes', blsPublicKey, first: SIGNED, second: SIGNED }) as const;

describe('a proposal', () => {
  it.each<[FailureCode, Change]>([
    ['key-used', addition('a', 1)],
    ['key-used', addition('f', 1, { ...keysOf('f'), peerKey: keysOf('a').peerKey })],
    ['key-used', addition('f', 1, { ...keysOf('f'), blsPublicKey: keysOf('a').blsPublicKey })],
    ['weight-bounds', addition('f', 0)],
    ['weight-bounds', addition('f', 10_001)],
    ['weight-bounds', weightOf('a', 0)],
    ['weight-bounds', weightOf('a', 10_001)],
    ['validator-unknown', weightOf('f', 1)],
    ['validator-unknown', removal('f')],
    ['parameters-unsound', { kind: 'setParameters', fees: FREE_FEES, times: { ...TIMES, graceMs: 0 } }],
    ['parameters-unsound', { kind: 'setParameters', fees: { ...FREE_FEES, windowBlocks: 0 }, times: TIMES }],
    ['parameters-unsound', { kind: 'setParameters', fees: { ...FREE_FEES, windowBlocks: 1_000_001 }, times: TIMES }],
    ['parameters-unsound', { kind: 'setParameters', fees: { ...FREE_FEES, limits: [0, 0, 0, 0, 0] }, times: TIMES }],
    ['version-bounds', { kind: 'setVersion', version: 1 }],
  ])('fails with %s', (code, change) => {
    const chain = epochChain(epochGenesis(FOUR));
    expect(chain.act(FIRST, propose([weightOf('a', 2), change])).code).toBe(code);
    expect(chain.act(FIRST, propose([addition('f', 1)])).code).toBeUndefined();
  });

  it('names no key twice, not even within itself', () => {
    const chain = epochChain(epochGenesis(FOUR));
    expect(chain.act(FIRST, propose([addition('f', 1), addition('f', 2)])).code).toBe('key-used');
    expect(chain.act(FIRST, propose([addition('f', 1)])).code).toBeUndefined();
    expect(chain.act(SECOND, propose([addition('f', 1)])).code).toBe('key-used');
  });

  it('is for governors alone: administrators where genesis names some, else operators', () => {
    const governed = epochChain(epochGenesis(FOUR));
    for (const from of [STRANGER, operatorOf('a')]) {
      expect(governed.act(from, propose([weightOf('a', 2)])).code).toBe('not-a-governor');
    }
    const operated = epochChain(byOperators(FOUR));
    for (const from of [STRANGER, FIRST]) {
      expect(operated.act(from, propose([weightOf('a', 2)])).code).toBe('not-a-governor');
    }
    expect(operated.act(operatorOf('a'), propose([weightOf('a', 2)])).code).toBeUndefined();
  });

  it('lies at most 90 days ahead', () => {
    const chain = epochChain(epochGenesis(FOUR));
    const late = propose([weightOf('a', 2)], NOW_MS + NOT_BEFORE_MS_MAX + 1);
    expect(chain.act(FIRST, late).code).toBe('proposal-time');
  });

  it('is one of at most so many of its governor, who takes no place of the others', () => {
    const chain = epochChain(byOperators(FOUR));
    const act = (name: string) => chain.act(operatorOf(name), propose([weightOf('a', 2)]));
    const first = act('a').proposalId;
    for (let i = 1; i < PROPOSALS_MAX / Object.keys(FOUR).length; i++) expect(act('a').code).toBeUndefined();
    expect(act('a').code).toBe('proposal-limit');
    expect(act('b').code).toBeUndefined();
    expect(chain.act(operatorOf('a'), { kind: 'revoke', proposalId: first }).code).toBeUndefined();
    expect(act('a').code).toBe('proposal-limit');
    chain.untilSealed();
    expect(act('a').code).toBeUndefined();
    expect(act('a').code).toBe('proposal-limit');
  });

  it('that is revoked and repeated fills the queue no further than others', () => {
    const chain = epochChain(byOperators(FOUR));
    const share = PROPOSALS_MAX / Object.keys(FOUR).length;
    for (let i = 0; i < 2 * share; i++) {
      const { proposalId } = chain.act(operatorOf('a'), propose([addition('f', 1)]));
      if (proposalId !== undefined) chain.act(operatorOf('a'), { kind: 'revoke', proposalId });
    }
    expect(queue(chain).length).toBe(share);
    chain.untilSealed();
    expect(queue(chain).length).toBe(0);
    expect(chain.act(operatorOf('a'), propose([addition('f', 1)])).code).toBeUndefined();
  });
});

describe('approvals', () => {
  it('of strangers, of unknown proposals and repeated ones have codes of their own', () => {
    const chain = epochChain(epochGenesis(FOUR));
    const { proposalId } = chain.act(FIRST, propose([weightOf('a', 2)]));
    const approve = { kind: 'approve', proposalId } as const;
    const unknown = validatorIdOf(new Uint8Array(48)) as Uint8Array as typeof proposalId;
    expect(chain.act(STRANGER, approve).code).toBe('not-a-governor');
    expect(chain.act(FIRST, approve).code).toBe('already-approved');
    expect(chain.act(SECOND, { kind: 'approve', proposalId: unknown }).code).toBe('proposal-unknown');
    expect(chain.act(SECOND, { kind: 'revoke', proposalId }).code).toBe('not-approved');
    expect(chain.act(SECOND, { kind: 'revoke', proposalId: unknown }).code).toBe('proposal-unknown');
    chain.nowMs += 7 * DAY_MS;
    expect(chain.act(SECOND, approve).code).toBe('proposal-unknown');
  });

  it('that are taken back count no longer, and a proposal without any is gone with its candidates', () => {
    const chain = epochChain(epochGenesis(FOUR));
    const { proposalId } = chain.act(FIRST, propose([weightOf('a', 2), addition('f', 1)]));
    chain.act(SECOND, { kind: 'approve', proposalId });
    chain.act(1, ready('f'));
    expect(chain.act(FIRST, { kind: 'revoke', proposalId }).code).toBeUndefined();
    expect(chain.untilSealed().next).toEqual(new Uint8Array(32));
    expect(validator(chain, 'f')?.status).toBe('candidate');
    chain.act(SECOND, { kind: 'revoke', proposalId });
    expect(validator(chain, 'f')).toBeUndefined();
    for (const kind of ['approve', 'revoke'] as const) {
      expect(chain.act(SECOND, { kind, proposalId }).code).toBe('proposal-unknown');
    }
    expect(chain.act(FIRST, propose([addition('f', 1)])).code).toBeUndefined();
  });

  it('of operators decide with more than two thirds of the weight', () => {
    const chain = epochChain(byOperators({ a: 1, b: 1, c: 1, d: 3 }));
    const { proposalId } = chain.act(operatorOf('a'), propose([weightOf('a', 2)]));
    chain.act(operatorOf('d'), { kind: 'approve', proposalId });
    expect(chain.untilSealed().next).toEqual(new Uint8Array(32));
    chain.act(operatorOf('b'), { kind: 'approve', proposalId });
    chain.execute([]);
    expect(chain.move()).toEqual({ a: 2, b: 1, c: 1, d: 3 });
  });
});

describe('readiness', () => {
  it('of an earlier epoch, of an unknown key or with another network key counts for nothing', () => {
    const chain = epochChain(epochGenesis(FOUR));
    expect(chain.act(1, ready('f')).code).toBe('key-unknown');
    expect(chain.act(1, ready('a', { epoch: 1 })).code).toBe('ready-stale');
    const other = { ...keysOf('a'), peerKey: keysOf('b').peerKey };
    expect(chain.act(1, { ...ready('a'), ...other } as never).code).toBe('wrong-peer-key');
    expect(chain.act(1, ready('a')).code).toBeUndefined();
  });

  it('of a lower version counts in a later epoch alone: sent again in its own, it takes nothing back', () => {
    const chain = epochChain(epochGenesis(FOUR));
    for (const version of [2, 1]) expect(chain.act(1, ready('a', { version })).code).toBeUndefined();
    expect(validator(chain, 'a')?.version).toBe(2);
    chain.decide([weightOf('b', 2)]);
    chain.untilSealed();
    chain.move();
    expect(validator(chain, 'a')?.version).toBe(2);
    expect(chain.act(1, ready('a', { epoch: 1, version: 1 })).code).toBeUndefined();
    expect(validator(chain, 'a')?.version).toBe(1);
  });

  it('of a key that a rotation replaced is unknown', () => {
    const chain = epochChain(epochGenesis(FOUR));
    chain.act(operatorOf('a'), rotation('a', 1));
    chain.act(operatorOf('a'), rotation('a', 2));
    expect(chain.act(1, ready('a', { nth: 1 })).code).toBe('key-unknown');
    expect(chain.act(1, ready('a', { nth: 2 })).code).toBeUndefined();
    expect(validator(chain, 'a')?.ready).toBe(true);
  });
});

describe('a rotation', () => {
  it('is by the operator, with keys that no validator ever had', () => {
    const chain = epochChain(epochGenesis(FOUR));
    for (const from of [STRANGER, FIRST, operatorOf('b')]) {
      expect(chain.act(from, rotation('a', 1)).code).toBe('not-the-operator');
    }
    expect(chain.act(operatorOf('f'), rotation('f', 1)).code).toBe('validator-unknown');
    expect(chain.act(operatorOf('a'), rotation('a', 1, keysOf('b'))).code).toBe('key-used');
    expect(chain.act(operatorOf('a'), rotation('a', 1, { peerKey: keysOf('b').peerKey })).code).toBe('key-used');
    chain.act(operatorOf('a'), rotation('a', 1));
    expect(chain.act(operatorOf('b'), rotation('b', 1, keysOf('a', 1))).code).toBe('key-used');
  });

  it('never brings a retired key back', () => {
    const chain = epochChain(epochGenesis(FOUR));
    chain.act(operatorOf('a'), rotation('a', 1));
    chain.act(1, ready('a', { nth: 1 }));
    chain.untilSealed();
    chain.move();
    expect(chain.act(operatorOf('a'), rotation('a', 0)).code).toBe('key-used');
    chain.decide([removal('a')]);
    chain.untilSealed();
    chain.move();
    for (const nth of [0, 1])
      expect(chain.act(FIRST, propose([addition('a', 1, keysOf('a', nth))])).code).toBe('key-used');
  });

  it('changes address and fee account at once, and keeps keys that it repeats', () => {
    const chain = epochChain(epochGenesis(FOUR));
    chain.act(operatorOf('a'), rotation('a', 1));
    chain.act(1, ready('a', { nth: 1 }));
    const moved = rotation('a', 1, { address: 'new:1', feeAccount: account(5) });
    expect(chain.act(operatorOf('a'), moved).code).toBeUndefined();
    expect(validator(chain, 'a')).toMatchObject({ address: 'new:1', feeAccount: account(5), ready: true });
    chain.act(operatorOf('a'), rotation('a', 0));
    expect(validator(chain, 'a')).toMatchObject({ rotation: undefined, ready: false, address: 'a:9000' });
    expect(chain.untilSealed().next).toEqual(new Uint8Array(32));
  });

  it('is in the queue once, however often it is taken back', () => {
    const chain = epochChain(epochGenesis(FOUR));
    for (const nth of [1, 0, 2, 0, 3]) {
      expect(chain.act(operatorOf('a'), rotation('a', nth)).code).toBeUndefined();
      expect(queue(chain).length).toBe(1);
    }
    chain.untilSealed();
    expect(queue(chain).length).toBe(1);
    chain.act(operatorOf('a'), rotation('a', 0));
    chain.decide([weightOf('b', 2)]);
    chain.untilSealed();
    chain.move();
    expect(queue(chain).length).toBe(0);
    chain.act(operatorOf('a'), rotation('a', 4));
    chain.act(1, ready('a', { nth: 4, epoch: 1 }));
    chain.untilSealed();
    chain.move();
    expect(validator(chain, 'a')).toMatchObject(keysOf('a', 4));
    expect(queue(chain).length).toBe(0);
  });

  it('may change the network key alone', () => {
    const chain = epochChain(epochGenesis(FOUR));
    const keys = { ...keysOf('a'), peerKey: keysOf('a', 1).peerKey };
    chain.act(operatorOf('a'), rotation('a', 1, keys));
    chain.act(1, { ...ready('a'), ...keys } as never);
    chain.untilSealed();
    chain.move();
    expect(validator(chain, 'a')).toMatchObject(keys);
  });
});

describe('a block', () => {
  it('says whether it changed a validator or a proposal', () => {
    const chain = epochChain(epochGenesis(FOUR));
    const changes = (action?: Action, from = FIRST) => {
      const expiryMs = chain.nowMs + 30_000;
      const block = action === undefined ? [] : [transaction({ from, actions: [action], expiryMs })];
      return chain.execute(block).governanceChanged;
    };
    expect(changes()).toBe(false);
    expect(changes(propose([weightOf('a', 2)]))).toBe(true);
    expect(changes(propose([weightOf('f', 2)]))).toBe(false);
    expect(changes(rotation('a', 1), operatorOf('a'))).toBe(true);
    expect(changes(ready('a', { nth: 1 }), STRANGER)).toBe(true);
    expect(changes(ready('a', { nth: 1 }), STRANGER)).toBe(false);
    expect(chain.untilSealed().governanceChanged).toBe(true);
  });
});

describe('leaving and evidence', () => {
  it('leaving is by the operator, once', () => {
    const chain = epochChain(epochGenesis(FOUR));
    const leave = { kind: 'leave', validatorId: idOf('a') } as const;
    expect(chain.act(operatorOf('b'), leave).code).toBe('not-the-operator');
    expect(chain.act(operatorOf('f'), { ...leave, validatorId: idOf('f') }).code).toBe('validator-unknown');
    expect(chain.act(operatorOf('a'), leave).code).toBeUndefined();
    expect(chain.act(operatorOf('a'), leave).code).toBe('already-leaving');
    chain.untilSealed();
    expect(chain.move()).toEqual({ b: 1, c: 1, d: 1 });
    expect(chain.act(operatorOf('a'), leave).code).toBe('validator-unknown');
    expect(chain.act(operatorOf('a'), rotation('a', 1)).code).toBe('validator-unknown');
  });

  it('evidence is about a key that the chain knows, once, until seven days after its last epoch', () => {
    const chain = epochChain(epochGenesis(FIVE));
    const keys = [keysOf('f'), keysOf('a')] as const;
    expect(chain.act(1, report(keys[0].blsPublicKey)).code).toBe('key-unknown');
    chain.act(FIRST, propose([addition('f', 1)]));
    expect(chain.act(1, report(keys[0].blsPublicKey)).code).toBe('key-unknown');
    chain.act(operatorOf('a'), rotation('a', 1));
    chain.act(1, ready('a', { nth: 1 }));
    chain.act(operatorOf('b'), rotation('b', 1));
    chain.act(1, ready('b', { nth: 1 }));
    chain.untilSealed();
    chain.move();
    chain.nowMs += 7 * DAY_MS;
    expect(chain.act(1, report(keys[1].blsPublicKey)).code).toBeUndefined();
    expect(chain.act(1, report(keysOf('a', 1).blsPublicKey)).code).toBe('already-reported');
    chain.nowMs += 1;
    expect(chain.act(1, report(keysOf('b').blsPublicKey)).code).toBe('evidence-expired');
    expect(chain.act(1, report(keysOf('b', 1).blsPublicKey)).code).toBeUndefined();
    chain.untilSealed();
    // Two of five at once would be too many.
    expect(Object.keys(chain.move())).toEqual(['b', 'c', 'd', 'e']);
    chain.untilSealed();
    expect(Object.keys(chain.move())).toEqual(['c', 'd', 'e']);
    expect(chain.act(1, report(keysOf('a', 1).blsPublicKey)).code).toBe('already-reported');
  });
});
