import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { readInputStream } from './read-input.ts'
import { runCli } from './run.ts'

/** Runs the command line of this process and sets its exit code. */
export async function runFromProcess(): Promise<void> {
  let interrupt: AbortSignal | undefined
  // The work may take so long to end after it was asked to, unless it said that it needs longer.
  let graceMs = 1_200
  const interrupted = (): AbortSignal => {
    interrupt ??= abortedBySignals(() => graceMs)
    return interrupt
  }
  // Whoever reads us may stop reading at any time, as `head` does.
  for (const stream of [process.stdout, process.stderr])
    stream.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1))
  process.exitCode = await runCli(process.argv.slice(2), {
    stdout: process.stdout,
    stderr: process.stderr,
    readStdin: () => readInputStream(process.stdin),
    ...(process.stdin.isTTY && process.stderr.isTTY
      ? { ask: (question) => ask(question, interrupted()) }
      : {}),
    env: process.env,
    cwd: process.cwd(),
    home: homedir(),
    ...(process.argv[1] === undefined ? {} : { program: [process.execPath, process.argv[1]] as const }),
    version: packageVersion(),
    get signal() {
      return interrupted()
    },
    endWithin: (milliseconds) => {
      graceMs = milliseconds
    },
    streams: () => ({ stdin: process.stdin, stdout: process.stdout }),
  })
}

/**
 * Returns an abort signal for the first signal of the system. The second one, or the end of the grace, ends the process. A
 * signal waits until the statement that runs is done.
 */
function abortedBySignals(graceMs: () => number): AbortSignal {
  const interrupt = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.once(signal, () => {
      interrupt.abort()
      setTimeout(() => process.kill(process.pid, signal), graceMs()).unref()
    })
  return interrupt.signal
}

/** An empty answer when it is interrupted, or when there is no more input. */
async function ask(question: string, signal: AbortSignal): Promise<string> {
  const { createInterface } = await import('node:readline/promises')
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  try {
    const ended = once(terminal, 'close').then(() => '')
    return await Promise.race([terminal.question(`${question} `, { signal }), ended])
  } catch (error) {
    if (signal.aborted) return ''
    throw error
  } finally {
    terminal.close()
  }
}

/** Reads the version from `package.json`, which is two folders up from `src/` and from the built `dist/`. */
function packageVersion(): string {
  const manifest = readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')
  return (JSON.parse(manifest) as { readonly version: string }).version
}
