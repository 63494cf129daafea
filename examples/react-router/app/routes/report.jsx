// A long report: its data are made in pieces, and each section is rendered in a turn of its own,
// and sent when it is ready.

import { useState } from 'react';
import { pieces } from 'uv-scheduler';
import { Scheduled } from 'uv-scheduler/react';
import { MONTHS, summarise } from '../orders.js';

export async function loader() {
  const months = [];
  try {
    for await (const month of pieces(Array(MONTHS).keys())) months.push(summarise(month));
    return { months };
  } finally {
    if (months.length < MONTHS) {
      console.log(`/report: the visitor left; ${months.length} of ${MONTHS} months were prepared`);
    }
  }
}

const FEW = 2;

function Month({ name, sales }) {
  const [isOpen, setOpen] = useState(false);
  const shown = isOpen ? sales : sales.slice(0, FEW);
  return (
    <section>
      <h2>{name}</h2>
      <button onClick={() => setOpen(!isOpen)}>{isOpen ? 'Less' : 'More'}</button>
      <ul>
        {shown.map(([product, sum]) => <li key={product}>{product}: {sum}</li>)}
      </ul>
    </section>
  );
}

export default function Report({ loaderData }) {
  return (
    <main>
      {loaderData.months.map(({ name, sales }) => (
        <Scheduled key={name}>
          <Month name={name} sales={sales} />
        </Scheduled>
      ))}
    </main>
  );
}
