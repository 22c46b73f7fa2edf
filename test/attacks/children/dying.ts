// Preloaded into a process that checks a file: dies as soon as it has begun, as if the system had run out of memory.
if (process.send !== undefined)
  process.prependOnceListener('message', () => setImmediate(() => process.kill(process.pid, 'SIGKILL')))
