/** The part of the platform's WebSocket that a broker's stream uses. Browsers and Node have it. */
export interface BrokerSocket {
  binaryType: string;
  readonly bufferedAmount: number;
  addEventListener(type: 'open' | 'message' | 'close' | 'error', listener: (event: BrokerSocketEvent) => void): void;
  send(data: Uint8Array): void;
  close(code?: number, reason?: string): void;
}

interface BrokerSocketEvent {
  readonly data?: unknown;
  readonly code?: number;
  readonly reason?: string;
}

export type BrokerSocketConstructor = new (url: string) => BrokerSocket;
