// The scheduler of this example; with --plain, or PLAIN in the environment, what stands for it. In
// an application of your own, import from uv-scheduler itself.

export const isPlain = process.argv.includes('--plain') || Boolean(process.env.PLAIN);

export const { SharedTask, configure, drain, pieces, scheduler } =
  await import(isPlain ? './plain.js' : 'uv-scheduler');
export const { controllerFor, createAdmission, shutDown } =
  await import(isPlain ? './plain.js' : 'uv-scheduler/http');
