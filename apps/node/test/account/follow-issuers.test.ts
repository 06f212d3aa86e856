/** A chain that follows the committee of an issuer by itself. */
import { createBlsSigner, createInlineVerifier, generateBlsSecretKey } from '@slipstream/crypto/native';
import { issuerStateKey, readIssuer } from '@slipstream/execution';
import { sha256, utf8 } from '@slipstream/primitives';
import {
  type AdvanceIssuer,
  type CertifiedMember,
  certifiedMembers,
  certifiedMembersHash,
  committeeMessage,
  committeeOfRecord,
  type GenesisHash,
} from '@slipstream/types';
import { expect, onTestFinished, test } from 'vitest';
import { epochChain as issuingChain } from '../../../../packages/crypto/test/epoch-chain.ts';
import { type EpochChain, epochChain, epochGenesis } from '../../../../packages/execution/test/epoch-world.ts';
import { followIssuers } from '../../src/account/follow-issuers.ts';
import type { IssuerSource } from '../../src/account/issuer-source.ts';

const root = createBlsSigner(generateBlsSecretKey(sha256(utf8('issuer root'))));
/** Keys change for epochs 1 and 3; epoch 2 has the members of epoch 1. */
const issuer = await issuingChain('issuer', { members: 4, epochs: 4, rotations: (epoch) => (epoch % 2 === 0 ? 4 : 0) });
const { verifier } = createInlineVerifier({ committees: [] });
const EXPIRY_MS = 1_900_000_000_000;
const membersOf = (epoch: number) => certifiedMembers(committeeOfRecord(issuer.records[epoch] as never));
const hashOf = (epoch: number) => certifiedMembersHash(membersOf(epoch));
const served = {
  rootKey: root.publicKey,
  expiryMs: EXPIRY_MS,
  signature: root.signCompressed(committeeMessage(issuer.genesisHash, membersOf(0), EXPIRY_MS)),
};

function honest(changed: Partial<IssuerSource> = {}): IssuerSource {
  return {
    url: 'http://issuer',
    genesisHash: async () => issuer.genesisHash,
    handovers: async (from) => ({ items: issuer.handovers.slice(from, from + 1), next: nextOf(from), root: served }),
    members: async (epoch) => membersOf(epoch),
    ...changed,
  };
}

const nextOf = (from: number) => (from + 1 < issuer.handovers.length ? from + 1 : null);

function follower(chain: EpochChain, sources: readonly IssuerSource[], { self = 0, hasAccount = true } = {}) {
  let nowMs = 0;
  let look: (() => void) | undefined;
  const sent: AdvanceIssuer[] = [];
  const codes: (string | undefined)[] = [];
  const account = {
    name: 'payer',
    balance: () => 0n,
    isPoor: () => false,
    readBalance: async () => {},
    async send(action: unknown) {
      sent.push(action as AdvanceIssuer);
      codes.push(chain.act(999, action as AdvanceIssuer).code);
      return 'sent' as const;
    },
  };
  const issuers = followIssuers(
    {
      clock: {
        monotonicMs: () => nowMs,
        after(_delayMs, action) {
          look = action;
          return () => {};
        },
      },
      random: { below: () => 0 },
      telemetry: { log() {} },
      verifier,
      read: async (keys) => ({ height: 1, values: keys.map((key) => chain.read(key)) }),
      account: hasAccount ? account : undefined,
      place: () => ({ self, members: 4 }),
      headTimestampMs: () => chain.nowMs,
    },
    sources,
  );
  onTestFinished(() => issuers.stop());
  return {
    issuers,
    sent,
    codes,
    async look() {
      await settled();
      nowMs += 10_000;
      look?.();
      await settled();
    },
  };
}

async function settled(): Promise<void> {
  for (let turns = 0; turns < 20; turns++) await new Promise((resolve) => setImmediate(resolve));
}

const target = (trusted: readonly Uint8Array[] = [root.publicKey]) =>
  epochChain({ ...epochGenesis({ a: 1, b: 1, c: 1, d: 1 }), trustedIssuers: trusted });

const knownTo = (chain: EpochChain) =>
  readIssuer({ get: ({ bytes }) => chain.read(bytes) }, issuerStateKey(root.publicKey, issuer.genesisHash));

test('every change of the committee is sent, in order; epochs with the same members are passed over', async () => {
  const chain = target();
  const { look, codes, sent, issuers } = follower(chain, [honest()]);
  for (let looks = 0; looks < 8; looks++) await look();
  expect(codes).toEqual([undefined, undefined]);
  expect(sent.map(({ handover }) => handover.certificate.subject.epoch)).toEqual([0, 2]);
  expect(sent.map((action) => action.root !== undefined)).toEqual([true, false]);
  expect(knownTo(chain)?.hash).toEqual(hashOf(3));
  expect(issuers.read()).toEqual({ faults: [], isUnpaid: false });
});

test('more epochs without a change than one attempt reads are passed over by later ones', async () => {
  const chain = target();
  const asked: number[] = [];
  const long = honest({
    async handovers(from) {
      asked.push(from);
      if (from < 40) return { items: [], next: from + 1, root: served };
      return { items: issuer.handovers.slice(0, 1), next: null, root: served };
    },
  });
  const { look, codes } = follower(chain, [long]);
  for (let looks = 0; looks < 6 && codes.length === 0; looks++) await look();
  expect(codes).toEqual([undefined]);
  expect(asked.slice(0, 41)).toEqual(Array.from({ length: 41 }, (_, from) => from));
});

test('a node that serves another chain than before is searched from the start', async () => {
  let isOther = true;
  const moved = honest({
    genesisHash: async () => (isOther ? (sha256(utf8('other')) as GenesisHash) : issuer.genesisHash),
    async handovers(from, signal) {
      if (!isOther) return honest().handovers(from, signal);
      return { items: [], next: from < 40 ? from + 1 : null, root: served };
    },
  });
  const { look, codes } = follower(target(), [moved]);
  for (let looks = 0; looks < 4; looks++) await look();
  isOther = false;
  for (let looks = 0; looks < 4; looks++) await look();
  expect(codes).toEqual([undefined, undefined]);
});

test('members take turns, and two URLs of one issuer send once', async () => {
  const chain = target();
  const followers = [0, 1, 2, 3].map((self) => follower(chain, [honest(), honest({ url: 'http://other' })], { self }));
  for (let looks = 0; looks < 10; looks++) for (const { look } of followers) await look();
  expect(followers.flatMap(({ codes }) => codes)).toEqual([undefined, undefined]);
});

const REFUSED: readonly [string, IssuerSource, readonly Uint8Array[], string][] = [
  ['without a certificate of its root key', without('root'), [root.publicKey], 'serves no certificate of its root key'],
  ['whose root key is not trusted', honest(), [], 'does not trust its root key'],
  ['that does not answer', honest({ genesisHash: () => Promise.reject(new Error('no answer')) }), [], 'no answer'],
  ['with other members', honest({ members: async () => others() }), [root.publicKey], 'does not hold'],
];

function without(_field: 'root'): IssuerSource {
  const { handovers } = honest();
  return honest({ handovers: async (...asked) => ({ ...(await handovers(...asked)), root: undefined }) });
}

function others(): readonly CertifiedMember[] {
  return membersOf(0).toReversed();
}

test.each(REFUSED)(
  'from an issuer %s nothing is sent, and the fault is reported',
  async (_, source, trusted, fault) => {
    const { look, sent, issuers } = follower(target(trusted), [source]);
    for (let looks = 0; looks < 3; looks++) await look();
    expect(sent).toEqual([]);
    expect(issuers.read().faults).toEqual([expect.stringContaining(fault)]);
  },
);

test('a handover by another committee than the known one is not sent', async () => {
  const chain = target();
  const first = follower(chain, [
    honest({ handovers: async () => ({ items: issuer.handovers.slice(0, 1), next: null, root: served }) }),
  ]);
  for (let looks = 0; looks < 3; looks++) await first.look();
  expect(knownTo(chain)?.hash).toEqual(hashOf(1));
  const { look, sent, issuers } = follower(chain, [honest({ members: async () => others() })]);
  await look();
  expect(sent).toEqual([]);
  expect(issuers.read().faults[0]).toContain('not by the committee that this chain knows');
});

test('without an account the change is known as unpaid', async () => {
  const { look, issuers } = follower(target(), [honest()], { hasAccount: false });
  for (let looks = 0; looks < 3; looks++) await look();
  expect(issuers.read().isUnpaid).toBe(true);
});

test('what a node served that fails since is a fault, and no longer unpaid', async () => {
  let fails = false;
  const genesisHash = async () => {
    if (fails) throw new Error('no answer');
    return issuer.genesisHash;
  };
  const { look, issuers } = follower(target(), [honest({ genesisHash })], { hasAccount: false });
  for (let looks = 0; looks < 3; looks++) await look();
  expect(issuers.read()).toEqual({ faults: [], isUnpaid: true });
  fails = true;
  await look();
  expect(issuers.read()).toEqual({ faults: ['http://issuer: no answer'], isUnpaid: false });
});

test('the fault of an issuer is short, whatever its node answers', async () => {
  const long = honest({ genesisHash: () => Promise.reject(new Error('x'.repeat(1_000_000))) });
  const { look, issuers } = follower(target(), [long]);
  await look();
  expect(issuers.read().faults).toEqual([`http://issuer: ${'x'.repeat(300)}`]);
});

test('a node that does not answer in time holds up no other issuer, and a stop ends what it is asked', async () => {
  const ended: string[] = [];
  const slow = honest({
    url: 'http://slow',
    genesisHash: (signal) =>
      new Promise((_, reject) => {
        signal.addEventListener('abort', () => reject(new Error(`aborted ${ended.push('slow')}`)));
      }),
  });
  const { look, codes, issuers } = follower(target(), [slow, honest()]);
  for (let looks = 0; looks < 4; looks++) await look();
  expect(codes[0]).toBeUndefined();
  expect(codes.length).toBeGreaterThan(0);
  expect(issuers.read().faults).toEqual(['http://slow: its answers take more than 30 s together']);
  const stopped = follower(target(), [slow]);
  await settled();
  const before = ended.length;
  stopped.issuers.stop();
  expect(ended.length).toBe(before + 1);
});
