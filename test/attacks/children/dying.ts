// Preloaded into a process that checks a file: dies as soon as it has begun, as if the system had run out of memory.
const send = process.send?.bind(process)
if (send !== undefined)
  process.send = (message: unknown) => send(message, () => process.kill(process.pid, 'SIGKILL'))
