/** Actions of governance: one JSON form and one encoding each; JSON that fits the schema and means nothing is refused with a reason. */
import { type PeerKey, toHex } from '@slipstream/primitives';
import {
  type Action,
  actionFromWire,
  actionToWire,
  asId,
  type Change,
  ed25519Account,
  type GenesisHash,
  type Handover,
  type ProposalId,
  type ValidatorId,
} from '@slipstream/types';
import { describe, expect, it } from 'vitest';
import { epochChain } from '../../crypto/test/epoch-chain.ts';
import { createCheck, TransactionSchema, transactionFromJson, transactionToJson } from '../src/index.ts';
import { filled, transaction } from './values.ts';

const validatorId = filled(11) as ValidatorId;
const keys = { blsPublicKey: filled(12, 48), peerKey: toHex(filled(13)) as PeerKey };
const [operator, feeAccount] = [ed25519Account(filled(14)), ed25519Account(filled(15))];
const signature = filled(16, 96);
const FEES = {
  initialPrices: [0n, 1n, 2n, 3n, 2n ** 64n - 1n],
  minimumPrices: [0n, 1n, 2n, 3n, 4n],
  targets: [1, 2, 3, 4, 5],
  limits: [500, 500, 500, 500, 500],
  windowBlocks: 100,
};
const TIMES = { delayMs: 20, graceMs: 40, leaderTimeoutMs: 400, viewTimeoutMs: 800, minBlockIntervalMs: 100 };

const CHANGES: readonly Change[] = [
  {
    kind: 'addValidator',
    name: 'erin',
    weight: 2,
    ...keys,
    address: 'erin.example.org:9000',
    operator,
    feeAccount,
    consent: signature,
  },
  { kind: 'removeValidator', validatorId },
  { kind: 'setWeight', validatorId, weight: 3 },
  { kind: 'setParameters', fees: FEES, times: TIMES },
  { kind: 'setParameters', fees: FEES, times: TIMES, leaderReputation: true },
  { kind: 'setTrustedIssuers', trustedIssuers: [filled(17, 48)] },
  { kind: 'setVersion', version: 2 },
  { kind: 'setGovernance', governance: { administrators: [operator, feeAccount], approvals: 2 } },
];
const SIGNED = { statement: filled(18, 5), signature };

const [handover] = (await epochChain('json', { members: 4, epochs: 1 })).handovers as [Handover];
const MEMBERS = [{ weight: 1, blsPublicKey: filled(19, 48) }];
const ADVANCE: Action = {
  kind: 'advanceIssuer',
  issuer: asId<GenesisHash>(filled(20)),
  rootKey: filled(21, 48),
  root: undefined,
  members: MEMBERS,
  handover,
};

const ACTIONS: readonly Action[] = [
  { kind: 'propose', changes: CHANGES, notBeforeMs: 1_800_000_000_000 },
  {
    kind: 'propose',
    changes: [{ kind: 'upgradeApplication', name: 'token', version: 2, hash: filled(9) }],
    notBeforeMs: 0,
  },
  { kind: 'approve', proposalId: asId<ProposalId>(filled(1)) },
  { kind: 'revoke', proposalId: asId<ProposalId>(filled(1)) },
  { kind: 'ready', ...keys, epoch: 7, version: 1, artifacts: [filled(9)], signature },
  { kind: 'rotateKeys', validatorId, ...keys, address: '[::1]:9000', feeAccount, consent: signature },
  { kind: 'leave', validatorId },
  { kind: 'reportEquivocation', type: 'chunks', blsPublicKey: keys.blsPublicKey, first: SIGNED, second: SIGNED },
  ADVANCE,
  { ...ADVANCE, root: { expiryMs: 1_800_000_000_000, signature } },
];

const jsonOf = (action: Action) =>
  JSON.parse(JSON.stringify(transactionToJson({ ...transaction, body: { ...transaction.body, actions: [action] } })));

describe('an action of governance', () => {
  it.each(ACTIONS.map((action) => [action.kind, action] as const))('has one form: %s', (_, action) => {
    expect(actionFromWire(actionToWire(action))).toEqual(action);
    const json = jsonOf(action);
    expect(createCheck(TransactionSchema)(json)).toMatchObject({ ok: true });
    expect(transactionFromJson(json)).toMatchObject({ ok: true, value: { body: { actions: [action] } } });
  });

  it.each<[string, string, object]>([
    ['a name must be', 'addValidator', { name: 'Erin' }],
    ['must be host:port', 'addValidator', { address: 'erin' }],
    ['must be at least 2 delayMs', 'setParameters', { times: { ...TIMES, graceMs: 1 } }],
    ['from 1 to the number of administrators', 'setGovernance', { governance: { administrators: [], approvals: 0 } }],
  ])('is refused with a reason: %s', (reason, kind, changed) => {
    const [action] = ACTIONS as readonly [Action];
    const json = jsonOf(action);
    const changes = json.actions[0].changes as { kind: string }[];
    const at = changes.findIndex((change) => change.kind === kind);
    const wrong = { ...changes[at], ...changed } as { governance?: { administrators: string[] } };
    if (wrong.governance !== undefined) {
      wrong.governance = { ...wrong.governance, administrators: [`0x01${'aa'.repeat(32)}`] };
    }
    changes[at] = wrong as never;
    expect(createCheck(TransactionSchema)(json)).toMatchObject({ ok: true });
    expect(transactionFromJson(json)).toEqual({ ok: false, error: expect.stringContaining(reason) });
  });

  it('has no number that its encoding cannot hold', () => {
    const fits = (action: object) =>
      createCheck(TransactionSchema)({ ...jsonOf(ACTIONS[0] as Action), actions: [action] }).ok;
    const { actions } = jsonOf(ACTIONS.find(({ kind }) => kind === 'ready') as Action);
    expect(fits({ ...actions[0], version: 2 ** 16 - 1, epoch: 2 ** 32 - 1 })).toBe(true);
    expect(fits({ ...actions[0], version: 2 ** 16 })).toBe(false);
    expect(fits({ ...actions[0], epoch: 2 ** 32 })).toBe(false);
    const versioned = (version: number) => ({
      kind: 'propose',
      changes: [{ kind: 'setVersion', version }],
      notBeforeMs: 0,
    });
    expect([2 ** 16 - 1, 2 ** 16].map((version) => fits(versioned(version)))).toEqual([true, false]);
  });

  it('without changes, or with more than eight, is no proposal', () => {
    const [action] = ACTIONS as readonly [Action];
    const json = jsonOf(action);
    const { changes } = json.actions[0];
    for (const wrong of [[], [...changes, ...changes]]) {
      expect(createCheck(TransactionSchema)({ ...json, actions: [{ ...json.actions[0], changes: wrong }] }).ok).toBe(
        false,
      );
    }
  });
});
