// A session of a person or an agent: its context, and its turns. All of it ends by the signal of
// the session, and a turn also by its own.

import { SharedTask, pieces, scheduler } from './scheduling.js';
import { askModel, compute, counts } from './stand-ins.js';

// A longer context is compacted before the next turn; one of half the length is when nothing else
// is to do. In messages.
const LIMIT = 200;
const KEPT = 10;
// So long the thread works on a message of the context, in ms.
const MESSAGE = 0.1;

export class Session {
  #tenant;
  #signal;
  #tools;
  #context;
  #compaction = new SharedTask(() => this.#compact(), {
    priority: 'background', label: 'compaction',
  });

  constructor({ tenant, signal, tools, context = [] }) {
    this.#tenant = tenant;
    this.#signal = signal;
    this.#tools = tools;
    this.#context = context;
  }

  // Yields the tokens of an answer. The signal is that of the message.
  async *answer(prompt, { signal, tokens = 40, documents = 40, model }) {
    counts.turns++;
    try {
      this.#context.push({ role: 'user', text: prompt });
      // A compaction is background work until a turn waits for it; then it has the turn's priority.
      if (this.#context.length > LIMIT) await this.#compaction.join({ signal });
      const call = { tenant: this.#tenant, signal };
      const { content } = await this.#tools.call('search', { words: prompt, documents }, call);
      // Code behind an await runs in the callback of its I/O, as no task, whatever its priority and
      // key. Behind this line it is a task again.
      await scheduler.yield({ signal, priority: 'inherit' });
      this.#context.push({ role: 'tool', text: content[0].text });
      compute(MESSAGE);
      let text = '';
      // Ends also while the model thinks.
      for await (const token of pieces(askModel({ signal, tokens, ...model }), { signal })) {
        text += token;
        yield token;
      }
      this.#context.push({ role: 'assistant', text });
    } finally {
      counts.turns--;
    }
  }

  // Between two turns of a session that lasts.
  compactLater() {
    if (this.#context.length <= LIMIT / 2) return;
    const options = { priority: 'background', signal: this.#signal };
    this.#compaction.join(options).catch((error) => {
      // The visitor has left, or drain() ends it.
      if (error.name !== 'AbortError') console.error(error);
    });
  }

  async #compact() {
    counts.compactions++;
    try {
      const old = this.#context.slice(0, -KEPT);
      let summary = '';
      for await (const { text } of pieces(old, { signal: this.#signal })) {
        compute(MESSAGE);
        summary += `${text}`.slice(0, 20);
      }
      this.#context.splice(0, old.length, { role: 'system', text: summary });
    } finally {
      counts.compactions--;
    }
  }
}
