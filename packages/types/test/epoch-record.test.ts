import { describe, expect, it } from 'vitest';
import { testChain } from '../../execution/test/session-world.ts';
import {
  committeeMessage,
  committeeOf,
  committeeOfRecord,
  type EpochRecord,
  epoch,
  epochRecordCodec,
  genesisCodec,
  genesisFromJson,
  genesisToJson,
  recordHashOf,
  recordOfGenesis,
} from '../src/index.ts';

const { genesis, genesisHash } = testChain('records');
const record = recordOfGenesis(genesis);
const [first, ...others] = record.members as [EpochRecord['members'][number], ...EpochRecord['members']];

describe('an epoch record', () => {
  it('of epoch 0 follows from genesis, with its committee', () => {
    expect(committeeOfRecord(record)).toEqual(committeeOf(genesis));
    expect(committeeOfRecord({ ...record, epoch: epoch(3) }).epoch).toBe(3);
    expect(record.members.map(({ address }) => address)).toEqual(genesis.members.map(({ address }) => address));
  });

  it('has one encoding', () => {
    const changed = { ...record, members: [{ ...first, previousPeerKey: first.peerKey, leads: false }, ...others] };
    for (const each of [record, changed]) {
      expect(epochRecordCodec.decode(epochRecordCodec.encode(each))).toEqual({ ok: true, value: each });
    }
  });

  it.each<[string, EpochRecord]>([
    ['its epoch', { ...record, epoch: epoch(1) }],
    ['its version', { ...record, version: 2 }],
    ['its parameters', { ...record, parameters: { ...record.parameters, trustedIssuers: [] } }],
    ['a weight', { ...record, members: [{ ...first, weight: 2 }, ...others] }],
    ['a BLS key', { ...record, members: [{ ...first, blsPublicKey: new Uint8Array(48) }, ...others] }],
    ['an address', { ...record, members: [{ ...first, address: 'elsewhere:1' }, ...others] }],
    ['a leader', { ...record, members: [{ ...first, leads: false }, ...others] }],
    ['the order', { ...record, members: [...others, first] }],
  ])('has another hash with another value of %s', (_, other) => {
    expect(recordHashOf(genesisHash, other)).not.toEqual(recordHashOf(genesisHash, record));
  });

  it('hashes a committee as a committee certificate does, of any size', () => {
    const many = { ...record, members: new Array(1024).fill(first) };
    expect(recordHashOf(genesisHash, many)).toHaveLength(32);
    expect(() => committeeMessage(genesisHash, many.members, 1)).not.toThrow();
  });
});

describe('a genesis file', () => {
  const json = genesisToJson(genesis) as Record<string, unknown> & { members: Record<string, unknown>[] };
  const faultsOf = (changed: object): string => {
    const parsed = genesisFromJson({ ...json, ...changed });
    return parsed.ok ? '' : parsed.error.join('\n');
  };

  it('has one binary and one JSON form', () => {
    expect(genesisFromJson(JSON.parse(JSON.stringify(json)))).toEqual({ ok: true, value: genesis });
    expect(genesisCodec.decode(genesisCodec.encode(genesis))).toEqual({ ok: true, value: genesis });
  });

  it('has leader reputation where it says so, and else not', () => {
    const { leaderReputation: _, ...without } = json;
    expect(genesisFromJson(without)).toMatchObject({ ok: true, value: { leaderReputation: false } });
    expect(genesisFromJson({ ...json, leaderReputation: true })).toMatchObject({
      ok: true,
      value: { leaderReputation: true },
    });
    expect(faultsOf({ leaderReputation: 'on' })).toContain('leaderReputation: must be true or false');
  });

  it('has an account directory where it says so, with bounds', () => {
    const defaults = { accountsMax: 1_000_000, rowsPerBlock: 65_536, registrationsPerBlock: 64 };
    const distilled = { ...defaults, accountsMax: 7 };
    const withDirectory = { ...genesis, distilled };
    expect(genesisFromJson({ ...json, distilled: {} })).toMatchObject({ ok: true, value: { distilled: defaults } });
    expect(genesisFromJson(genesisToJson(withDirectory))).toEqual({ ok: true, value: withDirectory });
    expect(genesisCodec.decode(genesisCodec.encode(withDirectory))).toEqual({ ok: true, value: withDirectory });
    expect(json).not.toHaveProperty('distilled');
    for (const [field, wrong] of [
      ['accountsMax', 0],
      ['accountsMax', 2 ** 24 + 1],
      ['rowsPerBlock', 2 ** 18 + 1],
      ['registrationsPerBlock', 1.5],
      ['registrationsPerBlock', 1025],
    ] as const) {
      expect(faultsOf({ distilled: { [field]: wrong } })).toContain(
        `distilled.${field}: must be an integer from 1 to `,
      );
    }
    expect(faultsOf({ distilled: 7 })).toContain('distilled: must be an object');
  });

  it('names every fault of a member, of times and of governance', () => {
    const members = [{ ...json.members[0], name: 'A', address: 'nowhere', operator: '0x', feeAccount: 7 }];
    const faults = faultsOf({
      members,
      times: { delayMs: -1 },
      governance: { administrators: ['0x01'], approvals: 65 },
    });
    for (const field of [
      ...['members[0].name', 'members[0].address', 'members[0].operator', 'members[0].feeAccount'],
      ...['times.delayMs', 'times.graceMs', 'governance.administrators[0]', 'governance.approvals'],
    ]) {
      expect(faults).toContain(`${field}: `);
    }
  });

  it('refuses times and governance that contradict themselves, and names used twice', () => {
    expect(faultsOf({ times: { ...genesis.times, graceMs: 1 } })).toContain('times: graceMs (1) must be at least');
    expect(faultsOf({ governance: { administrators: [], approvals: 1 } })).toContain(
      'must be 0 without administrators',
    );
    const names = json.members.map((member) => ({ ...member, name: 'same' }));
    expect(faultsOf({ members: names })).toContain('two validators have the same name');
  });
});
