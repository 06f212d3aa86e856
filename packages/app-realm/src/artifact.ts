/**
 * An application as nodes exchange it. Its name is the SHA-256 of all its bytes.
 *
 *   kind 1 (u8)  |  length of the manifest (u32, little-endian)  |  manifest, canonical JSON  |  script, UTF-8
 *
 * Another kind is another language; what it has in common is the manifest in front.
 */
import { type ApplicationManifest, isApplicationName, KIT_VERSION } from '@slipstream/app/program';
import { concatBytes, fail, fromUtf8, ok, type Result, sha256, uint32le, utf8 } from '@slipstream/primitives';
import { canonicalJson } from './canonical-json.ts';
import { RealmError } from './errors.ts';
import { ARTIFACT_BYTES_MAX } from './limits.ts';

const KIND_SCRIPT = 1;
const HEAD_BYTES = 5;

export interface Artifact {
  readonly manifest: ApplicationManifest;
  readonly script: string;
}

/**
 * Throws RealmError `artifact-too-large` above `ARTIFACT_BYTES_MAX`, `artifact-malformed` for a name that nodes refuse, and what
 * `canonicalJson` throws.
 */
export function encodeArtifact({ manifest, script }: Artifact): Uint8Array {
  if (!isApplicationName(manifest.name)) {
    const message = `"${manifest.name}" is no name of an application; use a letter, then up to 31 of a-z, 0-9 and -`;
    throw new RealmError('artifact-malformed', message, { name: manifest.name });
  }
  const json = utf8(canonicalJson(manifest));
  const bytes = concatBytes(new Uint8Array([KIND_SCRIPT]), uint32le(json.length), json, utf8(script));
  if (bytes.length > ARTIFACT_BYTES_MAX) {
    const message = `an artifact has at most ${ARTIFACT_BYTES_MAX} bytes, this one ${bytes.length}; write less code`;
    throw new RealmError('artifact-too-large', message, { bytes: bytes.length, bytesMax: ARTIFACT_BYTES_MAX });
  }
  return bytes;
}

/** Accepts only what `encodeArtifact` gives. Whether the script defines this manifest is seen when it is loaded. */
export function decodeArtifact(bytes: Uint8Array): Result<Artifact, RealmError> {
  if (bytes.length > ARTIFACT_BYTES_MAX)
    return fail(new RealmError('artifact-too-large', `artifact of ${bytes.length} bytes`, { bytes: bytes.length }));
  if (bytes.length < HEAD_BYTES || bytes[0] !== KIND_SCRIPT) return malformed(`kind ${bytes[0]} is unknown`);
  const length = new DataView(bytes.buffer, bytes.byteOffset).getUint32(1, true);
  if (length > bytes.length - HEAD_BYTES) return malformed('its manifest is cut off');
  try {
    const json = fromUtf8(bytes.subarray(HEAD_BYTES, HEAD_BYTES + length));
    const manifest: unknown = JSON.parse(json);
    if (!isManifest(manifest)) return malformed('its manifest lacks a field');
    if (canonicalJson(manifest) !== json) return malformed('its manifest is not in canonical form');
    if (manifest.kitVersion !== KIT_VERSION) return fail(kitVersionUnknown(manifest.kitVersion));
    const script = fromUtf8(bytes.subarray(HEAD_BYTES + length));
    // A mark of byte order would vanish.
    if (utf8(script).length !== bytes.length - HEAD_BYTES - length)
      return malformed('its script has a mark of byte order');
    return ok({ manifest, script });
  } catch (error) {
    return malformed(error instanceof Error ? error.message : String(error));
  }
}

/** 32 bytes. */
export function artifactHash(bytes: Uint8Array): Uint8Array {
  return sha256(bytes);
}

function malformed(reason: string) {
  return fail(new RealmError('artifact-malformed', `not an artifact: ${reason}; build it again from its sources`));
}

function kitVersionUnknown(kitVersion: number): RealmError {
  const message = `the artifact is for kit version ${kitVersion}, this node has ${KIT_VERSION}; use a node of its version`;
  return new RealmError('kit-version-unknown', message, { kitVersion });
}

const LISTS = ['actions', 'events', 'queries', 'tables', 'invariants'] as const;

/** The outer shape; the lists are compared with what the script defines. */
function isManifest(value: unknown): value is ApplicationManifest {
  if (typeof value !== 'object' || value === null) return false;
  const { kitVersion, name, version, ...rest } = value as Readonly<Record<string, unknown>>;
  return (
    Number.isSafeInteger(kitVersion) &&
    Number.isSafeInteger(version) &&
    isApplicationName(name) &&
    LISTS.every((list) => Array.isArray(rest[list]))
  );
}
