/** The thread of queries: realms of its own, since a query may take its time and blocks may not. */
import { workerData } from 'node:worker_threads';
import { createQueries } from '@slipstream/execution';
import { programsOf } from '@slipstream/node-home/applications';
import { fromHex, toHex } from '@slipstream/primitives';
import { NO_QUEUES, type NoSide } from '../executor/wire.ts';
import { createChannel } from '../threads/channel.ts';
import { messageOf, type ThreadMessage } from '../threads/message.ts';
import type { ThreadData } from '../threads/thread.ts';
import { serveQueries } from './serve.ts';
import type { QuerySetting, QuerySide } from './wire.ts';

const { port, setting } = workerData as ThreadData<QuerySetting>;
const makeProgram = programsOf(setting.applications);
const programs = new Map<string, ReturnType<typeof makeProgram>>();

function programOf(hash: Uint8Array) {
  const name = toHex(hash);
  if (!programs.has(name)) programs.set(name, makeProgram(hash));
  return programs.get(name);
}

async function load({ head: { artifact } }: ThreadMessage<QuerySide['calls']['load'][0]>) {
  programOf(fromHex(artifact));
  return messageOf(null);
}

const calls = { load, run: serveQueries(createQueries(programOf, setting.genesisHash)) };
createChannel<NoSide, QuerySide>({ port, handlers: { calls, notices: {} } }, NO_QUEUES);
