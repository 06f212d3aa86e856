/** What a genesis file in --genesis is trusted for. */
import { ClientError, committeesOf, type EpochCommittees } from '@slipstream/client';
import { inFolder, type Terminal } from '@slipstream/command-line';

/** Imports at first use: most commands read no genesis file. Throws ClientError `bad-argument`, NodeError. */
export async function committeesOfFile(file: string, terminal: Terminal): Promise<EpochCommittees> {
  const { readGenesis } = await import('@slipstream/node-home');
  const { genesisToJson } = await import('@slipstream/types');
  const committees = committeesOf(genesisToJson(await readGenesis(inFolder(terminal, file))));
  if (committees.ok) return committees.value;
  throw new ClientError('bad-argument', committees.error, { file });
}
