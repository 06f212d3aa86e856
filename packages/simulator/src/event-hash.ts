/**
 * A hash of all events, to compare two runs of a seed: 64 bits, word by word as in MurmurHash3 (Appleby, 2011), fast and not cryptographic.
 */
import { unreachable } from '@slipstream/primitives';
import type { SimEvent } from './event.ts';

interface EventHash {
  add(atMs: number, event: SimEvent): void;
  /** 16 hex digits. */
  value(): string;
}

export function createEventHash(): EventHash {
  let low = 0x9747b28c;
  let high = 0x3c6ef372;
  const number = new Float64Array(1);
  const words = new Int32Array(number.buffer);

  function mix(word: number): void {
    low = Math.imul(low ^ Math.imul(word, 0xcc9e2d51), 0x85ebca6b);
    low = (low << 13) | (low >>> 19);
    high = Math.imul(high ^ word ^ low, 0xc2b2ae35);
    high = (high << 15) | (high >>> 17);
  }

  function addNumber(value: number): void {
    number[0] = value;
    mix(words[0] as number);
    mix(words[1] as number);
  }

  function addText(text: string): void {
    mix(text.length);
    for (let i = 0; i < text.length; i++) mix(text.charCodeAt(i));
  }

  function addBytes(bytes: Uint8Array): void {
    mix(bytes.length);
    const whole = bytes.length & ~3;
    for (let i = 0; i < whole; i += 4) {
      mix(
        (bytes[i] as number) |
          ((bytes[i + 1] as number) << 8) |
          ((bytes[i + 2] as number) << 16) |
          ((bytes[i + 3] as number) << 24),
      );
    }
    for (let i = whole; i < bytes.length; i++) mix(bytes[i] as number);
  }

  function addEvent(event: SimEvent): void {
    switch (event.type) {
      case 'timer':
        addText(event.node);
        return;
      case 'frame-sent':
      case 'frame-delivered':
      case 'frame-lost':
        addText(event.from);
        addText(event.to);
        addText(event.lane);
        addBytes(event.frame);
        return;
      case 'connected':
      case 'disconnected':
        addText(event.from);
        addText(event.to);
        return;
      case 'disk':
        addText(event.node);
        addText(event.operation);
        addText(event.path);
        addNumber(event.bytes);
        return;
      case 'store':
        addText(event.node);
        addNumber(event.operations);
        mix(event.synced ? 1 : 0);
        return;
      case 'started':
        addText(event.node);
        addNumber(event.incarnation);
        return;
      case 'crashed':
        addText(event.node);
        addText(event.mode);
        return;
      case 'exited':
        addText(event.node);
        addText(event.reason);
        return;
      case 'note':
        addText(event.node);
        addText(event.name);
        addText(event.text);
        return;
      default:
        unreachable(event, 'event');
    }
  }

  return {
    add(atMs, event) {
      addNumber(atMs);
      addText(event.type);
      addEvent(event);
    },
    value: () => hex32(high) + hex32(low),
  };
}

function hex32(word: number): string {
  return (word >>> 0).toString(16).padStart(8, '0');
}
