'use strict';

// Mutants of integrations/http/: admissions, controllers of requests, shutting down.

const { mutantsOf } = require('./mutants-of.js');

const ADMISSION = 'integrations/http/admission/index.js';
const PAUSE = 'integrations/http/admission/arrival-pause.js';
const LIMIT = 'integrations/http/admission/limit.js';
const LINE = 'integrations/http/admission/line.js';
const LINES = 'integrations/http/admission/lines.js';
const VISIT = 'integrations/http/admission/visit.js';
const REQUESTS = 'integrations/http/requests.js';
const REQUEST = 'lib/tasks/request.js';
const SHUT_DOWN = 'integrations/http/shut-down.js';
const CONNECTIONS = 'integrations/http/connections.js';

const room = (name) => [`test/integrations/http/${name}.test.js`];

module.exports = [
  ...mutantsOf(ADMISSION, { tests: room('admission-running') }, [
    ['one request is posted at a time', 'const MOST_POSTED = 16;', 'const MOST_POSTED = 1;',
      'goes before streams'],
    ['a request that has ended counts for maxRunning', 'this.#counts[priority].running--;', '',
      'maxRunning'],
    ['a request waits for a room that the one has which waits for it', 'if (caller?.isRunning) {',
      'if (false) {', 'waits for another one'],
    ['user-blocking requests have no room of their own below ten',
      'Math.max(1, Math.trunc(this.#maxRunning / 10))', 'Math.trunc(this.#maxRunning / 10)',
      'maxRunning'],
  ]),
  ...mutantsOf(ADMISSION, { tests: room('admission-drain') }, [
    ['a request that leaves while it waits ends no onIdle()',
      'this.dispatch();\n    requestLeft();', 'this.dispatch();', 'onIdle'],
    ['a request that is refused ends no onIdle()', 'visit.refuse(reason);\n    requestLeft();',
      'visit.refuse(reason);', 'onIdle'],
    ['a request is refused on arrival during a drain whatever its priority',
      'drainRefuses(visit.priority, false)', "drainRefuses('background', false)",
      'refuses the others'],
  ]),
  ...mutantsOf(ADMISSION, { tests: room('admission-pause') }, [
    ['no pause looks at code behind an await', 'this.#pause.ended(time);', ''],
  ]),
  ...mutantsOf(ADMISSION, { tests: room('admission-refusal') }, [
    ['an admission has one alarm in its life', 'this.#alarm = Infinity;', '',
      'gets a request with the reason'],
  ]),
  ...mutantsOf(PAUSE, { tests: room('admission-pause') }, [
    ['no pause begins', 'if (blocked < SHORT) return;', 'if (blocked >= 0) return;'],
    ['a pause lasts as long as connections arrive', 'this.#hasAccepted() && time < this.#until',
      'this.#hasAccepted()'],
    ['a pause lasts although no connection arrives', 'this.#hasAccepted() && time < this.#until',
      'time < this.#until'],
    ['a pause begins behind an await although no connection arrives',
      'if (!this.#isUnderWay && this.#hasAccepted()) ', 'if (!this.#isUnderWay) '],
    ['a pause goes on while responses end', '!this.#isUnderWay && this', 'this'],
    ['tasks stay paused when the pause is over', 'pauseFor(0);', ''],
  ]),
  ...mutantsOf(LINE, { tests: room('lines') }, [
    ['the pace of a line counts the time in which nothing waited',
      'if (this.size === 0) this.pace.mark = now;', '', 'the bound of an admission|keys below'],
    ['the pace remembers all of its history', 'if (this.#time <= MEMORY) return;',
      'if (this.#time > 0) return;', 'the bound of an admission|keys below'],
  ]),
  ...mutantsOf(LINES, { tests: room('lines') }, [
    ['the pace of a priority counts the time in which nothing waited',
      'if (this.size === 0) this.pace.mark = now;', '', 'the bound of an admission|keys below'],
    ['a line that was idle makes up for it',
      'if (line.size === 0) line.catchUp(this.#used - saved, now);', '',
      'keys below maxRunning make up'],
    ['a key within its share is refused', '(this.#exceeds(line) ? 1 : SPARED)', '1',
      'keys that share the thread'],
    ['a key within its share waits without an end', 'SPARED = 2', 'SPARED = Infinity',
      'keys that share the thread'],
    ['empty lines are kept for ever', 'this.#lines.delete(line.key);', '',
      'keeps nothing of a key'],
    ['a line is forgotten while its requests run', 'if (line.size > 0 || line.running > 0) return;',
      'if (line.size > 0) return;', 'keeps nothing of a key'],
    ['an overload never ends', 'this.isOverloaded = false;', '', 'the bound of an admission'],
    ['a priority is overloaded as soon as one request waits too long',
      'if (now - this.#lateSince > this.#grace * bound) this.isOverloaded = true;',
      'this.isOverloaded = true;', 'the bound of an admission'],
    ['the estimate on arrival forgets the request itself', '(line.size + 1) * pace',
      'line.size * pace', 'the bound of an admission'],
  ]),
  ...mutantsOf(LINES, { tests: room('admission-refusal') }, [
    ['the most important request makes room for others', '[...PRIORITIES].reverse()',
      '[...PRIORITIES]', 'the newest of the least important'],
    ['the oldest request makes room for others', 'longest.newest', 'longest.oldest',
      'the newest of the least important'],
  ]),
  ...mutantsOf('integrations/http/admission/callers.js', { tests: room('admission-running') }, [
    ['others pass on a connection that a request has used',
      'if (callers.get(ends) === caller) callers.delete(ends);', '', 'lets no other request pass'],
  ]),
  ...mutantsOf('integrations/http/admission/available-time.js', { tests: room('limit') }, [
    ['the limit drains while the thread works for others', ' - (others - this.#others)', ''],
  ]),
  ...mutantsOf(LIMIT, { tests: room('limit') }, [
    ['requests of lower priorities count in the limit of higher ones',
      "PRIORITIES.indexOf(priority); i", "0; i"],
    ['what a request was expected to use counts when it has ended',
      'this.#add(priority, -ahead);', ''],
    ['what a request uses beyond the expected time does not count',
      'if (spent > ahead) this', 'if (false) this'],
    ['the thread idles behind the queries of long requests', 'Math.max(DEPTH, this.#mean)',
      'DEPTH'],
  ]),
  ...mutantsOf(LINES, { tests: room('lines') }, [
    ['a posted request starts although a key that has used less waits',
      'return used <= this', 'return true || used <= this', 'keys that share the thread'],
  ]),
  ...mutantsOf(LINES, { tests: room('limit') }, [
    ['a request whose client has left teaches its key', '!isAborted || used', 'true || used'],
  ]),
  ...mutantsOf(LINE, { tests: room('limit') }, [
    ['a stream is expected to use at once what it uses in its life',
      'mean * Math.min(1, SECOND / duration)', 'mean'],
  ]),
  ...mutantsOf('lib/tasks/scheduler.js', { tests: room('limit') }, [
    ['background requests wait for an idle loop', 'isBackground ? postVisible : enqueueUsual',
      'enqueueUsual'],
  ]),
  ...mutantsOf(REQUEST, { tests: room('admission-refusal') }, [
    ['requests that are answered while they wait teach how long requests take',
      'reason === undefined && hasBegun', 'reason === undefined', 'teaches the scheduler'],
  ]),
  ...mutantsOf(VISIT, { tests: room('admission-running') }, [
    ['the admission does not hear of the end of a response', 'this.#admission.ended(this);', ';',
      'maxRunning'],
  ]),
  ...mutantsOf(VISIT, { tests: room('admission-client') }, [
    ['the events of a request have the async context of its connection',
      'bindEvents(this.#request, this.#response, new AsyncResource(\'AdmittedRequest\'));', '',
      'in all that it leads to'],
    ['a request is served although a time limit has ended it before its turn',
      'if (this.#record.isAborted) {', 'if (this.#record === undefined) {',
      'is aborted while it waits'],
  ]),
  ...mutantsOf(REQUEST, { tests: room('admission-client') }, [
    ['what a request leaves behind keeps its priority',
      'setDefaultPriority(this);\n    this.isOver = true;', 'this.isOver = true;',
      'after the response'],
  ]),
  ...mutantsOf(REQUEST, { tests: room('admission-keys') }, [
    ['the flow of a request stays open when its response has ended',
      'this.flow.end(reason === undefined && hasBegun);', '', 'of a response with that'],
  ]),
  ...mutantsOf(REQUESTS, { tests: room('admission-client') }, [
    ['an admission overrides what code before it has set',
      'record.given = { ...record.given, ...members };', '', 'can set the priority'],
  ]),
  ...mutantsOf(REQUESTS, { tests: room('admission-drain') }, [
    ['the controller of a request that was refused on arrival is not aborted',
      'if (isRefused) record.abort();', '', 'refuses on arrival'],
  ]),
  ...mutantsOf('integrations/http/admission/index.js', { tests: room('admission') }, [
    ['a request waits for the room that it has itself',
      'admissionOf(response) === this', 'false', 'when it comes there again'],
  ]),
  ...mutantsOf('lib/tasks/ledger.js', { tests: room('charge') }, [
    ['what a request was charged for others is charged twice',
      'if (time < 0) owed.set(line, -time);', '', 'once, in the long run'],
    ['a sample of a request whose response has ended is charged',
      'each.isCharged && ', '', 'names nobody'],
    ['short callbacks of the host count as lost', ' && outside >= SHORT', '', 'lost: 500'],
    ['the thread that samples ends at once', 'KEPT = 5000', 'KEPT = 0', 'by one thread'],
  ]),
  ...mutantsOf(REQUESTS, { tests: room('charge') }, [
    ['a request without an admission is not charged',
      'if (!record.isOver) beginPoints(response, record);', '', 'as that of nobody'],
  ]),
  ...mutantsOf(SHUT_DOWN, { tests: room('shut-down') }, [
    ['shutDown() behind a close() waits for nothing', 'else this.#endIfUnused();',
      'else this.#end();', 'waits for what is under way'],
    ['a response under way does not say that its connection closes',
      'for (const response of responsesUnderWay(server)) closeAfter(response);', '',
      'answers what is under way'],
    ['a connection is closed before its first request has come',
      'if (silentSockets(this.#server).length > 0) return;', '',
      'comes after a while|closes idle sessions'],
    ['the timeout of a shutdown holds the process when the server has ended',
      '    clearTimer(timer);', '', 'holds the process'],
    ['a server is ready while it shuts down', 'readiness.change(ENDING);', '',
      'goes on for its delay'],
    ['a server that was closed waits for a delay', 'delay > 0 && server.listening', 'delay > 0',
      'no longer than its delay'],
  ]),
  ...mutantsOf(CONNECTIONS, { tests: room('shut-down') }, [
    ['connections before a TLS handshake are unknown', 'addUntilClose(of(server).sockets, socket);',
      '', 'closes connections that send nothing:'],
    ['connections that have closed count as silent', "item.once('close', () => open.delete(item));",
      '', 'left without a word'],
    ['connections are closed in the middle of a request', 'bytesRead === 0', 'bytesRead >= 0',
      'no connection whose request has begun'],
  ]),
  ...mutantsOf('integrations/http/admission/answer.js', { tests: room('admission-refusal') }, [
    ['a refused request with an unread body keeps its connection',
      "response.setHeader('Connection', 'close');", '', 'a body that was not read'],
  ]),
];
