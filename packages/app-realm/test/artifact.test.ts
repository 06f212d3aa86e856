import { concatBytes, sha256, uint32le, utf8 } from '@slipstream/primitives';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ARTIFACT_BYTES_MAX, artifactHash, canonicalJson, decodeArtifact, encodeArtifact } from '../src/index.ts';
import { MANIFEST } from './probe-script.ts';

const SCRIPT = "'use strict'; // ünïcödé";
const bytes = encodeArtifact({ manifest: MANIFEST, script: SCRIPT });

function withManifest(json: string): Uint8Array {
  const text = utf8(json);
  return concatBytes(Uint8Array.of(1), uint32le(text.length), text, utf8(SCRIPT));
}

const reasonOf = (encoded: Uint8Array): string => {
  const decoded = decodeArtifact(encoded);
  return decoded.ok ? 'accepted' : decoded.error.code;
};

describe('an artifact', () => {
  it('is decoded to what it was encoded from', () => {
    expect(decodeArtifact(bytes)).toEqual({ ok: true, value: { manifest: MANIFEST, script: SCRIPT } });
  });

  it('begins with its kind, the length of its manifest, and the manifest', () => {
    const json = canonicalJson(MANIFEST);
    expect([...bytes.subarray(0, 5)]).toEqual([1, ...uint32le(utf8(json).length)]);
    expect(new TextDecoder().decode(bytes.subarray(5))).toBe(json + SCRIPT);
  });

  it('has the hash of all its bytes', () => {
    expect(artifactHash(bytes)).toEqual(sha256(bytes));
    expect(artifactHash(encodeArtifact({ manifest: MANIFEST, script: `${SCRIPT} ` }))).not.toEqual(artifactHash(bytes));
  });

  it('has at most a MiB', () => {
    const room = ARTIFACT_BYTES_MAX - bytes.length;
    const fits = encodeArtifact({ manifest: MANIFEST, script: SCRIPT + ' '.repeat(room) });
    expect(fits.length).toBe(ARTIFACT_BYTES_MAX);
    expect(decodeArtifact(fits).ok).toBe(true);
    const script = SCRIPT + ' '.repeat(room + 1);
    expect(() => encodeArtifact({ manifest: MANIFEST, script })).toThrow(/at most 1048576 bytes/);
    expect(reasonOf(concatBytes(fits, Uint8Array.of(32)))).toBe('artifact-too-large');
  });

  it.each(['', '7up', 'Token', 'a'.repeat(33), 'a/b'])('is not made for the name "%s"', (name) => {
    expect(() => encodeArtifact({ manifest: { ...MANIFEST, name }, script: SCRIPT })).toThrow(
      /no name of an application/,
    );
  });

  it.each([
    ['another kind', concatBytes(Uint8Array.of(2), bytes.subarray(1))],
    ['nothing', new Uint8Array()],
    ['a manifest that is cut off', bytes.subarray(0, 40)],
    ['a length beyond the end', concatBytes(Uint8Array.of(1), uint32le(0xffffffff), bytes.subarray(5))],
    ['a manifest that is no JSON', withManifest('{')],
    ['a manifest in another form', withManifest(JSON.stringify(MANIFEST, undefined, 1))],
    ['a manifest without actions', withManifest(canonicalJson({ ...MANIFEST, actions: undefined }))],
    ['a manifest that is null', withManifest('null')],
    ['a script that is no UTF-8', concatBytes(bytes, Uint8Array.of(0xff))],
  ])('is not: %s', (_what, encoded) => {
    expect(reasonOf(encoded)).toBe('artifact-malformed');
  });

  it('of another kit is refused as such', () => {
    expect(reasonOf(withManifest(canonicalJson({ ...MANIFEST, kitVersion: 2 })))).toBe('kit-version-unknown');
  });

  it('is never decoded in two ways, and decoding never throws', () => {
    const places = fc.array(fc.tuple(fc.nat(bytes.length - 1), fc.nat(255)), { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(places, fc.nat(bytes.length), (changes, length) => {
        const changed = bytes.slice(0, length);
        for (const [at, byte] of changes) if (at < length) changed[at] = byte;
        const decoded = decodeArtifact(changed);
        if (decoded.ok) expect(encodeArtifact(decoded.value)).toEqual(changed);
      }),
    );
  });
});

describe('canonical JSON', () => {
  it('has one text for objects of one content', () => {
    expect(canonicalJson({ b: [1, null, true], a: { d: 'ü', c: undefined } })).toBe(
      '{"a":{"d":"ü"},"b":[1,null,true]}',
    );
    expect(canonicalJson({ a: 1, b: 2 })).toBe(canonicalJson({ b: 2, a: 1 }));
  });

  it.each([
    ['$.a', { a: 0.5 }],
    ['$.a[1]', { a: [1, 2n] }],
    ['$.a', { a: Number.NaN }],
    ['$[0]', [() => 0]],
    ['$[0]', [undefined]],
  ])('names the path of what has none: %s', (path, value) => {
    expect(() => canonicalJson(value)).toThrow(`${path}: `);
  });
});
