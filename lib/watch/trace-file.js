'use strict';

// The file of a trace: a JSON array of events. Each event is written directly as bytes, which takes
// a third of the time of creating strings first, and leaves no garbage.
//
// Each write may end with an event for what is under way. The next write replaces that event.

const { closeSync, fstatSync, ftruncateSync, openSync, writeSync } = require('node:fs');

// The number of bytes that are buffered before a write, and the maximum size of an event.
const CHUNK = 2 ** 16;
const LONGEST_EVENT = 2 ** 11;
const ALMOST_FULL = CHUNK - 4 * LONGEST_EVENT;

const DIGIT_0 = 0x30;
const POINT = 0x2e;
const THOUSAND = 1e3;
const MILLION = 1e6;
// Larger numbers are converted as strings.
const LARGEST = 2 ** 31 - 1;

// The digits of all numbers below a thousand, three each.
const DIGITS = Uint8Array.from({ length: 3 * THOUSAND }, (_, i) => {
  return DIGIT_0 + Math.trunc(Math.trunc(i / 3) / 10 ** (2 - i % 3)) % 10;
});

// Shorter texts are copied byte by byte, which is faster for them.
const SHORT = 12;

const OPENING_BRACKET = 0x5b;

// The bytes of an ASCII text.
function bytes(text) {
  return new Uint8Array(Buffer.from(text, 'latin1'));
}

// The first bytes of an event.
function eventBytes(text) {
  return bytes(`,\n${text}`);
}

// A string in JSON, in ASCII characters.
function quoted(text) {
  const escape = (character) => `\\u${character.charCodeAt().toString(16).padStart(4, '0')}`;
  return JSON.stringify(text).replace(/[^ -~]/g, escape);
}

class TraceFile {
  // Puts one event for what is under way behind the buffered ones. May be undefined.
  putUnfinished = undefined;
  #file;
  // A pipe or a device has no positions, so nothing in it can be replaced.
  #hasPositions;
  // The places where the next write begins and where the last one has ended.
  #position = 0;
  #end = 0;
  // Has room for an unfinished event behind a full buffer.
  #chunk = new Uint8Array(CHUNK + LONGEST_EVENT);
  #length = 0;
  #isEmpty = true;
  // The millisecond of the time that was written last, and its digits.
  #millisecond = -1;
  #millisecondDigits = new Uint8Array(0);

  constructor(name) {
    this.#file = openSync(name, 'w');
    this.#hasPositions = fstatSync(this.#file).isFile();
  }

  // Whether the next events will fill the buffer.
  get isAlmostFull() {
    return this.#length > ALMOST_FULL;
  }

  // Begins one event, or two successive ones, of at most LONGEST_EVENT bytes together. The caller
  // then writes the other parts.
  begin(eventText) {
    if (this.#length > CHUNK - LONGEST_EVENT) this.flush();
    this.put(eventText);
    if (!this.#isEmpty) return;
    this.#isEmpty = false;
    // Replaces the comma before the first event.
    this.#chunk[0] = OPENING_BRACKET;
  }

  // Writes the bytes of a text.
  put(text) {
    const chunk = this.#chunk;
    const first = this.#length;
    const { length } = text;
    if (length < SHORT) {
      for (let i = 0; i < length; i++) chunk[first + i] = text[i];
    } else {
      chunk.set(text, first);
    }
    this.#length = first + length;
  }

  // Writes a whole number from 0 on.
  integer(number) {
    if (number < THOUSAND) {
      this.#upToThreeDigits(number | 0);
    } else if (number < MILLION) {
      const upper = (number | 0) / THOUSAND | 0;
      this.#upToThreeDigits(upper);
      this.#threeDigits((number | 0) - upper * THOUSAND);
    } else if (number <= LARGEST) {
      const upper = (number | 0) / THOUSAND | 0;
      this.integer(upper);
      this.#threeDigits((number | 0) - upper * THOUSAND);
    } else {
      this.put(bytes(String(number)));
    }
  }

  // Writes whole nanoseconds as microseconds. Successive events mostly have the same millisecond.
  microseconds(nanoseconds) {
    if (nanoseconds < MILLION) {
      this.#fraction(nanoseconds | 0);
      return;
    }
    const millisecond = Math.floor(nanoseconds / MILLION);
    if (millisecond !== this.#millisecond) {
      this.#millisecond = millisecond;
      this.#millisecondDigits = bytes(String(millisecond));
    }
    this.put(this.#millisecondDigits);
    const rest = nanoseconds - millisecond * MILLION | 0;
    const microsecond = rest / THOUSAND | 0;
    this.#threeDigits(microsecond);
    this.#chunk[this.#length++] = POINT;
    this.#threeDigits(rest - microsecond * THOUSAND);
  }

  // Writes less than a millisecond.
  #fraction(nanoseconds) {
    const microsecond = nanoseconds / THOUSAND | 0;
    this.#upToThreeDigits(microsecond);
    this.#chunk[this.#length++] = POINT;
    this.#threeDigits(nanoseconds - microsecond * THOUSAND);
  }

  // Writes a number below a thousand, with zeros before it.
  #threeDigits(number) {
    const chunk = this.#chunk;
    const first = this.#length;
    const from = 3 * number;
    chunk[first] = DIGITS[from];
    chunk[first + 1] = DIGITS[from + 1];
    chunk[first + 2] = DIGITS[from + 2];
    this.#length = first + 3;
  }

  // Writes a number below a thousand.
  #upToThreeDigits(number) {
    if (number >= 100) {
      this.#threeDigits(number);
      return;
    }
    const chunk = this.#chunk;
    if (number >= 10) chunk[this.#length++] = DIGITS[3 * number + 1];
    chunk[this.#length++] = DIGITS[3 * number + 2];
  }

  // Writes the buffered bytes, and behind them the unfinished event.
  flush() {
    const length = this.#length;
    if (this.#hasPositions) this.putUnfinished?.();
    this.#write(length);
  }

  // Writes the chunk. The next write begins behind its first `length` bytes. An error ends the
  // trace but not the tasks, for example if the disk is full.
  #write(length) {
    const all = this.#length;
    const position = this.#position;
    this.#length = 0;
    this.#position += length;
    try {
      for (let written = 0; written < all && this.#file !== undefined;) {
        const place = this.#hasPositions ? position + written : null;
        written += writeSync(this.#file, this.#chunk, written, all - written, place);
      }
      const end = position + all;
      // Removes the rest of the event that was replaced.
      if (end < this.#end && this.#file !== undefined) ftruncateSync(this.#file, end);
      this.#end = end;
    } catch (error) {
      this.#close();
      process.emitWarning(`The trace of tasks ends: ${error.message}`, 'UvSchedulerWarning');
    }
  }

  end() {
    this.put(bytes('\n]\n'));
    this.#write(this.#length);
    this.#close();
  }

  #close() {
    const file = this.#file;
    this.#file = undefined;
    if (file !== undefined) closeSync(file);
  }
}

module.exports = { TraceFile, bytes, eventBytes, quoted };
