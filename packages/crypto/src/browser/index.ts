export { type AggregateCheck, createAggregateCheck, loadAggregateCheck } from './aggregate-check.ts';
export { blsSign, blsUncompressedKey, newBlsSecret } from './bls-key.ts';
export {
  blsSecretNumber,
  blsSecretSum,
  compressBlsSignature,
  loadShareSigning,
} from './bls-share.ts';
export { type CertificateAggregate, verifyCertificateAggregate, verifyMemberSignature } from './certificate.ts';
export { ED25519_SECRET_BYTES, ed25519PublicKey, ed25519Sign } from './ed25519.ts';
