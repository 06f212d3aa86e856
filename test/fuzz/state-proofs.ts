/** Paths of the state tree, as a client gets them from a node that it does not trust: damaged ones may show nothing that is false. */
import { bytesEqual, utf8 } from '@slipstream/primitives';
import { openStateTree, pathProofCodec, verifyPath } from '@slipstream/state-tree';
import type { Decoder } from './decoder.ts';

const KEYS = 200;
const ABSENT = 40;
const VALUE_BYTES = 16;

interface Claim {
  readonly key: Uint8Array;
  readonly value: Uint8Array | undefined;
}

export async function stateProofDecoder(): Promise<Decoder> {
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
  return {
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
}
