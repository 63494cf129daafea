'use strict';

// The summaries of worker threads that are terminated, as Node emits no `exit` in them. A worker
// sends its summary as it changes, and the thread that has started it writes the last one.

const {
  BroadcastChannel, isMainThread, receiveMessageOnPort, threadId,
} = require('node:worker_threads');
const { watch } = require('../internal.js');
const { writeLineOf } = require('./lines.js');

const NAME = 'uv-scheduler:report';

class Workers {
  #channel;
  // By thread the lines of its summary, until it has written them.
  #summaries = new Map();

  begin() {
    process.on('worker', this.#onWorker);
  }

  end() {
    process.off('worker', this.#onWorker);
    this.#channel?.close();
    this.#channel = undefined;
  }

  // Sends what `read()` returns, the lines of the summary of this thread; without it, this thread
  // has written them itself.
  send(read) {
    if (!isMainThread) this.#open().postMessage({ threadId, lines: read?.() });
  }

  #open() {
    this.#channel ??= new BroadcastChannel(NAME);
    this.#channel.unref();
    return this.#channel;
  }

  #onWorker = (worker) => {
    if (watch.isOwnThread(worker)) return;
    this.#open().onmessage = ({ data }) => this.#take(data);
    const { threadId: id } = worker;
    worker.once('exit', () => this.#write(id));
  };

  #take({ threadId: id, lines }) {
    if (lines === undefined) this.#summaries.delete(id);
    else this.#summaries.set(id, lines);
  }

  #write(id) {
    while (this.#channel !== undefined) {
      const { message } = receiveMessageOnPort(this.#channel) ?? {};
      if (message === undefined) break;
      this.#take(message);
    }
    const lines = this.#summaries.get(id);
    this.#summaries.delete(id);
    if (lines !== undefined) writeLineOf(id, ...lines);
  }
}

module.exports = { Workers };
