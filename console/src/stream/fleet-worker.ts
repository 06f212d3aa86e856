/** Fetched when the fleet view opens. */
import { startFleetSession, type WatchedNode } from './fleet-session.ts';
import { workerTimers } from './worker-timers.ts';

const session = startFleetSession({ WebSocket, timers: workerTimers, post: (rows) => postMessage(rows) });

addEventListener('message', ({ data }: MessageEvent<readonly WatchedNode[]>) => session.watch(data));
