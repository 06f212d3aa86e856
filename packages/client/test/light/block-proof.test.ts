/** Blocks by the certificates of the newest of them. */
import { to0x } from '@slipstream/primitives';
import { blockToJson, certificateToJson, type HeightCertificates } from '@slipstream/schema';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Client } from '../../src/client.ts';
import { committeesOf } from '../../src/epochs/committees.ts';
import { ClientError } from '../../src/errors.ts';
import { askBlockProof, type BlockProof, verifyBlocks } from '../../src/light/index.ts';
import { answerOf, blockOf, certify, finalize, forkedChain, notarize } from '../forked-chain.ts';

const chain = forkedChain([1, 1, 1, 1]);
const first = blockOf('a', 7);
const second = blockOf('b', 8, first);
const third = blockOf('c', 9, second);
const stranger = blockOf('other', 8, blockOf('elsewhere', 7));
let certificates: HeightCertificates;
let stateDigest: string;

beforeAll(async () => {
  const [finalization, state] = await Promise.all([
    chain.sign(finalize(third), [0, 1, 2]),
    chain.sign(certify(third, 'state'), [1, 2, 3]),
  ]);
  certificates = answerOf(third, finalization, state) as HeightCertificates;
  stateDigest = certificates.state?.stateDigest as string;
});

function proofOf(fields: Partial<BlockProof> = {}): BlockProof {
  return { blocks: [first, second, third].map(blockToJson), stateDigest, certificates, ...fields };
}

function judged(proof: BlockProof) {
  const committees = committeesOf(chain.genesis);
  if (!committees.ok) throw new Error(committees.error);
  return verifyBlocks(proof, committees.value);
}

function refusedStep(proof: BlockProof): string | undefined {
  const result = judged(proof);
  return result.ok ? undefined : result.error.step;
}

test('ancestors of a certified block are verified with it', () => {
  const result = judged(proofOf());
  expect(result).toMatchObject({ ok: true, value: { certified: { height: third.height, stateDigest } } });
  expect(result.ok && result.value.steps.every(({ outcome }) => outcome === 'passed')).toBe(true);
  expect(judged(proofOf({ blocks: [blockToJson(third)], stateDigest: null })).ok).toBe(true);
});

describe('refused', () => {
  const withState = (change: object) => ({
    ...certificates,
    state: certificates.state && { ...certificates.state, ...change },
  });

  test.each<[string, string, () => BlockProof]>([
    ['no block', 'certified', () => proofOf({ blocks: [] })],
    ['signers that did not sign', 'certified', () => proofOf({ certificates: withState({ signers: [0, 1, 2] }) })],
    ['less than a quorum', 'certified', () => proofOf({ certificates: withState({ signers: [1, 2] }) })],
    ['certificates of another height', 'certified', () => proofOf({ blocks: [first, second].map(blockToJson) })],
    ['another parent', 'links', () => proofOf({ blocks: [stranger, third].map(blockToJson) })],
    ['a gap', 'links', () => proofOf({ blocks: [first, third].map(blockToJson) })],
    ['a header that was changed', 'links', () => proofOf({ blocks: [{ ...blockToJson(third), proposer: 2 }] })],
    ['another state digest than the certified one', 'digest', () => proofOf({ stateDigest: to0x(new Uint8Array(32)) })],
  ])('%s', (_, step, made) => {
    expect(refusedStep(made())).toBe(step);
  });

  test('a finalization of another kind', async () => {
    const finalization = certificateToJson(await chain.sign(notarize(third), [0, 1, 2]));
    expect(refusedStep(proofOf({ certificates: { ...certificates, finalization } }))).toBe('certified');
  });
});

describe('a node is asked', () => {
  const known = [first, second, third];

  function client(certified: number): Client {
    const found = async (height: number) => {
      const block = known.find((each) => each.height === height);
      if (block === undefined) throw new ClientError('block-unknown', 'there is none');
      return block;
    };
    return {
      block: async (height: number) => ({ block: blockToJson(await found(height)), stateDigest: null }),
      certificates: async (height: number) => {
        const none = { ...certificates, height, blockId: blockToJson(await found(height)).id };
        return height === certified ? certificates : { ...none, finalization: null, state: null };
      },
    } as unknown as Client;
  }

  test('for descendants up to one with a state certificate', async () => {
    const proof = await askBlockProof(client(third.height), first.height);
    expect(proof.blocks.map(({ height }) => height)).toEqual([first.height, second.height, third.height]);
    expect(judged(proof).ok).toBe(true);
  });

  test('for a block that no certificate covers so far', async () => {
    await expect(askBlockProof(client(-1), second.height)).rejects.toMatchObject({ code: 'not-ready' });
  });
});
