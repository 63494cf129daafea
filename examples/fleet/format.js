'use strict';

// Formats numbers for people.

const number = (value) => value.toFixed(value < 100 ? 2 : 0);
const percent = (value) => `${(value * 100).toFixed(1)} %`;

module.exports = { number, percent };
