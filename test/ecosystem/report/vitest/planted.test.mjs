// A test that blocks its thread, which vitest ends right behind it. Copied into another folder.

function plantedTest() {
  for (const end = performance.now() + 200; performance.now() < end;);
}

globalThis.test('blocks the thread', async () => {
  await new Promise((resolve) => setTimeout(resolve, 10));
  plantedTest();
});
