/** The thread of queries: realms of its own, since a query may take its time and blocks may not. */
import { workerData } from 'node:worker_threads';
import { createQueries } from '@slipstream/execution';
import { programsOf } from '@slipstream/node-home/applications';
import { NO_QUEUES, type NoSide } from '../executor/wire.ts';
import { createChannel } from '../threads/channel.ts';
import { messageOf } from '../threads/message.ts';
import type { ThreadData } from '../threads/thread.ts';
import { serveQueries } from './serve.ts';
import type { QuerySetting, QuerySide } from './wire.ts';

const { port, setting } = workerData as ThreadData<QuerySetting>;
const run = createQueries(programsOf(setting.applications), setting.genesisHash);
const calls = { load: async () => messageOf(null), run: serveQueries(run) };
createChannel<NoSide, QuerySide>({ port, handlers: { calls, notices: {} } }, NO_QUEUES);
