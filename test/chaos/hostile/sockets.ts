/** Hundreds of badly used connections. */
import { connect, type Socket } from 'node:net';

export interface Crowd {
  readonly open: number;
  /** All have connected once, or were refused. */
  readonly arrived: Promise<void>;
  stop(): void;
}

export interface CrowdOptions {
  readonly port: number;
  readonly count: number;
  /** Written after connecting. */
  readonly says?: string | Uint8Array;
  /** Reconnects when disconnected. */
  readonly persistent?: boolean;
  /** Never reads. */
  readonly deaf?: boolean;
  /** Source address. */
  readonly from?: string;
}

const HOST = '127.0.0.1';
/** Before a reconnect. */
const RETURN_MS = 100;

export function sendCrowd({ port, count, says, persistent = false, deaf = false, from }: CrowdOptions): Crowd {
  const sockets = new Set<Socket>();
  let open = 0;
  let stopped = false;
  const firsts = Array.from({ length: count }, () => new Promise<void>((settle) => come(settle)));

  function come(settle: () => void): void {
    if (stopped) return settle();
    const socket = connect({ port, host: HOST, ...(from === undefined ? {} : { localAddress: from }) });
    let counted = false;
    sockets.add(socket);
    if (deaf) socket.pause();
    else socket.resume();
    socket.once('connect', () => {
      counted = true;
      open += 1;
      if (says !== undefined) socket.write(says);
      settle();
    });
    socket.on('error', () => {});
    socket.once('close', () => {
      sockets.delete(socket);
      if (counted) open -= 1;
      settle();
      if (persistent && !stopped) setTimeout(() => come(() => {}), RETURN_MS).unref();
    });
  }

  return {
    get open() {
      return open;
    },
    arrived: Promise.all(firsts).then(() => {}),
    stop() {
      stopped = true;
      for (const socket of sockets) socket.destroy();
    },
  };
}
