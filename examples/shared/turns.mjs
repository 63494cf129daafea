// Turns, for renderers that call all sections of a page in one go: each section awaits its turn.

const never = () => new Promise(() => {});

// The turns of what pieces() returns. After an abort no turn comes any more: the renderer would
// make an error of each section that is missing, in one go.
export const createTurns = (pieces) => ({
  next: () => Promise.resolve(pieces.next()).catch(never),
});

// So the page itself ends at the abort.
export function untilAborted(page, signal) {
  const aborted = new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
  return Promise.race([page, aborted]);
}
