import { expect, test } from 'vitest';
import { plainText } from '../src/plain-text.ts';

test('escape sequences and direction controls are shown as replacement characters; lines and tabs stay', () => {
  expect(plainText('a\u001b[2Jb\u009b1mc\u0007d\re\u202ef')).toBe('a\ufffd[2Jb\ufffd1mc\ufffdd\ufffde\ufffdf');
  expect(plainText('validator-0: ready\n\theight 1 · ▁█ ü')).toBe('validator-0: ready\n\theight 1 · ▁█ ü');
});
