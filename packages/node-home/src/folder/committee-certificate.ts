/** The root key's certificate of a committee, as a file: made by `init`, renewed before it expires (`keys certify-committee`). */
import { type BlsSigner, verifyCompressed } from '@slipstream/crypto/native';
import { bytesEqual, fromHex, to0x } from '@slipstream/primitives';
import {
  type Committee,
  type CommitteeCertificate,
  certifiedMembers,
  committeeCertificateCodec,
  committeeMessage,
  committeeOf,
  type Genesis,
  type GenesisHash,
  genesisHashOf,
  ISSUING_MEMBERS_MAX,
} from '@slipstream/types';
import { HomeError } from '../errors.ts';

/** Undefined for a committee too large for credentials. Throws HomeError `key-mismatch` when the root key is another chain's. */
export function certifyCommittee(
  root: Pick<BlsSigner, 'publicKey' | 'signCompressed'>,
  genesis: Genesis,
  expiryMs: number,
): string | undefined {
  const rootKey = genesis.trustedIssuers[0];
  if (rootKey === undefined || !bytesEqual(rootKey, root.publicKey)) {
    const message = `the key ${to0x(root.publicKey).slice(0, 18)}... is not the root key of chain ${genesis.chain}: take the keystore that init made beside its nodes`;
    throw new HomeError('key-mismatch', message, { publicKey: to0x(root.publicKey) });
  }
  const genesisHash = genesisHashOf(genesis);
  const members = certifiedMembers(committeeOf(genesis));
  if (members.length > ISSUING_MEMBERS_MAX) return undefined;
  const signature = root.signCompressed(committeeMessage(genesisHash, members, expiryMs));
  return `${to0x(committeeCertificateCodec.encode({ genesisHash, rootKey, expiryMs, members, signature }))}\n`;
}

/** Does not check the signature. Throws HomeError `home-incomplete`. */
export function parseCommitteeCertificate(content: string, path: string): CommitteeCertificate {
  const text = content.trim();
  const decoded = /^0x([0-9a-f]{2})+$/.test(text) ? committeeCertificateCodec.decode(fromHex(text)) : undefined;
  if (decoded?.ok) return decoded.value;
  const message = `${path} is no committee certificate: create it again with slipstream keys certify-committee`;
  throw new HomeError('home-incomplete', message, { path });
}

/** Throws HomeError `key-mismatch` unless the chain's root key signed it for this committee. Does not check the expiry. */
export function checkCommitteeCertificate(
  certificate: CommitteeCertificate,
  path: string,
  { genesisHash, committee }: { readonly genesisHash: GenesisHash; readonly committee: Committee },
): void {
  const { expiryMs, members, rootKey, signature } = certificate;
  if (!bytesEqual(certificate.genesisHash, genesisHash)) {
    const [theirs, ours] = [certificate.genesisHash, genesisHash].map((hash) => `${to0x(hash).slice(0, 18)}...`);
    const detail = `is of the chain with genesis ${theirs}, the genesis file here is ${ours}: one of the two files is another chain's`;
    throw new HomeError('key-mismatch', `${path} ${detail}`, { path });
  }
  const message = committeeMessage(genesisHash, certifiedMembers(committee), expiryMs);
  const isOurs =
    bytesEqual(message, committeeMessage(genesisHash, members, expiryMs)) &&
    verifyCompressed(rootKey, message, signature);
  if (!isOurs) {
    const detail =
      'is not of this chain’s committee, or its root key did not sign it: take the one that init or keys certify-committee made';
    throw new HomeError('key-mismatch', `${path} ${detail}`, { path });
  }
}
