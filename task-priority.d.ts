// The global type `TaskPriority` of register.d.ts. TypeScript's libraries have it as well, and a type
// cannot be declared twice, as an interface can. But a namespace of this kind gives way to theirs.

type TaskPriority = import('./index.js').TaskPriority;
export = TaskPriority;
export as namespace TaskPriority;
