import { askServer, NOTHING, PAYLOAD_BYTES_MAX } from './ask.ts'

/** Milliseconds that a server takes at most, unless the variable of the setting `hooks.budgetMs` says otherwise. */
const BUDGET_MS = 200
/** Milliseconds for the way there and back. */
const WAY_MS = 50

/**
 * The command `elfmem-hook <client>`: gives what stands on standard input to the server of the project around the working directory,
 * and writes its answer. It loads nothing of elfmem, starts nothing, and never fails: a client waits for it.
 */
async function main(): Promise<void> {
  const { argv, env, stdin, stdout } = process
  const within = (Number(env.ELFMEM_HOOKS_BUDGET_MS) || BUDGET_MS) + WAY_MS
  // Whatever happens, there is an answer in time.
  const timer = setTimeout(() => finish(NOTHING), within)
  let isFinished = false
  function finish(answer: string): void {
    if (isFinished) return
    isFinished = true
    clearTimeout(timer)
    stdout.on('error', () => undefined)
    stdout.write(answer, () => process.exit(0))
  }
  if (stdin.isTTY) return finish(NOTHING)
  try {
    const parts: Buffer[] = []
    let length = 0
    for await (const part of stdin as AsyncIterable<Buffer>) {
      length += part.length
      if (length > PAYLOAD_BYTES_MAX) return finish(NOTHING)
      parts.push(part)
    }
    const home = env.HOME ?? env.USERPROFILE ?? ''
    const payload = Buffer.concat(parts).toString()
    const asked = { client: argv[2] ?? '', cwd: process.cwd(), home, payload, within }
    finish((await askServer(asked)) ?? NOTHING)
  } catch {
    finish(NOTHING)
  }
}

void main()
