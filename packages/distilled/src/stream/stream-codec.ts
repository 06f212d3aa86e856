/**
 * Messages between a broker and its clients: one kind byte, then SSZ. Runs in browsers.
 *
 *   broker                                       client
 *   challenge ---------------------------------->
 *             <---------------------------------- login
 *   welcome ------------------------------------>
 *             <---------------------------------- rows
 *   refused, or headerWithPaths, headerWithColumns ->
 *             <---------------------------------- share
 *   outcomes, or dropped ----------------------->
 *   terms, end --------------------------------->        at any time
 */
import { type Codec, concatBytes, type DecodeError, fail, ok, type Result } from '@slipstream/primitives';
import {
  type Challenge,
  challengeCodec,
  type Dropped,
  droppedCodec,
  type End,
  endCodec,
  type HeaderWithColumns,
  type HeaderWithPaths,
  headerWithColumnsCodec,
  headerWithPathsCodec,
  type Outcomes,
  outcomesCodec,
  type Refused,
  refusedCodec,
  type Terms,
  termsCodec,
  type Welcome,
  welcomeCodec,
} from './broker-messages.ts';
import {
  type Login,
  loginCodec,
  type RowsMessage,
  rowsMessageCodec,
  type Share,
  shareCodec,
} from './client-messages.ts';

interface MessageKind<T> {
  /** First byte, never reused. */
  readonly kind: number;
  readonly codec: Codec<T>;
}

function messageKind<T>(kind: number, codec: Codec<T>): MessageKind<T> {
  return { kind, codec };
}

export const CLIENT_MESSAGES = {
  login: messageKind<Login>(1, loginCodec),
  rows: messageKind<RowsMessage>(2, rowsMessageCodec),
  share: messageKind<Share>(3, shareCodec),
} as const;

export const BROKER_MESSAGES = {
  challenge: messageKind<Challenge>(16, challengeCodec),
  welcome: messageKind<Welcome>(17, welcomeCodec),
  terms: messageKind<Terms>(18, termsCodec),
  refused: messageKind<Refused>(19, refusedCodec),
  headerWithPaths: messageKind<HeaderWithPaths>(20, headerWithPathsCodec),
  headerWithColumns: messageKind<HeaderWithColumns>(21, headerWithColumnsCodec),
  outcomes: messageKind<Outcomes>(22, outcomesCodec),
  dropped: messageKind<Dropped>(23, droppedCodec),
  end: messageKind<End>(24, endCodec),
} as const;

type Kinds = Readonly<Record<string, MessageKind<unknown>>>;
type MessageOf<Table> = {
  [Name in keyof Table]: {
    readonly name: Name;
    readonly value: Table[Name] extends MessageKind<infer T> ? T : never;
  };
}[keyof Table];

export type ClientMessage = MessageOf<typeof CLIENT_MESSAGES>;
export type BrokerMessage = MessageOf<typeof BROKER_MESSAGES>;

/** Kind byte included. */
export const CLIENT_MESSAGE_BYTES_MAX =
  1 + Math.max(...Object.values(CLIENT_MESSAGES).map(({ codec }) => codec.bytesMax));

/** Throws PrimitivesError for values outside the layout. */
export function encodeClientMessage(message: ClientMessage): Uint8Array {
  return encode(CLIENT_MESSAGES, message);
}

export function decodeClientMessage(bytes: Uint8Array): Result<ClientMessage, DecodeError> {
  return decode(CLIENT_MESSAGES, bytes) as Result<ClientMessage, DecodeError>;
}

/** Throws PrimitivesError for values outside the layout. */
export function encodeBrokerMessage(message: BrokerMessage): Uint8Array {
  return encode(BROKER_MESSAGES, message);
}

export function decodeBrokerMessage(bytes: Uint8Array): Result<BrokerMessage, DecodeError> {
  return decode(BROKER_MESSAGES, bytes) as Result<BrokerMessage, DecodeError>;
}

function encode(kinds: object, { name, value }: { readonly name: string; readonly value: unknown }): Uint8Array {
  const { kind, codec } = (kinds as Kinds)[name] as MessageKind<unknown>;
  return concatBytes(new Uint8Array([kind]), codec.encode(value));
}

/** Byte fields may share the input's memory. */
function decode(kinds: object, bytes: Uint8Array): Result<{ name: string; value: unknown }, DecodeError> {
  const found = Object.entries(kinds as Kinds).find(([, { kind }]) => kind === bytes[0]);
  if (found === undefined) {
    return fail({ code: 'malformed', message: `unknown kind ${bytes[0] ?? 'of an empty message'}` });
  }
  const [name, { codec }] = found;
  const decoded = codec.decode(bytes.subarray(1));
  return decoded.ok ? ok({ name, value: decoded.value }) : decoded;
}
