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

/** RFC 6455, 7.4.1. */
const NO_CLOSE_FRAME = 1006;

/** `path` with query; `url`: the node's http URL. */
export function webSocketUrl(url: string, path: string): string {
  return `${url.replace(/^http/, 'ws').replace(/\/+$/, '')}${path}`;
}

export function closeReason({ code, reason }: WebSocketEvent): string {
  if (reason) return reason;
  return code === NO_CLOSE_FRAME ? 'no connection, or it was cut' : `closed with code ${code}`;
}
