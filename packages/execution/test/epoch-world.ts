/** Arranges chains whose committee changes: validators by letter, operators and administrators by number. Keys are hashes. */
import { type PeerKey, sha256, toHex, utf8 } from '@slipstream/primitives';
import {
  type AccountKey,
  type Action,
  type Change,
  type FailureCode,
  type Genesis,
  type Governance,
  OPERATORS_DECIDE,
  type PreparedTransaction,
  type ProposalId,
  proposalsInOutput,
  type ValidatorId,
  validatorIdOf,
} from '@slipstream/types';
import { type Applications, EPOCH_BLOCKS_MIN, readRecord } from '../src/index.ts';
import { account, type Chain, chain, type Executed, genesis, NOW_MS, transaction } from './builders.ts';

export const ADMINISTRATORS = [900, 901, 902];
export const BY_ADMINISTRATORS: Governance = { administrators: ADMINISTRATORS.map(account), approvals: 2 };

export interface Keys {
  readonly blsPublicKey: Uint8Array;
  readonly peerKey: PeerKey;
}

/** `nth`: its first keys, or later ones. */
export function keysOf(name: string, nth = 0): Keys {
  const [a, b] = [sha256(utf8(`${name} bls ${nth}`)), sha256(utf8(`${name} bls ${nth} again`))];
  return {
    blsPublicKey: new Uint8Array([...a, ...b.subarray(0, 16)]),
    peerKey: toHex(sha256(utf8(`${name} peer ${nth}`))) as PeerKey,
  };
}

export const idOf = (name: string): ValidatorId => validatorIdOf(keysOf(name).blsPublicKey);

/** The account of its operator. */
export function operatorOf(name: string): number {
  return 100 + name.charCodeAt(0);
}

export function epochGenesis(weights: Readonly<Record<string, number>>, governance = BY_ADMINISTRATORS): Genesis {
  return {
    ...genesis({}),
    governance,
    members: Object.entries(weights).map(([name, weight]) => ({
      name,
      weight,
      ...keysOf(name),
      address: `${name}:9000`,
      proofOfPossession: new Uint8Array(192),
      operator: account(operatorOf(name)),
      feeAccount: account(200 + operatorOf(name)),
    })),
  };
}

export const byOperators = (weights: Readonly<Record<string, number>>): Genesis =>
  epochGenesis(weights, OPERATORS_DECIDE);

export function addition(name: string, weight: number, keys: Keys = keysOf(name)): Change {
  return {
    kind: 'addValidator',
    name,
    weight,
    ...keys,
    address: `${name}:9000`,
    operator: account(operatorOf(name)),
    feeAccount: account(200 + operatorOf(name)),
    consent: new Uint8Array(96),
  };
}

export const removal = (name: string): Change => ({ kind: 'removeValidator', validatorId: idOf(name) });
export const weightOf = (name: string, weight: number): Change => ({
  kind: 'setWeight',
  validatorId: idOf(name),
  weight,
});

export function ready(
  name: string,
  { nth = 0, epoch = 0, version = 1, artifacts = [] as readonly Uint8Array[] } = {},
): Action {
  return { kind: 'ready', ...keysOf(name, nth), epoch, version, artifacts, signature: new Uint8Array(96) };
}

export function rotation(name: string, nth: number, changed: Partial<Action & { kind: 'rotateKeys' }> = {}): Action {
  return {
    kind: 'rotateKeys',
    validatorId: idOf(name),
    ...keysOf(name, nth),
    address: `${name}:9000`,
    feeAccount: account(200 + operatorOf(name)),
    consent: new Uint8Array(96),
    ...changed,
  } as Action;
}

export interface EpochChain extends Chain {
  /** One transaction in a block of its own: its failure, or its proposal, if any. */
  act(from: number, action: Action): { readonly code: FailureCode | undefined; readonly proposalId: ProposalId };
  /** Proposes, and approves by a second administrator. */
  decide(changes: readonly Change[], notBeforeMs?: number): ProposalId;
  /** Empty blocks until a record is sealed, or so many. */
  untilSealed(blocksMax?: number): Executed;
  /** Begins the sealed epoch, and returns the members' weights by name. */
  move(): Readonly<Record<string, number>>;
  weights(epoch?: number): Readonly<Record<string, number>>;
  readonly epoch: number;
  nowMs: number;
}

export function epochChain(start: Genesis, applications?: Applications): EpochChain {
  const base = chain(start, applications);
  let epoch = 0;
  const names = new Map<string, string>();
  for (const letter of 'abcdefghijklmnopqrstuvwxyz') names.set(toHex(idOf(letter)), letter);
  const record = (at: number) => readRecord({ get: ({ bytes }) => base.read(bytes) }, at);

  const self: EpochChain = {
    ...base,
    nowMs: NOW_MS,
    get view() {
      return base.view;
    },
    get height() {
      return base.height;
    },
    get epoch() {
      return epoch;
    },
    execute: (input, timestampMs) => base.execute(input, timestampMs ?? self.nowMs),
    act(from, action) {
      const { receipts } = self.execute([transaction({ from, actions: [action], expiryMs: self.nowMs + 30_000 })]);
      const { outcome, output } = receipts[0] as Executed['receipts'][number];
      const [proposalId] = proposalsInOutput(output) ?? [];
      return { code: outcome.status === 'failed' ? outcome.code : undefined, proposalId: proposalId as ProposalId };
    },
    decide(changes, notBeforeMs = 0) {
      const [first, second] = ADMINISTRATORS as [number, number];
      const proposed = self.act(first, { kind: 'propose', changes, notBeforeMs });
      if (proposed.code !== undefined) throw new Error(proposed.code);
      const { code } = self.act(second, { kind: 'approve', proposalId: proposed.proposalId });
      if (code !== undefined) throw new Error(code);
      return proposed.proposalId;
    },
    untilSealed(blocksMax = EPOCH_BLOCKS_MIN) {
      let executed = self.execute(NONE);
      for (let i = 1; i < blocksMax && executed.next.every((byte) => byte === 0); i++) executed = self.execute(NONE);
      return executed;
    },
    move() {
      base.close();
      epoch += 1;
      self.execute(NONE);
      return self.weights();
    },
    weights(at = epoch) {
      const { members } = record(at);
      return Object.fromEntries(
        members.map(({ validatorId, weight }) => [names.get(toHex(validatorId)) ?? toHex(validatorId), weight]),
      );
    },
  };
  return self;
}

const NONE: readonly PreparedTransaction[] = [];

export function accountOf(name: string): AccountKey {
  return account(operatorOf(name));
}
