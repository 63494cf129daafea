// The report of app/report with the pages router, which sends a page when all of it is rendered.

import { useState } from 'react';
import { pieces, requestIdleCallback, scheduler } from 'uv-scheduler';
import { controllerFor } from 'uv-scheduler/http';
import { Scheduled } from 'uv-scheduler/react';
import { PRIORITY_HEADER } from '../classes.mjs';
import { MONTHS, nameOf, summarise } from '../orders.mjs';

export async function getServerSideProps({ req, res }) {
  const priority = req.headers[PRIORITY_HEADER];
  const { signal } = controllerFor(res, { priority });
  const totals = new Map();
  let count = 0;
  async function addUp() {
    // Gives way when somebody else waits. Rejects when the visitor has left.
    for await (const month of pieces(Array(MONTHS).keys())) {
      for (const [product, sum] of summarise(month)) {
        totals.set(product, (totals.get(product) ?? 0) + sum);
      }
      count += 1;
    }
  }
  try {
    await scheduler.postTask(addUp, { signal });
  } catch (error) {
    if (!signal.aborted) throw error;
    requestIdleCallback(() => {
      console.log(`/years: the visitor left; ${count} of ${MONTHS} months were added up`);
    });
    return { notFound: true };
  }
  return { props: { totals: [...totals] } };
}

function Sales({ title, sales, children }) {
  return (
    <section>
      <h2>{title}</h2>
      <ul>
        {sales.map(([product, sum]) => <li key={product}>{product}: {sum}</li>)}
      </ul>
      {children}
    </section>
  );
}

// Renders nothing once the visitor has left.
function Month({ month, visit }) {
  const [isBestFirst, setBestFirst] = useState(true);
  if (visit?.signal.aborted) return null;
  if (visit) visit.count += 1;
  const sales = summarise(month);
  return (
    <Sales title={nameOf(month)} sales={isBestFirst ? sales : sales.reverse()}>
      <button onClick={() => setBestFirst(!isBestFirst)}>
        {isBestFirst ? 'Worst first' : 'Best first'}
      </button>
    </Sales>
  );
}

// The visit is that of _document.jsx; in browsers there is none.
export default function Years({ totals, visit }) {
  return (
    <main>
      <Sales title="Totals" sales={totals} />
      {Array.from({ length: MONTHS }, (_, month) => (
        <Scheduled key={month}>
          <Month month={month} visit={visit} />
        </Scheduled>
      ))}
    </main>
  );
}
