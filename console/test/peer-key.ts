export function peerKey(validator: number): string {
  return `0x${(validator + 1).toString(16).padStart(4, '0').repeat(16)}`;
}
