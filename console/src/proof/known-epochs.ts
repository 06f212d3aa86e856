/** Committees that this worker followed from genesis files, so that each handover is verified once. */
import { type Client, ClientError, committeesOf, type EpochCommittees, followEpochs } from '@slipstream/client';

/** A page looks at few chains. */
const CHAINS_MAX = 4;

const known = new Map<string, EpochCommittees>();

type KnownEpochs = ReturnType<typeof committeesOf>;

/** Up to the node's newest epoch; without its answer those that are known. Fails without a genesis file. */
export async function knownEpochs(genesis: unknown, client: Pick<Client, 'handovers'>): Promise<KnownEpochs> {
  const read = committeesOf(genesis);
  if (!read.ok) return read;
  const committees = remembered(read.value);
  try {
    await followEpochs(client, committees);
  } catch (error) {
    if (!(error instanceof ClientError)) throw error;
    if (error.code === 'malformed-answer') return { ok: false, error: error.message };
  }
  return { ok: true, value: committees };
}

function remembered(committees: EpochCommittees): EpochCommittees {
  const key = committees.pin().genesisHash;
  const found = known.get(key);
  if (found !== undefined) return found;
  const [oldest] = known.keys();
  if (known.size >= CHAINS_MAX && oldest !== undefined) known.delete(oldest);
  known.set(key, committees);
  return committees;
}
