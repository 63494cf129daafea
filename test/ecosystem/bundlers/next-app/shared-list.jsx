'use client';

// A component that the server renders and that the page completes. It imports what only servers
// have, too.

import { useEffect, useState } from 'react';
import { drain, pieces, scheduler, wait } from 'uv-scheduler';

const ITEMS = [1, 2, 3];

export function SharedList() {
  const [text, setText] = useState(`server ${typeof drain}`);
  useEffect(() => {
    const complete = async () => {
      let sum = 0;
      await wait(1);
      for await (const item of pieces(ITEMS)) sum += item;
      const owner = scheduler === window.scheduler ? 'browser' : 'package';
      setText(await scheduler.postTask(() => `page ${sum} ${owner}`, { priority: 'background' }));
    };
    complete();
  }, []);
  return <p>{text}</p>;
}
