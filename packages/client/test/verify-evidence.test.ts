import { sha256, to0x, utf8 } from '@slipstream/primitives';
import {
  asId,
  type Block,
  type BlockId,
  blockIdOf,
  type ChunkHeader,
  chunkIdOf,
  chunkMessage,
  GENESIS_EPOCH,
  genesisToJson,
  height,
  type ProposalKind,
  proposalCodec,
  proposalMessage,
  type StateDigest,
  type Subject,
  signedChunkHeaderCodec,
  subjectMessage,
  view,
  voteCodec,
} from '@slipstream/types';
import { describe, expect, it } from 'vitest';
import { verifyEvidence } from '../src/index.ts';
import { genesis, genesisHash, memberSignature } from './real-chain.ts';

const OFFENDER = 2;
const GENESIS = genesisToJson(genesis);
const hash = (name: string) => sha256(utf8(name));
const blockId = (name: string) => asId<BlockId>(hash(name));

function vote(subject: Subject, signer = OFFENDER): string {
  const signature = memberSignature(signer, subjectMessage(genesisHash, subject));
  return to0x(voteCodec.encode({ subject, signer, signature }));
}

function proposal(name: string, kind: ProposalKind = 'normal', parent = 'parent', at = 7): string {
  const block: Block = {
    epoch: GENESIS_EPOCH,
    view: view(at),
    height: height(5),
    parentId: blockId(parent),
    parentView: view(6),
    timestampMs: name.length,
    proposer: OFFENDER,
    payload: [],
    payloadRoot: hash(name),
    next: undefined,
  };
  const signature = memberSignature(OFFENDER, proposalMessage(genesisHash, block, kind, blockIdOf(block)));
  return to0x(proposalCodec.encode({ kind, block, justification: [], signature }));
}

function chunk(name: string, sequence = 9): string {
  const header: ChunkHeader = {
    epoch: GENESIS_EPOCH,
    producer: OFFENDER,
    sequence,
    createdMs: 1,
    expiryMs: 2,
    bodyHash: hash(name),
    bodyBytes: 10,
    transactionCount: 1,
    batchCount: 0,
    rowCount: 0,
    units: [1, 2, 3, 4, 5],
    acksWanted: false,
  };
  const signature = memberSignature(OFFENDER, chunkMessage(genesisHash, header.epoch, chunkIdOf(header)));
  return to0x(signedChunkHeaderCodec.encode({ header, signature }));
}

const at = view(7);
const notarize = (name: string, of = at): Subject => ({
  kind: 'notarize',
  epoch: GENESIS_EPOCH,
  view: of,
  blockId: blockId(name),
});
const finalize = (name: string): Subject => ({
  kind: 'finalize',
  epoch: GENESIS_EPOCH,
  view: at,
  blockId: blockId(name),
});
const nullify: Subject = { kind: 'nullify', epoch: GENESIS_EPOCH, view: at };
const certify = (name: string, block = 'a'): Subject => ({
  kind: 'certify',
  epoch: GENESIS_EPOCH,
  view: at,
  height: height(5),
  blockId: blockId(block),
  stateDigest: asId<StateDigest>(hash(name)),
});

type Kind = 'votes' | 'proposals' | 'chunks';
const verdict = (type: Kind, first: string, second: string, offender = OFFENDER) =>
  verifyEvidence({ type, epoch: 0, offender, view: 7, first, second }, GENESIS);

describe('verifying evidence', () => {
  it.each<[string, Kind, string, string]>([
    ['two blocks notarized in a view', 'votes', vote(notarize('a')), vote(notarize('b'))],
    ['two blocks finalized in a view', 'votes', vote(finalize('a')), vote(finalize('b'))],
    ['a view finalized and nullified', 'votes', vote(finalize('a')), vote(nullify)],
    ['a view nullified and finalized', 'votes', vote(nullify), vote(finalize('a'))],
    ['two results of one block', 'votes', vote(certify('a')), vote(certify('b'))],
    ['two blocks certified in a view', 'votes', vote(certify('a')), vote(certify('a', 'b'))],
    ['two normal proposals', 'proposals', proposal('a', 'normal', 'p'), proposal('b', 'normal', 'q')],
    ['an optimistic one and a normal one on its parent', 'proposals', proposal('a', 'optimistic'), proposal('b')],
    ['two chunks of one sequence', 'chunks', chunk('a'), chunk('b')],
  ])('accepts %s', (_, type, first, second) => {
    const verified = verdict(type, first, second);
    expect(verified).toMatchObject({ ok: true, value: { offender: OFFENDER } });
  });

  it.each<[string, Kind, string, string]>([
    ['one vote twice', 'votes', vote(notarize('a')), vote(notarize('a'))],
    ['a block notarized and its view nullified', 'votes', vote(notarize('a')), vote(nullify)],
    ['blocks of two views', 'votes', vote(notarize('a')), vote(notarize('b', view(8)))],
    ['one proposal twice', 'proposals', proposal('a'), proposal('a')],
    ['an optimistic proposal and its confirmation', 'proposals', proposal('a', 'optimistic'), proposal('a')],
    ['a normal one on another parent', 'proposals', proposal('a', 'optimistic', 'p'), proposal('b', 'normal', 'q')],
    ['proposals of two views', 'proposals', proposal('a'), proposal('b', 'normal', 'parent', 8)],
    ['chunks of two sequences', 'chunks', chunk('a'), chunk('b', 10)],
    ['one chunk twice', 'chunks', chunk('a'), chunk('a')],
  ])('rejects %s: an honest validator signs both', (_, type, first, second) => {
    expect(verdict(type, first, second)).toMatchObject({ ok: false, error: expect.stringContaining('honest') });
  });

  it('rejects messages with the signature of another member, or none', () => {
    const honest = vote(notarize('b'), 1);
    expect(verdict('votes', vote(notarize('a')), honest)).toMatchObject({ ok: false });
    const forged = voteCodec.encode({ subject: notarize('b'), signer: OFFENDER, signature: new Uint8Array(192) });
    expect(verdict('votes', vote(notarize('a')), to0x(forged))).toMatchObject({
      error: expect.stringContaining('did not sign'),
    });
    const lent = memberSignature(1, subjectMessage(genesisHash, notarize('b')));
    const blamed = voteCodec.encode({ subject: notarize('b'), signer: OFFENDER, signature: lent });
    expect(verdict('votes', vote(notarize('a')), to0x(blamed))).toMatchObject({ ok: false });
    expect(verdict('votes', vote(notarize('a')), vote(notarize('b')), 1)).toMatchObject({ ok: false });
  });

  it('rejects undecodable evidence, an unknown member, and another chain', () => {
    const [first, second] = [vote(notarize('a')), vote(notarize('b'))];
    expect(verdict('votes', first, '0x12')).toMatchObject({ ok: false, error: 'a message does not decode' });
    expect(verdict('votes', first, 'no hex')).toMatchObject({ ok: false });
    expect(verdict('chunks', first, second)).toMatchObject({ ok: false });
    expect(verdict('votes', first, second, 9)).toMatchObject({ ok: false });
    const other = genesisToJson({ ...genesis, chain: 'other' });
    const evidence = { type: 'votes', epoch: 0, offender: OFFENDER, view: 7, first, second } as const;
    expect(verifyEvidence(evidence, other)).toMatchObject({ ok: false });
    expect(verifyEvidence(evidence, {})).toMatchObject({ ok: false });
  });
});
