'use strict';

// Express with pages that are rendered in one go: from strings, and by React.

const express = require('express');
const { createElement } = require('react');
const { renderToString } = require('react-dom/server');

const app = express();

function plantedPage() {
  let html = '';
  for (let row = 0; row < 1000; row++) {
    let sum = 0;
    for (let i = 0; i < 500_000; i++) sum += Math.sqrt(i);
    html += `<li>${sum}</li>`;
  }
  return `<ul>${html}</ul>`;
}

function PlantedList() {
  let sum = 0;
  for (let i = 0; i < 500_000_000; i++) sum += Math.sqrt(i);
  return createElement('p', undefined, sum);
}

app.get('/page', (request, response) => response.send(plantedPage()));
app.get('/react', (request, response) => {
  response.send(renderToString(createElement('main', undefined, createElement(PlantedList))));
});

const server = app.listen(0, '127.0.0.1', () => console.log(server.address().port));
process.once('SIGTERM', () => {
  server.close();
  server.closeAllConnections();
});
