/** The seal: what it takes, in which order, how much of it, and that every node seals the same. */
import { bytesEqual, toHex } from '@slipstream/primitives';
import { type Change, NO_RECORD, proposalsInOutput, recordHashOf } from '@slipstream/types';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isSound } from '../src/epochs/shares.ts';
import { EPOCH_BLOCKS_MIN, FREE_FEES, METERED_FEES, readRecord } from '../src/index.ts';
import { account, GENESIS_HASH, NOW_MS, transaction, transfer } from './builders.ts';
import {
  ADMINISTRATORS,
  addition,
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
const MANY = { a: 3, b: 5, c: 7, d: 9, e: 11 };
const DAY_MS = 24 * 60 * 60 * 1000;
const DEAR = { ...METERED_FEES, limits: METERED_FEES.limits.map((limit) => 2 * limit) };
const TIMES = { delayMs: 10, graceMs: 20, leaderTimeoutMs: 100, viewTimeoutMs: 200, minBlockIntervalMs: 50 };

const recordOf = ({ read }: EpochChain, epoch: number) => readRecord({ get: ({ bytes }) => read(bytes) }, epoch);
const isSealed = (next: Uint8Array) => !bytesEqual(next, NO_RECORD);

describe('a seal', () => {
  it('waits until the epoch has its blocks, names the record from then on, and seals nothing else', () => {
    const chain = epochChain(epochGenesis(FOUR));
    chain.decide([weightOf('a', 2)]);
    for (let height = 3; height < EPOCH_BLOCKS_MIN; height++) expect(isSealed(chain.execute([]).next)).toBe(false);
    const { next } = chain.execute([]);
    expect(next).toEqual(recordHashOf(GENESIS_HASH, recordOf(chain, 1)));
    chain.decide([weightOf('b', 2)]);
    expect(chain.execute([]).next).toEqual(next);
    expect(chain.weights(1)).toEqual({ ...FOUR, a: 2 });
    expect(chain.move()).toEqual({ ...FOUR, a: 2 });
    expect(isSealed(chain.execute([]).next)).toBe(false);
    chain.untilSealed();
    expect(chain.move()).toEqual({ ...FOUR, a: 2, b: 2 });
  });

  it('never happens without due changes', () => {
    const chain = epochChain(epochGenesis(FOUR));
    expect(isSealed(chain.untilSealed(2 * EPOCH_BLOCKS_MIN).next)).toBe(false);
  });

  it('waits for the approvals and the time of a proposal, and for its node', () => {
    const chain = epochChain(epochGenesis(FOUR));
    chain.untilSealed();
    chain.act(ADMINISTRATORS[0] as number, { kind: 'propose', changes: [weightOf('a', 2)], notBeforeMs: 0 });
    chain.decide([weightOf('b', 2)], NOW_MS + DAY_MS);
    chain.decide([addition('e', 1)]);
    expect(isSealed(chain.untilSealed(3).next)).toBe(false);
    chain.nowMs = NOW_MS + DAY_MS;
    expect(isSealed(chain.execute([]).next)).toBe(true);
    expect(chain.move()).toEqual({ ...FOUR, b: 2 });
    chain.untilSealed();
    chain.act(1, ready('e', { epoch: 1 }));
    expect(isSealed(chain.untilSealed().next)).toBe(true);
    expect(chain.move()).toEqual({ ...FOUR, b: 2, e: 1 });
  });

  it('counts approvals by those who govern when it looks', () => {
    const chain = epochChain(epochGenesis(FOUR));
    const governance = { administrators: [account(950)], approvals: 1 };
    chain.decide([{ kind: 'setGovernance', governance }]);
    chain.decide([weightOf('a', 2)], NOW_MS + DAY_MS);
    chain.untilSealed();
    chain.move();
    chain.nowMs += DAY_MS;
    expect(isSealed(chain.untilSealed().next)).toBe(false);
    const { code, proposalId } = chain.act(950, { kind: 'propose', changes: [weightOf('a', 2)], notBeforeMs: 0 });
    expect({ code, sealed: isSealed(chain.execute([]).next), proposalId }).toMatchObject({ sealed: true });
  });

  it('drops a proposal seven days after it could have been due, and frees the keys of its candidates', () => {
    const chain = epochChain(epochGenesis(FOUR));
    chain.decide([addition('e', 1)]);
    chain.untilSealed();
    const propose = { kind: 'propose', changes: [addition('e', 2)], notBeforeMs: 0 } as const;
    expect(chain.act(ADMINISTRATORS[0] as number, propose).code).toBe('key-used');
    chain.nowMs += 7 * DAY_MS;
    chain.execute([]);
    expect(chain.act(ADMINISTRATORS[0] as number, propose).code).toBeUndefined();
  });

  it('takes a weight in part as often as it must, and adds a validator by steps', () => {
    const chain = epochChain(epochGenesis(FOUR));
    chain.decide([addition('e', 100)]);
    chain.act(1, ready('e'));
    const steps: number[] = [];
    while ((chain.weights() as { e?: number }).e !== 100) {
      chain.untilSealed();
      steps.push((chain.move() as { e: number }).e);
      expect(steps.length).toBeLessThan(20);
    }
    expect(steps[0]).toBe(1);
    expect(steps).toEqual(steps.toSorted((a, b) => a - b));
  });

  it('takes a large proposal whole when its steps together are sound', () => {
    const chain = epochChain(epochGenesis(FOUR));
    chain.decide(Object.keys(FOUR).map((name) => weightOf(name, 50)));
    chain.untilSealed();
    expect(chain.move()).toEqual({ a: 50, b: 50, c: 50, d: 50 });
  });

  it('keeps the order of changes about one validator, and lets others pass what waits', () => {
    const chain = epochChain(epochGenesis(FOUR));
    chain.decide([weightOf('a', 90), removal('b')]);
    chain.decide([weightOf('a', 2)]);
    chain.decide([{ kind: 'setParameters', fees: DEAR, times: TIMES }]);
    chain.untilSealed();
    const first = chain.move();
    expect(first).toMatchObject({ b: 1, c: 1, d: 1 });
    expect(first.a).toBeGreaterThan(2);
    expect(recordOf(chain, 1).parameters).toMatchObject({ fees: DEAR, times: TIMES });
    for (let i = 0; i < 15 && chain.weights().a !== 2; i++) {
      chain.untilSealed();
      chain.move();
    }
    expect(chain.weights()).toEqual({ a: 2, c: 1, d: 1 });
  });

  it('never takes what no part of is sound, and goes on with the rest', () => {
    const chain = epochChain(epochGenesis({ a: 1, b: 1, c: 1 }));
    chain.decide([removal('a')]);
    chain.decide([{ kind: 'setVersion', version: 2 }]);
    for (const name of 'abc') chain.act(1, ready(name, { version: 2 }));
    chain.untilSealed();
    expect(chain.move()).toEqual({ a: 1, b: 1, c: 1 });
    expect(recordOf(chain, 1).version).toBe(2);
  });

  it('takes a version once the nodes of more than two thirds of the weight know it', () => {
    const chain = epochChain(epochGenesis(FOUR));
    chain.decide([{ kind: 'setVersion', version: 2 }]);
    for (const name of 'ab') chain.act(1, ready(name, { version: 2 }));
    expect(isSealed(chain.untilSealed().next)).toBe(false);
    chain.act(1, ready('c', { version: 3 }));
    expect(isSealed(chain.execute([]).next) || isSealed(chain.untilSealed().next)).toBe(true);
    expect(recordOf(chain, 1).version).toBe(2);
  });

  it('swaps the keys of a rotation when the new node is ready, and admits the old network key for an epoch', () => {
    const chain = epochChain(epochGenesis(FOUR));
    expect(chain.act(operatorOf('a'), rotation('a', 1, { address: 'elsewhere:1' })).code).toBeUndefined();
    expect(isSealed(chain.untilSealed().next)).toBe(false);
    chain.act(1, ready('a', { nth: 1 }));
    chain.untilSealed();
    chain.move();
    const [member] = recordOf(chain, 1).members;
    expect(member).toMatchObject({ ...keysOf('a', 1), previousPeerKey: keysOf('a').peerKey, address: 'elsewhere:1' });
    expect(member?.validatorId).toEqual(idOf('a'));
    chain.decide([weightOf('b', 2)]);
    chain.untilSealed();
    chain.move();
    expect(recordOf(chain, 2).members[0]?.previousPeerKey).toBeUndefined();
  });

  it('leaves the rotation of a validator that it removes in the queue, since a later change may bring it back', () => {
    const chain = epochChain(epochGenesis(MANY));
    chain.decide([removal('b')]);
    chain.act(operatorOf('b'), rotation('b', 1));
    chain.act(1, ready('b', { nth: 1 }));
    chain.decide([weightOf('b', 4)]);
    chain.untilSealed();
    expect(chain.move()).toEqual({ ...MANY, b: 4 });
    chain.untilSealed();
    chain.move();
    expect(recordOf(chain, 2).members[1]).toMatchObject(keysOf('b', 1));
  });

  it('removes who leaves, and first of all who contradicted itself', () => {
    const chain = epochChain(epochGenesis({ ...FOUR, e: 1, f: 1, g: 1 }));
    chain.act(operatorOf('a'), { kind: 'leave', validatorId: idOf('a') });
    chain.act(operatorOf('b'), { kind: 'leave', validatorId: idOf('b') });
    chain.act(operatorOf('c'), { kind: 'leave', validatorId: idOf('c') });
    const statement = { statement: new Uint8Array(0), signature: new Uint8Array(96) };
    const report = { kind: 'reportEquivocation', type: 'votes', first: statement, second: statement } as const;
    chain.act(1, { ...report, blsPublicKey: keysOf('d').blsPublicKey });
    chain.untilSealed();
    expect(Object.keys(chain.move())).toEqual(['b', 'c', 'e', 'f', 'g']);
    chain.untilSealed();
    expect(Object.keys(chain.move())).toEqual(['c', 'e', 'f', 'g']);
  });

  it('credits fees of chunks of the last epoch to the producers of that epoch', () => {
    const chain = epochChain({
      ...epochGenesis(FOUR),
      fees: DEAR,
      allocations: [{ account: account(1), balance: 10n ** 12n }],
    });
    chain.execute([
      transaction({
        from: 1,
        actions: Array.from({ length: 5 }, (_, i) => transfer([...ADMINISTRATORS, 700, 701][i] as number, 10n ** 10n)),
        maxFee: 10n ** 9n,
      }),
    ]);
    const paid = (from: number, action: Parameters<EpochChain['act']>[1]) =>
      chain.execute([transaction({ from, actions: [action], maxFee: 10n ** 9n })]).receipts[0];
    const { output } =
      paid(ADMINISTRATORS[0] as number, { kind: 'propose', changes: [removal('a')], notBeforeMs: 0 }) ?? {};
    paid(ADMINISTRATORS[1] as number, {
      kind: 'approve',
      proposalId: proposalsInOutput(output as Uint8Array)?.[0] as never,
    });
    chain.untilSealed();
    chain.move();
    const before = chain.balance(200 + operatorOf('a'));
    const late = {
      epoch: 0,
      producer: 0,
      transactions: [transaction({ from: 700, maxFee: 10n ** 8n, actions: [transfer(2, 1n)] })],
    };
    const now = {
      epoch: 1,
      producer: 0,
      transactions: [transaction({ from: 701, maxFee: 10n ** 8n, actions: [transfer(2, 1n)] })],
    };
    const { receipts } = chain.execute([late, now]);
    expect(chain.balance(200 + operatorOf('a')) - before).toBe(receipts[0]?.fee);
    expect(chain.balance(200 + operatorOf('b'))).toBe(receipts[1]?.fee);
  });
});

describe('any history of changes', () => {
  const name = fc.constantFrom(...'abcdefghi');
  const change: fc.Arbitrary<Change> = fc.oneof(
    fc.tuple(name, fc.integer({ min: 1, max: 200 })).map(([of, weight]) => addition(of, weight)),
    name.map(removal),
    fc.tuple(name, fc.integer({ min: 1, max: 200 })).map(([of, weight]) => weightOf(of, weight)),
    fc.constant<Change>({ kind: 'setParameters', fees: FREE_FEES, times: TIMES }),
    fc.integer({ min: 1, max: 3 }).map((version) => ({ kind: 'setVersion', version }) as const),
  );
  const step = fc.oneof(
    fc.array(change, { minLength: 1, maxLength: 4 }).map((changes) => ({ changes })),
    fc.tuple(name, fc.nat(2)).map(([of, nth]) => ({ from: operatorOf(of), action: rotation(of, nth) })),
    name.map((of) => ({ from: operatorOf(of), action: { kind: 'leave', validatorId: idOf(of) } as const })),
    fc.tuple(name, fc.nat(2), fc.nat(2)).map(([of, nth, version]) => ({ from: 1, ready: { of, nth, version } })),
  );
  const history = fc.array(fc.array(step, { maxLength: 6 }), { minLength: 1, maxLength: 5 });

  function run(epochs: readonly (readonly (typeof step extends fc.Arbitrary<infer S> ? S : never)[])[]): EpochChain {
    const chain = epochChain(epochGenesis(MANY));
    for (const steps of epochs) {
      for (const each of steps) {
        if ('changes' in each) {
          try {
            chain.decide(each.changes);
          } catch {} // refused with a code
        } else if ('ready' in each) {
          const { of, nth, version } = each.ready;
          chain.act(1, ready(of, { nth, epoch: chain.epoch, version }));
        } else chain.act(each.from, each.action);
      }
      if (isSealed(chain.untilSealed().next)) chain.move();
    }
    return chain;
  }

  it('seals records that are sound, keep their order, and never give a key to two or twice', () => {
    let moves = 0;
    fc.assert(
      fc.property(history, (epochs) => {
        const chain = run(epochs);
        moves += chain.epoch;
        const ownerOf = new Map<string, string>();
        const goneKeys = new Set<string>();
        for (let epoch = 0; epoch <= chain.epoch; epoch++) {
          const { members } = recordOf(chain, epoch);
          const before = epoch === 0 ? members : recordOf(chain, epoch - 1).members;
          const weights = (of: typeof members) =>
            new Map(of.map(({ validatorId, weight }) => [toHex(validatorId), weight]));
          expect(isSound(weights(before), weights(members))).toBe(true);
          const ids = members.map(({ validatorId }) => toHex(validatorId));
          const stayed = before.map(({ validatorId }) => toHex(validatorId)).filter((id) => ids.includes(id));
          expect(ids.slice(0, stayed.length)).toEqual(stayed);
          const keys = members.map(({ blsPublicKey }) => toHex(blsPublicKey));
          for (const [i, key] of keys.entries()) {
            expect(goneKeys.has(key)).toBe(false);
            expect(ownerOf.get(key) ?? ids[i]).toBe(ids[i]);
            ownerOf.set(key, ids[i] as string);
          }
          expect(new Set([...keys, ...members.map(({ peerKey }) => peerKey)]).size).toBe(2 * members.length);
          for (const key of ownerOf.keys()) if (!keys.includes(key)) goneKeys.add(key);
        }
      }),
      { numRuns: 60 },
    );
    expect(moves).toBeGreaterThan(20);
  });

  it('is the same at every node', () => {
    fc.assert(
      fc.property(history, (epochs) => {
        const [one, other] = [run(epochs), run(epochs)];
        expect(one.epoch).toBe(other.epoch);
        for (let epoch = 0; epoch <= one.epoch; epoch++) expect(recordOf(one, epoch)).toEqual(recordOf(other, epoch));
      }),
      { numRuns: 20 },
    );
  });

  it('is the same whether its transactions share a chunk or have one each, among others', () => {
    fc.assert(
      fc.property(fc.array(change, { minLength: 1, maxLength: 6 }), (changes) => {
        const actions = changes.map((each) => ({ kind: 'propose', changes: [each], notBeforeMs: 0 }) as const);
        const transactions = actions.flatMap((action, i) => [
          transaction({ from: ADMINISTRATORS[0] as number, actions: [action], salt: 2 * i }),
          transaction({ from: ADMINISTRATORS[1] as number, actions: [{ ...action, notBeforeMs: i }], salt: 2 * i + 1 }),
        ]);
        const [whole, pieces] = [epochChain(epochGenesis(MANY)), epochChain(epochGenesis(MANY))];
        const one = whole.execute(transactions);
        const many = pieces.execute(transactions.map((each) => ({ epoch: 0, producer: 0, transactions: [each] })));
        expect(many.batch).toEqual(one.batch);
        expect(many.receiptBytes).toEqual(one.receiptBytes);
      }),
    );
  });
});
