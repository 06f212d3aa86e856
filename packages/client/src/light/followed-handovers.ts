/**
 * The handovers that a light client followed, to notice a fork at one: two records of one epoch, each certified by the committee before. What
 * comes after it is signed by keys of another committee, and looks false.
 *
 *   certificate or handover that does not hold --the node's handovers--> first with another record than the followed one
 *                                                                           \--its signature holds--> two certified chains
 */
import { to0x } from '@slipstream/primitives';
import { certificateToJson, type HandoverJson, type HeightCertificates, handoverFromJson } from '@slipstream/schema';
import { checkHandoverStructure, type StateCertificate } from '@slipstream/types';
import type { CallOptions } from '../call-options.ts';
import type { Client } from '../client.ts';
import type { EpochCommittees, VerifyAggregate } from '../epochs/committees.ts';
import { EPOCHS_MAX } from './options.ts';

/** One side of a fork. */
interface ForkSide {
  /** URL of the node that gave it. */
  readonly node: string;
  readonly certificates: HeightCertificates;
}

export interface Fork {
  readonly first: ForkSide;
  readonly second: ForkSide;
}

export interface HandoverSource {
  readonly url: string;
  readonly client: Pick<Client, 'handovers'>;
}

interface FollowedHandovers {
  /** Answers as the source's client, and notes what it gives once `committees` follow it. */
  noting(source: HandoverSource): { readonly client: HandoverSource['client']; note(): void };
  /** Undefined: the node shows no other certified record. Throws ClientError. */
  forkOf(source: HandoverSource, options: CallOptions): Promise<Fork | undefined>;
}

interface Followed extends ForkSide {
  readonly recordHash: string;
}

/** Of EPOCHS_MAX handovers, 100 each. */
const PAGES_MAX = 2;

export function createFollowedHandovers(committees: EpochCommittees, verify: VerifyAggregate): FollowedHandovers {
  /** By epoch, ascending. */
  const followed = new Map<number, Followed>();

  function add(url: string, item: HandoverJson): void {
    const read = handoverFromJson(item);
    if (!read.ok || followed.has(item.epoch)) return;
    const { recordHash } = item;
    followed.set(item.epoch, { node: url, recordHash, certificates: certificatesOf(read.value.certificate) });
    if (followed.size > EPOCHS_MAX) followed.delete(followed.keys().next().value as number);
  }

  async function sideOf(item: HandoverJson, url: string): Promise<ForkSide | undefined> {
    const committee = committees.of(item.epoch);
    const read = handoverFromJson(item);
    if (committee === undefined || !read.ok) return undefined;
    const checked = checkHandoverStructure(read.value, committees.genesisHash, committee);
    if (!checked.ok || !(await verify(checked.value.statement))) return undefined;
    return { node: url, certificates: certificatesOf(read.value.certificate) };
  }

  return {
    noting({ url, client }) {
      const from = committees.newest().epoch;
      const seen: HandoverJson[] = [];
      return {
        client: {
          async handovers(epoch, options) {
            const page = await client.handovers(epoch, options);
            seen.push(...page.items);
            return page;
          },
        },
        note() {
          const until = committees.newest().epoch;
          for (const item of seen) if (item.epoch >= from && item.epoch < until) add(url, item);
        },
      };
    },
    async forkOf({ url, client }, options) {
      let from: number | undefined = followed.keys().next().value;
      for (let pages = 0; pages < PAGES_MAX && from !== undefined; pages++) {
        const { items, next } = await client.handovers(from, options);
        for (const item of items) {
          const first = followed.get(item.epoch);
          if (first === undefined || first.recordHash === item.recordHash) continue;
          const second = await sideOf(item, url);
          return second && { first, second };
        }
        from = next ?? undefined;
      }
      return undefined;
    },
  };
}

function certificatesOf(certificate: StateCertificate): HeightCertificates {
  const { height, blockId } = certificate.subject;
  return { height, blockId: to0x(blockId), finalization: null, state: certificateToJson(certificate) };
}
