import { expect, test } from 'vitest';
import { plainText } from '../../src/cli/plain-text.ts';
import { frameOf } from '../../src/cli/watch/watch.ts';

test('escape sequences, also of one character, and turns of direction are shown as replaced; lines and tabs stay', () => {
  expect(plainText('a\u001b[2Jb\u009b1mc\u0007d\re\u202ef')).toBe('a\ufffd[2Jb\ufffd1mc\ufffdd\ufffde\ufffdf');
  expect(plainText('validator-0: ready\n\theight 1 · ▁█ ü')).toBe('validator-0: ready\n\theight 1 · ▁█ ü');
});

test('a watched screen has no sequences but its own', () => {
  expect(frameOf(['node \u001b]0;title\u0007', 'next'])).toBe(
    '\u001b[Hnode \ufffd]0;title\ufffd\u001b[K\nnext\u001b[K\n\u001b[J',
  );
});
