/**
 * A chain with validators, governors and a directory, whose state holds what the governance cases need. Half of its validators have entries
 * of the longest kind: name, address, and keys that wait.
 */
import { type BlsSigner, createBlsSigner, generateBlsSecretKey } from '@slipstream/crypto/native';
import { accountStateKey, encodeBalance, genesisEntries, METERED_FEES } from '@slipstream/execution';
import { type PeerKey, sha256, toHex, utf8 } from '@slipstream/primitives';
import type { Write } from '@slipstream/state';
import { type Genesis, type GenesisMember, genesisHashOf, type ValidatorId, validatorIdOf } from '@slipstream/types';
import { writeKeyUse } from '../../../packages/execution/src/epochs/used-keys.ts';
import { readValidator, type Validator, writeValidator } from '../../../packages/execution/src/epochs/validators.ts';
import type { Entries } from '../../../packages/execution/src/overlay.ts';
import { type TestChain, testChain } from '../../../packages/execution/test/session-world.ts';
import { genesisMember } from '../../../packages/types/test/genesis-member.ts';
import { accountOf, BYSTANDER, PEOPLE } from './cases.ts';
import { openStage, type Stage } from './stage.ts';

/** With short entries, and again as many with long ones. */
export const VALIDATORS = 16;
const ADMINISTRATORS = 64;
const ACCOUNTS = 20_000;
const BALANCE = 10n ** 15n;
const DIRECTORY = { accountsMax: 2 ** 24, rowsPerBlock: 1, registrationsPerBlock: 1000 };
/** 40 and 259 bytes are the most. */
const LONG_NAME = 'v'.repeat(36);
const LONG_HOST = ['a', 'b', 'c', 'd'].map((letter) => letter.repeat(62)).join('.');

interface ValidatorKeyPair {
  readonly bls: BlsSigner;
  readonly peerKey: PeerKey;
}

export const issuerRoot = signerOf('calibration issuer root');

export function keyPairOf(name: string): ValidatorKeyPair {
  return { bls: signerOf(name), peerKey: toHex(sha256(utf8(`${name} peer`))) as PeerKey };
}

function signerOf(name: string): BlsSigner {
  return createBlsSigner(generateBlsSecretKey(sha256(utf8(name))));
}

/** `isLong`: of those with long entries. */
export interface GovernanceChain {
  readonly chain: TestChain;
  keysOf(i: number, isLong: boolean): ValidatorKeyPair;
  idOf(i: number, isLong: boolean): ValidatorId;
  operatorOf(i: number, isLong: boolean): (typeof PEOPLE)[number];
  administratorOf(i: number): (typeof PEOPLE)[number];
  /** A new one, with what is arranged in its state. */
  open(arrange: (entries: Entries) => void): Promise<Stage>;
}

export function createGovernanceChain(): GovernanceChain {
  const keys = Array.from({ length: 2 * VALIDATORS }, (_, i) => keyPairOf(`calibration validator ${i}`));
  const at = (i: number, isLong: boolean) => (i % VALIDATORS) + (isLong ? VALIDATORS : 0);
  const base = testChain('calibration governance');
  const administrators = PEOPLE.slice(-ADMINISTRATORS);
  const genesis: Genesis = {
    ...base.genesis,
    members: keys.map(memberOf),
    allocations: [...PEOPLE, BYSTANDER].map(({ account }) => ({ account, balance: BALANCE })),
    fees: METERED_FEES,
    trustedIssuers: [issuerRoot.publicKey],
    governance: { administrators: administrators.map(({ account }) => account), approvals: 2 },
    distilled: DIRECTORY,
  };
  const chain: TestChain = { ...base, genesis, genesisHash: genesisHashOf(genesis) };
  const idOf = (i: number, isLong: boolean) => validatorIdOf((keys[at(i, isLong)] as ValidatorKeyPair).bls.publicKey);
  return {
    chain,
    idOf,
    keysOf: (i, isLong) => keys[at(i, isLong)] as ValidatorKeyPair,
    operatorOf: (i, isLong) => PEOPLE[at(i, isLong)] as (typeof PEOPLE)[number],
    administratorOf: (i) => administrators[i % ADMINISTRATORS] as (typeof PEOPLE)[number],
    open(arrange) {
      const state = new Map<string, Write>();
      const put = (key: Uint8Array, value: Uint8Array | undefined) => void state.set(toHex(key), { key, value });
      for (let i = 0; i < ACCOUNTS; i++) put(accountStateKey(accountOf(i)).bytes, encodeBalance(BALANCE));
      for (const { key, value } of genesisEntries(genesis, noGenerated)) put(key, value);
      const entries = {
        get: ({ bytes }: { readonly bytes: Uint8Array }) => state.get(toHex(bytes))?.value,
        set: ({ bytes }: { readonly bytes: Uint8Array }, value: Uint8Array | undefined) => put(bytes, value),
      } as Entries;
      for (let i = 0; i < VALIDATORS; i++) rotate(entries, idOf(i, true), keyPairOf(`calibration rotation ${i}`));
      arrange(entries);
      return openStage(chain, [...state.values()]);
    },
  };
}

function memberOf({ bls, peerKey }: ValidatorKeyPair, i: number): GenesisMember {
  const { account } = PEOPLE[i] as (typeof PEOPLE)[number];
  const member = genesisMember(i, { weight: 1, blsPublicKey: bls.publicKey, peerKey });
  const isLong = i >= VALIDATORS;
  const names = isLong ? { name: `${LONG_NAME}${i}`, address: `${LONG_HOST}:9000` } : {};
  return { ...member, operator: account, feeAccount: account, ...names };
}

/** Its next keys wait for their node. */
function rotate(entries: Entries, id: ValidatorId, { bls: { publicKey: blsPublicKey }, peerKey }: ValidatorKeyPair) {
  const validator = readValidator(entries, id) as Validator;
  writeValidator(entries, id, { ...validator, rotation: { blsPublicKey, peerKey } });
  writeKeyUse(entries, blsPublicKey, { validatorId: id, lastEpoch: undefined });
}

function noGenerated(): never {
  throw new Error('this chain has no generated accounts');
}

export const longNames = (i: number) => ({ name: `${LONG_NAME}${i}`, address: `${LONG_HOST}:9000` });
