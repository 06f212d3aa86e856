/** The root key's word for a committee, as a file: made at `init`, and again before it ends (`keys certify-committee`). */
import type { BlsSigner } from '@slipstream/crypto/native';
import { bytesEqual, fromHex, to0x } from '@slipstream/primitives';
import {
  type CommitteeCertificate,
  certifiedMembers,
  committeeCertificateCodec,
  committeeMessage,
  committeeOf,
  type Genesis,
  genesisHashOf,
  ISSUING_MEMBERS_MAX,
} from '@slipstream/types';
import { NodeError } from '../errors.ts';

/** Undefined for a committee too large to travel in credentials. Throws NodeError `key-mismatch` when the root is another chain's. */
export function certifyCommittee(
  root: Pick<BlsSigner, 'publicKey' | 'signCompressed'>,
  genesis: Genesis,
  expiryMs: number,
): string | undefined {
  const rootKey = genesis.trustedIssuers[0];
  if (rootKey === undefined || !bytesEqual(rootKey, root.publicKey)) {
    const message = `the key ${to0x(root.publicKey).slice(0, 18)}... is not the root key of chain ${genesis.chain}: take the keystore that init made beside its nodes`;
    throw new NodeError('key-mismatch', message, { publicKey: to0x(root.publicKey) });
  }
  const genesisHash = genesisHashOf(genesis);
  const members = certifiedMembers(committeeOf(genesis));
  if (members.length > ISSUING_MEMBERS_MAX) return undefined;
  const signature = root.signCompressed(committeeMessage(genesisHash, members, expiryMs));
  return `${to0x(committeeCertificateCodec.encode({ genesisHash, rootKey, expiryMs, members, signature }))}\n`;
}

/** Whether it holds is not looked at. Throws NodeError `home-incomplete`. */
export function parseCommitteeCertificate(content: string, path: string): CommitteeCertificate {
  const text = content.trim();
  const decoded = /^0x([0-9a-f]{2})+$/.test(text) ? committeeCertificateCodec.decode(fromHex(text)) : undefined;
  if (decoded?.ok) return decoded.value;
  const message = `${path} is no committee certificate: make it anew with slipstream keys certify-committee`;
  throw new NodeError('home-incomplete', message, { path });
}
