// SPDX-License-Identifier: Apache-2.0
// What the tests of the page wait by: for a condition, however busy the machine is, never for a fixed time.

// ms: what takes longer will never come, whatever else the machine does.
export const kHangs = 180_000;

// The condition's value, once it holds; `what` names it where it never does.
export async function wait_until(condition, what) {
  const end = Date.now() + kHangs;
  for (;;) {
    const value = await condition();
    if (value) return value;
    if (Date.now() > end) throw new Error(`waited in vain: ${what}`);
    await new Promise((done) => setTimeout(done, 20));
  }
}
