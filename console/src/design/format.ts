/** Numbers have a fixed number of digits and separate units, so that they keep their width. */

export interface Measure {
  readonly text: string;
  readonly unit: string;
}

export const NONE = '–';
const UNKNOWN: Measure = { text: NONE, unit: '' };

const grouped = new Intl.NumberFormat('en-GB', { maximumFractionDigits: 0 });
const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit' });
const moment = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'medium' });

export function count(value: number | null | undefined): string {
  return value === null || value === undefined ? NONE : grouped.format(value);
}

/** "1 header", "20 headers". */
export function counted(value: number, noun: string): string {
  return `${count(value)} ${value === 1 ? noun : `${noun}s`}`;
}

/** "0.42 ms", "12.3 ms", "120 ms", "1.24 s", "2 min 5 s"; whole milliseconds stay whole. */
export function durationMeasure(ms: number | null | undefined): Measure {
  if (ms === null || ms === undefined || !Number.isFinite(ms)) return UNKNOWN;
  if (ms === 0) return { text: '0', unit: 'ms' };
  if (Number.isInteger(ms) && ms < 1_000) return { text: String(ms), unit: 'ms' };
  if (ms < 10) return { text: ms.toFixed(2), unit: 'ms' };
  if (ms < 100) return { text: ms.toFixed(1), unit: 'ms' };
  if (ms < 1_000) return { text: ms.toFixed(0), unit: 'ms' };
  if (ms < 60_000) return { text: (ms / 1_000).toFixed(2), unit: 's' };
  return { text: span(ms), unit: '' };
}

export function duration(ms: number | null | undefined): string {
  return joined(durationMeasure(ms));
}

/** Two largest units: "3 d 4 h", "2 min 5 s". */
export function span(ms: number): string {
  const seconds = Math.floor(ms / 1_000);
  const parts: readonly (readonly [number, string])[] = [
    [Math.floor(seconds / 86_400), 'd'],
    [Math.floor(seconds / 3_600) % 24, 'h'],
    [Math.floor(seconds / 60) % 60, 'min'],
    [seconds % 60, 's'],
  ];
  const first = parts.findIndex(([value]) => value > 0);
  if (first === -1) return '0 s';
  return parts
    .slice(first, first + 2)
    .filter(([value]) => value > 0)
    .map(([value, unit]) => `${value} ${unit}`)
    .join(' ');
}

export function rateMeasure(perSecond: number | null | undefined): Measure {
  if (perSecond === null || perSecond === undefined) return UNKNOWN;
  if (perSecond === 0) return { text: '0', unit: '/s' };
  return { text: perSecond < 100 ? perSecond.toFixed(1) : grouped.format(perSecond), unit: '/s' };
}

export function perSecond(rate: number | null | undefined): string {
  return joined(rateMeasure(rate));
}

const BYTE_UNITS = ['B', 'kB', 'MB', 'GB', 'TB'] as const;

export function bytes(value: number | null | undefined): string {
  if (value === null || value === undefined) return NONE;
  let scaled = value;
  let unit = 0;
  while (scaled >= 1_000 && unit < BYTE_UNITS.length - 1) {
    scaled /= 1_000;
    unit += 1;
  }
  return `${unit === 0 || scaled >= 100 ? scaled.toFixed(0) : scaled.toFixed(1)} ${BYTE_UNITS[unit]}`;
}

export function percent(share: number | null | undefined): string {
  return share === null || share === undefined || !Number.isFinite(share)
    ? NONE
    : `${(share * 100).toFixed(share === 1 ? 0 : 1)} %`;
}

/** A decimal string of up to 20 digits, grouped. */
export function amount(decimal: string): string {
  return decimal.replace(/\B(?=(\d{3})+$)/g, ',');
}

/** Both ends of a long name. */
export function shortHex(hex: string, digits = 6): string {
  return hex.length <= 2 * digits + 3 ? hex : `${hex.slice(0, digits + 2)}…${hex.slice(-4)}`;
}

export function timeOfDay(atMs: number): string {
  return clock.format(atMs);
}

export function dateAndTime(atMs: number): string {
  return moment.format(atMs);
}

/** "now", "3 s ago", "2 min 5 s ago". */
export function ago(ms: number): string {
  return ms < 1_000 ? 'just now' : `${span(ms)} ago`;
}

export function joined({ text, unit }: Measure): string {
  return unit === '' ? text : `${text} ${unit}`;
}
