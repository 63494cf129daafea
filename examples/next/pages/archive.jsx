// The same report with the pages router. Its data are made in pieces, and each section is rendered
// in a turn of its own. The page is sent when it is complete.

import { pieces } from 'uv-scheduler';
import { taskController } from 'uv-scheduler/http';
import { Scheduled } from 'uv-scheduler/react';
import { nameOf, summarise } from '../orders.mjs';

const MONTHS = 300;

export async function getServerSideProps({ res }) {
  const { signal } = taskController(res);
  const months = [];
  try {
    for await (const month of pieces(Array(MONTHS).keys(), { signal })) {
      months.push({ name: nameOf(month), sales: summarise(month) });
    }
  } catch (error) {
    if (!signal.aborted) throw error;
    console.log(`/archive: the visitor left; ${months.length} of ${MONTHS} months were made`);
  }
  return { props: { months } };
}

function Month({ name, sales }) {
  return (
    <section>
      <h2>{name}</h2>
      <ul>
        {sales.map(([product, sum]) => <li key={product}>{product}: {sum}</li>)}
      </ul>
    </section>
  );
}

export default function Archive({ months }) {
  return (
    <main>
      {months.map(({ name, sales }) => (
        <Scheduled key={name}>
          <Month name={name} sales={sales} />
        </Scheduled>
      ))}
    </main>
  );
}
