/** Paths of the state tree, as a client gets them from a node that it does not trust: damaged ones may show nothing that is false. */
import { bytesEqual, toHex, utf8 } from '@slipstream/primitives';
import { openStateTree, pathProofCodec, verifyPath } from '@slipstream/state-tree';
import { checkStateProof, type StateProof, stateProofCodec } from '@slipstream/state-tree/proofs';
import { type CertifiedCommittee, certifiedCommittee, GENESIS_EPOCH, stateDigestOf } from '@slipstream/types';
import type { Decoder } from './decoder.ts';
import * as sample from './samples.ts';

const KEYS = 200;
const ABSENT = 40;
const VALUE_BYTES = 16;

interface Claim {
  readonly key: Uint8Array;
  readonly value: Uint8Array | undefined;
}

export async function stateProofDecoders(): Promise<readonly Decoder[]> {
  const keys = Array.from({ length: KEYS }, (_, i) => utf8(`account ${i}`.padEnd(VALUE_BYTES)));
  const tree = await openStateTree(
    { secret: new Uint8Array(32), pause: async () => {} },
    {
      block: 'genesis',
      entries: [
        {
          bytes: Uint8Array.from(keys.flatMap((key) => [...key, ...key])),
          keyBytes: Uint8Array.from(keys, ({ length }) => length),
          valueBytes: Int32Array.from(keys, ({ length }) => length),
        },
      ],
    },
  );
  const root = tree.root(tree.tip) as Uint8Array;
  const absent = Array.from({ length: ABSENT }, (_, i) => utf8(`absent ${i}`));
  const lies: readonly Claim[] = [
    ...keys
      .slice(0, ABSENT)
      .flatMap((key) => [undefined, new Uint8Array(VALUE_BYTES)].map((value) => ({ key, value }))),
    ...absent.map((key) => ({ key, value: key })),
  ];
  const samples = [...keys.slice(0, ABSENT), ...absent].flatMap((key) => {
    const proof = tree.prove(key);
    return proof.ok ? [pathProofCodec.encode(proof.value)] : [];
  });
  const entriesOf = (from: number, to: number) =>
    [...keys, ...absent].slice(from, to).flatMap((key, i) => {
      const path = tree.prove(key);
      return path.ok ? [{ key, value: from + i < KEYS ? key : undefined, path: path.value }] : [];
    });
  const whole = [entriesOf(0, 3), entriesOf(KEYS - 2, KEYS + 3)].map((entries) => certified(entries, root));
  const paths: Decoder = {
    name: pathProofCodec.name,
    samples,
    judge(bytes) {
      const decoded = pathProofCodec.decode(bytes);
      if (!decoded.ok) return { taken: false, refusal: decoded.error.message };
      if (!bytesEqual(pathProofCodec.encode(decoded.value), bytes))
        return { taken: true, fault: 'took bytes that are not the encoding of the path' };
      const isLie = lies.some(({ key, value }) => verifyPath(root, key, value, decoded.value).ok);
      return isLie ? { taken: true, fault: 'shows what is false' } : { taken: true };
    },
  };
  const holds = new Map(keys.map((key) => [toHex(key), key]));
  return [paths, proofDecoder(whole, (key) => holds.get(toHex(key)))];
}

/** By a committee of four, without true signatures: the check of the structure does not need them. */
function certified(entries: StateProof['entries'], stateRoot: Uint8Array): StateProof {
  const [first] = sample.preimages;
  const preimage = { ...first, stateRoot } as StateProof['preimages'][number];
  const { subject, ...rest } = sample.stateCertificate;
  const { height, blockId } = preimage;
  const stateDigest = stateDigestOf(sample.GENESIS, preimage);
  return {
    entries,
    preimages: [preimage],
    certificate: { ...rest, subject: { ...subject, height, blockId, stateDigest } },
  };
}

const COMMITTEE: CertifiedCommittee = certifiedCommittee(
  GENESIS_EPOCH,
  Array.from({ length: 4 }, () => ({ weight: 1, blsPublicKey: new Uint8Array(48) })),
);

/** `heldUnder`: what the state has. The digest that is certified is known, as by a true signature. */
function proofDecoder(proofs: readonly StateProof[], heldUnder: (key: Uint8Array) => Uint8Array | undefined): Decoder {
  const [{ certificate }] = proofs as readonly [StateProof];
  return {
    name: stateProofCodec.name,
    samples: proofs.map((proof) => stateProofCodec.encode(proof)),
    judge(bytes) {
      const decoded = stateProofCodec.decode(bytes);
      if (!decoded.ok) return { taken: false, refusal: decoded.error.message };
      const proof = decoded.value;
      if (!bytesEqual(stateProofCodec.encode(proof), bytes))
        return { taken: true, fault: 'took bytes that are not the encoding of the proof' };
      const isCertified = bytesEqual(proof.certificate.subject.stateDigest, certificate.subject.stateDigest);
      if (!isCertified || !checkStateProof(proof, sample.GENESIS, COMMITTEE).ok) return { taken: true };
      const isTrue = proof.entries.every(({ key, value }) => isSame(value, heldUnder(key)));
      return isTrue ? { taken: true } : { taken: true, fault: 'shows what is false' };
    },
  };
}

function isSame(a: Uint8Array | undefined, b: Uint8Array | undefined): boolean {
  return a === undefined || b === undefined ? a === b : bytesEqual(a, b);
}
