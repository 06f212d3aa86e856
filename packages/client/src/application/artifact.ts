/** What an artifact says of its application, and what the state says of the artifact. */
import { type ApplicationManifest, isApplicationName, KIT_VERSION } from '@slipstream/app/program';
import { fromUtf8, sha256, to0x } from '@slipstream/primitives';
import { applicationEntriesCodec } from '@slipstream/types';
import { ClientError } from '../errors.ts';

/** Kind, length of the manifest (u32, little-endian), manifest, script (packages/app-realm). */
const HEAD_BYTES = 5;
const KIND_SCRIPT = 1;

/** Of bytes that genesis or the proven state certifies: nodes refuse to run what is not sound. */
export function manifestIn(artifact: Uint8Array, name: string): ApplicationManifest {
  const length = new DataView(artifact.buffer, artifact.byteOffset).getUint32(1, true);
  const manifest = JSON.parse(fromUtf8(artifact.subarray(HEAD_BYTES, HEAD_BYTES + length))) as ApplicationManifest;
  if (artifact[0] === KIND_SCRIPT && manifest.kitVersion === KIT_VERSION && isApplicationName(manifest.name))
    return manifest;
  const message = `${name} is made for kit version ${manifest.kitVersion}, this client knows ${KIT_VERSION}: use another version of it`;
  throw new ClientError('malformed-answer', message);
}

/** For a page that compares: `hash` is 0x and SHA-256 of the bytes. Throws ClientError `malformed-answer`. */
export function readArtifact(
  artifact: Uint8Array,
  name: string,
): { readonly hash: string; readonly manifest: ApplicationManifest } {
  const hash = to0x(sha256(artifact));
  try {
    return { hash, manifest: manifestIn(artifact, name) };
  } catch (cause) {
    if (cause instanceof ClientError) throw cause;
    throw new ClientError('malformed-answer', `the artifact of ${name} cannot be read`, { hash }, cause);
  }
}

interface ApplicationInState {
  readonly name: string;
  /** Of the artifact: 0x and hexadecimal. */
  readonly hash: string;
  readonly version: number;
}

/** Of the value under `stateKeys.applications`, in the order of genesis. Throws ClientError `malformed-answer`. */
export function applicationsInState(value: Uint8Array): readonly ApplicationInState[] {
  const decoded = applicationEntriesCodec.decode(value);
  if (!decoded.ok) throw new ClientError('malformed-answer', decoded.error.message);
  return decoded.value.map(({ name, hash, version }) => ({ name, hash: to0x(hash), version }));
}
