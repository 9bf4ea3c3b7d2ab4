// Stands before the extension's own main file: how long that takes to load, and its `activate` to answer.
const { performance } = require('node:perf_hooks');
const from = performance.now();
const extension = require('./dist/extension.js');
const loaded = performance.now();
exports.deactivate = extension.deactivate;
exports.activate = async (context) => {
  const called = performance.now();
  const working = extension.activate(context);
  const answered = performance.now();
  const api = await working;
  const settled = performance.now();
  // of `settled`, what it waited for others is no work of its own
  globalThis.holdfastStartup = { load: loaded - from, activate: answered - called, settled: settled - called };
  return api;
};
