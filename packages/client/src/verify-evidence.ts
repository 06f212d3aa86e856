/**
 * Verifies offline, with the committee of their epoch, that a validator signed two messages of which no honest validator signs both:
 *
 *   votes       two votes of one kind in a view that differ, or a view nullified and finalized
 *   proposals   two blocks of one view: of one kind, or on one parent (an optimistic one and a normal one on another parent are legal)
 *   chunks      two chunks of one sequence
 */
import { verifyMemberSignature } from '@slipstream/crypto/browser';
import { bytesEqual, type Codec, fail, fromHex, ok, type Result, to0x, unreachable } from '@slipstream/primitives';
import { createCheck, EvidenceSchema, type EvidenceView, faultsText } from '@slipstream/schema';
import {
  blockIdOf,
  chunkIdOf,
  chunkMessage,
  contradict,
  type GenesisHash,
  type Proposal,
  proposalCodec,
  proposalMessage,
  type SignedChunkHeader,
  signedChunkHeaderCodec,
  subjectKey,
  subjectMessage,
  type Vote,
  voteCodec,
} from '@slipstream/types';
import { committeesOf } from './epochs/committees.ts';
import { unknownEpoch } from './verify-certificate.ts';

interface VerifiedEvidence {
  readonly epoch: number;
  readonly offender: number;
  /** BLS12-381, compressed, 0x and hexadecimal. */
  readonly publicKey: string;
  readonly first: string;
  readonly second: string;
}

interface Signed {
  readonly epoch: number;
  readonly signer: number;
  readonly message: Uint8Array;
  readonly signature: Uint8Array;
  readonly words: string;
}

type Pair = Result<readonly [Signed, Signed], string>;

const checkEvidence = createCheck(EvidenceSchema);

/**
 * `evidence`: an item of GET /v1/evidence, as the node sent it. `chain`: the genesis file's JSON, or committees followed from it. The error is
 * the failed check.
 */
export function verifyEvidence(evidence: unknown, chain: unknown): Result<VerifiedEvidence, string> {
  const checked = checkEvidence(evidence);
  return checked.ok ? verifyMessages(checked.value, chain) : fail(`malformed: ${faultsText(checked.error)}`);
}

function verifyMessages(evidence: EvidenceView, chain: unknown): Result<VerifiedEvidence, string> {
  const committees = committeesOf(chain);
  if (!committees.ok) return fail(`no genesis file: ${committees.error}`);
  const pair = readPair(evidence, committees.value.genesisHash);
  if (!pair.ok) return pair;
  const { epoch } = pair.value[0];
  if (epoch !== evidence.epoch) return fail(`the messages are of epoch ${epoch}, not ${evidence.epoch}`);
  const committee = committees.value.of(epoch);
  if (committee === undefined) return fail(unknownEpoch(epoch));
  const member = committee.members[evidence.offender];
  if (member === undefined) return fail(`the committee has no member ${evidence.offender}`);
  for (const { signer, message, signature, words } of pair.value) {
    if (signer !== evidence.offender) return fail(`"${words}" names member ${signer}, not ${evidence.offender}`);
    if (!verifyMemberSignature({ publicKey: member.blsPublicKey, message, signature })) {
      return fail(`member ${evidence.offender} did not sign "${words}"`);
    }
  }
  const [first, second] = pair.value;
  const publicKey = to0x(member.blsPublicKey);
  return ok({ epoch, offender: evidence.offender, publicKey, first: first.words, second: second.words });
}

function readPair(
  { type, first, second }: Pick<EvidenceView, 'type' | 'first' | 'second'>,
  genesisHash: GenesisHash,
): Pair {
  switch (type) {
    case 'votes':
      return pairOf(voteCodec, [first, second], areContradictory, (vote) => signedVote(vote, genesisHash));
    case 'proposals':
      return pairOf(proposalCodec, [first, second], equivocate, (each) => signedProposal(each, genesisHash));
    case 'chunks':
      return pairOf(signedChunkHeaderCodec, [first, second], sameSequence, (chunk) => signedChunk(chunk, genesisHash));
    default:
      return unreachable(type, 'evidence');
  }
}

function pairOf<T>(
  codec: Codec<T>,
  texts: readonly [string, string],
  isFault: (first: T, second: T) => boolean,
  signed: (message: T) => Signed,
): Pair {
  const [first, second] = texts.map((text) => decodeText(codec, text));
  if (first === undefined || second === undefined) return fail('a message does not decode');
  const both = [signed(first), signed(second)] as const;
  if (!isFault(first, second)) return fail(`an honest validator may sign "${both[0].words}" and "${both[1].words}"`);
  return ok(both);
}

function decodeText<T>(codec: Codec<T>, text: string): T | undefined {
  const decoded = codec.decode(fromHex(text));
  return decoded.ok ? decoded.value : undefined;
}

function areContradictory({ subject: a }: Vote, { subject: b }: Vote): boolean {
  return contradict(a, b);
}

/** Rule 4. */
function equivocate(a: Proposal, b: Proposal): boolean {
  if (a.block.epoch !== b.block.epoch || a.block.view !== b.block.view) return false;
  if (bytesEqual(blockIdOf(a.block), blockIdOf(b.block))) return false;
  return a.kind === b.kind || bytesEqual(a.block.parentId, b.block.parentId);
}

function sameSequence({ header: a }: SignedChunkHeader, { header: b }: SignedChunkHeader): boolean {
  return a.epoch === b.epoch && a.sequence === b.sequence && !bytesEqual(chunkIdOf(a), chunkIdOf(b));
}

function signedVote({ subject, signer, signature }: Vote, genesisHash: GenesisHash): Signed {
  const message = subjectMessage(genesisHash, subject);
  return { epoch: subject.epoch, signer, signature, message, words: subjectKey(subject) };
}

function signedProposal({ kind, block, signature }: Proposal, genesisHash: GenesisHash): Signed {
  const id = blockIdOf(block);
  const message = proposalMessage(genesisHash, block, kind, id);
  const words = `${kind} proposal/${block.view}/${to0x(id).slice(2)}`;
  return { epoch: block.epoch, signer: block.proposer, signature, message, words };
}

function signedChunk({ header, signature }: SignedChunkHeader, genesisHash: GenesisHash): Signed {
  const id = chunkIdOf(header);
  const words = `chunk/${header.sequence}/${to0x(id).slice(2)}`;
  const message = chunkMessage(genesisHash, header.epoch, id);
  return { epoch: header.epoch, signer: header.producer, signature, message, words };
}
