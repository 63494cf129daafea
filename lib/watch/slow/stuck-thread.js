'use strict';

// The thread that watches another one for the option `stuckAfter`: see ../watching-thread.js.
//
// V8 answers a request of the inspector between two instructions of JavaScript, in a regular
// expression and in Atomics.wait(), but not in other native code: that answers when it returns.

// `countQuiet` is that of ../heartbeat.js.
function watchThread(countQuiet) {
  const fs = require('node:fs');
  const os = require('node:os');
  const { BroadcastChannel, workerData } = require('node:worker_threads');

  const { expression, isMain, period, port, stuckAfter, threadId, words } = workerData;

  // How long a report waits for the stack, in ms.
  const PATIENCE = 500;

  // The longest pause in ms before a stack that was empty is asked for again.
  const PAUSE = 5;

  // How often a text is written to a pipe that refuses it.
  const MOST_ATTEMPTS = 100;

  // The channel of all threads of the process.
  const CHANNEL = 'uv-scheduler:stuck';

  // Clock ticks of Linux in a second.
  const TICKS = 100;

  const counter = countQuiet(words, period);
  const { isStill, now, stuckFor } = counter;
  let { refusal } = workerData;
  let nextReport = stuckAfter;
  // The question that the watched thread has not answered yet: the word, and since when the thread
  // was stuck. The thread need not answer before it is free, and Node 20 loses some answers.
  let question;
  // Whether the last answer had no functions.
  let isEmpty = false;
  // Runs while a report waits for the stack.
  let patience;

  setInterval(look, period);

  function look() {
    if (!counter.look()) nextReport = stuckAfter;
    else if (stuckFor() >= nextReport) report();
  }

  function report() {
    if (patience !== undefined) return;
    if (refusal !== undefined || question?.word === counter.word) {
      writeWithoutStack();
      return;
    }
    isEmpty = false;
    patience = setTimeout((asked) => {
      patience = undefined;
      if (isStill(asked)) writeWithoutStack();
    }, PATIENCE, counter.word);
    question?.end();
    askWhileStuck({ word: counter.word, since: now() - stuckFor(), end: undefined });
  }

  function askWhileStuck(asked) {
    question = asked;
    asked.end = ask((answer) => {
      question = undefined;
      if (answer.stack === '' && patience !== undefined && isStill(asked.word)) {
        // Between two microtasks, or already free.
        isEmpty = true;
        setTimeout(askWhileStuck, PAUSE * Math.random(), asked);
        return;
      }
      clearTimeout(patience);
      patience = undefined;
      refusal = answer.refusal;
      if (refusal !== undefined) {
        if (isStill(asked.word)) writeWithoutStack();
      } else if (answer.word === asked.word && answer.stack !== '') {
        // A native call may have returned, and the thread be free by now.
        if (answer.isPaused) {
          counter.beginAnew();
          nextReport = stuckAfter;
        } else {
          write(answer, isStill(asked.word) ? stuckFor() : now() - asked.since, answer.stack);
        }
      }
    });
  }

  // Calls `answered({ stack, kind, label, priority, word, isPaused })`, or `answered({ refusal })`,
  // unless the returned function is called before.
  function ask(answered) {
    let session;
    try {
      const { Session } = require('node:inspector');
      session = new Session();
      session.connectToMainThread();
    } catch (error) {
      setImmediate(answered, { refusal: error.message });
      return () => {};
    }
    let isPaused = false;
    const end = (answer) => {
      session.disconnect();
      answered({ ...answer, isPaused });
    };
    const evaluate = (text) => ({ expression: text, returnByValue: true, silent: true });
    // Only a client of the inspector's port pauses a thread.
    let isInspected = false;
    session.post('Runtime.evaluate', evaluate(
      'process.getBuiltinModule("node:inspector").url() !== undefined',
    ), (error, { result } = {}) => (isInspected = result?.value === true));
    const askThread = (post) => post('Runtime.evaluate', evaluate(expression), ({ result }) => {
      if (result?.value === undefined) return end({ refusal: 'the inspector has no answer' });
      if (!isInspected) return end(result.value);
      // A paused thread says so before it answers.
      return post('Debugger.enable', {}, () => post('Debugger.disable', {}, () => {
        end(result.value);
      }));
    });
    const pauses = () => (isPaused = true);
    if (isMain) {
      session.on('Debugger.paused', pauses);
      askThread((method, params, callback) => {
        session.post(method, params, (error, result) => callback(result ?? {}));
      });
    } else {
      askWorker(session, askThread, pauses, end);
    }
    return () => session.disconnect();
  }

  // The main thread passes requests on to the workers, whose titles have their ids.
  function askWorker(session, askThread, pauses, end) {
    const callbacks = [];
    let isFound = false;
    session.on('NodeWorker.attachedToWorker', ({ params: { sessionId, workerInfo } }) => {
      if (!workerInfo.title.startsWith(`[worker ${threadId}]`)) return;
      isFound = true;
      askThread((method, params, callback) => {
        const id = callbacks.push(callback) - 1;
        const message = JSON.stringify({ id, method, params });
        session.post('NodeWorker.sendMessageToWorker', { sessionId, message });
      });
    });
    session.on('NodeWorker.receivedMessageFromWorker', ({ params }) => {
      const { id, method, result = {} } = JSON.parse(params.message);
      if (method === 'Debugger.paused') pauses();
      else callbacks[id]?.(result);
    });
    session.post('NodeWorker.enable', { waitForDebuggerOnStart: false }, () => {
      if (!isFound) end({ refusal: 'the inspector does not list this worker' });
    });
  }

  function writeWithoutStack() {
    let reason = `, as in a native call${children()}`;
    if (refusal !== undefined) reason = `: ${refusal}`;
    else if (isEmpty) reason = ', as between two microtasks';
    write({}, stuckFor(), undefined, `    no stack${reason}`);
  }

  function write({ kind, label, priority }, time, stack, text = stack) {
    while (nextReport <= time) nextReport *= 2;
    const task = label ? `, ${kind} ${JSON.stringify(label)}, ${priority}` : '';
    const thread = `process ${process.pid}, thread ${threadId}${task}`;
    const lines = `stuck for ${(time / 1e3).toFixed(1)} s (${thread})\n${text}\n`;
    writeNow(`uv-scheduler: ${lines}`);
    port.postMessage({ at: now(), time, stack });
    tellOthers(lines);
  }

  // For the answer of the thread of uv-scheduler/health, as the watched thread cannot pass it on.
  function tellOthers(lines) {
    const channel = new BroadcastChannel(CHANNEL);
    channel.postMessage({ threadId, lines });
    channel.close();
  }

  // A full pipe may refuse some of the text for a while.
  function writeNow(text) {
    let rest = Buffer.from(text);
    for (let attempt = 0; rest.length > 0 && attempt < MOST_ATTEMPTS; attempt++) {
      try {
        rest = rest.subarray(fs.writeSync(2, rest));
      } catch ({ code }) {
        if (code !== 'EAGAIN') return;
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
      }
    }
  }

  // The child processes that began about when the thread got stuck, as far as the system tells.
  function children() {
    const names = [];
    const longest = 1.1 * counter.quiet + 4 * period + 1e3;
    try {
      for (const task of fs.readdirSync('/proc/self/task')) {
        const list = fs.readFileSync(`/proc/self/task/${task}/children`, 'utf8');
        for (const pid of list.split(' ').filter(Boolean)) {
          const stat = fs.readFileSync(`/proc/${pid}/stat`, 'latin1');
          const [, name, rest] = /\((.*)\) (.*)/s.exec(stat);
          const age = os.uptime() - rest.split(' ')[19] / TICKS;
          if (age * 1e3 < longest) names.push(`${pid} (${name})`);
        }
      }
    } catch {
      // No Linux, or a process has just ended.
    }
    return names.length === 0 ? '' : `; recent child processes: ${names.join(', ')}`;
  }
}

module.exports = { watchThread };
