// Stands for uv-scheduler/react.

export { Suspense as Scheduled } from 'react';
