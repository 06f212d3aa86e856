/**
 * Patch of a private member of @libp2p/tcp 11.0.28, whose connection type leaves its socket out.
 *
 *   connection.socket     the connection's net.Socket
 *
 * Noise writes length and ciphertext of a record separately: two system calls and two packets. The patch corks the socket, so all writes of
 * one tick leave in one writev.
 *
 * test/patches.test.ts fails when the member is gone or the version is not pinned.
 */
import type { Socket } from 'node:net';
import type { MessageStream } from '@libp2p/interface';

/** Until the tick ends; held bytes count for back-pressure. Other transports' connections are unchanged. */
export function gatherWrites(connection: MessageStream): void {
  const { socket } = connection as { readonly socket?: Socket };
  if (socket === undefined) return;
  let held = false;
  const send = connection.send.bind(connection);
  connection.send = (data) => {
    if (!held) {
      held = true;
      socket.cork();
      process.nextTick(() => {
        held = false;
        socket.uncork();
      });
    }
    return send(data);
  };
}
