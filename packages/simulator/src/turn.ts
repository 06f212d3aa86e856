/**
 * One turn: returns when every promise that can go on without new input has gone on, as far as it can.
 *
 * Node runs all microtasks, those they make included, before it takes the next immediate. Code under simulation waits for
 * nothing but microtasks and virtual events, so what happens within a turn depends on nothing outside. 1.4 us.
 */
export function turn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
