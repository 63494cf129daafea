// An application of Nest: each request is admitted and has the signal of its visitor, errors of
// visitors who have left are no errors, event streams end, and so does the server.

import 'reflect-metadata';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type ArgumentsHost, type BeforeApplicationShutdown, Catch, Controller, Get, Inject, Module, Param,
  Sse,
} from '@nestjs/common';
import { APP_FILTER, BaseExceptionFilter, HttpAdapterHost, NestFactory } from '@nestjs/core';
import { from, fromEvent, map, takeUntil } from 'rxjs';
import { currentTaskSignal, pieces } from 'uv-scheduler';
import { controllerFor, createAdmission, shutDown } from 'uv-scheduler/http';

const ended = new AbortController();
let rendered = 0;

function renderRow(row: number) {
  for (const end = performance.now() + 1; performance.now() < end;); // Stands for some work.
  rendered++;
  return `row ${row}`;
}

async function* prices(signal: AbortSignal) {
  for (let price = 1; ; price++) {
    yield price;
    await sleep(10, undefined, { signal });
  }
}

@Controller()
class ShopController {
  @Get('health')
  health() {
    return 'ok';
  }

  @Get('report/:rows')
  async report(@Param('rows') rows: string) {
    const lines: string[] = [];
    const signal = currentTaskSignal();
    for await (const row of pieces(Array(Number(rows)).keys(), { signal })) {
      lines.push(renderRow(row));
    }
    return lines;
  }

  @Sse('prices')
  prices() {
    const signal = currentTaskSignal()!; // An abort of the visitor ends the source.
    return from(pieces(prices(signal), { signal })).pipe(
      takeUntil(fromEvent(ended.signal, 'abort')), // The shutdown ends the stream.
      map((data) => ({ data: `${data}` })),
    );
  }
}

@Catch()
class VisitorFilter extends BaseExceptionFilter {
  catch(error: unknown, host: ArgumentsHost) {
    const response = host.switchToHttp().getResponse();
    // The visitor has left.
    if (response.destroyed || controllerFor(response).signal.aborted) return;
    super.catch(error, host);
  }
}

@Module({
  controllers: [ShopController],
  providers: [{ provide: APP_FILTER, useClass: VisitorFilter }],
})
class ShopModule implements BeforeApplicationShutdown {
  constructor(@Inject(HttpAdapterHost) private readonly host: HttpAdapterHost) {}

  async beforeApplicationShutdown() {
    ended.abort(); // Ends the event streams.
    await shutDown(this.host.httpAdapter.getHttpServer(), { timeout: 10_000 });
  }
}

async function main() {
  const app = await NestFactory.create(ShopModule, { logger: ['error'] });
  app.use(createAdmission().middleware); // In front of Nest's body parsers.
  app.enableShutdownHooks(); // SIGTERM.
  await app.listen(process.env.PORT ?? 0);
  if (process.env.PORT === undefined) await tryIt(app);
}

async function tryIt(app: Awaited<ReturnType<typeof NestFactory.create>>) {
  const url = (await app.getUrl()).replace('[::1]', 'localhost');
  const order: string[] = [];
  const ask = async (path: string, signal?: AbortSignal) => {
    const response = await fetch(`${url}/${path}`, { signal });
    await response.text();
    order.push(path);
  };
  await Promise.all([ask('report/200'), ask('health')]);
  console.log(order.join(', ')); // prints: health, report/200

  rendered = 0;
  const visitor = new AbortController();
  const left = ask('report/5000', visitor.signal).catch(({ name }) => name);
  while (rendered < 10) await sleep(1);
  visitor.abort();
  console.log(await left); // prints: AbortError
  let before;
  do {
    before = rendered;
    await sleep(50);
  } while (rendered !== before);
  console.log(rendered < 5000); // prints: true

  const events = (await fetch(`${url}/prices`)).body!.getReader();
  const { value } = await events.read();
  console.log(/data: 1\n/.test(new TextDecoder().decode(value))); // prints: true
  const closed = app.close();
  while (!(await events.read()).done);
  await closed;
  console.log('ended'); // prints: ended
}

main();
