export { bytesEqual as longBytesEqual } from './bytes.ts';
