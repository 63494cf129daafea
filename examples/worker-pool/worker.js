// The code of the threads of the pool. A thread runs several jobs at once, and has a scheduler of
// its own, which chooses among the jobs of this thread.

import { threadId } from 'node:worker_threads';
import { TaskController, scheduler, shouldYield } from 'uv-scheduler';

// Stands for the work of your own application: a number is a prime if nothing divides it.
async function countPrimes(from, to) {
  let count = 0;
  for (let number = from; number < to; number++) {
    let divisor = 2;
    while (divisor * divisor <= number && number % divisor !== 0) divisor++;
    if (divisor * divisor > number) count++;
    // Goes straight on while no other job of this thread would run. Rejects if the job is aborted.
    if (shouldYield()) await scheduler.yield();
  }
  return count;
}

// A job has a port, so that it can be aborted by itself: piscina's own signal ends the thread, and
// with it all other jobs there.
export default async function run({ from, to, priority, port }) {
  const controller = new TaskController({ priority });
  port.once('message', () => controller.abort());
  try {
    const { signal } = controller;
    const primes = await scheduler.postTask(() => countPrimes(from, to), { signal });
    return { primes, threadId };
  } finally {
    if (controller.signal.aborted) console.log(`thread ${threadId}: a job was aborted`);
    port.close();
  }
}
