// The declarations of uv-scheduler/bullmq, with each version of BullMQ.

import { Worker, type Job, type Processor } from 'bullmq';
import {
  IdleWorker, type IdleWorkerCounts, type IdleProcessor, type IdleWorkerCloseOptions,
  type IdleWorkerOptions,
} from 'uv-scheduler/bullmq';

interface Data {
  path: string;
}

const options: IdleWorkerOptions = { connection: { port: 6379 }, patience: 5_000, maxGiveBacks: 3 };

const processor: IdleProcessor<Data, number> = async (job, token, signal) => {
  signal.throwIfAborted();
  return job.data.path.length + token.length;
};

const worker = new IdleWorker<Data, number>('documents', processor, options);
export const plain: Worker<Data, number> = worker;

worker
  .on('completed', (job, result) => job.data.path.length + result)
  .on('givenBack', (job: Job<Data, number>, reason: string) => job.data.path + reason)
  .once('error', (error) => error.message)
  .off('drained', () => {});

const closing: (boolean | IdleWorkerCloseOptions | null | undefined)[] = [
  undefined, null, true, {}, { giveBackAfter: 1_000 }, { giveBackAfter: undefined },
  { giveBackAfter: 1_000, forceAfter: 2_000 },
];
for (const each of closing) {
  const closed: Promise<void> = worker.close(each);
  void closed;
}

const counts: IdleWorkerCounts = worker.idleCounts;
export const lost: number = counts.givenBack['no-turn'] + counts.discardedTime + counts.waitTime;

export const short = new IdleWorker('documents', () => {}, { connection: {} });
export const own: Processor = async (job) => job.id;
export const theirs = new IdleWorker('documents', async (job) => job.id, { connection: {} });

export function refused(): void {
  // @ts-expect-error: no file.
  new IdleWorker('documents', './processor.js', options);
  // @ts-expect-error: no options.
  new IdleWorker('documents', processor);
  // @ts-expect-error: no connection.
  new IdleWorker('documents', processor, { patience: 1 });
  // @ts-expect-error: no number.
  new IdleWorker('documents', processor, { connection: {}, patience: '1' });
  // @ts-expect-error: no such event.
  worker.on('givenUp', () => {});
  // @ts-expect-error: it is read only.
  worker.idleCounts.waitTime = 0;
  // @ts-expect-error: no such option.
  void worker.close({ time: 1 });
}
