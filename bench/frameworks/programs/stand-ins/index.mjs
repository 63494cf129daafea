// Stands for uv-scheduler in an example that is measured without.

import variant from '../variant.js';

export * from 'uv-scheduler';
export const { pieces, scheduler, shouldYield } = variant;
