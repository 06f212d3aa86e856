/** Entries of epoch 0: its record, its validators and their keys, and who governs. */
import { compareBytes, fromHex } from '@slipstream/primitives';
import { type Genesis, recordOfGenesis, validatorIdOf } from '@slipstream/types';
import type { Write } from '../write-columns.ts';
import { encodeCount } from './counts.ts';
import { encodeEpoch, encodeGovernance, GENESIS_CURRENT } from './current-epoch.ts';
import { EPOCH_KEY, GOVERNANCE_KEY, operatorKey, usedKey, validatorKey } from './keys.ts';
import { recordEntries } from './records.ts';
import { encodeKeyUse } from './used-keys.ts';
import { listEntries } from './validator-list.ts';
import { ENTERED, encodeValidator } from './validators.ts';

type EpochGenesis = Pick<
  Genesis,
  'members' | 'fees' | 'times' | 'trustedIssuers' | 'leaderReputation' | 'governance' | 'applications'
>;

/** In key order. */
export function epochEntries(genesis: EpochGenesis): readonly Write[] {
  const entries = [
    ...genesis.members.flatMap(memberEntries),
    ...operatorEntries(genesis),
    ...listEntries(genesis.members.map(({ blsPublicKey }) => validatorIdOf(blsPublicKey))),
    ...recordEntries(recordOfGenesis(genesis)),
    { key: EPOCH_KEY.bytes, value: encodeEpoch(GENESIS_CURRENT) },
    { key: GOVERNANCE_KEY.bytes, value: encodeGovernance(genesis.governance) },
  ];
  return entries.sort((a, b) => compareBytes(a.key, b.key));
}

function operatorEntries({ members }: EpochGenesis): readonly Write[] {
  const operated = new Map<string, { readonly key: Uint8Array; count: number }>();
  for (const { operator } of members) {
    const { bytes: key, text } = operatorKey(operator);
    const known = operated.get(text) ?? { key, count: 0 };
    known.count += 1;
    operated.set(text, known);
  }
  return [...operated.values()].map(({ key, count }) => ({ key, value: encodeCount(count) }));
}

function memberEntries(member: Genesis['members'][number]): readonly Write[] {
  const { name, operator, feeAccount, address, blsPublicKey, peerKey, weight } = member;
  const id = validatorIdOf(blsPublicKey);
  const use = encodeKeyUse({ validatorId: id, lastEpoch: undefined });
  const validator = encodeValidator({
    name,
    operator,
    feeAccount,
    address,
    blsPublicKey,
    peerKey,
    weight,
    status: 'member',
    ...ENTERED,
  });
  return [
    { key: validatorKey(id).bytes, value: validator },
    { key: usedKey(blsPublicKey).bytes, value: use },
    { key: usedKey(fromHex(peerKey)).bytes, value: use },
  ];
}
