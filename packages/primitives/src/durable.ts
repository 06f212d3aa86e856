/**
 * What may leave a node, by type.
 *
 *   record --log--> Durable<statement> --outgoingFrame--> OutgoingFrame --> FrameSender
 *
 * The marks exist at compile time only. They are private members, so a copy with other content (a spread) has none.
 */
declare class DurableMark {
  private readonly durable: true;
}

declare class OutgoingMark {
  private readonly outgoing: true;
}

/** The record of the value, and every record before it, survive a power cut. */
export type Durable<T> = T & DurableMark;

/** Encoded. What it says with this node's signature is durable. */
export type OutgoingFrame = Uint8Array & OutgoingMark;

/** For the log alone (packages/wal), which knows: test/architecture/durable.test.ts. */
export function declareDurable<T>(value: T): Durable<T> {
  return value as Durable<T>;
}

/** A part of a durable value, or another form of it. */
export function derived<T, Derived>(value: Durable<T>, derive: (value: T) => Derived): Durable<Derived> {
  return derive(value) as Durable<Derived>;
}

/** For the frames of packages/types alone, which demand what is durable: test/architecture/durable.test.ts. */
export function declareOutgoing(frame: Uint8Array): OutgoingFrame {
  return frame as OutgoingFrame;
}
