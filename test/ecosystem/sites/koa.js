'use strict';

// The site on Koa.

const http = require('node:http');
const { Readable } = require('node:stream');
const { loader } = require('../../helpers/installed.js');
const site = require('./site.js');

const load = loader('servers');

async function answer(ctx) {
  if (ctx.path === '/page') {
    ctx.body = Readable.from(site.rows());
  } else if (ctx.path === '/react') {
    ctx.respond = false;
    ctx.status = 200;
    site.renderPage(ctx.res);
  } else if (ctx.path === '/broken') {
    site.breakAtOnce();
  } else if (ctx.path === '/orders' && ctx.method === 'POST') {
    ctx.body = await site.takeOrder(ctx.request.body);
  } else if (Object.hasOwn(site.texts, ctx.path)) {
    ctx.body = await site.texts[ctx.path](ctx.res);
  }
}

function start() {
  const app = new (load('koa'))();
  app.on('error', (error, ctx) => {
    site.logFault(error, ctx.res);
  });
  app.use((ctx, next) => site.admission.admit(ctx.req, ctx.res, next));
  app.use(load('koa-bodyparser')());
  app.use(answer);
  return http.createServer(app.callback());
}

module.exports = { Koa: { start } };
