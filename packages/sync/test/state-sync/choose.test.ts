/** Which reported snapshot a joining node takes. */
import type { PeerKey } from '@slipstream/ports';
import {
  asId,
  type BlockId,
  type CommitteeMember,
  createCommittee,
  type DigestPreimage,
  height,
  hexOf,
  type StateCertificate,
} from '@slipstream/types';
import { describe, expect, test } from 'vitest';
import { answersDue, chooseManifest, type Reported, snapshotName } from '../../src/state-sync/choose.ts';

test('a node without configured peers waits for any other member, and a single validator for no peer', () => {
  const [one, other] = ['one', 'other'] as PeerKey[] as [PeerKey, PeerKey];
  expect([answersDue([one], [one, other]), answersDue([], [one, other]), answersDue([], [])]).toEqual([
    [one],
    [one, other],
    [],
  ]);
});

const peerOf = (member: number) => `peer ${member}` as PeerKey;

describe('choosing a snapshot', () => {
  const committee = createCommittee(
    [1, 1, 1, 1].map((weight, i) => ({ weight, peerKey: peerOf(i) }) as unknown as CommitteeMember),
  );

  function reportOf(member: number, batch: number, certified: number, bytes = 100) {
    const blockId = asId<BlockId>(new Uint8Array(32).fill(certified));
    const checksum = new Uint8Array(32);
    const snapshot = { batch, checksum, block: hexOf(blockId), files: [{ file: 1, bytes, checksum }] };
    const preimages = [{ blockId, height: height(certified) } as DigestPreimage];
    return {
      peer: peerOf(member),
      manifest: { snapshot, preimages, certificate: undefined as unknown as StateCertificate },
    };
  }
  const ROOM_BYTES = 2 ** 41;
  const chosen = (all: readonly Reported[], failed: readonly string[] = []) =>
    chooseManifest(all, committee, new Set(failed), ROOM_BYTES)?.snapshot;

  test('one reported by two peers is preferred to one that a liar reports as higher or larger', () => {
    const honest = [reportOf(1, 40, 7), reportOf(2, 40, 7)];
    for (const lie of [reportOf(0, 4_000_000, 7), reportOf(0, 40, 7, 2 ** 40), reportOf(0, 60, 9)]) {
      expect(chosen([lie, ...honest])).toEqual(honest[0]?.manifest.snapshot);
    }
  });

  test('of those reported by equally many peers, the higher one is preferred, whatever their numbers', () => {
    const [low, high] = [reportOf(1, 90, 7), reportOf(2, 50, 8)];
    expect(chosen([low, high])).toEqual(high.manifest.snapshot);
  });

  test('one that failed is tried again when no other is available', () => {
    const [first, second] = [reportOf(1, 40, 7), reportOf(2, 30, 6)];
    expect(chosen([first, second], [snapshotName(first.manifest.snapshot)])).toEqual(second.manifest.snapshot);
    expect(chosen([first], [snapshotName(first.manifest.snapshot)])).toEqual(first.manifest.snapshot);
  });

  test('one larger than the disk space is never chosen, whichever peer reports it', () => {
    const [lie, honest] = [reportOf(0, 50, 8, ROOM_BYTES + 1), reportOf(1, 40, 7, ROOM_BYTES)];
    expect(chosen([lie, honest])).toEqual(honest.manifest.snapshot);
    expect(chosen([lie])).toBeUndefined();
    expect(chosen([reportOf(0, 50, 8, 2 ** 53 - 1)])).toBeUndefined();
  });

  test('one is fetched from the reporting peer that shows most of its digests', () => {
    const [short, full] = [reportOf(0, 40, 7), reportOf(1, 40, 7)];
    const below = { ...full.manifest.preimages[0], height: height(3) } as DigestPreimage;
    const manifest = { ...full.manifest, preimages: [below, ...full.manifest.preimages] };
    for (const all of [
      [short, { ...full, manifest }],
      [{ ...full, manifest }, short],
    ]) {
      expect(chooseManifest(all, committee, new Set(), ROOM_BYTES)).toBe(manifest);
    }
  });

  test('a validator that reports twice counts once', () => {
    const [liar, honest] = [reportOf(0, 40, 7), reportOf(1, 50, 8)];
    expect(chosen([liar, liar, honest])).toEqual(honest.manifest.snapshot);
  });
});
