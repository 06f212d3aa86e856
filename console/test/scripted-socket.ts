import type { WebSocketLike } from '@slipstream/client';

type Listener = Parameters<WebSocketLike['addEventListener']>[1];

export class ScriptedSocket implements WebSocketLike {
  static readonly all: ScriptedSocket[] = [];
  readonly listeners = new Map<string, Listener>();
  readonly url: string;

  constructor(url: string) {
    this.url = url;
    ScriptedSocket.all.push(this);
  }

  static to(part: string): ScriptedSocket {
    const socket = ScriptedSocket.all.findLast(({ url }) => url.includes(part));
    if (socket === undefined) throw new Error(`no socket to ${part} was opened`);
    return socket;
  }

  static newest(): ScriptedSocket {
    const socket = ScriptedSocket.all.at(-1);
    if (socket === undefined) throw new Error('no socket was opened');
    return socket;
  }

  addEventListener(type: 'message' | 'close' | 'error', listener: Listener): void {
    this.listeners.set(type, listener);
  }

  close(): void {}

  say(message: object): void {
    this.listeners.get('message')?.({ data: JSON.stringify(message) });
  }

  break(): void {
    this.listeners.get('close')?.({ code: 1006, reason: '' });
  }
}
