/** A committee with known secrets, of which a part signs whatever a fork needs. Votes and certificates are made by blst. */
import { createBlsSigner, createInlineVerifier } from '@slipstream/crypto/native';
import { sha256, utf8 } from '@slipstream/primitives';
import { blockToJson, certificateToJson } from '@slipstream/schema';
import {
  asId,
  type Block,
  type BlockId,
  blockIdOf,
  type Certificate,
  committeeOf,
  epochKeysOf,
  GENESIS_EPOCH,
  type Genesis,
  genesisHashOf,
  genesisToJson,
  height,
  payloadRootOf,
  type StateDigest,
  type Subject,
  subjectMessage,
  view,
} from '@slipstream/types';
import { secretKeyOf } from '../../crypto/test/committee.ts';
import { genesisMember } from '../../types/test/genesis-member.ts';
import { genesis as ofFour } from './real-chain.ts';

export interface ForkedChain {
  readonly genesis: unknown;
  sign(subject: Subject, signers: readonly number[]): Promise<Certificate>;
}

export function forkedChain(weights: readonly number[]): ForkedChain {
  const signers = weights.map((_, index) => createBlsSigner(secretKeyOf(index)));
  const genesis: Genesis = {
    ...ofFour,
    members: weights.map((weight, index) =>
      genesisMember(index, {
        weight,
        blsPublicKey: (signers[index] as (typeof signers)[number]).publicKey,
        peerKey: Buffer.from(new Uint8Array(32).fill(index + 1)).toString(
          'hex',
        ) as Genesis['members'][number]['peerKey'],
      }),
    ),
  };
  const genesisHash = genesisHashOf(genesis);
  const committees = [epochKeysOf(committeeOf(genesis))];
  const { verifier } = createInlineVerifier({ committees, secretKey: secretKeyOf(0) });

  async function sign(subject: Subject, of: readonly number[]): Promise<Certificate> {
    const message = subjectMessage(genesisHash, subject);
    const votes = of.flatMap((signer) => {
      const signature = signers[signer]?.sign(message);
      return signature ? [{ signer, signature, verified: false }] : [];
    });
    const { aggregate } = await verifier.checkQuorum({ epoch: subject.epoch, message, votes });
    if (aggregate === undefined) throw new Error('votes of a test are valid');
    return { subject, signers: of, aggregate };
  }

  return { genesis: genesisToJson(genesis), sign };
}

export function blockOf(
  name: string,
  at: number,
  parent?: Block,
  parentId = asId<BlockId>(sha256(utf8('root'))),
): Block {
  return {
    epoch: GENESIS_EPOCH,
    view: view(at),
    height: height((parent?.height ?? 4) + 1),
    parentId: parent ? blockIdOf(parent) : parentId,
    parentView: parent?.view ?? view(6),
    timestampMs: 1_790_000_000_000 + at * 1000 + name.length,
    proposer: 0,
    payload: [],
    payloadRoot: payloadRootOf([]),
    next: undefined,
  };
}

export const notarize = (block: Block): Subject => ({
  kind: 'notarize',
  epoch: GENESIS_EPOCH,
  view: block.view,
  blockId: blockIdOf(block),
});
export const finalize = (block: Block): Subject => ({
  kind: 'finalize',
  epoch: GENESIS_EPOCH,
  view: block.view,
  blockId: blockIdOf(block),
});
export const nullify = (at: number): Subject => ({ kind: 'nullify', epoch: GENESIS_EPOCH, view: view(at) });
export const certify = (block: Block, digest: string): Subject => ({
  kind: 'certify',
  epoch: GENESIS_EPOCH,
  view: block.view,
  height: block.height,
  blockId: blockIdOf(block),
  stateDigest: asId<StateDigest>(sha256(utf8(digest))),
});

/** As GET /v1/certificates/{height} answers. */
export function answerOf(block: Block, finalization: Certificate | null, state: Certificate | null = null) {
  const [final, certified] = [finalization, state].map((each) => each && certificateToJson(each));
  return { height: block.height, blockId: blockToJson(block).id, finalization: final, state: certified };
}

/** As GET /v1/blocks/{block} answers. */
export function viewOf(block: Block) {
  return { block: blockToJson(block), status: 'ordered', transactionCount: 0, stateDigest: null, receiptsRoot: null };
}
