// Renders pages of the pages router in a task with the priority of their request, so that all
// <Scheduled> have it. Each page has a prop `visit`, whose signal is aborted when its visitor
// leaves.

import Document, { Head, Html, Main, NextScript } from 'next/document';
import { TaskSignal, requestIdleCallback, scheduler } from 'uv-scheduler';
import { controllerFor } from 'uv-scheduler/http';
import { PRIORITY_HEADER } from '../classes.mjs';

export default class extends Document {
  static getInitialProps(context) {
    const { pathname, renderPage, req, res } = context;
    const priority = req?.headers[PRIORITY_HEADER];
    // Neither what `next build` prerenders nor what proxy.js does not match has a class.
    if (!priority) return Document.getInitialProps(context);
    const { signal } = controllerFor(res, { priority });
    const visit = { signal, count: 0 };
    signal.addEventListener('abort', () => {
      // A line in the log can wait.
      requestIdleCallback(() => {
        console.log(`${pathname}: the visitor left; ${visit.count} sections were rendered`);
      });
    });
    const withVisit = (Page) => (props) => <Page {...props} visit={visit} />;
    context.renderPage = () => renderPage({ enhanceComponent: withVisit });
    // The task belongs to the request, but is not aborted with it: Next.js would log an error for
    // each section that an abort ends.
    const request = TaskSignal.any([], { priority: signal });
    return scheduler.postTask(() => Document.getInitialProps(context), { signal: request });
  }

  render() {
    return (
      <Html lang="en">
        <Head>
          <link rel="icon" href="data:," />
        </Head>
        <body>
          <Main />
          <NextScript />
        </body>
      </Html>
    );
  }
}
