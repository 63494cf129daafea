export default defineEventHandler(() => 'ok\n');
