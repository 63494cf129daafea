// Vite's dev server, with a plug-in that takes long for each module.

export default {
  clearScreen: false,
  server: { host: '127.0.0.1', port: Number(process.env.PORT), strictPort: true },
  plugins: [{
    name: 'planted',
    transform: function plantedTransform(code, id) {
      if (!id.endsWith('/main.mjs')) return undefined;
      let sum = 0;
      for (let i = 0; i < 500_000_000; i++) sum += Math.sqrt(i);
      return `${code}\nconsole.log(${sum});\n`;
    },
  }],
};
