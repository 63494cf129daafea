'use strict';

// An application of Nest with a service that blocks the thread, for uv-scheduler/report. What the
// decorators of TypeScript do is written out.

require('reflect-metadata');
const { Controller, Get, Inject, Module } = require('@nestjs/common');
const { NestFactory } = require('@nestjs/core');

class CatsService {
  plantedCats() {
    let sum = 0;
    for (let i = 0; i < 500_000_000; i++) sum += Math.sqrt(i);
    return `${sum}`;
  }
}

class CatsController {
  constructor(service) {
    this.service = service;
  }

  findAll() {
    return this.service.plantedCats();
  }
}

class AppModule {}

Inject(CatsService)(CatsController, undefined, 0);
Get()(CatsController.prototype, 'findAll',
  Object.getOwnPropertyDescriptor(CatsController.prototype, 'findAll'));
Controller('cats')(CatsController);
Module({ controllers: [CatsController], providers: [CatsService] })(AppModule);

async function main() {
  const app = await NestFactory.create(AppModule, { logger: false });
  await app.listen(0, '127.0.0.1');
  console.log(app.getHttpServer().address().port);
  process.once('SIGTERM', () => app.close());
}

main();
