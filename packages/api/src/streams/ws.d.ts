/** `ws` ships no types. */
declare module 'ws' {
  export class WebSocketServer {
    constructor(options: {
      readonly noServer: true;
      readonly clientTracking: boolean;
      readonly maxPayload: number;
      readonly maxFragments: number;
      readonly maxBufferedChunks: number;
      readonly perMessageDeflate: false;
      readonly closeTimeout: number;
    });
    handleUpgrade(
      request: import('node:http').IncomingMessage,
      socket: import('node:stream').Duplex,
      head: Buffer,
      opened: (socket: import('./web-socket.ts').ServerSocket) => void,
    ): void;
  }
}
