/** Keys and values of tables on their way to the host and back. */
import { encodeInto, type Form } from '../forms/form.ts';
import { ABSENT } from '../host.ts';
import { hostInHand } from './call-in-hand.ts';
import type { KeyCodec } from './keys.ts';
import { giveRoom, takeRoom } from './room.ts';
import type { ValueCodec } from './values.ts';

export function keyNumber<K>(table: number, key: KeyCodec<K>, wanted: K): number {
  const size = key.sizeOf(wanted);
  const room = takeRoom(size);
  if (key.fixedBytes === undefined) room.fill(0, 0, size);
  key.write(room, 0, wanted);
  const number = hostInHand().key(table, room, size);
  giveRoom(room);
  return number;
}

/** Where the memory is taken, longer values are asked for twice. */
const SHORT_BYTES = 256;

/** @param absent what is read where there is no value */
export function stored<T, A>(key: number, value: Pick<ValueCodec<T>, 'decode'>, absent: () => A): T | A {
  let room = takeRoom(SHORT_BYTES);
  const length = hostInHand().get(key, room);
  if (length > room.length) {
    room = new Uint8Array(length);
    hostInHand().get(key, room);
  }
  const found = length === ABSENT ? absent() : value.decode(room, length);
  giveRoom(room);
  return found;
}

export function store<T>(key: number, value: ValueCodec<T>, next: T): void {
  const size = value.sizeOf(next);
  const room = takeRoom(size);
  value.write(room, next, size);
  hostInHand().put(key, room, size);
  giveRoom(room);
}

export function emit<T>(event: number, form: Form<T>, body: T): void {
  const size = form.fixedBytes ?? form.sizeOf(body);
  const room = takeRoom(size);
  encodeInto(form, body, room, 0, size);
  hostInHand().emit(event, room, size);
  giveRoom(room);
}
