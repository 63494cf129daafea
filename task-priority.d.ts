// The global type `TaskPriority` of register.d.ts. TypeScript's libraries declare this type as
// well, and a type cannot be declared twice, as an interface can. A namespace of this kind yields
// to their declaration.

type TaskPriority = import('./index.js').TaskPriority;
export = TaskPriority;
export as namespace TaskPriority;
