/** What both streams of a node have in common as WebSockets: where they are, and why one ended. */

/** What is used of the platform's WebSocket. */
export interface WebSocketLike {
  addEventListener(type: 'message' | 'close' | 'error', listener: (event: WebSocketEvent) => void): void;
  close(code?: number, reason?: string): void;
}
export interface WebSocketEvent {
  readonly data?: unknown;
  readonly code?: number;
  readonly reason?: string;
}
export type WebSocketConstructor = new (url: string) => WebSocketLike;

/** RFC 6455, 7.4.1: no close frame came. */
const NO_CLOSE_FRAME = 1006;

/** `path` with its query; `url` is the node's, as for requests. */
export function webSocketUrl(url: string, path: string): string {
  return `${url.replace(/^http/, 'ws').replace(/\/+$/, '')}${path}`;
}

/** Why it ended, in words. */
export function closeReason({ code, reason }: WebSocketEvent): string {
  if (reason) return reason;
  return code === NO_CLOSE_FRAME ? 'no connection, or it was cut' : `closed with code ${code}`;
}
