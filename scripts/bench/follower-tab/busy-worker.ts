/** A worker of the page: each message keeps it busy for so many ms. */
import { spin } from './busy-loop.ts';

interface Port {
  postMessage(ms: number): void;
  addEventListener(type: 'message', listener: (event: { readonly data: number }) => void): void;
}

const port = globalThis as unknown as Port;
port.addEventListener('message', ({ data }) => {
  spin(data);
  port.postMessage(data);
});
