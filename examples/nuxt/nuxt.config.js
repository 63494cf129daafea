export default defineNuxtConfig({
  compatibilityDate: '2026-11-01',
  app: { head: { title: 'Report', link: [{ rel: 'icon', href: 'data:,' }] } },
  telemetry: false,
});
