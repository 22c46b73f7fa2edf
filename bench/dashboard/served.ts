import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { processorMs } from './processor.ts'

/** As users have it: the sources load in twice the time. */
const COMMAND = fileURLToPath(new URL('../../dist/bin.js', import.meta.url))
const LINK = /(http:\/\/127\.0\.0\.1:\d+)\/#code=([\w-]+)/

/** The dashboard of a memory in a process of its own. */
export interface Served {
  readonly origin: string
  /** Opens the page once. */
  readonly link: string
  readonly pid: number
  /** Processor time from the start of the command until it listened, in milliseconds. */
  readonly listening: number
  readonly stop: () => Promise<void>
}

/** Starts `elfmem dashboard` of a memory and waits for its link. */
export async function serve(path: string): Promise<Served> {
  const args = ['--disable-warning=ExperimentalWarning', COMMAND, 'dashboard', '--no-open', '--db', path]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] })
  const { origin, link } = await linkOf(child)
  const pid = child.pid ?? 0
  return {
    ...{ origin, link, pid, listening: processorMs([pid]) },
    stop: async () => {
      child.kill('SIGTERM')
      if (child.exitCode === null) await once(child, 'exit')
    },
  }
}

async function linkOf(child: ChildProcess): Promise<{ origin: string; link: string }> {
  let told = ''
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (part: Buffer) => (told += part))
  for (;;) {
    const [link, origin] = LINK.exec(told) ?? []
    if (link !== undefined && origin !== undefined) return { link, origin }
    if (child.exitCode !== null) throw new Error(`the dashboard ended: ${told}`)
    await Promise.race([
      once(child.stdout ?? child, 'data'),
      once(child.stderr ?? child, 'data'),
      once(child, 'exit'),
    ])
  }
}
